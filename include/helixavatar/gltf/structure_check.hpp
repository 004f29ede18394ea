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
/// and bufferView bounds, alignment, cyclic or double-parented nodes, skins, non-finite data, missing images. Rule ids
/// start with "file-"; where the Khronos validator has a code for the same fault it ends the message in brackets. A
/// document with no error here is safe to read through every other function of this folder.
Findings check_structure(const Document& document, const StructureCheckOptions& options = {});

}  // namespace helixavatar::gltf
