// SPDX-License-Identifier: MIT
// From a body found in the tree to the bone map: canonical slots, confidence, evidence, runners-up.
#pragma once

#include <array>
#include <map>
#include <string>

#include <helixavatar/avatar/bone_map.hpp>
#include <helixavatar/skeleton/skeleton.hpp>

#include "rig/body.hpp"
#include "rig/hands.hpp"

namespace helixavatar::rig {

struct Found {
    const Tree& tree;
    const Body& body;
    std::array<Hand, 2> hands;
    int left = 0;                ///< the body's side that is the character's left
    bool names_swapped = false;  ///< names' sides are the other way round
    std::string family;
    std::map<std::string, int> fixed;  ///< canonical joint → source joint, from the user
    std::map<std::string, int> vrm;    ///< the same from the file's humanoid map
};

/// Matches in skeleton order, one for each canonical skin joint. Disagreements go to `notes`.
avatar::BoneMap assign(const Found& found, const skeleton::Skeleton& canonical);

/// Canonical spine slots, 1..5, of n source joints along the arc lengths `at` (n values, rising): 3 → 1, 3, 5. Joints
/// beyond five have slot 0.
std::vector<int> spine_slots(const std::vector<double>& at);

}  // namespace helixavatar::rig
