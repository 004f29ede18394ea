// SPDX-License-Identifier: MIT
#include <helixavatar/gltf/edit.hpp>

#include <algorithm>
#include <cstring>

#include <helixavatar/gltf/accessor_view.hpp>

namespace helixavatar::gltf {
namespace {

std::size_t number(const Json& object, const char* key, std::size_t otherwise) {
    const auto found = object.find(key);
    const bool counts = found != object.end() && found->is_number_integer() && found->get<std::int64_t>() >= 0;
    return counts ? found->get<std::size_t>() : otherwise;
}

const Json* element(const Json& root, const char* array, std::size_t index) {
    const auto found = root.find(array);
    if (found == root.end() || !found->is_array() || index >= found->size() || !(*found)[index].is_object())
        return nullptr;
    return &(*found)[index];
}

Error broken(std::size_t accessor, const std::string& what) {
    return {ErrorKind::malformed, what, "/accessors/" + std::to_string(accessor), ""};
}

Error not_plain(std::size_t accessor, const std::string& what) {
    return {ErrorKind::unconvertible, what + ", so it cannot be edited in place",
            "/accessors/" + std::to_string(accessor),
            "run `helixavatar import` or `helixavatar lod` on the file first"};
}

}  // namespace

Result<AccessorPlace> place_of(const Document& document, std::size_t index) {
    constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    const Json* accessor = element(document.json, "accessors", index);
    if (!accessor) return broken(index, "the accessor is not there");
    if (accessor->contains("sparse")) return not_plain(index, "the accessor is sparse");
    const Json* view = element(document.json, "bufferViews", number(*accessor, "bufferView", kNone));
    if (!view) return not_plain(index, "the accessor has no bytes of its own");
    if (view->contains("extensions")) return not_plain(index, "the accessor's bytes are compressed");
    AccessorPlace place;
    place.buffer = number(*view, "buffer", 0);
    place.count = number(*accessor, "count", 0);
    place.component_type = static_cast<int>(number(*accessor, "componentType", 0));
    place.normalized = accessor->contains("normalized") && (*accessor)["normalized"] == true;
    const std::string type = accessor->contains("type") && (*accessor)["type"].is_string() ? (*accessor)["type"] : "";
    place.components = component_count(type);
    const auto bytes = static_cast<std::size_t>(component_bytes(place.component_type) * place.components);
    if (bytes == 0) return broken(index, "the accessor's type is none");
    if (type.starts_with("MAT") && place.component_type != 5126)
        return not_plain(index, "the accessor holds matrices with padded columns");
    place.stride = std::max(number(*view, "byteStride", bytes), bytes);
    place.offset = number(*view, "byteOffset", 0) + number(*accessor, "byteOffset", 0);
    const std::size_t size = place.buffer < document.buffers.size() ? document.buffers[place.buffer].size() : 0;
    if (place.offset > size || bytes > size - place.offset ||
        (place.count > 1 && place.count - 1 > (size - place.offset - bytes) / place.stride))
        return broken(index, "the accessor reaches past its buffer");
    return place;
}

void insert_bytes(Document& document, std::size_t grown_view, std::size_t position, ByteView bytes) {
    Json& views = document.json["bufferViews"];
    const std::size_t buffer = number(views[grown_view], "buffer", 0);
    std::vector<std::size_t> kept_start(views.size(), 0);  // of the views that stay where they are and grow
    std::vector<bool> grows(views.size(), false);
    for (std::size_t v = 0; v < views.size(); ++v) {
        Json& view = views[v];
        if (number(view, "buffer", 0) != buffer) continue;
        const std::size_t start = number(view, "byteOffset", 0), length = number(view, "byteLength", 0);
        kept_start[v] = start;
        grows[v] = v == grown_view || (start < position && position < start + length);
        if (grows[v])
            view["byteLength"] = length + bytes.size();
        else if (start >= position)
            view["byteOffset"] = start + bytes.size();
    }
    for (Json& accessor : document.json["accessors"]) {
        const std::size_t v = number(accessor, "bufferView", views.size());
        const std::size_t offset = number(accessor, "byteOffset", 0);
        // Views that moved as a whole carry their accessors along.
        if (v < views.size() && grows[v] && kept_start[v] + offset >= position)
            accessor["byteOffset"] = offset + bytes.size();
    }
    Bytes& data = document.buffers[buffer];
    data.insert(data.begin() + static_cast<std::ptrdiff_t>(position), bytes.begin(), bytes.end());
    document.json["buffers"][buffer]["byteLength"] = data.size();
}

std::size_t append_floats(Document& document, std::span<const float> values, std::string_view type, bool min_max) {
    Json& root = document.json;
    if (document.buffers.empty()) {
        document.buffers.emplace_back();
        root["buffers"] = Json::array({{{"byteLength", 0}}});
    }
    Bytes& data = document.buffers[0];
    data.resize((data.size() + 3) / 4 * 4, 0);
    const std::size_t offset = data.size(), bytes = values.size_bytes();
    data.resize(offset + bytes);
    if (bytes > 0) std::memcpy(data.data() + offset, values.data(), bytes);
    root["buffers"][0]["byteLength"] = data.size();
    root["bufferViews"].push_back({{"buffer", 0}, {"byteOffset", offset}, {"byteLength", bytes}});
    const auto components = static_cast<std::size_t>(component_count(type));
    Json accessor = {{"bufferView", root["bufferViews"].size() - 1},
                     {"componentType", 5126},
                     {"count", values.size() / components},
                     {"type", std::string(type)}};
    for (std::size_t c = 0; min_max && c < components && !values.empty(); ++c) {
        float low = values[c], high = values[c];
        for (std::size_t i = c; i < values.size(); i += components) {
            low = std::min(low, values[i]);
            high = std::max(high, values[i]);
        }
        accessor["min"].push_back(low);
        accessor["max"].push_back(high);
    }
    root["accessors"].push_back(std::move(accessor));
    return root["accessors"].size() - 1;
}

}  // namespace helixavatar::gltf
