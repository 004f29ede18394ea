// SPDX-License-Identifier: MIT
#include <helixavatar/texture/fit.hpp>

#include <algorithm>
#include <limits>
#include <map>

#include <helixavatar/base/parallel.hpp>
#include <helixavatar/gltf/image_header.hpp>

#include "texture/ktx2_levels.hpp"
#include "texture/ladder.hpp"
#include "texture/pack_occlusion.hpp"

namespace helixavatar::texture {
namespace {

std::vector<Ladder> ladders_for(const avatar::Avatar& avatar, const ImageUses& uses, const TextureOptions& options,
                                bool to_ktx2) {
    std::vector<Ladder> ladders;
    for (const ImageUse& use : uses.uses)
        ladders.push_back(ladder_of(avatar.images[static_cast<std::size_t>(use.image)], use, options, to_ktx2));
    return ladders;
}

/// One image's ladder with the rungs that were made.
class Work {
public:
    Work(const avatar::Image& image, const ImageUse& use, const Workshop& workshop)
        : image_(image), use_(use), workshop_(workshop) {}

    bool has(std::size_t rung) const { return made_.count(rung) > 0; }
    const ConvertedImage& made(std::size_t rung) const { return made_.at(rung); }
    ConvertedImage take(std::size_t rung) { return std::move(made_.at(rung)); }

    Result<void> make(Ladder& ladder, std::size_t rung) {
        Result<ConvertedImage> converted = convert_image(image_, use_, workshop_, ladder.rungs[rung].goal);
        if (!converted) return converted.error();
        cut_smaller_ones(ladder, rung, *converted);
        keep(ladder, rung, converted.take());
        return {};
    }

private:
    void keep(Ladder& ladder, std::size_t rung, ConvertedImage&& converted) {
        ladder.rungs[rung].bytes = converted.image.bytes.size();
        ladder.rungs[rung].exact = true;
        made_.insert_or_assign(rung, std::move(converted));
    }

    /// The mip levels of a KTX2 are the smaller pictures of the same form.
    void cut_smaller_ones(Ladder& ladder, std::size_t rung, const ConvertedImage& from) {
        const auto header = gltf::read_image_header(from.image.bytes);
        if (!header || !header->ktx2) return;
        for (std::size_t r = rung + 1; r < ladder.rungs.size(); ++r) {
            const Goal& goal = ladder.rungs[r].goal;
            if (goal.form != ladder.rungs[rung].goal.form || has(r)) continue;
            const int over = levels_over(header->width, header->height, header->ktx2->levels, goal.max_edge);
            if (over < 0) continue;
            auto bytes = drop_largest_levels(from.image.bytes, over);
            if (!bytes) continue;
            ConvertedImage smaller{{from.image.name, from.image.mime, bytes.take()}, from.record, from.warning};
            smaller.record.to = {from.image.mime, header->width >> over, header->height >> over,
                                 smaller.image.bytes.size()};
            keep(ladder, r, std::move(smaller));
        }
    }

    const avatar::Image& image_;
    const ImageUse& use_;
    const Workshop& workshop_;
    std::map<std::size_t, ConvertedImage> made_;
};

/// What the rungs not made yet will take, judged by their neighbours that were: a quarter of the texels takes somewhat
/// more than a quarter of the bytes.
void learn(Ladder& ladder) {
    constexpr double kQuarter = 0.28;
    for (std::size_t r = 0; r < ladder.rungs.size(); ++r) {
        Rung& rung = ladder.rungs[r];
        if (rung.exact) continue;
        for (std::size_t other = r; other-- > 0;) {
            const Rung& larger = ladder.rungs[other];
            if (larger.goal.form != rung.goal.form || !larger.exact) continue;
            rung.bytes = static_cast<std::size_t>(static_cast<double>(larger.bytes) * kQuarter);
            for (std::size_t between = other + 1; between < r; ++between)
                if (ladder.rungs[between].goal.form == rung.goal.form)
                    rung.bytes = static_cast<std::size_t>(static_cast<double>(rung.bytes) * kQuarter);
            break;
        }
    }
}

std::string codec_name(const std::string& mode) {
    return mode == "uastc" ? "UASTC" : mode == "etc1s" ? "ETC1S" : mode == "jpeg" ? "JPEG" : "PNG";
}

/// What the choice lost against the best rung, in words; empty when nothing.
std::string loss_of(const ConvertedImage& made, const Goal& goal, const Goal& best, const TextureOptions& options) {
    const TextureRecord& record = made.record;
    const Size wanted_size = fitted_size(record.from.width, record.from.height, options.max_edge);
    const int wanted = std::max(wanted_size.width, wanted_size.height);
    const int got = std::max(record.to.width, record.to.height);
    std::string lost;
    if (got < wanted && got == goal.max_edge)
        lost = std::to_string(got) + " pixels instead of " + std::to_string(wanted);
    const bool other_form = goal.form != best.form && !(goal.form == Form::jpeg && record.mode != "jpeg");
    if (other_form && std::max(record.to.width, record.to.height) > 4)
        lost += (lost.empty() ? "" : ", ") + codec_name(record.mode) + " instead of " +
                (best.form == Form::uastc ? "UASTC" : "PNG");
    if (lost.empty()) return {};
    const std::string name = record.name.empty() ? std::string() : " \"" + record.name + "\"";
    return std::string(avatar::to_string(record.role)) + " texture" + name + ": " + lost;
}

class Fitting {
public:
    Fitting(const avatar::Avatar& avatar, const ImageUses& uses, const Workshop& workshop)
        : avatar_(avatar),
          uses_(uses),
          workshop_(workshop),
          ladders_(ladders_for(avatar, uses, workshop.options, workshop.makes_ktx2())) {
        for (const ImageUse& use : uses.uses)
            works_.emplace_back(avatar.images[static_cast<std::size_t>(use.image)], use, workshop);
    }

    /// Chooses by estimates, makes what is chosen, and chooses again with the measured sizes until all chosen ones are
    /// measured. Every round makes a rung that was not made before, so it ends.
    Result<Choice> choose(std::size_t bytes) {
        for (;;) {
            const Choice choice = choose_rungs(ladders_, bytes);
            std::vector<std::size_t> missing;
            for (std::size_t i = 0; i < works_.size(); ++i)
                if (!works_[i].has(choice.rung[i])) missing.push_back(i);
            if (missing.empty()) return choice;
            std::vector<Result<void>> done(missing.size());
            parallel_for(missing.size(), [&](std::size_t m) {
                done[m] = works_[missing[m]].make(ladders_[missing[m]], choice.rung[missing[m]]);
            });
            for (std::size_t m = 0; m < missing.size(); ++m)
                if (!done[m]) return in_image(done[m].error(), avatar_, uses_.uses[missing[m]].image);
            for (Ladder& ladder : ladders_) learn(ladder);
        }
    }

    /// The chosen images and records go to `out`; returns what was given up.
    std::vector<std::string> finish(const Choice& choice, TextureOutput& out, std::vector<avatar::Image>& images) {
        std::vector<std::string> given_up;
        for (std::size_t i = 0; i < works_.size(); ++i) {
            ConvertedImage made = works_[i].take(choice.rung[i]);
            const std::vector<Rung>& rungs = ladders_[i].rungs;
            const std::string lost = loss_of(made, rungs[choice.rung[i]].goal, rungs.front().goal, workshop_.options);
            if (!lost.empty()) given_up.push_back(lost);
            if (!made.warning.empty()) out.warnings.push_back(made.warning);
            images.push_back(std::move(made.image));
            out.records.push_back(std::move(made.record));
            out.statistics.push_back(made.statistics);
        }
        return given_up;
    }

private:
    const avatar::Avatar& avatar_;
    const ImageUses& uses_;
    const Workshop& workshop_;
    std::vector<Ladder> ladders_;
    std::vector<Work> works_;
};

}  // namespace

TextureForecast::TextureForecast(const avatar::Avatar& avatar, const TextureOptions& options)
    : ladders_(std::make_unique<std::vector<Ladder>>(ladders_for(
          avatar, gather_image_uses(avatar), options, options.ktx2 && !find_encoder(options.encoder).empty()))) {}

TextureForecast::~TextureForecast() = default;

double TextureForecast::loss_within(std::size_t bytes) const {
    const Choice choice = choose_rungs(*ladders_, bytes);
    return choice.fits ? choice.loss : std::numeric_limits<double>::infinity();
}

Result<FittedTextures> fit_textures(avatar::Avatar avatar, const TextureOptions& options, std::size_t bytes) {
    FittedTextures out;
    pack_occlusion(avatar, options);
    const ImageUses uses = gather_image_uses(avatar);
    const auto workshop = open_workshop(avatar, uses, options, out.output.warnings);
    if (!workshop) return workshop.error();
    Fitting fitting(avatar, uses, *workshop);
    const Result<Choice> choice = fitting.choose(bytes);
    if (!choice) return choice.error();
    std::vector<avatar::Image> images;
    out.given_up = fitting.finish(*choice, out.output, images);
    out.bytes = choice->bytes;
    out.fits = choice->fits;
    rewire(avatar, uses);
    avatar.images = std::move(images);
    out.output.ktx2_enabled = workshop->makes_ktx2();
    if (workshop->encoder) out.output.encoder_version = workshop->encoder->version;
    out.output.avatar = std::move(avatar);
    return out;
}

}  // namespace helixavatar::texture
