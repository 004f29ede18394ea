// SPDX-License-Identifier: MIT
// The inside of a PNG: its chunks, and its scanlines inflated within bounds.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <zlib.h>

#include <helixavatar/base/bytes.hpp>
#include <helixavatar/base/result.hpp>
#include <helixavatar/gltf/image_header.hpp>

namespace helixavatar::texture {

struct PngChunk {
    std::string_view type;
    ByteView whole, data;
};

/// Up to IEND. Errors: malformed.
Result<std::vector<PngChunk>> png_chunks(ByteView png);

/// Bytes of all scanlines with their filter bytes: PNG, third edition, 7.2, 8.1 and 11.2.1. Errors: malformed when the
/// compressed data are too few to make as many.
Result<std::size_t> scanline_bytes(ByteView png, const gltf::ImageHeader& header, const std::vector<PngChunk>& chunks);

/// The IDAT chunks as one stream, inflated piece by piece.
class PngInflater {
public:
    explicit PngInflater(const std::vector<PngChunk>& chunks);
    ~PngInflater() { inflateEnd(&stream_); }
    PngInflater(const PngInflater&) = delete;
    PngInflater& operator=(const PngInflater&) = delete;

    /// The next bytes.size() bytes; why there are not as many, or null.
    const char* fill(std::span<std::uint8_t> bytes);

private:
    std::vector<ByteView> waiting_;
    std::size_t next_ = 0;
    z_stream stream_{};
    bool ready_ = false;
};

}  // namespace helixavatar::texture
