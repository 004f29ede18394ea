// SPDX-License-Identifier: MIT
// Joint trees of the rig families, hung into the body.
#pragma once

#include <string>
#include <vector>

#include "support/pose.hpp"

namespace helixavatar::test {

struct RigJoint {
    std::string name;
    std::string canonical;  ///< the reference joint that it stands for, or empty: an end, a helper, an offset
    int parent = -1;        ///< index, smaller than the joint's own; -1: a root
    bool skin = true;       ///< listed in the skin
    Pose world;             ///< in the character's frame, metres
};

struct Rig {
    std::vector<RigJoint> joints;
    std::vector<int> carriers;  ///< for each reference joint, the rig joint that carries its weight
    bool faces_back = false;    ///< the family's characters look along -Z
    bool skinned = true;        ///< false: rigid parts on nodes (kenney_blocky)
};

/// Names of every family of rig-families.json, in its order, plus "helix" for helix-humanoid@1 itself.
const std::vector<std::string>& rig_families();

/// Throws std::invalid_argument for a family that is not in the list.
Rig make_rig(const std::string& family, const PosedJoints& posed);

}  // namespace helixavatar::test
