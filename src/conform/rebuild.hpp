// SPDX-License-Identifier: MIT
// The joints of the result, and where the finished body stands.
#pragma once

#include <helixavatar/conform/conform.hpp>

#include "motion.hpp"
#include "symmetry.hpp"
#include "weights.hpp"

namespace helixavatar::conform {

/// Canonical joints in skeleton order with the canonical local rotations exactly, then the auxiliary ones, moved with
/// the joint that they follow. Still where the source stood.
std::vector<avatar::Joint> rebuild_joints(const avatar::Avatar& source, const Settled& settled, const Motions& motions,
                                          const std::vector<Follow>& follow, const WeightPlan& plan);

/// The height of the soles: the lowest vertex of feet and toes, or of the whole body when that is less than 3 cm lower
/// (a sole that hangs from another joint). `warnings` says what reaches lower still.
double sole_height(const avatar::Avatar& avatar, const Roles& roles, std::vector<std::string>& warnings);

/// Sets the body on Y = 0, its middle on x = 0, its pelvis joint on z = canonical z × leg ratio, scales it to `height`
/// metres when that is not 0, and puts the root joint at the origin. Returns the shift, in metres after the returned
/// scale.
struct Standing {
    Vec3 translation = Vec3::Zero();
    double scale = 1;
};
Standing stand(avatar::Avatar& avatar, const Settled& settled, double height, std::vector<std::string>& warnings);

/// Height, pelvis and foot height, shoulder width and leg ratio of a finished avatar.
void measure_body(const avatar::Avatar& avatar, const Body& body, ConformReport& report);

/// Lowers the pelvis joint of a short, long-legged body, so that the platform scales human clips to it; its children
/// keep their places. True when it was one (contract.md §4 "short-body"). Requires measure_body().
bool fix_short_body(avatar::Avatar& avatar, const Body& body, const ConformReport& report);

}  // namespace helixavatar::conform
