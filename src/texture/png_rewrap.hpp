// SPDX-License-Identifier: MIT
#pragma once

#include <helixavatar/base/bytes.hpp>
#include <helixavatar/base/result.hpp>
#include <helixavatar/gltf/image_header.hpp>

namespace helixavatar::texture {

/// The same PNG with its scanlines uncompressed. stb_image inflates a picture to whatever length its data come to,
/// which has nothing to do with its size: 3 MB of deflate make 3 GB out of one pixel. Here no more is inflated than the
/// header promises, and no more room is made than the compressed bytes can fill. Of the other chunks those stay that
/// decide what the pixels are, the critical ones and tRNS. Errors: malformed when a chunk lies about its length, or the
/// data end early or are broken.
Result<Bytes> with_stored_scanlines(ByteView png, const gltf::ImageHeader& header);

}  // namespace helixavatar::texture
