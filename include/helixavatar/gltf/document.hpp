// SPDX-License-Identifier: MIT
// The document of record: the glTF JSON in its own order plus the bytes that it refers to. What nobody meant to change
// is written as it was read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <helixavatar/base/bytes.hpp>
#include <helixavatar/base/finding.hpp>
#include <helixavatar/base/limits.hpp>
#include <helixavatar/base/result.hpp>

namespace helixavatar::gltf {

using Json = nlohmann::ordered_json;

enum class Container { glb, gltf, fbx };  ///< what the document was read from; fbx was translated

struct Document {
    Json json;                       ///< the whole glTF JSON object
    std::vector<Bytes> buffers;      ///< one for each of json.buffers: the BIN chunk, decoded data URIs, external files
    std::vector<Bytes> image_files;  ///< one for each of json.images: bytes behind its uri; empty when in a bufferView
    Container container = Container::glb;
    std::size_t file_bytes = 0;   ///< size of the file that was read (the .glb or the .gltf alone)
    std::string sha256;           ///< of that file; empty when it was read from memory
    Findings container_findings;  ///< what the container reader tolerated (extra chunks, padding, trailing bytes)
};

/// Parses JSON text with a depth limit. Errors: malformed, with line and column, or the depth.
Result<Json> parse_json(std::string_view text, const Limits& limits = {});

/// Reads a .glb, .vrm or .gltf with everything that it refers to. Only header, chunks, JSON and buffer lengths are
/// checked; check_structure() does the rest. Errors: unreadable; malformed; a uri that leaves the file's folder is
/// malformed.
Result<Document> read_document(const std::filesystem::path& path, const Limits& limits = {});

/// The same from memory. `folder`: where relative URIs are looked up; empty refuses every external file.
Result<Document> parse_document(ByteView file, const std::filesystem::path& folder, const Limits& limits = {});
/// The same of bytes that nobody else needs: the BIN chunk is kept where it lies instead of being copied.
Result<Document> parse_document(Bytes&& file, const std::filesystem::path& folder, const Limits& limits = {});

/// The document as one GLB: all buffers joined into the BIN chunk (bufferViews rebased), image files embedded, chunks
/// padded as the specification asks. Bytes of a single-buffer document stay where they are.
Bytes write_glb(const Document& document);

/// The bytes of image i, from its bufferView or its file. Errors: malformed.
Result<ByteView> image_bytes(const Document& document, std::size_t image);

}  // namespace helixavatar::gltf
