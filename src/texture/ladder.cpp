// SPDX-License-Identifier: MIT
#include "texture/ladder.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <helixavatar/gltf/image_header.hpp>

namespace helixavatar::texture {
namespace {

using avatar::TextureRole;

/// No picture is made smaller than this: below it a codec's blocks are as large as what they show.
constexpr int kSmallestEdge = 64;

/// What the other codec of a base colour costs, in halved edges: 40 dB instead of 47 (see encoder_arguments()).
constexpr double kCodecLoss = 0.35;
/// JPEG of quality 92 for a picture that was lossless.
constexpr double kJpegLoss = 0.25;

// Bits a texel with its mip levels, for estimates: the sample characters' maps take 0.5 to 1.1 (ETC1S), 3.5 to 7
// (UASTC with Zstandard), 8 to 16 (PNG) and 1.5 to 3 (JPEG). Taken low, so that the first try is rather too large:
// smaller pictures are cut from larger ones for nothing.
constexpr double kEtc1sBits = 0.5, kUastcBits = 3.5, kPngBits = 8, kJpegBits = 1.5;

double weight_of(TextureRole role) {
    switch (role) {
        case TextureRole::base_color:
            return 1;
        case TextureRole::normal:
            return 0.8;
        case TextureRole::emissive:
        case TextureRole::other_color:
            return 0.7;
        case TextureRole::occlusion_roughness_metallic:
        case TextureRole::other_data:
            return 0.5;
    }
    return 1;
}

/// Loss of halving this edge: the further down, the more it shows.
double halving_loss(int edge) {
    return 1 + 0.5 * std::max(0.0, std::log2(1024.0 / edge));
}

double bits_of(Form form, const ImageUse& use, bool to_ktx2, const gltf::ImageHeader& header, std::size_t bytes) {
    if (to_ktx2) {
        const bool uastc = form == Form::uastc || (form == Form::usual && use.content == Content::normal);
        return uastc ? kUastcBits : kEtc1sBits;
    }
    if (form == Form::jpeg) return kJpegBits;
    const bool lossy = header.format == gltf::ImageFormat::jpeg || header.format == gltf::ImageFormat::webp;
    if (lossy) return use.content == Content::color ? kJpegBits : kPngBits;
    const double texels = static_cast<double>(header.width) * header.height;
    return texels > 0 ? std::min(kPngBits, 8.0 * static_cast<double>(bytes) / texels) : kPngBits;
}

std::vector<Form> forms_of(const ImageUse& use, bool to_ktx2, const gltf::ImageHeader& header) {
    if (header.ktx2) return {Form::usual};
    if (to_ktx2)
        return use.role == TextureRole::base_color ? std::vector<Form>{Form::uastc, Form::etc1s}
                                                   : std::vector<Form>{Form::usual};
    const bool may_be_jpeg =
        use.content == Content::color && !use.alpha_read && header.format == gltf::ImageFormat::png;
    return may_be_jpeg ? std::vector<Form>{Form::usual, Form::jpeg} : std::vector<Form>{Form::usual};
}

/// The next rung down that saves bytes, with what it saves for each unit of loss.
struct Step {
    std::size_t rung = 0;
    double gain = 0;
};

std::optional<Step> best_step_down(const Ladder& ladder, std::size_t from) {
    std::optional<Step> best;
    const Rung& now = ladder.rungs[from];
    for (std::size_t r = from + 1; r < ladder.rungs.size(); ++r) {
        const Rung& lower = ladder.rungs[r];
        if (lower.bytes >= now.bytes) continue;
        const double gain = static_cast<double>(now.bytes - lower.bytes) / std::max(lower.loss - now.loss, 1e-6);
        if (!best || gain > best->gain) best = Step{r, gain};
    }
    return best;
}

}  // namespace

Ladder ladder_of(const avatar::Image& image, const ImageUse& use, const TextureOptions& options, bool to_ktx2) {
    Ladder ladder;
    const auto header = gltf::read_image_header(image.bytes);
    if (!header || header->width < 1 || header->height < 1) {
        ladder.rungs.push_back({{options.max_edge, Form::usual}, image.bytes.size(), true, 0});
        return ladder;
    }
    const Size top = fitted_size(header->width, header->height, options.max_edge);
    const std::vector<Form> forms = forms_of(use, to_ktx2, *header);
    double lost = 0;
    for (int halvings = 0;; ++halvings) {
        const int edge = std::max(top.width, top.height) >> halvings;
        if (halvings > 0 && edge < kSmallestEdge) break;
        const double texels = static_cast<double>(top.width) * top.height / std::pow(4.0, halvings);
        for (const Form form : forms) {
            const bool second = form == Form::etc1s || form == Form::jpeg;
            // The better codec at half the edge takes as many bytes as the other at the whole: not worth a rung.
            if (!second && forms.size() > 1 && halvings > 0 && to_ktx2) continue;
            const double bits = bits_of(form, use, to_ktx2, *header, image.bytes.size());
            const double form_loss = second ? (form == Form::jpeg ? kJpegLoss : kCodecLoss) : 0;
            // Only the first rung leaves the picture's own size alone.
            const int cap = halvings == 0 ? options.max_edge : edge;
            ladder.rungs.push_back({{cap, form},
                                    static_cast<std::size_t>(texels * bits / 8) + 256,
                                    false,
                                    weight_of(use.role) * (lost + form_loss)});
        }
        lost += halving_loss(edge);
    }
    return ladder;
}

Choice choose_rungs(const std::vector<Ladder>& ladders, std::size_t bytes) {
    Choice choice;
    choice.rung.assign(ladders.size(), 0);
    for (const Ladder& ladder : ladders) choice.bytes += ladder.rungs.front().bytes;
    const auto move = [&](std::size_t i, std::size_t rung) {
        choice.bytes += ladders[i].rungs[rung].bytes;
        choice.bytes -= ladders[i].rungs[choice.rung[i]].bytes;
        choice.rung[i] = rung;
    };
    while (choice.bytes > bytes) {
        std::size_t which = ladders.size();
        Step best;
        for (std::size_t i = 0; i < ladders.size(); ++i) {
            const auto step = best_step_down(ladders[i], choice.rung[i]);
            if (step && (which == ladders.size() || step->gain > best.gain)) {
                which = i;
                best = *step;
            }
        }
        if (which == ladders.size()) break;
        move(which, best.rung);
    }
    choice.fits = choice.bytes <= bytes;
    // The last step down often frees more than was needed: what regains most goes back up.
    for (bool raised = choice.fits; raised;) {
        raised = false;
        std::size_t which = 0, to = 0;
        double regained = 0;
        for (std::size_t i = 0; i < ladders.size(); ++i)
            for (std::size_t r = 0; r < choice.rung[i]; ++r) {
                const Rung& now = ladders[i].rungs[choice.rung[i]];
                const Rung& higher = ladders[i].rungs[r];
                if (choice.bytes - now.bytes + higher.bytes > bytes || now.loss - higher.loss <= regained) continue;
                regained = now.loss - higher.loss;
                which = i;
                to = r;
                raised = true;
            }
        if (raised) move(which, to);
    }
    for (std::size_t i = 0; i < ladders.size(); ++i) choice.loss += ladders[i].rungs[choice.rung[i]].loss;
    return choice;
}

}  // namespace helixavatar::texture
