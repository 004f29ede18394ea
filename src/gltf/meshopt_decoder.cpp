// SPDX-License-Identifier: MIT
#include <meshoptimizer.h>

#include "json_read.hpp"
#include "stream_decoders.hpp"

namespace helixavatar::gltf {
namespace {

enum class Mode { attributes, triangles, indices };

struct Stream {
    Mode mode = Mode::attributes;
    std::string_view filter;
    std::size_t count = 0;
    std::size_t stride = 0;
    ByteView coded;
};

Error malformed(const std::string& message, const std::string& pointer) {
    return {ErrorKind::malformed, "EXT_meshopt_compression: " + message, pointer, "export the file again"};
}

/// The fewest bytes that `decoded` bytes can be coded in: a byte a triangle or index; for vertices two bits of header
/// for sixteen of each of their bytes. A stream that claims more is lying, and nothing is allocated for it.
bool can_hold(const Stream& stream) {
    const std::size_t coded = stream.coded.size();
    switch (stream.mode) {
        case Mode::attributes:
            return stream.count <= coded * 64 / stream.stride;
        case Mode::triangles:
            return stream.count / 3 <= coded;
        case Mode::indices:
            return stream.count <= coded;
    }
    return false;
}

/// Also what meshoptimizer asserts: its asserts are for programmers, these numbers come from a file.
Result<Stream> read_stream(const Document& document, const Json& json, const std::string& pointer) {
    Stream stream;
    const std::string_view mode = text_member(json, "mode");
    if (mode == "ATTRIBUTES")
        stream.mode = Mode::attributes;
    else if (mode == "TRIANGLES")
        stream.mode = Mode::triangles;
    else if (mode == "INDICES")
        stream.mode = Mode::indices;
    else
        return malformed("the mode is none of ATTRIBUTES, TRIANGLES and INDICES", pointer);
    stream.filter = text_member(json, "filter");
    if (stream.filter == "NONE") stream.filter = {};
    stream.count = whole_member_or(json, "count", 0);
    stream.stride = whole_member_or(json, "byteStride", 0);
    if (stream.count == 0) return malformed("the count is missing or zero", pointer);
    if (stream.mode == Mode::attributes) {
        if (stream.stride == 0 || stream.stride > 256 || stream.stride % 4 != 0)
            return malformed("the byteStride is no multiple of 4 up to 256", pointer);
    } else {
        if (stream.stride != 2 && stream.stride != 4)
            return malformed("the byteStride of indices is not 2 or 4", pointer);
        if (!stream.filter.empty()) return malformed("indices have a filter", pointer);
        if (stream.mode == Mode::triangles && stream.count % 3 != 0)
            return malformed("the count of a triangle list is no multiple of 3", pointer);
    }
    const bool filter_fits = stream.filter.empty() || stream.filter == "EXPONENTIAL" ||
                             (stream.filter == "OCTAHEDRAL" && (stream.stride == 4 || stream.stride == 8)) ||
                             (stream.filter == "QUATERNION" && stream.stride == 8);
    if (!filter_fits)
        return malformed(
            "the filter \"" + std::string(stream.filter.substr(0, 40)) + "\" is unknown or does not fit the byteStride",
            pointer);
    const auto coded = named_bytes(document, json, pointer);
    if (!coded) return coded.error();
    stream.coded = *coded;
    return stream;
}

int decode(const Stream& stream, std::uint8_t* out) {
    const std::uint8_t* coded = stream.coded.data();
    const std::size_t size = stream.coded.size();
    switch (stream.mode) {
        case Mode::attributes:
            return meshopt_decodeVertexBuffer(out, stream.count, stream.stride, coded, size);
        case Mode::triangles:
            return meshopt_decodeIndexBuffer(out, stream.count, stream.stride, coded, size);
        case Mode::indices:
            return meshopt_decodeIndexSequence(out, stream.count, stream.stride, coded, size);
    }
    return -1;
}

void apply_filter(const Stream& stream, std::uint8_t* out) {
    if (stream.filter == "OCTAHEDRAL") meshopt_decodeFilterOct(out, stream.count, stream.stride);
    if (stream.filter == "QUATERNION") meshopt_decodeFilterQuat(out, stream.count, stream.stride);
    if (stream.filter == "EXPONENTIAL") meshopt_decodeFilterExp(out, stream.count, stream.stride);
}

}  // namespace

Result<void> decode_meshopt_view(Document& document, std::size_t index, DecodedBuffer& decoded) {
    Json& view = document.json["bufferViews"][index];
    const std::string pointer = "/bufferViews/" + std::to_string(index) + "/extensions/EXT_meshopt_compression";
    const auto stream = read_stream(document, *extension(view, "EXT_meshopt_compression"), pointer);
    if (!stream) return stream.error();
    if (!can_hold(*stream)) return malformed("the stream is too short for what it claims to hold", pointer);
    const std::size_t size = stream->count * stream->stride;
    if (whole_member_or(view, "byteLength", 0) != size)
        return malformed("count x byteStride is not the byteLength of the bufferView", pointer);
    // Vertex codec 1 begins with 0xA1; the library answers it with the same number as garbage.
    if (stream->mode == Mode::attributes && !stream->coded.empty() && stream->coded[0] == 0xA1)
        return Error{ErrorKind::unconvertible, "the meshopt stream has vertex codec version 1, which cannot be read",
                     pointer, "export without KHR_meshopt_compression, for example with `gltfpack -c`"};
    std::uint8_t* out = decoded.reserve(size);
    if (!out) return malformed("the decoded streams are larger than the limit on files", pointer);
    if (decode(*stream, out) != 0) return malformed("the stream does not decode", pointer);
    apply_filter(*stream, out);
    view["buffer"] = decoded.index();
    view["byteOffset"] = decoded.last_offset();
    return {};
}

}  // namespace helixavatar::gltf
