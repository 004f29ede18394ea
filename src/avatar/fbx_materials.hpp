// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <helixavatar/gltf/document_builder.hpp>

struct aiScene;

namespace helixavatar::avatar {

/// Adds the scene's materials in their order, with the textures that are embedded or lie in or below `folder`.
void add_fbx_materials(const aiScene& scene, const std::filesystem::path& folder, gltf::DocumentBuilder& builder,
                       std::vector<std::string>& warnings);

}  // namespace helixavatar::avatar
