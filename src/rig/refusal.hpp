// SPDX-License-Identifier: MIT
// A refusal that helps: which joint, why, what came nearest, and a bone map to complete.
#pragma once

#include <string>
#include <vector>

#include <helixavatar/avatar/bone_map.hpp>
#include <helixavatar/base/result.hpp>

#include "rig/tree.hpp"

namespace helixavatar::rig {

/// One canonical joint that could not be told.
struct Doubt {
    std::string canonical;
    std::string reason;
    std::vector<int> nearest;  ///< source joints, likeliest first
};

/// unconvertible: `reason` and the doubts in the message; the template and the joint tree, both capped, in the hint.
Error refuse(const Tree& tree, const std::string& reason, const std::vector<Doubt>& doubts,
             const avatar::BoneMap& so_far);

}  // namespace helixavatar::rig
