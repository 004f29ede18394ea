// SPDX-License-Identifier: MIT
// Does a chain's endpoint point where its vertices are? On helix-humanoid@1 a vector typed as if the bone were
// world-aligned points sideways, and nothing else notices (reference text, "Axes").
#pragma once

#include <optional>

#include "dynamics/carried_vertices.hpp"

namespace helixavatar::dynamics {

inline constexpr double kSidewaysDegrees = 60;

struct EndpointAxis {
    bool measured = false;
    double degrees = 0;        ///< between the endpoint and where the vertices (or the last segment) lie
    Vec3 corrected;            ///< bone-local, of the endpoint's own length
    const char* against = "";  ///< what it was measured against, in words
};

/// Requires a chain with an endpoint that is not zero and a walk that is not empty. `index`: of the chain in `carried`.
EndpointAxis endpoint_axis(const avatar::Avatar& avatar, const Chain& chain, const Walk& walk,
                           const CarriedVertices& carried, std::size_t index);

/// "[-0.085,0,0]": four decimals, no trailing zeros.
std::string vector_text(const Vec3& v);

}  // namespace helixavatar::dynamics
