// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

namespace helixavatar::lod {

/// Vertices of every surface of a level in one pose, in the order of the level's surfaces, one after the other.
struct PosedLevel {
    std::string pose;
    std::vector<Vec3f> positions;
};

/// The level in the poses "arms-up", "elbows", "knees", "walk", "twist" and "fists", which bend what clips bend, by the
/// names of helix-humanoid@1; and in "jaw-open" when the face manifest has a shape or a joint for jawOpen. Empty when
/// the avatar has none of the joints.
std::vector<PosedLevel> measured_poses(const avatar::Avatar& avatar, const avatar::Level& level);

}  // namespace helixavatar::lod
