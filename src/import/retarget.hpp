// SPDX-License-Identifier: MIT
// A file's own animations on the canonical skeleton.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <helixavatar/avatar/read_source.hpp>
#include <helixavatar/conform/conform.hpp>
#include <helixavatar/gltf/document_builder.hpp>

namespace helixavatar::import {

struct RetargetInput {
    const gltf::Document& document;            ///< the source, decompressed
    const avatar::Source& source;              ///< its avatar may be gone
    const std::vector<avatar::Joint>& joints;  ///< of the source, at its rest
    const avatar::BoneMap& map;
    const conform::ConformOutput& conformed;
    const std::vector<std::size_t>& joint_nodes;   ///< node in the new file of each of the result's joints
    const std::map<int, std::size_t>& mesh_nodes;  ///< source node → node in the new file
};

/// Rotations of every joint, and the pelvis's place, so that each joint's skin turns as it did in the source; sampled
/// at the source's keys (and 30 a second under cubic splines), linear between them. Morph weights stay as they are.
/// Channels that move nothing are left out. `warnings` names animations of which something, or all, could not be
/// carried.
void retarget_animations(const RetargetInput& input, gltf::DocumentBuilder& out, std::vector<std::string>& warnings);

}  // namespace helixavatar::import
