// SPDX-License-Identifier: MIT
// Pieces of the nearest level that hang by themselves: hair behind or beside the head, skirts round the hips.
#pragma once

#include <string>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

namespace helixavatar::dynamics {

struct LooseFall {
    enum class Kind { hair, skirt } kind = Kind::hair;
    std::string anchor;                      ///< the bone that it rides on
    Vec3 inside = Vec3::Zero();              ///< one of its vertices
    std::vector<std::vector<Vec3>> columns;  ///< joints from the top of the free hang down, then the tip; world metres
    std::size_t vertices = 0;
    double length = 0;  ///< metres
};

/// Largest first. Nothing on a fused shell, where everything is one piece.
std::vector<LooseFall> loose_falls(const avatar::Avatar& avatar);

}  // namespace helixavatar::dynamics
