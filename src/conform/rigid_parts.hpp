// SPDX-License-Identifier: MIT
// Pieces of a level that hang from one joint alone: props, armour plates, the parts of a robot.
#pragma once

#include <vector>

#include <helixavatar/avatar/avatar.hpp>

namespace helixavatar::conform {

/// For each surface and vertex: the part's number, or -1 for a vertex of a piece that several joints move. Pieces are
/// joined by triangles and by vertices at one place, over all surfaces of the level.
struct RigidParts {
    std::vector<std::vector<int>> part;
    std::vector<Vec3> centre;  ///< of each part: the mean of its vertices
};

RigidParts find_rigid_parts(const avatar::Level& level);

}  // namespace helixavatar::conform
