// SPDX-License-Identifier: MIT
#include <helixavatar/gltf/decode.hpp>

#include <algorithm>
#include <array>

#include "json_read.hpp"
#include "stream_decoders.hpp"

namespace helixavatar::gltf {
namespace {

constexpr const char* kDraco = "KHR_draco_mesh_compression";
constexpr const char* kMeshopt = "EXT_meshopt_compression";
constexpr const char* kNewerMeshopt = "KHR_meshopt_compression";

/// Extensions that change what the geometry, skeleton or images of a file are, and that are read.
constexpr std::array<std::string_view, 15> kSupported = {"KHR_draco_mesh_compression",
                                                         "EXT_meshopt_compression",
                                                         "KHR_mesh_quantization",
                                                         "KHR_texture_transform",
                                                         "KHR_texture_basisu",
                                                         "EXT_texture_webp",
                                                         "KHR_lights_punctual",
                                                         "KHR_animation_pointer",
                                                         "KHR_node_visibility",
                                                         "KHR_xmp_json_ld",
                                                         "KHR_xmp",
                                                         "EXT_mesh_manifold",
                                                         "MSFT_lod",
                                                         "VRM",
                                                         "FB_ngon_encoding"};

/// Families in which every member only adds to what the core specification draws.
constexpr std::array<std::string_view, 3> kSupportedFamilies = {"KHR_materials_", "VRMC_", "HELIX_"};

/// True when the bufferView's own bytes are in its buffer, so that a compressed copy of them is not needed.
bool has_plain_bytes(const Document& document, const Json& view) {
    return static_cast<bool>(named_bytes(document, view, ""));
}

/// The buffer that decoded bytes go to: the first empty placeholder, or a new one.
std::size_t decoded_buffer_index(const Document& document) {
    for (std::size_t i = 0; i < document.buffers.size(); ++i) {
        const Json* json = element(document.json, "buffers", i);
        if (document.buffers[i].empty() && json && (extension(*json, kMeshopt) || extension(*json, kNewerMeshopt)))
            return i;
    }
    return document.buffers.size();
}

void take_off(Json& object, const char* name) {
    Json& extensions = object["extensions"];
    extensions.erase(name);
    if (extensions.empty()) object.erase("extensions");
}

void undeclare(Json& json, const char* name) {
    for (const char* list : {"extensionsUsed", "extensionsRequired"}) {
        if (!element_count(json, list)) continue;
        Json& names = json[list];
        names.erase(std::remove(names.begin(), names.end(), name), names.end());
        if (names.empty()) json.erase(list);
    }
}

Result<void> decode_views(Document& document, DecodedBuffer& decoded) {
    for (std::size_t i = 0; i < element_count(document.json, "bufferViews"); ++i) {
        Json& view = document.json["bufferViews"][i];
        const bool coded = extension(view, kMeshopt) != nullptr;
        if (coded) {
            if (auto done = decode_meshopt_view(document, i, decoded); !done) return done;
            take_off(view, kMeshopt);
        }
        if (!extension(view, kNewerMeshopt)) continue;
        if (!coded && !has_plain_bytes(document, view))
            return Error{ErrorKind::unconvertible,
                         "the file is compressed with KHR_meshopt_compression, which cannot be read",
                         "/bufferViews/" + std::to_string(i),
                         "export with EXT_meshopt_compression (`gltfpack -c`) or without compression"};
        take_off(view, kNewerMeshopt);
    }
    return {};
}

Result<void> decode_primitives(Document& document, DecodedBuffer& decoded, const Limits& limits) {
    std::vector<bool> done(element_count(document.json, "accessors"), false);
    for (std::size_t m = 0; m < element_count(document.json, "meshes"); ++m) {
        Json& mesh = document.json["meshes"][m];
        for (std::size_t p = 0; p < element_count(mesh, "primitives"); ++p) {
            Json& primitive = mesh["primitives"][p];
            if (!extension(primitive, kDraco)) continue;
            const std::string pointer = "/meshes/" + std::to_string(m) + "/primitives/" + std::to_string(p);
            if (auto read = decode_draco_primitive(document, primitive, pointer, done, decoded, limits); !read)
                return read;
            take_off(primitive, kDraco);
        }
    }
    return {};
}

}  // namespace

std::uint8_t* DecodedBuffer::reserve(std::size_t size) {
    const std::size_t at = (bytes_.size() + 3) / 4 * 4;
    if (at > limit_ || size > limit_ - at) return nullptr;
    bytes_.resize(at + size, 0);
    last_offset_ = at;
    return bytes_.data() + at;
}

Result<ByteView> named_bytes(const Document& document, const Json& holder, const std::string& pointer) {
    const auto buffer = whole_member(holder, "buffer");
    if (!buffer || *buffer >= document.buffers.size())
        return Error{ErrorKind::malformed, "the bufferView names a buffer that does not exist", pointer, ""};
    const ByteView data = document.buffers[*buffer];
    const std::size_t offset = whole_member_or(holder, "byteOffset", 0);
    const std::size_t length = whole_member_or(holder, "byteLength", 0);
    if (offset > data.size() || length > data.size() - offset)
        return Error{ErrorKind::malformed, "the bufferView reaches past the end of its buffer", pointer, ""};
    return data.subspan(offset, length);
}

bool is_supported_extension(std::string_view name) {
    return std::find(kSupported.begin(), kSupported.end(), name) != kSupported.end() ||
           std::any_of(kSupportedFamilies.begin(), kSupportedFamilies.end(),
                       [&](std::string_view family) { return name.starts_with(family); });
}

std::vector<std::string> unreadable_required_extensions(const Json& json) {
    std::vector<std::string> unreadable;
    const Json* required = member(json, "extensionsRequired");
    if (!required || !required->is_array()) return unreadable;
    for (const Json& name : *required)
        if (name.is_string() && !is_supported_extension(name.get_ref<const std::string&>())) unreadable.push_back(name);
    return unreadable;
}

Result<Document> decompress(Document plain, const Limits& limits) {
    if (const auto unreadable = unreadable_required_extensions(plain.json); !unreadable.empty())
        return Error{ErrorKind::unconvertible,
                     "the file requires the extension " + unreadable.front() + ", which cannot be read",
                     "/extensionsRequired", "export the file without it"};
    DecodedBuffer decoded(decoded_buffer_index(plain), limits.file_bytes);
    if (auto done = decode_views(plain, decoded); !done) return done.error();
    if (auto done = decode_primitives(plain, decoded, limits); !done) return done.error();
    for (const char* name : {kMeshopt, kNewerMeshopt, kDraco}) undeclare(plain.json, name);
    if (decoded.empty()) return plain;
    const std::size_t index = decoded.index();
    Bytes bytes = decoded.take();
    Json buffer = {{"byteLength", bytes.size()}};
    if (index == plain.buffers.size()) {
        plain.buffers.push_back(std::move(bytes));
        plain.json["buffers"].push_back(std::move(buffer));
    } else {
        plain.buffers[index] = std::move(bytes);
        plain.json["buffers"][index] = std::move(buffer);
    }
    return plain;
}

}  // namespace helixavatar::gltf
