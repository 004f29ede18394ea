// SPDX-License-Identifier: MIT
// Which joint of the result each source joint's weight goes to.
#pragma once

#include <string>
#include <vector>

#include <helixavatar/conform/conform.hpp>

#include "motion.hpp"
#include "rigid_parts.hpp"
#include "source_tree.hpp"

namespace helixavatar::conform {

/// A source joint that lives on beside the canonical ones.
struct AuxiliaryJoint {
    int source = -1;
    int parent = -1;  ///< index into the result's joints
    std::string name;
};

struct WeightPlan {
    std::vector<int> target;                ///< of each source joint: an index into the result's joints
    std::vector<AuxiliaryJoint> auxiliary;  ///< result joints after the canonical ones, parents first
    std::vector<double> share;              ///< of all weight of the first level, one a source joint
};

/// Kept are the joints of options.always_keep and, with keep_aux, weighted ones that are neither part of a chain
/// between mapped joints nor twist or volume joints along a limb.
WeightPlan plan_weights(const avatar::Avatar& source, const Body& body, const std::vector<Follow>& follow,
                        const ConformOptions& options);

/// New influences, one vector a surface, from those of the source and its pose: merged, shared between spine joints by
/// arc length and, where the source has no twist joints, along the arm bones; at most four a vertex, sum 1.
std::vector<std::vector<avatar::Influences>> fold_weights(const avatar::Level& level, const RigidParts& parts,
                                                          const Motions& motions, const Body& body,
                                                          const std::vector<Follow>& follow, const WeightPlan& plan,
                                                          bool share_twist);

/// Fills the report's `unmapped` with the joints whose weight moved and `controls` with those that had none. `root` is
/// the source joint that plays the canonical root, or -1: it is unmapped only where it holds skin.
void list_unmapped(const avatar::Avatar& source, const Body& body, const std::vector<Follow>& follow,
                   const WeightPlan& plan, int root, ConformReport& report);

}  // namespace helixavatar::conform
