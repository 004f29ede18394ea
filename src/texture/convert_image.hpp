// SPDX-License-Identifier: MIT
#pragma once

#include "texture/workshop.hpp"

namespace helixavatar::texture {

/// How an image is written where there is a choice.
enum class Form {
    usual,  ///< as its content asks for; an image that fits stays as it is
    uastc,
    etc1s,
    jpeg  ///< JPEG unless something has to show through
};

struct Goal {
    int max_edge = 2048;  ///< pixels
    Form form = Form::usual;
};

struct ConvertedImage {
    avatar::Image image;
    TextureRecord record;
    std::string warning;  ///< or empty
    std::optional<PixelStatistics> statistics = {};  ///< of what was written, where its pixels were at hand
};

/// One image made to fit its use. Errors: malformed (it does not decode), unconvertible (the encoder failed), internal
/// (no memory, no temporary folder).
Result<ConvertedImage> convert_image(const avatar::Image& image, const ImageUse& use, const Workshop& workshop,
                                     const Goal& goal);

}  // namespace helixavatar::texture
