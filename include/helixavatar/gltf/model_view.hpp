// SPDX-License-Identifier: MIT
// The typed, read-only view: tinygltf over a checked, sanitised copy of the JSON. Data are read through AccessorView,
// so the view holds no buffer bytes and no image.
#pragma once

#include <tiny_gltf.h>

#include <helixavatar/gltf/document.hpp>

namespace helixavatar::gltf {

/// Requires a decompressed document without structure errors; indices in the view are the document's own.
/// Errors: malformed, with tinygltf's words.
Result<tinygltf::Model> view_model(const Document& document);

}  // namespace helixavatar::gltf
