// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <helixavatar/base/bytes.hpp>
#include <helixavatar/base/result.hpp>

namespace helixavatar::texture {

/// The KTX2 without its `count` largest mip levels, which makes it smaller without a new encoding: levels do not depend
/// on each other. Layout as the KTX 2.0 specification orders it. Errors: malformed; unconvertible (an edge that cannot
/// be halved so often, fewer levels than that, a supercompression other than none, BasisLZ, Zstandard).
Result<Bytes> drop_largest_levels(ByteView ktx2, int count);

/// One KTX2 from several of one level each, largest first, whose levels do not share anything (UASTC). Errors:
/// malformed; unconvertible (BasisLZ, files that differ in more than their size).
Result<Bytes> stack_levels(const std::vector<Bytes>& levels);

/// How many levels have to go until the longer edge is within max_edge; -1: no mip level is that small.
int levels_over(int width, int height, int levels, int max_edge);

}  // namespace helixavatar::texture
