// SPDX-License-Identifier: MIT
// The joints that the built body hangs on: helix-humanoid@1's own rest, read from the table that is compiled in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <helixavatar/base/geometry.hpp>

namespace helixavatar::test {

struct ReferenceJoint {
    std::string name;
    int parent = -1;   ///< index, smaller than the joint's own; -1: the root
    bool skin = true;  ///< false: a metacarpal helper
    Pose world;        ///< rest, metres, +Y up, +Z forward, +X the character's left
};

/// 76 joints, parents before children, exactly symmetric about X = 0.
const std::vector<ReferenceJoint>& reference_joints();

/// Index of the joint; throws std::out_of_range naming it when there is none.
std::size_t reference_index(std::string_view name);

/// Rest position of a joint, metres.
Vec3 reference_position(std::string_view name);

}  // namespace helixavatar::test
