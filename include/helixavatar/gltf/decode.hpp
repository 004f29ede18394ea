// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <helixavatar/gltf/document.hpp>

namespace helixavatar::gltf {

/// True for an extension that this program reads or may pass by without harm, so that a file may require it.
bool is_supported_extension(std::string_view name);

/// Names of extensionsRequired that this program cannot read, in the document's order.
std::vector<std::string> unreadable_required_extensions(const Json& json);

/// The document with all accessors plain: KHR_draco_mesh_compression and EXT_meshopt_compression decoded into real
/// bufferViews and the extensions taken off those objects and off extensionsUsed/Required. Indices of every object
/// stay; bufferViews are appended. Quantised and sparse accessors stay: the accessor views read them. Safe on any
/// document. Errors: malformed (a stream does not decode or is not what its accessors say), unconvertible (a codec
/// version or required extension that this build cannot read, named).
Result<Document> decompress(Document document, const Limits& limits = {});

}  // namespace helixavatar::gltf
