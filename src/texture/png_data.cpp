// SPDX-License-Identifier: MIT
#include "texture/png_data.hpp"

namespace helixavatar::texture {
namespace {

constexpr std::size_t kSignature = 8, kFrame = 12;  // length, type and checksum of a chunk
constexpr std::size_t kDeflateMost = 1032;          // times that deflate can shrink anything: 258 bytes in two bits
constexpr const char* kShort = "the PNG's data end before its last row";

Error malformed(const char* why) {
    return {ErrorKind::malformed, why, "", ""};
}

std::size_t promised_bytes(ByteView png, const gltf::ImageHeader& header) {
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

}  // namespace

Result<std::vector<PngChunk>> png_chunks(ByteView png) {
    std::vector<PngChunk> chunks;
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

Result<std::size_t> scanline_bytes(ByteView png, const gltf::ImageHeader& header, const std::vector<PngChunk>& chunks) {
    const std::size_t total = promised_bytes(png, header);
    std::size_t compressed = 0;
    for (const PngChunk& chunk : chunks)
        if (chunk.type == "IDAT") compressed += chunk.data.size();
    if (total / kDeflateMost > compressed) return malformed(kShort);
    return total;
}

PngInflater::PngInflater(const std::vector<PngChunk>& chunks) {
    for (const PngChunk& chunk : chunks)
        if (chunk.type == "IDAT") waiting_.push_back(chunk.data);
    ready_ = inflateInit(&stream_) == Z_OK;
}

const char* PngInflater::fill(std::span<std::uint8_t> bytes) {
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

}  // namespace helixavatar::texture
