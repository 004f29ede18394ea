// SPDX-License-Identifier: MIT
#pragma once

#include "dynamics/level_mesh.hpp"

namespace helixavatar::dynamics {

/// The points of a level that belong to the connected piece of `first`, the nearest level, that lies nearest to a
/// place. On other levels those pieces most of whose points lie nearest to that piece: none where simplification left
/// it out.
std::vector<bool> shell_points(const LevelMesh& level, const LevelMesh& first, const Vec3& place);

}  // namespace helixavatar::dynamics
