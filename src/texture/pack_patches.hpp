// SPDX-License-Identifier: MIT
#pragma once

#include "texture/uv_patches.hpp"

namespace helixavatar::texture {

/// From this edge on, layouts lie on blocks that stay whole when a channel's picture is halved so often.
inline constexpr int kHalvableEdge = 512;
inline constexpr int kMaxHalvings = 2;

struct PackedSize {
    Size size;
    int padding = 4;   ///< pixels around every core
    double scale = 1;  ///< the smallest share of a patch's own resolution that was kept
};

/// Places all patches in the smallest power-of-two picture that holds them at full resolution; where none up to
/// max_edge does, the densest patches (pixels a metre) are made smaller first. Every rectangle starts and ends on whole
/// blocks of four. False when there are too many patches for any scale.
bool pack_patches(std::vector<Patch>& patches, int max_edge, PackedSize& out);

}  // namespace helixavatar::texture
