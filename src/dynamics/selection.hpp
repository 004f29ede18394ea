// SPDX-License-Identifier: MIT
// Which vertices a chain takes, and how much of them (reference text, "Select the vertices per LOD", "Write the
// weights").
#pragma once

#include <string>
#include <vector>

#include "dynamics/level_mesh.hpp"

namespace helixavatar::dynamics {

/// A chain placed on an avatar.
struct PlacedChain {
    const ChainSpec* spec = nullptr;
    int anchor = -1;           ///< avatar joint
    std::vector<int> joints;   ///< numbers of its joints; new ones follow the avatar's
    std::vector<Vec3> points;  ///< world: heads of the joints, then the tip
};

/// Gives the chain's joints their share of what `steal_from` has; returns the vertices that changed.
void steal_by_sphere(LevelMesh& level, const PlacedChain& chain, const SphereSelect& sphere,
                     const std::vector<int>& steal_from, std::vector<bool>& changed);

/// Neighbouring chains on one masked region: smoothstep along each chain, hat functions between them, eased in over
/// three rings of the welded mesh. `arms`: joints whose weight a masked vertex loses to the anchor (an arm's swing must
/// not drag hair). `kept`: joints that four weights never push out. `first`: the nearest level, on which a shell is
/// found (it may be `level`).
void take_by_mask(LevelMesh& level, const LevelMesh& first, const std::vector<PlacedChain>& chains,
                  const MaskSelect& mask, const std::vector<int>& arms, const std::vector<int>& kept,
                  std::vector<bool>& changed);

/// The points of the welded mesh that a mask holds, before they are eased in.
std::vector<bool> masked_points(const LevelMesh& level, const LevelMesh& first, const MaskSelect& mask);

/// The four weights that stay, of sum 1: the smallest go first, but never one of `kept` before one that is not, and
/// never one of `fresh` (a chain's) before a body's.
void keep_four(JointWeights& weights, const std::vector<int>& kept, int first_fresh);

}  // namespace helixavatar::dynamics
