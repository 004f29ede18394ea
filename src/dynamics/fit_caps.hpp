// SPDX-License-Identifier: MIT
// A manifest over a cap is dropped whole by the engine; so what matters least goes first.
#pragma once

#include <string>
#include <vector>

#include <helixavatar/dynamics/manifest.hpp>

namespace helixavatar::dynamics {

/// Drops chains of least `share`, then colliders that lie farthest from their chains, until every cap holds, and
/// colliders that no chain uses. `shares`: one a chain. Says what went.
void fit_caps(Manifest& manifest, std::vector<double> shares, const avatar::Avatar& avatar,
              std::vector<std::string>& notes);

}  // namespace helixavatar::dynamics
