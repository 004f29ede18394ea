// SPDX-License-Identifier: MIT
// What the steps of conforming hand to each other: where every canonical joint is in the source pose, how it turns, and
// where it ends. World space, metres, +Y up, +Z forward, +X the character's left; vectors have one entry a canonical
// joint.
#pragma once

#include <array>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/avatar/bone_map.hpp>

#include "roles.hpp"

namespace helixavatar::conform {

/// A twist that grows along a bone: 0 at its joint and `degrees`... in radians at its far end (upper arm: the part that
/// is missing at the joint), about the canonical bone direction.
struct Roll {
    Vec3 axis = Vec3::UnitX();
    double radians = 0;
    Quat at_joint =
        Quat::Identity();  ///< the turn where the bone begins; at its end it is Rot(axis, radians) * at_joint
};

struct ArmRolls {
    Roll upper, lower;
};

struct Body {
    const skeleton::Skeleton* canonical = nullptr;
    Roles roles;
    std::vector<int> source;  ///< source joint of each canonical one, or -1: derived
    std::vector<Vec3> from;   ///< in the source pose; meaningless for what has_from is false
    std::vector<char> has_from;
    std::vector<Quat> turn;  ///< of what is bound to the joint, about `from`
    std::vector<Vec3> to;    ///< in the canonical pose
    std::array<ArmRolls, kSides> rolls;
    double leg_ratio = 1;               ///< leg length, hip to ankle along the bones, over the canonical one
    double arm_ratio[kSides] = {1, 1};  ///< the same of the fore-arm

    const Vec3& rest(int joint) const { return canonical->joints[static_cast<std::size_t>(joint)].world.translation; }
    bool mapped(int joint) const { return joint >= 0 && source[static_cast<std::size_t>(joint)] >= 0; }
    const std::string& name(int joint) const { return canonical->joints[static_cast<std::size_t>(joint)].name; }
};

}  // namespace helixavatar::conform
