// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "error_field.hpp"
#include "wedge_mesh.hpp"

namespace helixavatar::lod {

/// A place for every point: for a point that stands for others too, the one that represents all of them best, so that a
/// level does not shrink inside its source. Points on open borders, and those that would turn a face over, leave the
/// bounds of the source or move by more than half their shortest edge, stay.
std::vector<Vec3f> refit_places(const WedgeMesh& mesh, const ErrorField& errors);

}  // namespace helixavatar::lod
