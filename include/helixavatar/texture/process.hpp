// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/base/limits.hpp>
#include <helixavatar/base/result.hpp>
#include <helixavatar/texture/pixel_statistics.hpp>
#include <helixavatar/texture/pixels.hpp>

namespace helixavatar::texture {

/// A KTX2 as pixels, through the basisu program: its largest mip level within max_edge (a small one is quick: 0.1 s at
/// 128 pixels). `encoder` as in TextureOptions. Errors: malformed; unconvertible (no program, or it failed).
Result<Pixels> decode_ktx2(ByteView ktx2, int max_edge, const std::filesystem::path& encoder = {},
                           const Limits& limits = {});

enum class Quality { fast, balanced, best };

struct TextureOptions {
    int max_edge = 2048;
    bool ktx2 = true;
    bool ktx2_required = false;     ///< no encoder is an error instead of a warning
    std::filesystem::path encoder;  ///< the basisu executable; empty: HELIXAVATAR_BASISU, beside the binary, PATH
    Quality quality = Quality::balanced;
    bool cache = true;  ///< keep encodes by content under the XDG cache folder
    Limits limits;      ///< of every image that is decoded
};

struct TextureRecord {
    std::string name;
    avatar::TextureRole role = avatar::TextureRole::base_color;
    struct Side {
        std::string mime;
        int width = 0, height = 0;
        std::size_t bytes = 0;
    } from, to;
    std::string mode;  ///< "uastc", "etc1s", "png", "jpeg", "webp", "kept"
};

struct TextureOutput {
    avatar::Avatar avatar;
    std::vector<TextureRecord> records;  ///< one for each image that is left, in image order
    /// Of each image's pixels as they were written; empty where nothing was decoded on the way.
    std::vector<std::optional<PixelStatistics>> statistics;
    bool ktx2_enabled = false;
    std::string encoder_version;  ///< what the encoder says of itself, or empty
    std::vector<std::string> warnings;
};

/// The basisu executable that an import would use, or empty.
std::filesystem::path find_encoder(const std::filesystem::path& override_path);

/// Makes every image that a material uses fit: decoded, longer edge to max_edge, edges to powers of two, encoded as
/// KTX2 by role or as PNG/JPEG. One image used in two colour spaces becomes two. Unused images go. Materials keep their
/// slots. Errors: malformed (an image does not decode), unconvertible (ktx2_required without an encoder; the encoder
/// failed).
Result<TextureOutput> process_textures(avatar::Avatar avatar, const TextureOptions& options);

}  // namespace helixavatar::texture
