// SPDX-License-Identifier: MIT
#pragma once

#include <helixavatar/gltf/document.hpp>

namespace helixavatar::gltf {

/// Drops accessors and bufferViews that nothing refers to and joins what is left in one buffer; everything else stays
/// as it is. References are the members that the specification and the extensions give to accessors ("attributes",
/// "targets", "indices", "input", "output", "inverseBindMatrices") and views ("bufferView"). Requires a decompressed
/// document without structure errors.
void compact(Document& document);

}  // namespace helixavatar::gltf
