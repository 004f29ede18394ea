// SPDX-License-Identifier: MIT
// A humanoid found in a tree of joints: two legs, two arms, a trunk between them, a head. Sides are 0 and 1 until the
// facing is known.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "rig/tree.hpp"

namespace helixavatar::rig {

/// Three joints along a limb: thigh, calf, foot; or upper arm, fore-arm, hand.
struct Limb {
    std::array<int, 3> joint = {-1, -1, -1};
    double score = 0;
};

struct LimbPair {
    std::array<Limb, 2> side;
    double score = 0;
    bool found() const { return side[0].joint[0] >= 0; }
};

struct Body {
    Vec3 up = Vec3::UnitY();
    Extent size;
    LimbPair legs, arms;
    LimbPair other_legs, other_arms;             ///< the best pairs that share no joint with the chosen ones
    std::vector<LimbPair> near_legs, near_arms;  ///< other readings of the same limbs, best first
    std::array<int, 2> ball = {-1, -1};
    std::array<int, 2> clavicle = {-1, -1};
    int pelvis = -1, other_pelvis = -1;
    std::vector<int> spine;  ///< pelvis outwards, without it, up to the arms' owner
    std::vector<int> neck;
    int head = -1, other_head = -1;
    std::vector<std::string> notes;

    double score() const { return legs.score + arms.score; }
    int thigh(int s) const { return legs.side[static_cast<std::size_t>(s)].joint[0]; }
    int calf(int s) const { return legs.side[static_cast<std::size_t>(s)].joint[1]; }
    int foot(int s) const { return legs.side[static_cast<std::size_t>(s)].joint[2]; }
    int upperarm(int s) const { return arms.side[static_cast<std::size_t>(s)].joint[0]; }
    int lowerarm(int s) const { return arms.side[static_cast<std::size_t>(s)].joint[1]; }
    int hand(int s) const { return arms.side[static_cast<std::size_t>(s)].joint[2]; }
};

/// Why there is no body in the tree, in words for the user.
struct NoBody {
    std::string reason;
    std::vector<std::string> missing;  ///< canonical joints without side that could not be told
};

/// Legs, then arms, under the best of six up axes. Names add to what the geometry says and never replace it.
std::optional<Body> find_limbs(const Tree& tree, NoBody& why);

/// Chains of joints below a hand that may be fingers: from the joint after the palm to the tip. Chains of siblings near
/// the hand count as well: some rigs have a palm joint for each finger, or hang the thumb from the fore-arm.
std::vector<std::vector<int>> finger_chains(const Tree& tree, int hand);

/// Pelvis, spine, neck, head, clavicles and balls of a body whose limbs are known.
void find_trunk(const Tree& tree, Body& body);

}  // namespace helixavatar::rig
