// SPDX-License-Identifier: MIT
// The two geometry codecs, and the buffer that takes what they decode.
#pragma once

#include <helixavatar/gltf/document.hpp>

namespace helixavatar::gltf {

/// Decoded bytes on their way into one new buffer of a document.
class DecodedBuffer {
public:
    /// `index`: which buffer of the document these bytes will be. `limit`: the most bytes it may hold.
    DecodedBuffer(std::size_t index, std::size_t limit) : index_(index), limit_(limit) {}

    /// Room for `size` zero bytes, aligned to four; null when that passes the limit. Valid until the next call.
    std::uint8_t* reserve(std::size_t size);
    /// Offset of the bytes reserved last.
    std::size_t last_offset() const { return last_offset_; }
    std::size_t index() const { return index_; }
    Bytes take() { return std::move(bytes_); }
    bool empty() const { return bytes_.empty(); }

private:
    Bytes bytes_;
    std::size_t index_ = 0;
    std::size_t limit_ = 0;
    std::size_t last_offset_ = 0;
};

/// The bytes that {buffer, byteOffset, byteLength} of `holder` name. Errors: malformed, at `pointer`.
Result<ByteView> named_bytes(const Document& document, const Json& holder, const std::string& pointer);

/// Decodes EXT_meshopt_compression off bufferView `index` of `document`.
Result<void> decode_meshopt_view(Document& document, std::size_t index, DecodedBuffer& decoded);

/// Decodes KHR_draco_mesh_compression off a primitive; `done[i]` marks accessors that have got their data.
Result<void> decode_draco_primitive(Document& document, Json& primitive, const std::string& pointer,
                                    std::vector<bool>& done, DecodedBuffer& decoded, const Limits& limits);

}  // namespace helixavatar::gltf
