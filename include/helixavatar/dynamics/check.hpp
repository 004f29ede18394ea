// SPDX-License-Identifier: MIT
// helix/dynamics@1: the engine's strict parse with reasons (reference text, "The parse is strict, and failure is
// silent").
#pragma once

#include <optional>
#include <string>

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/base/finding.hpp>

namespace helixavatar::dynamics {

/// Totals against the caps.
struct Summary {
    std::size_t chains = 0, joints = 0, colliders = 0, collision_checks = 0;
};

/// Every strict fault at once. Pointers start with `pointer`, the manifest's own place in its file.
Findings check_manifest(const gltf::Json& manifest, const std::string& pointer, std::optional<int> scene = {});

/// The manifest against an avatar: bones present in every level, chain roots, branches, endpoints, weighted vertices,
/// colliders. Requires a manifest without strict faults.
Findings check_against(const gltf::Json& manifest, const avatar::Avatar& avatar, const std::string& pointer);

/// Requires a manifest without strict faults. `avatar` may be null: then joints count one a chain at least.
Summary summarise(const gltf::Json& manifest, const avatar::Avatar* avatar);

}  // namespace helixavatar::dynamics
