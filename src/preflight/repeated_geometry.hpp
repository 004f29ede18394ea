// SPDX-License-Identifier: MIT
// Vertex data that a file holds more than once.
#pragma once

#include <string>
#include <vector>

#include "preflight/rule_context.hpp"

namespace helixavatar::preflight {

struct RepeatedGeometry {
    std::string level;          ///< label of the scene whose accessors repeat others, or of meshes that none draws
    std::size_t accessors = 0;  ///< (or compressed blocks) that hold byte for byte what another of the same shape does
    std::size_t bytes = 0;      ///< that sharing would save
};

/// Largest first; empty when nothing is repeated. Data behind Draco or meshopt are compared as they
/// are stored.
std::vector<RepeatedGeometry> repeated_geometry(const RuleContext& context);

}  // namespace helixavatar::preflight
