// SPDX-License-Identifier: MIT
// Where the canonical joints are in the source pose.
#pragma once

#include <helixavatar/base/result.hpp>

#include "body.hpp"

namespace helixavatar::conform {

/// The mapped joints where the source has them, except: clavicles are placed behind the shoulder on the canonical ray,
/// the pelvis at its canonical offset when the source's is far from the hip line, twist joints along their bone.
/// Derived axis joints lie between their mapped neighbours by canonical arc length. Fingers and toes that the source
/// lacks have no place yet (has_from false): aim() places them in the canonical pose. `source` stands upright in
/// metres. Errors: unconvertible (a joint that cannot be placed, a bone without length).
Result<Body> place(const avatar::Avatar& source, const avatar::BoneMap& map, const skeleton::Skeleton& canonical);

/// Puts the twist joints of a limb back on the line between its ends, at canonical fractions.
void place_twists(std::vector<Vec3>& positions, const Limb& limb);

/// Puts a clavicle on the canonical ray behind its shoulder; `middle_x` is the body's middle.
Vec3 clavicle_position(const Body& body, int side, const Vec3& shoulder, double middle_x);

}  // namespace helixavatar::conform
