// SPDX-License-Identifier: MIT
// helix/avatar-face@1: detecting a face on import, and checking a manifest.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/base/finding.hpp>
#include <helixavatar/base/result.hpp>

namespace helixavatar::face {

/// A VRM expression as the file's extension binds it, resolved to morph names.
struct Expression {
    std::string preset;  ///< the preset's or custom expression's name as written ("a", "blink_l", "aa", "happy")
    std::vector<std::pair<std::string, double>> morphs;  ///< morph name, weight 0..1
};

struct FaceInput {
    int vrm_version = -1;                 ///< 0, 1, or -1: no VRM
    std::vector<Expression> expressions;  ///< of a VRM
    std::optional<gltf::Json> face_map;   ///< the --face-map file's JSON
};

struct FaceOutput {
    std::optional<gltf::Json>
        manifest;  ///< null when capability is "none" and there is no blink, gaze or expression either
    std::string capability = "none";    ///< "viseme15", "vowel5", "jaw", "none"
    std::vector<std::string> channels;  ///< names in manifest order
    std::vector<std::string> derived;   ///< channels made from a recipe
    bool blink = false, gaze = false;
    std::vector<std::string> used_morphs;  ///< morph names that a channel needs; the others may be dropped
    std::vector<std::string> warnings;
};

/// Detects the face of an avatar whose levels carry their final slices (mesh names in the manifest depend on them).
/// Errors: usage (a face map that is not well formed), unconvertible (it names what is not there, with the nearest
/// names).
Result<FaceOutput> detect_face(const avatar::Avatar& avatar, const FaceInput& input);

/// Strict parse of a manifest: unknown keys, types, ranges, duplicates, capability against channels. With `avatar`,
/// also that every mesh, target and joint exists. `pointer` is the manifest's own place in the file, the prefix of
/// every finding's pointer.
Findings check_face(const gltf::Json& manifest, const avatar::Avatar* avatar, const std::string& pointer,
                    std::optional<int> scene);

}  // namespace helixavatar::face
