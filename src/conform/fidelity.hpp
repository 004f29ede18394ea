// SPDX-License-Identifier: MIT
// How well the skin kept its shape when it was re-posed.
#pragma once

#include <string>
#include <vector>

#include "repose.hpp"

namespace helixavatar::conform {

struct Fidelity {
    double edges_kept_share = 1;                ///< edges whose length changed by no more than 0.8..1.25
    double flipped_share = 0;                   ///< triangles that turned over, against the turn of their own vertices
    std::vector<std::string> stretched_joints;  ///< the joints that own most of the other edges, worst first
};

/// `before` are the positions of `after`'s surfaces in the source pose; `after` carries the new influences.
/// `joint_names` by result joint.
Fidelity measure_fidelity(const std::vector<std::vector<Vec3f>>& before, const avatar::Level& after,
                          const VertexTurns& turns, const std::vector<std::string>& joint_names);

}  // namespace helixavatar::conform
