// SPDX-License-Identifier: MIT
// Which way a character faces, from several witnesses, measured apart on its skeleton and on its skinned geometry.
#pragma once

#include <string>
#include <vector>

#include "preflight/facts.hpp"

namespace helixavatar::preflight {

/// One opinion on where forward is.
struct Witness {
    std::string what;  ///< "hips (thigh_l, thigh_r)"
    Vec3 forward;      ///< unit, horizontal
    double yaw = 0;    ///< degrees off +Z, positive toward the character's left (+X)
    double weight = 1;
};

struct Facing {
    std::vector<Witness> witnesses;
    Vec3 forward = Vec3::Zero();  ///< unit; zero when there is no witness or they cancel out
    double yaw = 0;               ///< degrees off +Z, of `forward`
    double spread = 0;            ///< the largest angle between a witness and `forward`, degrees
    bool known() const { return forward.squaredNorm() > 0.5; }
    std::string text() const;  ///< "hips 1.0, shoulders -0.4, toes 3.2 degrees (they agree)"
};

Facing skeleton_facing(const Facts& facts, std::size_t scene);
Facing geometry_facing(const Facts& facts, std::size_t scene);

/// Degrees of a side's upper arm from straight down in the bind pose, placed as the pelvis is; NaN without the joints.
double arm_degrees(const Facts& facts, std::size_t scene, const char* side, Vec3& direction);

}  // namespace helixavatar::preflight
