// SPDX-License-Identifier: MIT
// Which chain below a hand is which finger.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "rig/tree.hpp"

namespace helixavatar::rig {

inline constexpr std::array<const char*, 5> kFingers = {"thumb", "index", "middle", "ring", "pinky"};

struct Finger {
    std::array<int, 3> joint = {-1, -1, -1};  ///< _01, _02, _03; the ends may be missing
    bool by_name = false;
};

struct Hand {
    std::array<Finger, 5> finger;  ///< in the order of kFingers
    std::vector<std::string> notes;
};

/// `forearm` gives the hand's direction when no finger does. Works in any pose, on either side.
Hand find_fingers(const Tree& tree, int forearm, int hand);

}  // namespace helixavatar::rig
