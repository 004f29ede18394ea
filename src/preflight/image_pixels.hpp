// SPDX-License-Identifier: MIT
#pragma once

#include <helixavatar/base/limits.hpp>
#include <helixavatar/base/result.hpp>
#include <helixavatar/texture/process.hpp>

namespace helixavatar::preflight {

/// The pixels of a PNG, JPEG or WebP, or of one middle mip level of a KTX2 (transcoded through the basisu executable).
/// Errors: malformed; unconvertible when nothing here can decode it, saying what would.
Result<texture::Pixels> image_pixels(ByteView encoded, const Limits& limits);

/// A KTX2 file that holds only the largest mip level whose longer edge is at most `edge` (the smallest level when none
/// is). Errors: malformed; unconvertible for arrays, cube maps and supercompressions other than none, BasisLZ and
/// Zstandard.
Result<Bytes> single_level_ktx2(ByteView ktx2, int edge);

}  // namespace helixavatar::preflight
