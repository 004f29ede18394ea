// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include <helixavatar/avatar/read_fbx.hpp>

struct aiScene;

namespace helixavatar::avatar {

/// An imported scene as a document. Errors: unconvertible (more vertices than `limits`, more than 65535 nodes).
Result<Fbx> document_of(const aiScene& scene, const std::filesystem::path& folder, const Limits& limits);

}  // namespace helixavatar::avatar
