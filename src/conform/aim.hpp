// SPDX-License-Identifier: MIT
// How every joint turns from the source pose to the canonical one, and where it ends.
#pragma once

#include <helixavatar/base/result.hpp>

#include "body.hpp"
#include "extremities.hpp"

namespace helixavatar::conform {

/// Fills turn, to and rolls of a placed body, parents first; places the fingers and toes that the source lacks, but no
/// metacarpals. Pelvis, spine, neck, head and clavicles keep their turn (identity). Positions are not yet over the
/// origin. Conforms to conform.md §2 "Aim".
void aim(Body& body, const Extremities& mesh);

/// The horizontal direction of a foot in the source pose: ankle to ball, or to the mesh's toe end.
Vec3 toe_line(const Body& body, const Extremities& mesh, std::size_t side);

/// The same of the canonical body.
Vec3 canonical_toe_line(const Body& body, std::size_t side);

/// Rest poses that no person has: knee bent over 60°, calf over 60° from straight down, toes over 45° off.
/// Errors: unconvertible, naming every such joint, its angle and what to do.
Result<void> check_pose(const avatar::Avatar& source, const Body& body, const Extremities& mesh);

/// Turns the knuckles in `to` by what palm and middle finger still lack of the canonical hand, once fingers were
/// derived or made symmetric; phalanges stay on their canonical rays. Places the metacarpal helpers on the canonical
/// ray to their knuckle.
void settle_hands(Body& body);

}  // namespace helixavatar::conform
