// SPDX-License-Identifier: MIT
// The reference text's "Parameters that shipped", by name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <helixavatar/dynamics/manifest.hpp>

namespace helixavatar::dynamics {

struct Preset {
    std::string_view name;
    Chain feel;  ///< stiffness, damping, inertia, gravity, limit, radius; a hinge's axis is zero: it is the panel's
                 ///< tangent
    std::string_view anchor;              ///< the bone that the row hangs from, or empty where the row names none
    double sphere_radius = 0;             ///< metres, of its sphere-steal; 0: the row selects otherwise
    double max_weight = 0;                ///< of its sphere-steal
    std::vector<std::string> steal_from;  ///< bones that give weight; `_s` at the end stands for the chain's own side
};

/// In the text's order: back-hair-fused, side-lock, bob, breast, glute, short-ear, skirt-panel, ribbon.
std::span<const Preset> presets();
const Preset* find_preset(std::string_view name);  ///< or null

}  // namespace helixavatar::dynamics
