// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include <helixavatar/gltf/document.hpp>

namespace helixavatar::gltf {

/// The nodes as trees, on whatever the children lists hold: the first parent that claims a node counts, loops are cut.
struct NodeForest {
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    explicit NodeForest(const Json& json);

    /// True when `above` is `node` or one of its ancestors.
    bool is_at_or_above(std::size_t above, std::size_t node) const {
        return entered[above] <= entered[node] && left[node] <= left[above];
    }

    std::vector<std::size_t> parent;   ///< kNone for roots
    std::vector<std::size_t> root;     ///< the topmost ancestor; of nodes in a loop: kNone
    std::vector<std::size_t> entered;  ///< when a depth-first walk comes to the node
    std::vector<std::size_t> left;     ///< and when it goes
    std::vector<bool> in_loop;         ///< on a loop or below one
};

}  // namespace helixavatar::gltf
