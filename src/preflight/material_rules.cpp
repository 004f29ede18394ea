// SPDX-License-Identifier: MIT
// The material guards: they look at pixels, because names lie.
#include <map>

#include <helixavatar/texture/pixel_statistics.hpp>

#include "preflight/checks.hpp"
#include "preflight/image_pixels.hpp"
#include "preflight/wording.hpp"

namespace helixavatar::preflight {
namespace {

using texture::NormalLook;
using texture::PixelStatistics;

bool is_normal_slot(const std::string& slot) {
    return slot == "normalTexture" || slot == "clearcoatNormalTexture";
}

std::string figures(const PixelStatistics& s) {
    return fixed(100 * s.unit_share, 0) + " % of its pixels are unit vectors, " + fixed(100 * s.blue_share, 0) +
           " % are mostly blue, the mean is " + vector_text(s.mean);
}

/// Calls `body(use, statistics)` once an image that the slots show, with the first use of it.
template <class Wanted, class Body>
void each_image(const RuleContext& context, Outcome& outcome, Wanted wanted, Body body) {
    std::map<int, const TextureUse*> first;
    for (const TextureUse& use : context.facts.texture_uses) {
        if (wanted(use.slot)) first.emplace(use.image, &use);
    }
    for (const auto& [image, use] : first) {
        const Where where{use->pointer, context.facts.images[image].name, {}};
        if (!context.options.pixel_guards) {
            outcome.not_measured("pixels were not looked at (pixel guards are off)", where);
            continue;
        }
        const Result<PixelStatistics>& statistics = context.pixels(image);
        if (!statistics)
            outcome.not_measured(statistics.error().message, where);
        else
            body(*use, where, *statistics);
    }
}

}  // namespace

void check_base_color_normal_map(const RuleContext& context, Outcome& outcome) {
    const auto wanted = [](const std::string& slot) { return slot == "baseColorTexture" || slot == "diffuseTexture"; };
    each_image(
        context, outcome, wanted, [&](const TextureUse& use, const Where& where, const PixelStatistics& statistics) {
            const NormalLook look = normal_look(statistics);
            if (look != NormalLook::normal && look != NormalLook::flat_normal) return;
            Finding& finding =
                outcome.fail(where, "The base colour of material " + context.facts.material_label(use.material) +
                                        " is " + describe(look) + " (" + where.name + ": " + figures(statistics) +
                                        "): the character would be drawn blue and violet. The upload is refused.");
            finding.measured = fixed(100 * statistics.unit_share, 0);
            finding.limit = "75";
            finding.unit = "% unit vectors";
        });
}

void check_normal_map(const RuleContext& context, Outcome& outcome) {
    each_image(
        context, outcome, is_normal_slot,
        [&](const TextureUse& use, const Where& where, const PixelStatistics& statistics) {
            const NormalLook look = normal_look(statistics);
            if (look == NormalLook::normal || look == NormalLook::flat_normal) return;
            Finding& finding =
                outcome.fail(where, "The normal texture of material " + context.facts.material_label(use.material) +
                                        " is " + describe(look) + " (" + where.name + ": " + figures(statistics) +
                                        "): the light would fall wrong everywhere. The upload is refused.");
            finding.measured = fixed(100 * statistics.unit_share, 0);
            finding.limit = "75";
            finding.unit = "% unit vectors";
            if (look == NormalLook::grey) {
                finding.fix = "Bake the height map into a tangent-space normal map, or take it out of the normal slot.";
            } else if (look == NormalLook::encoded) {
                finding.fix = "Export the normal map again without colour conversion (non-colour, linear data).";
            } else if (look == NormalLook::two_channel) {
                finding.fix = "Rebuild blue as sqrt(1 - x*x - y*y): glTF normal textures carry all three channels.";
            }
        });
}

void check_normal_map_green(const RuleContext& context, Outcome& outcome) {
    each_image(context, outcome, is_normal_slot,
               [&](const TextureUse& use, const Where& where, const PixelStatistics& statistics) {
                   if (!texture::green_points_down(statistics)) return;
                   Finding& finding = outcome.fail(
                       where,
                       "The normal texture of material " + context.facts.material_label(use.material) +
                           " has its green channel upside down (DirectX style): its slopes only fit together as a "
                           "surface with green inverted (agreement " +
                           fixed(statistics.curl_agreement, 2) + "), so bumps look like dents when lit from above.");
                   finding.measured = fixed(statistics.curl_agreement, 2);
                   finding.limit = fixed(texture::kGreenIsDown, 2);
                   finding.unit = "agreement";
               });
}

}  // namespace helixavatar::preflight
