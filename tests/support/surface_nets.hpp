// SPDX-License-Identifier: MIT
// Turns the left half of a figure into triangles.
#pragma once

#include <cstdint>
#include <vector>

#include "support/field.hpp"

namespace helixavatar::test {

struct HalfShell {
    std::vector<Vec3f> positions;          ///< x >= 0; exactly 0 on the middle plane
    std::vector<std::uint32_t> triangles;  ///< counter-clockwise from outside; open only along x = 0
};

/// Surface nets over a rectilinear grid that is finer where the face and the hands are, each vertex then moved onto the
/// surface. `cell`: grid step of the body, metres; face and hands have about half of it.
HalfShell polygonise(const Field& field, float cell);

}  // namespace helixavatar::test
