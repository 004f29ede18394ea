// SPDX-License-Identifier: MIT
// FBX as a glTF document, so that everything after reading is one path.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <helixavatar/base/bytes.hpp>
#include <helixavatar/base/limits.hpp>
#include <helixavatar/base/result.hpp>
#include <helixavatar/gltf/document.hpp>

namespace helixavatar::avatar {

/// True when the first bytes are those of a binary or an ASCII FBX file.
bool is_fbx(ByteView file);

struct Fbx {
    /// Nodes with the file's pivots folded in, below a root that carries its axes and units (metres, +Y up; facing
    /// stays the file's); skins with the inverse binds of the clusters; morph targets; base materials.
    gltf::Document document;
    std::vector<std::string> warnings;  ///< what was left out, in words for the creator
};

/// Reads an FBX file from memory. Textures are those embedded, or those of the same file name in `folder`, its
/// "textures" or a "*.fbm" folder in it; nothing outside `folder` is opened. Errors: malformed (what the importer
/// says); unconvertible (over `limits`; built without FBX).
Result<Fbx> read_fbx(ByteView file, const std::filesystem::path& folder, const Limits& limits = {});

}  // namespace helixavatar::avatar
