// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <helixavatar/avatar/avatar.hpp>

namespace helixavatar::lod {

/// One unit normal a vertex: the sum of the area-weighted normals of the triangles at its position; +Y where there is
/// none.
std::vector<Vec3f> smooth_normals(const avatar::Surface& surface);

}  // namespace helixavatar::lod
