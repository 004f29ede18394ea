// SPDX-License-Identifier: MIT
// What the materials want from each image.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

#include "texture/resample.hpp"

namespace helixavatar::texture {

/// One image as it will be written: an image of the avatar seen with one kind of content.
struct ImageUse {
    int image = -1;
    Content content = Content::color;
    avatar::TextureRole role = avatar::TextureRole::base_color;  ///< the most important of its roles
    bool alpha_read = false;                                     ///< some material's look depends on its alpha
    std::optional<double> cutoff;  ///< alphaCutoff, where a masked material shows or hides by it: coverage matters
};

struct ImageUses {
    std::vector<ImageUse> uses;                            ///< by image, then content
    std::map<std::pair<int, Content>, std::size_t> index;  ///< (image, content) → uses
    std::vector<bool> material_used;                       ///< by a surface
};

/// Over every slot of every material that a surface names. Slots with a texture or an image out of range are left out.
ImageUses gather_image_uses(const avatar::Avatar& avatar);

/// glTF's alphaMode: "OPAQUE" (alpha is ignored), "MASK" or "BLEND".
std::string alpha_mode(const avatar::Material& material);

/// The avatar's texture for an index, or null.
const avatar::Texture* texture_at(const avatar::Avatar& avatar, int texture);

}  // namespace helixavatar::texture
