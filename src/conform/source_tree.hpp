// SPDX-License-Identifier: MIT
// Which canonical joint each source joint follows.
#pragma once

#include <vector>

#include <helixavatar/base/result.hpp>

#include "body.hpp"

namespace helixavatar::conform {

/// A source joint's place on the canonical skeleton: it moves with `joint`. An unmapped joint between two axis joints
/// (more source spines than canonical ones) gives `upper_share` of its weight to `upper`.
struct Follow {
    int joint = -1;
    int upper = -1;
    double upper_share = 0;
    bool mapped = false;   ///< it plays `joint` itself
    bool between = false;  ///< unmapped, with a mapped joint further down its chain
};

/// Source joint of each canonical joint; indices outside the avatar count as unmapped, the second use of one joint too.
std::vector<int> source_joints(const avatar::Avatar& source, const avatar::BoneMap& map,
                               const skeleton::Skeleton& canonical);

/// One entry a source joint: its nearest mapped ancestor, or the end of that one's bone for what lies beyond it. Joints
/// above the pelvis follow the pelvis; control joints beside it what the limbs below them hang from; joints beside the
/// body (shoes, controls under the root) the bone nearest to what they move.
std::vector<Follow> follow_joints(const avatar::Avatar& source, const Body& body);

/// The mapped canonical joint whose bone (joint to child) runs nearest to a point of the source pose.
int nearest_bone(const Body& body, const Vec3& point);

}  // namespace helixavatar::conform
