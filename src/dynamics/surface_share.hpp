// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <helixavatar/dynamics/manifest.hpp>

namespace helixavatar::dynamics {

/// How much of LOD0's surface each walk's joints move, 0..1: triangle areas times the weights of their corners.
std::vector<double> surface_shares(const avatar::Avatar& avatar, const std::vector<Walk>& walks);

}  // namespace helixavatar::dynamics
