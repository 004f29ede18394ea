// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include <helixavatar/base/bytes.hpp>
#include <helixavatar/base/finding.hpp>
#include <helixavatar/base/result.hpp>

namespace helixavatar::gltf {

constexpr std::uint32_t kGlbMagic = 0x46546C67;       ///< "glTF"
constexpr std::uint32_t kJsonChunkType = 0x4E4F534A;  ///< "JSON"
constexpr std::uint32_t kBinChunkType = 0x004E4942;   ///< "BIN\0"

/// The chunks of a GLB that a document is made from; they point into the file.
struct GlbChunks {
    ByteView json;
    std::optional<ByteView> bin;
};

bool is_glb(ByteView file);

/// Splits a GLB (glTF 2.0, chapter 4). What a loader can still read goes to `findings` under "file-container".
/// Errors: malformed when there is no JSON chunk to be had, or a chunk reaches past the end of the file.
Result<GlbChunks> read_glb_chunks(ByteView file, Findings& findings);

}  // namespace helixavatar::gltf
