// SPDX-License-Identifier: MIT
#include <helixavatar/texture/process.hpp>

#include <helixavatar/base/parallel.hpp>

#include "texture/convert_image.hpp"
#include "texture/pack_occlusion.hpp"

namespace helixavatar::texture {

Result<TextureOutput> process_textures(avatar::Avatar avatar, const TextureOptions& options) {
    TextureOutput out;
    pack_occlusion(avatar, options);
    const ImageUses uses = gather_image_uses(avatar);
    const auto workshop = open_workshop(avatar, uses, options, out.warnings);
    if (!workshop) return workshop.error();

    std::vector<std::optional<Result<ConvertedImage>>> converted(uses.uses.size());
    parallel_for(uses.uses.size(), [&](std::size_t i) {
        const avatar::Image& image = avatar.images[static_cast<std::size_t>(uses.uses[i].image)];
        converted[i] = convert_image(image, uses.uses[i], *workshop, {options.max_edge, Form::usual});
    });

    std::vector<avatar::Image> images;
    for (std::size_t i = 0; i < converted.size(); ++i) {
        Result<ConvertedImage>& result = *converted[i];
        if (!result) return in_image(result.error(), avatar, uses.uses[i].image);
        if (!result->warning.empty()) out.warnings.push_back(result->warning);
        images.push_back(std::move(result->image));
        out.records.push_back(std::move(result->record));
        out.statistics.push_back(result->statistics);
    }
    rewire(avatar, uses);
    avatar.images = std::move(images);
    out.ktx2_enabled = workshop->makes_ktx2();
    if (workshop->encoder) out.encoder_version = workshop->encoder->version;
    out.avatar = std::move(avatar);
    return out;
}

}  // namespace helixavatar::texture
