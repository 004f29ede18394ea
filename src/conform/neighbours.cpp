// SPDX-License-Identifier: MIT
#include "neighbours.hpp"

#include <algorithm>

namespace helixavatar::conform {
namespace {

/// The start of each list from its length, which `first` holds one place further on.
void add_up(std::vector<std::uint32_t>& first) {
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
}

}  // namespace

Neighbours find_edges(std::size_t vertices, const std::vector<std::uint32_t>& corners) {
    const std::size_t end = corners.size() / 3 * 3;
    const auto each_edge = [&](const auto& visit) {
        for (std::size_t i = 0; i < end; i += 3)
            for (std::size_t k = 0; k < 3; ++k) {
                const std::uint32_t a = corners[i + k], b = corners[i + (k + 1) % 3];
                if (a != b) visit(std::min(a, b), std::max(a, b));
            }
    };
    std::vector<std::uint32_t> room(vertices + 1, 0);
    each_edge([&](std::uint32_t low, std::uint32_t) { ++room[low + 1]; });
    add_up(room);
    std::vector<std::uint32_t> listed(room.back()), length(vertices, 0);
    each_edge([&](std::uint32_t low, std::uint32_t high) {
        const auto begin = listed.begin() + room[low], last = begin + length[low];
        if (std::find(begin, last, high) != last) return;
        *last = high;
        ++length[low];
    });
    Neighbours out;
    out.first.assign(vertices + 1, 0);
    for (std::size_t v = 0; v < vertices; ++v) {
        const auto begin = listed.begin() + room[v], last = begin + length[v];
        std::sort(begin, last);
        out.other.insert(out.other.end(), begin, last);
        out.first[v + 1] = static_cast<std::uint32_t>(out.other.size());
    }
    return out;
}

Neighbours find_neighbours(std::size_t vertices, const std::vector<std::uint32_t>& corners) {
    const Neighbours edges = find_edges(vertices, corners);
    Neighbours out;
    out.first.assign(vertices + 1, 0);
    for (std::size_t v = 0; v < vertices; ++v) {
        out.first[v + 1] += static_cast<std::uint32_t>(edges.of(v).size());
        for (const std::uint32_t other : edges.of(v)) ++out.first[other + 1];
    }
    add_up(out.first);
    out.other.resize(out.first.back());
    std::vector<std::uint32_t> next(out.first.begin(), out.first.end() - 1);
    // A vertex hears of its lower neighbours first, in their order: its list rises.
    for (std::size_t v = 0; v < vertices; ++v)
        for (const std::uint32_t other : edges.of(v)) {
            out.other[next[v]++] = other;
            out.other[next[other]++] = static_cast<std::uint32_t>(v);
        }
    return out;
}

Neighbours find_triangles(std::size_t vertices, const std::vector<std::uint32_t>& corners) {
    const std::size_t end = corners.size() / 3 * 3;
    Neighbours out;
    out.first.assign(vertices + 1, 0);
    for (std::size_t i = 0; i < end; ++i) ++out.first[corners[i] + 1];
    add_up(out.first);
    out.other.resize(end);
    std::vector<std::uint32_t> next(out.first.begin(), out.first.end() - 1);
    for (std::size_t i = 0; i < end; ++i) out.other[next[corners[i]]++] = static_cast<std::uint32_t>(i / 3);
    return out;
}

}  // namespace helixavatar::conform
