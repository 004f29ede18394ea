// SPDX-License-Identifier: MIT
#include "texture/png_rewrap.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include <zlib.h>

namespace helixavatar::texture {
namespace {

constexpr std::size_t kSignature = 8, kFrame = 12;  // length, type and checksum of a chunk
constexpr std::size_t kStoredMost = 65535;          // bytes of a stored block: RFC 1951, 3.2.4
constexpr std::size_t kDeflateMost = 1032;          // times that deflate can shrink anything: 258 bytes in two bits
constexpr const char* kShort = "the PNG's data end before its last row";

Error malformed(const char* why) {
    return {ErrorKind::malformed, why, "", ""};
}

struct Chunk {
    std::string_view type;
    ByteView whole, data;
};

/// Up to IEND. Errors: malformed.
Result<std::vector<Chunk>> chunks_of(ByteView png) {
    std::vector<Chunk> chunks;
    for (std::size_t at = kSignature; at < png.size();) {
        if (png.size() - at < kFrame) break;
        std::size_t length = 0;
        for (std::size_t i = 0; i < 4; ++i) length = length << 8 | png[at + i];
        if (length > png.size() - at - kFrame) break;
        const ByteView whole = png.subspan(at, kFrame + length);
        chunks.push_back({{reinterpret_cast<const char*>(whole.data()) + 4, 4}, whole, whole.subspan(8, length)});
        if (chunks.back().type == "IEND") return chunks;
        at += whole.size();
    }
    return malformed("the PNG is cut short, or one of its chunks lies about its length");
}

/// Bytes of all scanlines with their filter bytes: PNG, third edition, 7.2, 8.1 and 11.2.1.
std::size_t scanline_bytes(ByteView png, const gltf::ImageHeader& header) {
    const std::size_t depth = png[24];
    const std::size_t color = png[25];
    const std::size_t samples = color == 2 ? 3 : color == 4 ? 2 : color == 6 ? 4 : 1;
    const auto width = static_cast<std::size_t>(header.width), height = static_cast<std::size_t>(header.height);
    const auto pass = [&](std::size_t across, std::size_t down) {
        return across == 0 ? 0 : down * (1 + (across * samples * depth + 7) / 8);
    };
    if (png[28] == 0) return pass(width, height);
    struct Adam7 {
        std::size_t x, y, dx, dy;
    };
    constexpr Adam7 kPasses[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                 {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
    std::size_t sum = 0;
    for (const auto& [x, y, dx, dy] : kPasses) sum += pass((width + dx - 1 - x) / dx, (height + dy - 1 - y) / dy);
    return sum;
}

/// The IDAT chunks as one stream, inflated piece by piece.
class Inflater {
public:
    explicit Inflater(const std::vector<Chunk>& chunks) {
        for (const Chunk& chunk : chunks)
            if (chunk.type == "IDAT") waiting_.push_back(chunk.data);
        ready_ = inflateInit(&stream_) == Z_OK;
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    /// The next bytes.size() bytes; why there are not as many, or null.
    const char* fill(std::span<std::uint8_t> bytes) {
        if (!ready_) return "zlib has no memory";
        stream_.next_out = bytes.data();
        stream_.avail_out = static_cast<uInt>(bytes.size());
        while (stream_.avail_out > 0) {
            if (stream_.avail_in == 0 && next_ == waiting_.size()) return kShort;
            if (stream_.avail_in == 0) {
                stream_.next_in = const_cast<Bytef*>(waiting_[next_].data());
                stream_.avail_in = static_cast<uInt>(waiting_[next_++].size());  // a file has at most 512 MiB
            }
            const int status = ::inflate(&stream_, Z_NO_FLUSH);
            // A wrong checksum behind the last byte shows after that byte: every viewer lets it pass.
            if (stream_.avail_out == 0) break;
            if (status == Z_STREAM_END) return kShort;
            if (status != Z_OK && status != Z_BUF_ERROR) return "the PNG's compressed data are broken";
        }
        return nullptr;
    }

private:
    std::vector<ByteView> waiting_;
    std::size_t next_ = 0;
    z_stream stream_{};
    bool ready_ = false;
};

void append(Bytes& out, ByteView bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
}

void append_big32(Bytes& out, std::size_t value) {
    for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<std::uint8_t>(value >> shift));
}

/// `total` bytes as IDAT chunks of one stored block each; checksums are zero, stb_image looks at none.
const char* append_scanlines(Bytes& out, std::size_t total, Inflater& source) {
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
    const Result<std::vector<Chunk>> chunks = chunks_of(png);
    if (!chunks) return chunks.error();
    const std::size_t total = scanline_bytes(png, header);
    std::size_t compressed = 0;
    for (const Chunk& chunk : *chunks)
        if (chunk.type == "IDAT") compressed += chunk.data.size();
    if (total / kDeflateMost > compressed) return malformed(kShort);
    Bytes out;
    out.reserve(png.size() - compressed + total + (total / kStoredMost + 1) * (kFrame + 5) + 6);
    append(out, png.first(kSignature));
    Inflater source(*chunks);
    bool placed = false;
    for (const Chunk& chunk : *chunks) {
        const bool critical = (chunk.type[0] & 0x20) == 0;
        if (chunk.type == "IDAT") {
            const char* fault = placed ? nullptr : append_scanlines(out, total, source);
            if (fault) return malformed(fault);
            placed = true;
        } else if (critical || chunk.type == "tRNS") {
            append(out, chunk.whole);
        }
    }
    return out;
}

}  // namespace helixavatar::texture
