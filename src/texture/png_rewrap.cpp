// SPDX-License-Identifier: MIT
#include "texture/png_rewrap.hpp"

#include <algorithm>

#include "texture/png_data.hpp"

namespace helixavatar::texture {
namespace {

constexpr std::size_t kSignature = 8, kFrame = 12;  // length, type and checksum of a chunk
constexpr std::size_t kStoredMost = 65535;          // bytes of a stored block: RFC 1951, 3.2.4

void append(Bytes& out, ByteView bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
}

void append_big32(Bytes& out, std::size_t value) {
    for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<std::uint8_t>(value >> shift));
}

/// `total` bytes as IDAT chunks of one stored block each; checksums are zero, stb_image looks at none.
const char* append_scanlines(Bytes& out, std::size_t total, PngInflater& source) {
    for (std::size_t done = 0; done < total;) {
        const std::size_t size = std::min(kStoredMost, total - done);
        const bool first = done == 0, last = done + size == total;
        const auto length = static_cast<std::uint16_t>(size), inverse = static_cast<std::uint16_t>(~length);
        append_big32(out, (first ? 2 : 0) + 5 + size + (last ? 4 : 0));
        append(out, as_bytes("IDAT"));
        if (first) append(out, as_bytes("\x78\x01"));
        for (const int byte : {int{last}, length & 255, length >> 8, inverse & 255, inverse >> 8})
            out.push_back(static_cast<std::uint8_t>(byte));
        out.resize(out.size() + size);
        if (const char* fault = source.fill(std::span(out).last(size))) return fault;
        if (last) append_big32(out, 0);  // Adler-32
        append_big32(out, 0);            // CRC-32
        done += size;
    }
    return nullptr;
}

}  // namespace

Result<Bytes> with_stored_scanlines(ByteView png, const gltf::ImageHeader& header) {
    const Result<std::vector<PngChunk>> chunks = png_chunks(png);
    if (!chunks) return chunks.error();
    const Result<std::size_t> total = scanline_bytes(png, header, *chunks);
    if (!total) return total.error();
    Bytes out;
    out.reserve(png.size() + *total + (*total / kStoredMost + 1) * (kFrame + 5) + 6);
    append(out, png.first(kSignature));
    PngInflater source(*chunks);
    bool placed = false;
    for (const PngChunk& chunk : *chunks) {
        const bool critical = (chunk.type[0] & 0x20) == 0;
        if (chunk.type == "IDAT") {
            const char* fault = placed ? nullptr : append_scanlines(out, *total, source);
            if (fault) return Error{ErrorKind::malformed, fault, "", ""};
            placed = true;
        } else if (critical || chunk.type == "tRNS") {
            append(out, chunk.whole);
        }
    }
    return out;
}

}  // namespace helixavatar::texture
