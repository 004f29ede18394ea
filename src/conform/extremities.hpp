// SPDX-License-Identifier: MIT
// What the mesh says where the rig has no joint: where a hand without fingers points, where a foot without toes does.
#pragma once

#include <array>
#include <optional>

#include "source_tree.hpp"

namespace helixavatar::conform {

/// Mean of the farthest 15 % of a part's own vertices.
struct Reach {
    Vec3 tip = Vec3::Zero();
    Vec3 ahead = Vec3::Zero();  ///< unit, horizontal: where what lies before the start (+Z) points as a whole; zero:
                                ///< nothing does
    double lowest = 0;          ///< Y of the part's lowest vertex
};

struct Extremities {
    std::array<std::optional<Reach>, kSides> hands;  ///< measured from the wrist
    std::array<std::optional<Reach>, kSides> feet;   ///< measured from the ankle, horizontally
};

/// Measured on the first level, from the vertices that a hand or foot (toes included) holds by more than half. Vertices
/// at one place count once, so that seams and splits change nothing. Requires body.from of hands and feet. A part with
/// too few vertices has no reach.
Extremities measure_extremities(const avatar::Avatar& source, const Body& body, const std::vector<Follow>& follow);

}  // namespace helixavatar::conform
