// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "error_field.hpp"
#include "wedge_mesh.hpp"

namespace helixavatar::lod {

struct Refit {
    std::vector<Vec3f> places;   ///< of each point
    std::vector<Vec3f> normals;  ///< of each wedge; zero where its surface has none
};

/// For a point that stands for others too the place and the normals that represent all of them best, so that a level
/// does not shrink inside its source. A point stays where it was on open borders, and where it would turn a face over
/// or away from its shading, leave the bounds of the source or move by more than half its shortest edge.
Refit refit(const WedgeMesh& mesh, const ErrorField& errors);

}  // namespace helixavatar::lod
