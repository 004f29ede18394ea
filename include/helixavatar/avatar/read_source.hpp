// SPDX-License-Identifier: MIT
// Flattening: any glTF or VRM as one level of world-space vertices with weights on named joints.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/base/result.hpp>

namespace helixavatar::avatar {

/// What the receipt says of the source; counts as in the file, before anything is merged.
struct SourceFacts {
    std::string format;     ///< "glb", "gltf", "vrm0", "vrm1", "fbx"
    std::string generator;  ///< asset.generator, or empty
    std::size_t meshes = 0, primitives = 0, materials = 0, textures = 0, joints = 0, triangles = 0, vertices = 0;
    std::size_t morph_targets = 0, animations = 0;
};

/// VRM's own humanoid map and what else its extension says that later steps need.
struct VrmFacts {
    int version = 0;                      ///< 0 or 1
    std::map<std::string, int> humanoid;  ///< VRM bone name → index into Avatar::joints
    Json extension;                       ///< extensions.VRM, or extensions.VRMC_vrm
    std::optional<Json> spring_bone;      ///< extensions.VRMC_springBone
    std::vector<int> node_to_joint;       ///< glTF node → index into Avatar::joints, or -1
};

struct Source;

struct ReadOptions {
    std::string root;  ///< name of the skeleton root when a file holds several humanoids; empty: the only one
    std::vector<std::string> drop_nodes;  ///< node names whose meshes are left out
    bool ignore_node_pose = false;        ///< the bind pose is the rest whatever the nodes say
    bool keeps_the_rest = false;          ///< animations, materials, extensions stay in the file: nothing to warn of
    /// Called before the meshes are read, when VRM, materials, textures and images are.
    std::function<void(const Source&)> look_is_read;
};

struct Source {
    Avatar avatar;  ///< one level; materials, textures and images as in the file; joints = the whole node hierarchy
    SourceFacts facts;
    std::optional<VrmFacts> vrm;
    /// Names of each glTF mesh's morph targets, as the surfaces carry them.
    std::vector<std::vector<std::string>> mesh_morph_names;
    /// glTF node and primitive that each surface is.
    std::vector<std::pair<int, int>> surface_origin;
    std::vector<int> joint_node;  ///< glTF node of each of the avatar's joints
    /// glTF mesh of each node, or -1 (VRM 1 binds expressions to nodes).
    std::vector<int> node_mesh;
    std::string rest_pose;  ///< "bind" or "node": which of the two the vertices were taken in, and why in `notes`
    std::vector<std::string> notes;
    std::vector<std::string> warnings;  ///< what was dropped or mended, in words for the creator
};

/// Rotation nearest to the linear part of a matrix; mirroring and scale are taken off.
Pose pose_of(const Mat4& matrix);

/// Evaluates every skin as a viewer shows it (node world transforms × inverse bind matrices), so that armature scales,
/// root turns, several skins, rigid meshes on bones and missing inverse bind matrices all come out as world-space
/// vertices with weights. Requires a decompressed document without structure errors. Axes, units and facing stay the
/// file's. Errors: unconvertible (no mesh; nothing is skinned or hangs from a joint; several humanoids and no `root`),
/// malformed.
Result<Source> read_source(const gltf::Document& document, const ReadOptions& options = {});

}  // namespace helixavatar::avatar
