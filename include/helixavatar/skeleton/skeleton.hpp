// SPDX-License-Identifier: MIT
// The canonical skeleton as data: helix-humanoid@1 compiled in, or another one read from a file of the same shape.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <helixavatar/base/geometry.hpp>
#include <helixavatar/base/result.hpp>
#include <helixavatar/gltf/document.hpp>

namespace helixavatar::skeleton {

struct CanonicalJoint {
    std::string name;
    int parent = -1;   ///< index into Skeleton::joints, always smaller than the joint's own; -1 for the root
    bool skin = true;  ///< a skin joint; false: a helper node (the eight metacarpals)
    Pose local;        ///< rest in the parent's frame, metres
    Pose world;        ///< rest in the character's frame: +Y up, +Z forward, +X the character's left, feet on Y = 0
};

struct Skeleton {
    std::string id;  ///< "helix-humanoid@1"
    std::vector<CanonicalJoint> joints;

    /// Index of the joint of that name, or -1.
    int find(std::string_view name) const;
    const CanonicalJoint& joint(std::string_view name) const;  ///< asserts that it is there
};

/// The built-in helix-humanoid@1: 68 skin joints and 8 helper nodes.
const Skeleton& helix_humanoid();

/// A skeleton of the built-in one's shape from its JSON. Errors: usage, with the joint that is missing, extra or
/// misparented.
Result<Skeleton> parse_skeleton(std::string_view json_text);

/// The skeleton of an avatar GLB's first scene. Errors: as read_document(); unconvertible, naming the joints that are
/// missing or hang from another parent than helix-humanoid@1 has them.
Result<Skeleton> skeleton_from_document(const gltf::Document& document);

/// Either of the two, by the file's first bytes; what `--skeleton FILE` takes.
Result<Skeleton> read_skeleton(const std::filesystem::path& path);

/// The JSON shape that parse_skeleton() reads, two-space indented, numbers rounded to 1e-7.
std::string to_json_text(const Skeleton& skeleton);

/// How one joint's rest differs between two skeletons of the same names.
struct JointDifference {
    std::string name;
    double degrees = 0;  ///< between the local rotations
    double metres = 0;   ///< between the local translations
};

/// Joints whose local rest differs by more than 0.01 degrees or 0.1 mm, in skeleton order.
std::vector<JointDifference> differences(const Skeleton& a, const Skeleton& b);

/// The same name on the other side ("hand_l" → "hand_r"); the name itself for a middle joint.
std::string mirrored(std::string_view name);

}  // namespace helixavatar::skeleton
