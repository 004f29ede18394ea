// SPDX-License-Identifier: MIT
// Which vertices share an edge.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace helixavatar::conform {

/// Lists of different lengths, one after the other: list i lies at [first[i], first[i + 1]).
struct Neighbours {
    std::vector<std::uint32_t> first, other;

    std::size_t size() const { return first.empty() ? 0 : first.size() - 1; }
    std::span<const std::uint32_t> of(std::size_t vertex) const {
        return {other.data() + first[vertex], other.data() + first[vertex + 1]};
    }
};

/// The edges of triangles, each once: for each of `vertices` vertices the other ends that have a higher number, in
/// rising order. Corners come three to a triangle; what is left over is no triangle. An edge from a vertex to itself is
/// none.
Neighbours find_edges(std::size_t vertices, const std::vector<std::uint32_t>& corners);

/// As find_edges(), but each edge in the lists of both of its ends.
Neighbours find_neighbours(std::size_t vertices, const std::vector<std::uint32_t>& corners);

/// For each vertex the numbers of the triangles that it is a corner of, in rising order.
Neighbours find_triangles(std::size_t vertices, const std::vector<std::uint32_t>& corners);

}  // namespace helixavatar::conform
