// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include <helixavatar/gltf/image_header.hpp>
#include <helixavatar/texture/pixels.hpp>

namespace helixavatar::texture {

/// A PNG as nearly all textures are, 8-bit RGB or RGBA in one pass and without tRNS, decoded straight into its pixels:
/// in two thirds of stb_image's time. Nothing: another kind of PNG, or a filter that PNG does not have. Errors:
/// malformed when the data end early or are broken, or a chunk lies about its length.
std::optional<Result<Pixels>> decode_plain_png(ByteView png, const gltf::ImageHeader& header);

}  // namespace helixavatar::texture
