// SPDX-License-Identifier: MIT
// Which vertices hang on which chains, in one pass over each level.
#pragma once

#include <vector>

#include <helixavatar/dynamics/manifest.hpp>

namespace helixavatar::dynamics {

struct CarriedVertices {
    std::vector<std::vector<std::size_t>> by_chain;  ///< [level][chain]: vertices with weight on any of its joints
    std::vector<double> last_joint_weight;           ///< [chain], LOD0: weight on the last joint
    std::vector<Vec3> last_joint_centroid;           ///< [chain], LOD0, world; meaningful where there is weight
};

CarriedVertices carried_vertices(const avatar::Avatar& avatar, const std::vector<Walk>& walks);

}  // namespace helixavatar::dynamics
