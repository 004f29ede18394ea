// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include <helixavatar/base/bytes.hpp>
#include <helixavatar/base/result.hpp>

namespace helixavatar::gltf {

enum class ImageFormat { png, jpeg, webp, ktx2 };

const char* mime_type(ImageFormat format);  ///< "image/png", ...

struct Ktx2Info {
    int levels = 0;            ///< mip levels
    int supercompression = 0;  ///< 0 none, 1 BasisLZ, 2 Zstandard, 3 ZLIB
    int color_model = 0;       ///< data format descriptor: 163 ETC1S, 166 UASTC
    int transfer = 0;          ///< 1 linear, 2 sRGB
    bool has_alpha = false;
};

struct ImageHeader {
    ImageFormat format = ImageFormat::png;
    int width = 0;   ///< pixels
    int height = 0;  ///< pixels
    std::optional<Ktx2Info> ktx2;
};

/// The format that the first bytes say, or nothing.
std::optional<ImageFormat> recognise_image(ByteView bytes);

/// Reads format and size from the first bytes, without decoding. Errors: malformed, saying what the bytes begin with.
Result<ImageHeader> read_image_header(ByteView bytes);

}  // namespace helixavatar::gltf
