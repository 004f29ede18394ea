// SPDX-License-Identifier: MIT
// A conformed body put back into the file that it came from.
#pragma once

#include <string>
#include <vector>

#include <helixavatar/avatar/read_source.hpp>
#include <helixavatar/conform/conform.hpp>
#include <helixavatar/gltf/document.hpp>

namespace helixavatar::import {

/// The file's own meshes, materials, textures and extras on the canonical skeleton: positions, normals, tangents, morph
/// deltas and influences are the conformed ones, joints are the canonical ones, mesh nodes hang from the scene,
/// everything else of them is the file's. Animations of the joints are carried over to the new rest. `warnings` takes
/// what cannot stay: cameras, lights, VRM's own data, animations of other nodes.
gltf::Document put_back(const gltf::Document& document, const avatar::Source& source,
                        const std::vector<avatar::Joint>& source_joints, const avatar::BoneMap& map,
                        const conform::ConformOutput& conformed, const std::string& generator,
                        std::vector<std::string>& warnings);

}  // namespace helixavatar::import
