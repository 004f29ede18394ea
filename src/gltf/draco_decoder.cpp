// SPDX-License-Identifier: MIT
#include <array>
#include <cstring>
#include <exception>

#include <draco/compression/decode.h>
#include <draco/core/varint_decoding.h>
#include <draco/metadata/geometry_metadata.h>
#include <draco/metadata/metadata_decoder.h>

#include <helixavatar/gltf/accessor_view.hpp>

#include "accessor_layout.hpp"
#include "json_read.hpp"
#include "stream_decoders.hpp"

namespace helixavatar::gltf {
namespace {

Error malformed(const std::string& message, const std::string& pointer) {
    return {ErrorKind::malformed, "KHR_draco_mesh_compression: " + message, pointer, "export the file again"};
}

/// True when the counts in the stream's own header are within `limit`: the decoder allocates from them before it has
/// seen any data. Draco bitstream 2.2: magic, version, geometry type, method, flags, metadata, then the counts.
bool header_within(ByteView coded, std::size_t limit) {
    draco::DecoderBuffer buffer;
    buffer.Init(reinterpret_cast<const char*>(coded.data()), coded.size());
    std::array<char, 5> magic{};
    std::uint8_t major = 0, minor = 0, geometry = 0, method = 0;
    std::uint16_t flags = 0;
    if (!buffer.Decode(magic.data(), magic.size()) || !buffer.Decode(&major) || !buffer.Decode(&minor) ||
        !buffer.Decode(&geometry) || !buffer.Decode(&method) || !buffer.Decode(&flags))
        return false;
    if (std::memcmp(magic.data(), "DRACO", 5) != 0 || geometry != 1) return false;
    // The counts were fixed-size before 2.2, and glTF asks for 2.2.
    if (major != 2 || minor < 2) return false;
    buffer.set_bitstream_version(static_cast<std::uint16_t>(DRACO_BITSTREAM_VERSION(major, minor)));
    if (flags & METADATA_FLAG_MASK) {
        draco::GeometryMetadata metadata;
        draco::MetadataDecoder decoder;
        if (!decoder.DecodeGeometryMetadata(&buffer, &metadata)) return false;
    }
    std::uint8_t traversal = 0;
    if (method == 1 && !buffer.Decode(&traversal)) return false;
    std::uint32_t first = 0, second = 0;  // faces and points, or vertices and faces
    return draco::DecodeVarint(&first, &buffer) && draco::DecodeVarint(&second, &buffer) && first <= limit &&
           second <= limit;
}

/// One decoded stream as a bufferView of the document, and the accessor pointed at it.
void attach(Document& document, std::size_t accessor, const DecodedBuffer& decoded, std::size_t size,
            std::size_t stride, int target) {
    Json view = {{"buffer", decoded.index()}, {"byteOffset", decoded.last_offset()}, {"byteLength", size}};
    if (stride) view["byteStride"] = stride;
    view["target"] = target;
    Json& views = document.json["bufferViews"];
    views.push_back(std::move(view));
    Json& json = document.json["accessors"][accessor];
    json["bufferView"] = views.size() - 1;
    json.erase("byteOffset");
}

/// The values of one attribute, point by point, in the accessor's component type. False when a value does not fit it.
template <class T>
bool copy_attribute(const draco::PointAttribute& attribute, std::size_t points, int components, std::size_t stride,
                    std::uint8_t* out) {
    std::array<T, 4> value{};
    for (std::size_t p = 0; p < points; ++p) {
        const auto at = attribute.mapped_index(draco::PointIndex(static_cast<std::uint32_t>(p)));
        if (at.value() >= attribute.size()) return false;
        if (!attribute.ConvertValue<T>(at, static_cast<std::int8_t>(components), value.data())) return false;
        std::memcpy(out + p * stride, value.data(), components * sizeof(T));
    }
    return true;
}

bool copy_attribute(const draco::PointAttribute& attribute, std::size_t points, int components, int component_type,
                    std::size_t stride, std::uint8_t* out) {
    switch (component_type) {
        case 5120:
            return copy_attribute<std::int8_t>(attribute, points, components, stride, out);
        case 5121:
            return copy_attribute<std::uint8_t>(attribute, points, components, stride, out);
        case 5122:
            return copy_attribute<std::int16_t>(attribute, points, components, stride, out);
        case 5123:
            return copy_attribute<std::uint16_t>(attribute, points, components, stride, out);
        case 5125:
            return copy_attribute<std::uint32_t>(attribute, points, components, stride, out);
        case 5126:
            return copy_attribute<float>(attribute, points, components, stride, out);
        default:
            return false;
    }
}

/// What a decoded stream has to become.
struct Wanted {
    std::size_t accessor = 0;
    std::size_t count = 0;
    int components = 0;
    int component_type = 0;
};

Result<Wanted> wanted(const Document& document, const Json* index, const Limits& limits, const std::string& pointer) {
    const auto accessor = index ? whole_number(*index) : std::nullopt;
    const Json* json = accessor ? element(document.json, "accessors", *accessor) : nullptr;
    if (!json) return malformed("an accessor that it should fill does not exist", pointer);
    Wanted out;
    out.accessor = *accessor;
    out.count = whole_member_or(*json, "count", 0);
    const std::size_t type = whole_member_or(*json, "componentType", 0);
    out.component_type = type <= 5126 ? static_cast<int>(type) : 0;
    out.components = component_count(text_member(*json, "type"));
    if (out.components < 1 || out.components > 4 || component_bytes(out.component_type) == 0)
        return malformed("an accessor that it should fill has an unknown type", pointer);
    // Three indices a triangle: the limit on vertices times six bounds both.
    if (out.count == 0 || out.count > limits.vertices * 6)
        return malformed("an accessor that it should fill has a wild count", pointer);
    return out;
}

Result<void> take_indices(Document& document, const draco::Mesh& mesh, const Wanted& to, const std::string& pointer,
                          DecodedBuffer& decoded) {
    if (to.count != std::size_t{3} * mesh.num_faces())
        return malformed("the stream holds " + std::to_string(std::size_t{3} * mesh.num_faces()) +
                             " indices, its accessor " + std::to_string(to.count),
                         pointer + "/indices");
    const auto bytes = static_cast<std::size_t>(component_bytes(to.component_type));
    if (to.components != 1 || to.component_type == 5126 || (bytes < 4 && mesh.num_points() > (1U << (8 * bytes))))
        return malformed("the indices do not fit the component type of their accessor", pointer + "/indices");
    std::uint8_t* out = decoded.reserve(to.count * bytes);
    if (!out) return malformed("the decoded streams are larger than the limit on files", pointer);
    for (std::uint32_t f = 0; f < mesh.num_faces(); ++f) {
        const auto& face = mesh.face(draco::FaceIndex(f));
        for (const draco::PointIndex& point : face) {
            const std::uint32_t value = point.value();
            std::memcpy(out, &value, bytes);
            out += bytes;
        }
    }
    attach(document, to.accessor, decoded, to.count * bytes, 0, 34963);
    return {};
}

Result<void> take_attribute(Document& document, const draco::Mesh& mesh, std::uint32_t unique_id, const Wanted& to,
                            const std::string& pointer, DecodedBuffer& decoded) {
    const draco::PointAttribute* attribute = mesh.GetAttributeByUniqueId(unique_id);
    if (!attribute) return malformed("the stream has no attribute " + std::to_string(unique_id), pointer);
    if (to.count != mesh.num_points())
        return malformed("the stream holds " + std::to_string(mesh.num_points()) + " vertices, its accessor " +
                             std::to_string(to.count),
                         pointer);
    if (attribute->num_components() != to.components)
        return malformed("an attribute has " + std::to_string(attribute->num_components()) +
                             " components, its accessor " + std::to_string(to.components),
                         pointer);
    const auto packed = static_cast<std::size_t>(to.components * component_bytes(to.component_type));
    const std::size_t stride = (packed + 3) / 4 * 4;
    std::uint8_t* out = decoded.reserve(to.count * stride);
    if (!out) return malformed("the decoded streams are larger than the limit on files", pointer);
    if (!copy_attribute(*attribute, to.count, to.components, to.component_type, stride, out))
        return malformed("an attribute's values do not fit the component type of its accessor", pointer);
    attach(document, to.accessor, decoded, to.count * stride, stride == packed ? 0 : stride, 34962);
    return {};
}

Result<std::unique_ptr<draco::Mesh>> decode_mesh(ByteView coded, const Limits& limits, const std::string& pointer) {
    if (!header_within(coded, limits.vertices))
        return malformed("the stream is no Draco 2.2 mesh, or claims more than the limit on vertices", pointer);
    try {
        draco::DecoderBuffer buffer;
        buffer.Init(reinterpret_cast<const char*>(coded.data()), coded.size());
        draco::Decoder decoder;
        auto mesh = decoder.DecodeMeshFromBuffer(&buffer);
        if (!mesh.ok()) return malformed("the stream does not decode: " + mesh.status().error_msg_string(), pointer);
        return std::move(mesh).value();
    } catch (const std::exception& exception) {
        return malformed(std::string("the stream does not decode: ") + exception.what(), pointer);
    }
}

}  // namespace

Result<void> decode_draco_primitive(Document& document, Json& primitive, const std::string& pointer,
                                    std::vector<bool>& done, DecodedBuffer& decoded, const Limits& limits) {
    const std::string at = pointer + "/extensions/KHR_draco_mesh_compression";
    const Json draco = *extension(primitive, "KHR_draco_mesh_compression");
    const auto view_index = whole_member(draco, "bufferView");
    const Json* view = view_index ? element(document.json, "bufferViews", *view_index) : nullptr;
    if (!view) return malformed("its bufferView does not exist", at);
    const auto coded = named_bytes(document, *view, at);
    if (!coded) return coded.error();
    const Json* ids = member(draco, "attributes");
    const Json* attributes = member(primitive, "attributes");
    if (!ids || !ids->is_object() || !attributes || !attributes->is_object())
        return malformed("the attributes are missing", at);

    const auto indices = wanted(document, member(primitive, "indices"), limits, pointer + "/indices");
    if (!indices) return indices.error();
    std::vector<std::pair<std::uint32_t, Wanted>> pending;
    for (const auto& [semantic, id] : ids->items()) {
        const std::string place = at + "/attributes/" + semantic;
        const auto unique_id = whole_number(id);
        if (!unique_id || *unique_id > 0xFFFFFFFFU) return malformed("an attribute id is no number", place);
        const auto to = wanted(document, member(*attributes, semantic.c_str()), limits, place);
        if (!to) return to.error();
        if (!done[to->accessor]) pending.emplace_back(static_cast<std::uint32_t>(*unique_id), *to);
    }
    if (pending.empty() && done[indices->accessor]) return {};
    const auto mesh = decode_mesh(*coded, limits, at);
    if (!mesh) return mesh.error();
    if (!done[indices->accessor]) {
        if (auto taken = take_indices(document, **mesh, *indices, pointer, decoded); !taken) return taken;
        done[indices->accessor] = true;
    }
    for (const auto& [id, to] : pending) {
        if (auto taken = take_attribute(document, **mesh, id, to, at, decoded); !taken) return taken;
        done[to.accessor] = true;
    }
    return {};
}

}  // namespace helixavatar::gltf
