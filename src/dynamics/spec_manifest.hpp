// SPDX-License-Identifier: MIT
#pragma once

#include "dynamics/selection.hpp"

namespace helixavatar::dynamics {

/// The avatar's manifest with the spec's chains and colliders in it: those of equal id are replaced where they stood,
/// the others come after. Vectors are turned from the world into the frames of the bones at LOD0's bind.
Json merged_manifest(const avatar::Avatar& avatar, const ApplySpec& spec, const std::vector<PlacedChain>& placed);

}  // namespace helixavatar::dynamics
