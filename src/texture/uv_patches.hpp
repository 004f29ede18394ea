// SPDX-License-Identifier: MIT
// Which rectangles of UV space a material's triangles really use.
#pragma once

#include <string>
#include <vector>

#include "texture/material_look.hpp"

namespace helixavatar::texture {

/// A rectangle of a material's UV space (after whole-number shifts) that becomes a rectangle of the atlas.
struct Patch {
    std::size_t member = 0;                   ///< which of the group's materials
    Region uv;                                ///< on whole texels of the reference size
    bool flat = false;                        ///< one colour in every layer: a few texels are enough
    double texels_wide = 0, texels_high = 0;  ///< at the source's resolution
    double world_area = 0;                    ///< square metres of the triangles on it

    // The place in the atlas, pixels: the whole rectangle with its padding, and the core that `uv` covers.
    int x = 0, y = 0, width = 0, height = 0;
    int core_width = 0, core_height = 0;
};

/// Where the vertices of one surface lie.
struct SurfacePatches {
    avatar::Surface* surface = nullptr;
    std::vector<int> patch;  ///< by vertex, index into the group's patches; -1: no triangle uses it
    std::vector<Vec2> uv;    ///< by vertex, shifted
};

struct PatchLimits {
    int max_repeats = 4;
    int padding = 8;  ///< texels that a patch costs on every side, when it is weighed whether two are worth merging
};

/// Appends the patches of one material to `patches`. `reference`: the size in texels that UV 0..1 has at full
/// resolution. `surfaces`: its surfaces over all levels; their maps are appended to `maps`. Returns why the material
/// cannot be baked, or empty; then nothing was appended.
std::string find_patches(const MaterialLook& look, std::size_t member, Size reference,
                         const std::vector<avatar::Surface*>& surfaces, const PatchLimits& limits,
                         std::vector<Patch>& patches, std::vector<SurfacePatches>& maps);

}  // namespace helixavatar::texture
