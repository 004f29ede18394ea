// SPDX-License-Identifier: MIT
#pragma once

#include <helixavatar/texture/process.hpp>

namespace helixavatar::texture {

/// RGBA PNG, RGB when opaque. The same pixels give the same bytes. Errors: internal (out of memory).
Result<Bytes> encode_png(const Pixels& pixels);

/// Baseline JPEG without chroma subsampling; alpha is lost. Errors: internal.
Result<Bytes> encode_jpeg(const Pixels& pixels);

/// Uncompressed TGA, rows from the top, 24 bits a pixel when opaque: what the KTX2 encoder reads, for nothing is spent
/// on packing.
Bytes encode_tga(const Pixels& pixels);

}  // namespace helixavatar::texture
