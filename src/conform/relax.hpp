// SPDX-License-Identifier: MIT
// Skin that re-posing pulled too long or pushed too short, let go a little.
#pragma once

#include "repose.hpp"

namespace helixavatar::conform {

/// Moves vertices that several joints hold, by 2 mm at most, so that their edges come nearer to conform.md §1.4's share
/// of their source length; what one joint holds alone stays. Vertices that were and are at one place stay
/// together. Where re-posing turned a triangle over, its corners and their neighbours are smoothed, by 2 cm at most,
/// until it is not, or left as they were. `before`: the source positions, `turns`: how each vertex turned, one vector a
/// surface. Normals keep the turn of their joints.
void relax(avatar::Level& level, const std::vector<std::vector<Vec3f>>& before, const VertexTurns& turns,
           const RigidParts& parts, const std::vector<Follow>& follow);

}  // namespace helixavatar::conform
