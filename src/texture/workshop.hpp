// SPDX-License-Identifier: MIT
// What every image of one run is made with, and how the finished images go back into the avatar.
#pragma once

#include <optional>

#include "texture/encode_cache.hpp"
#include "texture/image_use.hpp"
#include "texture/ktx2_encoder.hpp"

namespace helixavatar::texture {

struct Workshop {
    TextureOptions options;
    std::optional<Encoder> encoder;  ///< none: images become or stay PNG and JPEG
    EncodeCache cache;

    bool makes_ktx2() const { return options.ktx2 && encoder.has_value(); }
};

/// An encoder that is there but does not work is an error, never a quiet fallback; one that is missing is a warning,
/// or an error when it is required.
Result<Workshop> open_workshop(const avatar::Avatar& avatar, const ImageUses& uses, const TextureOptions& options,
                               std::vector<std::string>& warnings);

/// An error of one image, with its place in `where`.
Error in_image(Error error, const avatar::Avatar& avatar, int image);

/// Textures by kind of content, in their old order; every slot of a used material points at the image of its use:
/// image number i of the avatar will be that of uses.uses[i].
void rewire(avatar::Avatar& avatar, const ImageUses& uses);

}  // namespace helixavatar::texture
