// SPDX-License-Identifier: MIT
// The canonical joints by what they are to a body: the axis, two arms, two legs.
#pragma once

#include <array>
#include <vector>

#include <helixavatar/skeleton/skeleton.hpp>

namespace helixavatar::conform {

/// 0: the character's left (+X), 1: its right.
inline constexpr int kSides = 2;
inline constexpr double side_sign(int side) {
    return side == 0 ? 1.0 : -1.0;
}

/// A joint inside a bone, at `fraction` (0..1) of the way from the bone's joint to the next.
struct TwistJoint {
    int joint = -1;
    double fraction = 0;
};

/// A bone that is aimed, and the twist joints along it, nearest first.
struct Limb {
    int joint = -1;
    int child = -1;
    std::vector<TwistJoint> twists;
};

struct Finger {
    int metacarpal = -1;  ///< helper node, -1 for the thumb
    std::array<int, 3> phalanges{-1, -1, -1};
};

inline constexpr int kThumb = 0, kIndex = 1, kMiddle = 2, kRing = 3, kPinky = 4, kFingers = 5;

struct Arm {
    int clavicle = -1;
    Limb upper, lower;
    int hand = -1;
    std::array<Finger, kFingers> fingers;
};

struct Leg {
    Limb thigh, calf;
    int foot = -1;
    int ball = -1;
};

struct Roles {
    int root = -1;
    std::vector<int> axis;  ///< pelvis, spine, neck, head, upward
    std::array<Arm, kSides> arms;
    std::array<Leg, kSides> legs;
    std::vector<int> mirror;  ///< the same joint on the other side; a middle joint's own index

    int pelvis() const { return axis.front(); }
    int head() const { return axis.back(); }
};

/// Requires a skeleton of helix-humanoid@1's shape, which every skeleton::Skeleton has.
Roles roles_of(const skeleton::Skeleton& canonical);

/// The limb whose bone a joint or twist joint is; null: none's.
const Limb* limb_of(const Roles& roles, int joint);

}  // namespace helixavatar::conform
