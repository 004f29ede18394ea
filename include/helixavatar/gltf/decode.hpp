// SPDX-License-Identifier: MIT
#pragma once

#include <helixavatar/gltf/document.hpp>

namespace helixavatar::gltf {

/// A copy whose accessors are all plain: KHR_draco_mesh_compression and EXT_meshopt_compression decoded into real
/// bufferViews and the extensions taken off those objects. Quantised and sparse accessors stay: the accessor views read
/// them. Requires a document without structure errors. Errors: malformed (a stream does not decode), unconvertible (a
/// codec version or required extension that this build cannot read, named).
Result<Document> decompress(const Document& document, const Limits& limits = {});

}  // namespace helixavatar::gltf
