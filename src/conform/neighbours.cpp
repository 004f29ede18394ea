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

Neighbours find_neighbours(std::size_t vertices, const std::vector<std::uint32_t>& corners) {
    const std::size_t end = corners.size() / 3 * 3;
    std::vector<std::uint32_t> room(vertices + 1, 0);
    for (std::size_t i = 0; i < end; ++i) room[corners[i] + 1] += 2;
    add_up(room);
    std::vector<std::uint32_t> listed(room.back()), length(vertices, 0);
    const auto list = [&](std::uint32_t vertex, std::uint32_t other) {
        const auto begin = listed.begin() + room[vertex], last = begin + length[vertex];
        if (vertex == other || std::find(begin, last, other) != last) return;
        *last = other;
        ++length[vertex];
    };
    for (std::size_t i = 0; i < end; i += 3)
        for (std::size_t k = 0; k < 3; ++k) {
            list(corners[i + k], corners[i + (k + 1) % 3]);
            list(corners[i + (k + 1) % 3], corners[i + k]);
        }
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
