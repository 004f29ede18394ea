// SPDX-License-Identifier: MIT
#include "glb_container.hpp"

#include <algorithm>

#include "file_finding.hpp"

namespace helixavatar::gltf {
namespace {

constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kChunkHeaderBytes = 8;

std::uint32_t read_u32(ByteView bytes, std::size_t at) {
    return bytes[at] | bytes[at + 1] << 8U | bytes[at + 2] << 16U | static_cast<std::uint32_t>(bytes[at + 3]) << 24U;
}

Error malformed(std::string message, const char* code) {
    return {ErrorKind::malformed, message + " [" + code + "]", "",
            "export the file again; it may have been cut off on its way"};
}

void note(Findings& findings, Severity severity, std::string message, const char* code, std::string measured = {},
          std::string limit = {}) {
    findings.push_back(file_finding("file-container", severity, "", std::move(message), code, std::move(measured),
                                    std::move(limit), measured.empty() ? "" : "bytes"));
}

/// Takes one chunk in; the error says why the file is beyond reading.
Result<void> take_chunk(std::uint32_t type, ByteView data, std::size_t number, GlbChunks& chunks, Findings& findings) {
    if (number == 0) {
        if (type != kJsonChunkType)
            return malformed("the first chunk of the GLB is not JSON", "GLB_UNEXPECTED_FIRST_CHUNK");
        if (data.empty()) return malformed("the JSON chunk is empty", "GLB_EMPTY_CHUNK");
        chunks.json = data;
    } else if (type == kJsonChunkType) {
        note(findings, Severity::error, "a second JSON chunk is ignored", "GLB_DUPLICATE_CHUNK");
    } else if (type == kBinChunkType) {
        if (chunks.bin) {
            note(findings, Severity::error, "a second BIN chunk is ignored", "GLB_DUPLICATE_CHUNK");
            return {};
        }
        if (number != 1)
            note(findings, Severity::error, "the BIN chunk is not the second chunk, where loaders look for it",
                 "GLB_UNEXPECTED_BIN_CHUNK");
        if (data.empty()) note(findings, Severity::info, "the BIN chunk is empty", "GLB_EMPTY_BIN_CHUNK");
        chunks.bin = data;
    } else {
        note(findings, Severity::warning, "a chunk of unknown type is not kept", "GLB_UNKNOWN_CHUNK_TYPE",
             std::to_string(data.size()));
    }
    return {};
}

/// The bytes that belong to the GLB, as far as they are there.
Result<ByteView> check_header(ByteView file, Findings& findings) {
    if (file.size() < kHeaderBytes)
        return malformed("the file ends inside the 12 bytes of the GLB header", "GLB_UNEXPECTED_END_OF_HEADER");
    const std::uint32_t version = read_u32(file, 4);
    if (version != 2)
        return malformed("the GLB says version " + std::to_string(version) + "; only version 2 can be read",
                         "GLB_INVALID_VERSION");
    const std::size_t length = read_u32(file, 8);
    if (length < kHeaderBytes + kChunkHeaderBytes) {
        if (file.size() < kHeaderBytes + kChunkHeaderBytes)
            return malformed("the GLB holds nothing but its header", "GLB_LENGTH_TOO_SMALL");
        note(findings, Severity::error, "the GLB header gives a length smaller than the smallest GLB",
             "GLB_LENGTH_TOO_SMALL", std::to_string(length), std::to_string(kHeaderBytes + kChunkHeaderBytes));
        return file;
    }
    if (length > file.size())
        note(findings, Severity::error,
             "the file is shorter than the GLB header says: it was cut off or its header is wrong",
             "GLB_LENGTH_MISMATCH", std::to_string(file.size()), std::to_string(length));
    if (length < file.size())
        note(findings, Severity::warning, "bytes follow the end that the GLB header gives; they are not kept",
             "GLB_EXTRA_DATA", std::to_string(file.size() - length), "0");
    return file.first(std::min(length, file.size()));
}

}  // namespace

bool is_glb(ByteView file) {
    return file.size() >= 4 && read_u32(file, 0) == kGlbMagic;
}

Result<GlbChunks> read_glb_chunks(ByteView file, Findings& findings) {
    const auto body = check_header(file, findings);
    if (!body) return body.error();
    GlbChunks chunks;
    std::size_t at = kHeaderBytes;
    for (std::size_t number = 0; at < body->size(); ++number) {
        if (body->size() - at < kChunkHeaderBytes)
            return malformed("the file ends inside a chunk's header", "GLB_UNEXPECTED_END_OF_CHUNK_HEADER");
        const std::size_t length = read_u32(*body, at);
        const std::uint32_t type = read_u32(*body, at + 4);
        const std::size_t start = at + kChunkHeaderBytes;
        if (length > file.size() - start)
            return malformed("a chunk claims " + std::to_string(length) + " bytes where the file has " +
                                 std::to_string(file.size() - start) + " left",
                             "GLB_UNEXPECTED_END_OF_CHUNK_DATA");
        if (length > body->size() - start)
            note(findings, Severity::error, "a chunk reaches past the length that the GLB header gives",
                 "GLB_CHUNK_TOO_BIG", std::to_string(length), std::to_string(body->size() - start));
        if (length % 4 != 0)
            note(findings, Severity::error, "a chunk's length is no multiple of four: strict loaders refuse the file",
                 "GLB_CHUNK_LENGTH_UNALIGNED", std::to_string(length), "4");
        if (const auto taken = take_chunk(type, file.subspan(start, length), number, chunks, findings); !taken)
            return taken.error();
        at = start + length;
    }
    if (chunks.json.empty()) return malformed("the GLB has no JSON chunk", "GLB_UNEXPECTED_END_OF_CHUNK_HEADER");
    return chunks;
}

}  // namespace helixavatar::gltf
