// SPDX-License-Identifier: MIT
#pragma once

#include <helixavatar/base/bytes.hpp>
#include <helixavatar/base/limits.hpp>
#include <helixavatar/base/result.hpp>

namespace helixavatar::texture {

/// 8-bit RGBA, rows from the top.
struct Pixels {
    int width = 0;
    int height = 0;
    bool has_alpha = false;  ///< some pixel's alpha is below 255
    Bytes rgba;
};

/// Decodes PNG (8, 16 bit, palette, interlaced), JPEG (progressive too) and WebP. Errors: malformed; unconvertible for
/// KTX2.
Result<Pixels> decode(ByteView encoded, const Limits& limits = {});

}  // namespace helixavatar::texture
