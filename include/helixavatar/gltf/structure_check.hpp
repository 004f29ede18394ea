// SPDX-License-Identifier: MIT
#pragma once

#include <helixavatar/gltf/document.hpp>

namespace helixavatar::gltf {

struct StructureCheckOptions {
    bool accessor_values =
        true;  ///< also read every accessor: NaN, indices past the vertex count, joint indices, min/max
    Limits limits;
};

/// Everything that a loader trips over, with JSON pointers: types, required members, references out of range, accessor
/// and bufferView bounds, alignment, cyclic or double-parented nodes, skins, non-finite data, missing images. Begins
/// with the document's own container_findings. Rule ids: file-container, file-json, file-asset, file-buffer,
/// file-buffer-view, file-accessor, file-mesh, file-skin, file-node, file-scene, file-image, file-texture,
/// file-material, file-camera, file-animation, file-extension, and file-data for values. Where the Khronos validator
/// has a code for the same fault it ends the message in brackets, and no severity here is above its own. Values behind
/// Draco or meshopt are read only from a decompressed copy. Every function of this folder is safe on any document,
/// faulty ones too; after no error here they also succeed, compression and unread extensions aside.
Findings check_structure(const Document& document, const StructureCheckOptions& options = {});

/// True for an error that a conversion cannot get past: data that are not there or not what their users need, references
/// to nothing, trees that are none, values of another type than glTF gives them. False for errors that reading and writing anew mends (weights that do not add up,
/// wrong bounds, alignment, a bad animation or camera).
bool prevents_reading(const Finding& finding);

}  // namespace helixavatar::gltf
