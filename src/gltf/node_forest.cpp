// SPDX-License-Identifier: MIT
#include "node_forest.hpp"

#include "json_read.hpp"

namespace helixavatar::gltf {

NodeForest::NodeForest(const Json& json) {
    const std::size_t count = element_count(json, "nodes");
    parent.assign(count, kNone);
    root.assign(count, kNone);
    entered.assign(count, 0);
    left.assign(count, 0);
    in_loop.assign(count, true);
    std::vector<std::vector<std::size_t>> children(count);
    for (std::size_t node = 0; node < count; ++node) {
        const Json* list = member(json["nodes"][node], "children");
        if (!list || !list->is_array()) continue;
        for (const Json& value : *list) {
            const auto child = whole_number(value);
            if (!child || *child >= count || parent[*child] != kNone) continue;
            parent[*child] = node;
            children[node].push_back(*child);
        }
    }
    // Iterative: a file may hold a chain of a million nodes. What no root leads to is a loop or hangs below one.
    std::size_t time = 0;
    std::vector<std::pair<std::size_t, std::size_t>> path;  // node, next child
    for (std::size_t top = 0; top < count; ++top) {
        if (parent[top] != kNone) continue;
        path.emplace_back(top, 0);
        while (!path.empty()) {
            auto& [node, next] = path.back();
            if (next == 0) {
                entered[node] = ++time;
                root[node] = top;
                in_loop[node] = false;
            }
            if (next < children[node].size()) {
                const std::size_t child = children[node][next++];
                path.emplace_back(child, 0);
            } else {
                left[node] = ++time;
                path.pop_back();
            }
        }
    }
}

}  // namespace helixavatar::gltf
