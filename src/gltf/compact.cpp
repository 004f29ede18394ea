// SPDX-License-Identifier: MIT
#include <helixavatar/gltf/compact.hpp>

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

namespace helixavatar::gltf {
namespace {

bool is_index(const Json& value) {
    return value.is_number_integer() && value >= 0;
}

using Visit = std::function<void(Json&)>;

/// Calls `visit` with every number below `value` that names an accessor.
void each_accessor_reference(Json& value, const Visit& visit) {
    if (value.is_array()) {
        for (Json& child : value) each_accessor_reference(child, visit);
        return;
    }
    if (!value.is_object()) return;
    for (auto& item : value.items()) {
        const std::string& key = item.key();
        Json& child = item.value();
        if (key == "extras" || key == "accessors" || key == "bufferViews") continue;
        const bool names_one = key == "indices" || key == "input" || key == "output" || key == "inverseBindMatrices";
        if (names_one && is_index(child)) {
            visit(child);
        } else if (key == "attributes" && child.is_object()) {
            for (Json& attribute : child)
                if (is_index(attribute)) visit(attribute);
        } else if (key == "targets" && child.is_array()) {
            for (Json& target : child)
                if (target.is_object())
                    for (Json& attribute : target)
                        if (is_index(attribute)) visit(attribute);
        } else {
            each_accessor_reference(child, visit);
        }
    }
}

void each_view_reference(Json& value, const Visit& visit) {
    if (value.is_array())
        for (Json& child : value) each_view_reference(child, visit);
    if (!value.is_object()) return;
    for (auto& item : value.items()) {
        if (item.key() == "extras") continue;
        if (item.key() == "bufferView" && is_index(item.value()))
            visit(item.value());
        else
            each_view_reference(item.value(), visit);
    }
}

/// Keeps the entries of a root array that are referred to and renumbers the references.
void keep_used(Json& root, const char* array, const std::function<void(Json&, const Visit&)>& each) {
    if (!root.contains(array) || !root[array].is_array()) return;
    std::vector<char> used(root[array].size(), 0);
    each(root, [&](Json& index) {
        if (index < used.size()) used[index.get<std::size_t>()] = 1;
    });
    std::vector<std::size_t> renumbered(used.size(), 0);
    Json kept = Json::array();
    for (std::size_t i = 0; i < used.size(); ++i) {
        renumbered[i] = kept.size();
        if (used[i]) kept.push_back(std::move(root[array][i]));
    }
    each(root, [&](Json& index) {
        if (index < used.size()) index = renumbered[index.get<std::size_t>()];
    });
    if (kept.empty())
        root.erase(array);
    else
        root[array] = std::move(kept);
}

}  // namespace

void compact(Document& document) {
    Json& root = document.json;
    keep_used(root, "accessors", each_accessor_reference);
    keep_used(root, "bufferViews", each_view_reference);
    Bytes joined;
    if (root.contains("bufferViews"))
        for (Json& view : root["bufferViews"]) {
            const auto buffer = view.value("buffer", std::size_t{0});
            const auto offset = view.value("byteOffset", std::size_t{0});
            const auto length = view.value("byteLength", std::size_t{0});
            joined.resize((joined.size() + 3) / 4 * 4, 0);
            view["buffer"] = 0;
            view["byteOffset"] = joined.size();
            if (buffer >= document.buffers.size() || offset > document.buffers[buffer].size()) continue;
            const auto start = document.buffers[buffer].begin() + static_cast<std::ptrdiff_t>(offset);
            const std::size_t there = std::min(length, document.buffers[buffer].size() - offset);
            joined.insert(joined.end(), start, start + static_cast<std::ptrdiff_t>(there));
        }
    document.buffers.clear();
    if (joined.empty()) {
        root.erase("buffers");
        return;
    }
    root["buffers"] = Json::array({{{"byteLength", joined.size()}}});
    document.buffers.push_back(std::move(joined));
}

}  // namespace helixavatar::gltf
