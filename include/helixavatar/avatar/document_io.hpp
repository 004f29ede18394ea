// SPDX-License-Identifier: MIT
#pragma once

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/base/result.hpp>

namespace helixavatar::avatar {

struct WriteOptions {
    std::string generator;  ///< asset.generator
};

/// The avatar as a document: one scene a level, each with its own skeleton copy and skin, a Body and (when a surface
/// has a face slice) a FaceMesh node at the scene's root, manifests in every scene's extras. Unused materials, textures
/// and images are left out; nothing in the buffer is unreferenced. Geometry comes first in the buffer, images last, so
/// that the same geometry under other textures has the same bytes.
gltf::Document write_avatar(const Avatar& avatar, const WriteOptions& options = {});

/// Reads back what write_avatar() wrote, or an avatar made by another tool: scene i is level i, meshes named like the
/// FaceMesh that share the body's accessors become face slices. Requires a decompressed document without structure
/// errors. Errors: unconvertible (a scene without a skinned mesh, joint sets that differ).
Result<Avatar> read_avatar(const gltf::Document& document);

}  // namespace helixavatar::avatar
