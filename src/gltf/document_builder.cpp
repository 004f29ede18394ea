// SPDX-License-Identifier: MIT
#include <helixavatar/gltf/document_builder.hpp>

#include <algorithm>
#include <cstring>

#include <helixavatar/gltf/accessor_view.hpp>
#include <helixavatar/gltf/compact.hpp>

namespace helixavatar::gltf {
namespace {

constexpr int kFloat = 5126;
constexpr int kUnsignedShort = 5123;
constexpr int kUnsignedInt = 5125;

template <class T>
ByteView bytes_of(std::span<const T> values) {
    return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()};
}

void write_min_max(Json& accessor, std::span<const float> values, int components) {
    Json low = Json::array();
    Json high = Json::array();
    for (int c = 0; c < components; ++c) {
        float least = values[c];
        float most = values[c];
        for (std::size_t i = c; i < values.size(); i += components) {
            least = std::min(least, values[i]);
            most = std::max(most, values[i]);
        }
        low.push_back(least);
        high.push_back(most);
    }
    accessor["min"] = std::move(low);
    accessor["max"] = std::move(high);
}

}  // namespace

DocumentBuilder::DocumentBuilder() {
    document_.json = Json::object();
    document_.json["asset"] = {{"version", "2.0"}};
    document_.buffers.emplace_back();
}

DocumentBuilder::DocumentBuilder(Document document) : document_(std::move(document)) {
    compact(document_);
    if (document_.buffers.empty()) document_.buffers.emplace_back();
}

std::size_t DocumentBuilder::add(const char* array, Json object) {
    Json& list = document_.json[array];
    list.push_back(std::move(object));
    return list.size() - 1;
}

std::size_t DocumentBuilder::add_view(ByteView bytes, Target target, std::size_t stride) {
    Bytes& bin = document_.buffers[0];
    bin.resize((bin.size() + 3) / 4 * 4, 0);
    Json view = {{"buffer", 0}, {"byteOffset", bin.size()}, {"byteLength", bytes.size()}};
    if (stride) view["byteStride"] = stride;
    if (target != Target::none) view["target"] = static_cast<int>(target);
    bin.insert(bin.end(), bytes.begin(), bytes.end());
    return add("bufferViews", std::move(view));
}

std::size_t DocumentBuilder::add_floats(std::span<const float> values, std::string_view type, Target target,
                                        bool min_max) {
    const int components = component_count(type);
    Json accessor = {{"bufferView", add_view(bytes_of(values), target)},
                     {"componentType", kFloat},
                     {"count", values.size() / components},
                     {"type", type}};
    if (min_max && !values.empty()) write_min_max(accessor, values, components);
    return add("accessors", std::move(accessor));
}

std::size_t DocumentBuilder::add_u16(std::span<const std::uint16_t> values, std::string_view type, Target target) {
    return add("accessors", {{"bufferView", add_view(bytes_of(values), target)},
                             {"componentType", kUnsignedShort},
                             {"count", values.size() / component_count(type)},
                             {"type", type}});
}

std::size_t DocumentBuilder::add_indices(std::span<const std::uint32_t> values) {
    const bool small = std::all_of(values.begin(), values.end(), [](std::uint32_t v) { return v < 65535; });
    std::size_t view = 0;
    if (small) {
        const std::vector<std::uint16_t> narrow(values.begin(), values.end());
        view = add_view(bytes_of(std::span<const std::uint16_t>(narrow)), Target::index);
    } else {
        view = add_view(bytes_of(values), Target::index);
    }
    return add("accessors", {{"bufferView", view},
                             {"componentType", small ? kUnsignedShort : kUnsignedInt},
                             {"count", values.size()},
                             {"type", "SCALAR"}});
}

std::size_t DocumentBuilder::add_morph_deltas(std::span<const float> values, bool min_max) {
    const std::size_t count = values.size() / 3;
    std::vector<std::uint32_t> moved;
    std::vector<float> deltas;
    for (std::size_t i = 0; i < count; ++i) {
        if (values[3 * i] == 0 && values[3 * i + 1] == 0 && values[3 * i + 2] == 0) continue;
        moved.push_back(static_cast<std::uint32_t>(i));
        deltas.insert(deltas.end(), values.begin() + 3 * i, values.begin() + 3 * i + 3);
    }
    const bool narrow = count <= 65535;
    const std::size_t sparse_bytes = moved.size() * (12 + (narrow ? 2 : 4));
    if (!moved.empty() && sparse_bytes >= values.size_bytes())
        return add_floats(values, "VEC3", Target::vertex, min_max);
    Json accessor = {{"componentType", kFloat}, {"count", count}, {"type", "VEC3"}};
    if (min_max && count) write_min_max(accessor, values, 3);
    if (!moved.empty()) {
        std::size_t index_view = 0;
        if (narrow) {
            const std::vector<std::uint16_t> short_indices(moved.begin(), moved.end());
            index_view = add_view(bytes_of(std::span<const std::uint16_t>(short_indices)), Target::none);
        } else {
            index_view = add_view(bytes_of(std::span<const std::uint32_t>(moved)), Target::none);
        }
        const std::size_t value_view = add_view(bytes_of(std::span<const float>(deltas)), Target::none);
        accessor["sparse"] = {
            {"count", moved.size()},
            {"indices", {{"bufferView", index_view}, {"componentType", narrow ? kUnsignedShort : kUnsignedInt}}},
            {"values", {{"bufferView", value_view}}}};
    }
    return add("accessors", std::move(accessor));
}

std::size_t DocumentBuilder::add_image(ByteView bytes, std::string_view mime, std::string_view name) {
    Json image = {{"bufferView", add_view(bytes, Target::none)}, {"mimeType", mime}};
    if (!name.empty()) image["name"] = name;
    return add("images", std::move(image));
}

Document DocumentBuilder::finish() {
    if (document_.buffers[0].empty())
        document_.buffers.clear();
    else
        document_.json["buffers"] = Json::array({{{"byteLength", document_.buffers[0].size()}}});
    document_.image_files.resize(document_.json.contains("images") ? document_.json["images"].size() : 0);
    return std::exchange(document_, Document{});
}

}  // namespace helixavatar::gltf
