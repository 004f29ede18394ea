// SPDX-License-Identifier: MIT
// Morph targets of the face, under the names that face sets give them.
#pragma once

#include <string>
#include <vector>

#include "support/body.hpp"

namespace helixavatar::test {

/// "none", "arkit", "visemes", "ready_player_me", "vrchat", "vrm0", "vrm1", "mmd", "jaw".
const std::vector<std::string>& face_sets();

struct FaceShape {
    std::string name;
    std::vector<Vec3f> deltas;  ///< one a vertex of the body, metres, at rest
};

/// Throws std::invalid_argument for an unknown set.
std::vector<FaceShape> face_shapes(const HumanoidBody& body, const std::string& set);

}  // namespace helixavatar::test
