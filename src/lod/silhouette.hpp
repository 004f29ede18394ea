// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <helixavatar/base/geometry.hpp>

namespace helixavatar::lod {

/// A set of triangles over one pool of points.
struct Outlined {
    const std::vector<Vec3f>* positions = nullptr;
    const std::vector<std::array<std::uint32_t, 3>>* triangles = nullptr;
};

/// Share of the outlines' common area that only one of the two covers: 1 − intersection / union, mean of eight
/// directions around the Y axis, on a grid of 384 cells over `reference`'s height or width. 0 when both are empty.
double silhouette_difference(const Outlined& level, const Outlined& reference);

}  // namespace helixavatar::lod
