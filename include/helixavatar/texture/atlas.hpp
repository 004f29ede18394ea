// SPDX-License-Identifier: MIT
// Many materials as one or two: their textures side by side in one picture, their factors in its texels.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/base/limits.hpp>
#include <helixavatar/base/result.hpp>

namespace helixavatar::texture {

struct AtlasOptions {
    int max_edge = 2048;  ///< pixels; of the atlas
    int max_materials =
        2;  ///< how many are wanted afterwards; differences of drawing are given up, least visible first, until it fits
    int max_repeats = 4;            ///< a texture that repeats more often than this in one direction is not baked
    Limits limits;                  ///< of every image that is decoded
    std::filesystem::path encoder;  ///< unpacks KTX2 sources; empty: as find_encoder() finds it
};

struct AtlasRecord {
    std::string material;           ///< name of the new material
    std::vector<std::string> from;  ///< names of those that it replaces
    int width = 0, height = 0;      ///< pixels; 0: no texture was needed
    double scale = 1;               ///< the smallest share of a source's resolution that was kept
};

struct LeftOut {
    std::string material;
    std::string reason;
};

struct AtlasOutput {
    avatar::Avatar avatar;
    std::vector<AtlasRecord> atlases;
    std::vector<LeftOut> left_out;      ///< materials that stay on their own
    std::vector<std::string> warnings;  ///< what looks different now, in words for the creator
};

/// Opaque materials go into one atlas, masked and blended ones into others. Base colour, normal,
/// occlusion-roughness-metallic and emissive share one layout; a channel that is the same everywhere becomes a factor.
/// Untextured materials are a few texels. UVs of every level's surfaces are moved (shifted and scaled, never turned:
/// tangents stay right) and become the only UV set. Surfaces are not merged here. Materials that nobody draws go;
/// textures and images that nobody uses stay until process_textures(). Errors: malformed (an image does not decode),
/// unconvertible (KTX2 without an encoder).
Result<AtlasOutput> atlas(avatar::Avatar avatar, const AtlasOptions& options = {});

}  // namespace helixavatar::texture
