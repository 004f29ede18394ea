// SPDX-License-Identifier: MIT
// helix/dynamics@1: the engine's strict parse with reasons (reference text, "The parse is strict, and failure is
// silent"), and what the engine accepts but the eye rejects. Rule id of every finding: "dynamics".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/base/finding.hpp>

namespace helixavatar::dynamics {

/// Every fault of the manifest by itself at once: errors where the engine's reader returns null for the whole manifest,
/// warnings and notes where it does not. Pointers start with `pointer`, the manifest's own place in its file.
Findings check_manifest(const gltf::Json& manifest, const std::string& pointer, std::optional<int> scene = {});

/// The manifest against an avatar: caps on joints, bones that are not there, chain roots, shared and face-driven bones,
/// branches, endpoints, weighted vertices, colliders, feel. A manifest with strict faults gives no finding here:
/// nothing of it is in force.
Findings check_against(const gltf::Json& manifest, const avatar::Avatar& avatar, const std::string& pointer);

/// The manifests of a glTF document's scenes: present on each, equal to scene 0's, every named bone in every skin, and
/// check_manifest() once for each different one. No finding when no scene has one. Requires a document without
/// structure errors.
Findings check_scenes(const gltf::Json& document);

/// The corrections that cannot be wrong: sideways endpoints turned where their vertices are, `lod.minPixels` 14.
struct Corrected {
    gltf::Json manifest;
    std::vector<std::string> changes;  ///< "/chains/0/endpoint: [0,-0.085,0] → [-0.085,0,0]"
};
Corrected correct(const gltf::Json& manifest, const avatar::Avatar& avatar);
/// What needs no avatar: `lod.minPixels` alone.
Corrected correct(const gltf::Json& manifest);

/// correct() on a whole file: the first scene's manifest (or the first that has one), corrected, on every scene.
/// Endpoints stay as they are where `avatar` is null. Pointers in `changes` are the document's.
struct CorrectedScenes {
    gltf::Json document;
    std::vector<std::string> changes;
};
CorrectedScenes correct_scenes(const gltf::Json& document, const avatar::Avatar* avatar);

/// One chain's share of the caps and of the frame.
struct ChainSummary {
    std::string id;
    std::size_t joints = 0;             ///< 1 at least; exact with an avatar
    double length = 0;                  ///< metres from root to tip at rest; 0 without an avatar
    std::vector<std::size_t> vertices;  ///< weighted to its joints, for each level
    std::size_t checks = 0;             ///< joints × colliders
    double cost = 0;                    ///< of a solver step in joint updates: joints + checks
};

/// Totals against the caps.
struct Summary {
    std::size_t chains = 0, joints = 0, colliders = 0, collision_checks = 0;
    std::vector<ChainSummary> per_chain;
    bool exact = false;  ///< counted on an avatar
};

/// All zero for a manifest with strict faults. `avatar` may be null: then joints count one a chain at least.
Summary summarise(const gltf::Json& manifest, const avatar::Avatar* avatar);

/// What reports print of it: totals with their caps, a row a chain. What was not measured is null.
gltf::Json to_json(const Summary& summary);

}  // namespace helixavatar::dynamics
