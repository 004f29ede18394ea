// SPDX-License-Identifier: MIT
#include <helixavatar/avatar/vertices.hpp>

namespace helixavatar::avatar {

namespace {

constexpr std::uint32_t kUnused = ~std::uint32_t{0};

template <class T>
std::vector<T> pick(const std::vector<T>& from, std::span<const std::uint32_t> vertices) {
    std::vector<T> to;
    if (from.empty()) return to;
    to.reserve(vertices.size());
    for (const std::uint32_t v : vertices)
        if (v < from.size()) to.push_back(from[v]);
    return to;
}

}  // namespace

std::vector<std::uint32_t> used_vertices(const Surface& surface) {
    std::vector<bool> used(surface.positions.size(), false);
    for (const auto* list : {&surface.body, &surface.face})
        for (const std::uint32_t v : *list) used[v] = true;
    std::vector<std::uint32_t> vertices;
    for (std::uint32_t v = 0; v < used.size(); ++v)
        if (used[v]) vertices.push_back(v);
    return vertices;
}

Surface gather(const Surface& surface, std::span<const std::uint32_t> vertices) {
    Surface out;
    out.name = surface.name;
    out.material = surface.material;
    out.positions = pick(surface.positions, vertices);
    out.normals = pick(surface.normals, vertices);
    out.tangents = pick(surface.tangents, vertices);
    for (const auto& uv : surface.uvs) out.uvs.push_back(pick(uv, vertices));
    out.colors = pick(surface.colors, vertices);
    out.influences = pick(surface.influences, vertices);
    for (const MorphTarget& m : surface.morphs)
        out.morphs.push_back({m.name, pick(m.positions, vertices), pick(m.normals, vertices)});
    return out;
}

Surface keep_vertices(const Surface& surface, std::span<const std::uint32_t> vertices) {
    std::vector<std::uint32_t> place(surface.positions.size(), kUnused);
    for (std::uint32_t i = 0; i < vertices.size(); ++i) place[vertices[i]] = i;
    Surface out = gather(surface, vertices);
    out.body = surface.body;
    out.face = surface.face;
    for (auto* list : {&out.body, &out.face})
        for (std::uint32_t& v : *list) v = place[v];
    return out;
}

}  // namespace helixavatar::avatar
