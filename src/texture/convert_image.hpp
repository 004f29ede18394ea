// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "texture/encode_cache.hpp"
#include "texture/image_use.hpp"
#include "texture/ktx2_encoder.hpp"

namespace helixavatar::texture {

/// What every image of one run is made with.
struct Workshop {
    TextureOptions options;
    std::optional<Encoder> encoder;  ///< none: images become or stay PNG and JPEG
    EncodeCache cache;
};

struct ConvertedImage {
    avatar::Image image;
    TextureRecord record;
    std::string warning;  ///< or empty
};

/// One image made to fit its use. Errors: malformed (it does not decode), unconvertible (the encoder failed).
Result<ConvertedImage> convert_image(const avatar::Image& image, const ImageUse& use, const Workshop& workshop);

}  // namespace helixavatar::texture
