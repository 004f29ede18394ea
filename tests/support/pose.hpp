// SPDX-License-Identifier: MIT
// Stands the body in the poses that rigs are bound in.
#pragma once

#include <vector>

#include "support/body.hpp"

namespace helixavatar::test {

enum class BodyPose {
    canonical,  ///< helix-humanoid@1's rest
    t,          ///< arms level, palms down, fingers nearly straight
    a30,        ///< arms straight, 30 degrees below level
    a45,
    a60,
    arms_down,  ///< 83 degrees below level
    lopsided    ///< the left arm and knee bent: no rest, but what a file may have been saved in
};

/// Every reference joint in a pose.
struct PosedJoints {
    std::vector<Pose> world;  ///< joint frames: canonical frames, turned
    /// How the surface of each joint moved since the canonical rest. Not always world * rest⁻¹: a hand's turn about the
    /// forearm is spread over the forearm's twists, and an upper arm's roll over the upper arm's.
    std::vector<Pose> skin;
};

PosedJoints pose_joints(BodyPose pose);

/// Moves positions and normals by dual quaternion blending; `body` is at the canonical rest.
void move_surface(const PosedJoints& posed, const std::vector<BodyInfluences>& influences,
                  std::vector<Vec3f>& positions, std::vector<Vec3f>& normals);

}  // namespace helixavatar::test
