// SPDX-License-Identifier: MIT
// The skin, moved from the source pose to the canonical one.
#pragma once

#include <vector>

#include "motion.hpp"
#include "rigid_parts.hpp"
#include "source_tree.hpp"

namespace helixavatar::conform {

/// Makes every vertex's influences usable: weights that are no positive numbers and joints that do not exist are
/// dropped, vertices left without any are bound to the nearest bone. Returns how many were.
std::size_t bind_loose_vertices(avatar::Level& level, const Body& body, std::size_t source_joints);

/// How each vertex turned, one vector a surface.
using VertexTurns = std::vector<std::vector<Quat>>;

/// Moves positions, normals, tangents and morph deltas by the dual-quaternion blend of their joints' motions. A rigid
/// part moves as one. Influences are still the source's.
VertexTurns repose(avatar::Level& level, const RigidParts& parts, const Motions& motions,
                   const std::vector<Follow>& follow);

}  // namespace helixavatar::conform
