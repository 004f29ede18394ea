// SPDX-License-Identifier: MIT
#include "level_mesh.hpp"

namespace helixavatar::lod {

LevelMesh::LevelMesh(const WedgeMesh& mesh, std::vector<std::uint32_t> went)
    : places(mesh.places),
      wedges(mesh.wedges),
      survivor(std::move(went)),
      merged(places.size(), false),
      first_(places.size() + 1, 0) {
    for (std::uint32_t p = 0; p < survivor.size(); ++p) {
        while (survivor[survivor[p]] != survivor[p]) survivor[p] = survivor[survivor[p]];
        if (survivor[p] != p) merged[survivor[p]] = true;
    }
    for (const Face& face : mesh.faces)
        if (face.alive) faces.push_back(face);
    for (const Face& face : faces)
        for (const std::uint32_t p : face.points) ++first_[p + 1];
    for (std::size_t p = 0; p < places.size(); ++p) first_[p + 1] += first_[p];
    around_.resize(first_.back());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::uint32_t f = 0; f < faces.size(); ++f)
        for (const std::uint32_t p : faces[f].points) around_[next[p]++] = f;
}

std::vector<std::uint32_t> LevelMesh::triangles(std::uint32_t surface, std::span<const OwnVertex> own) const {
    std::vector<std::uint32_t> list;
    auto next = own.begin();
    for (std::uint32_t f = 0; f < faces.size(); ++f) {
        if (wedges[faces[f].wedges[0]].surface != surface) continue;
        for (std::uint32_t k = 0; k < 3; ++k) {
            list.push_back(wedges[faces[f].wedges[k]].vertex);
            if (next != own.end() && next->face == f && next->corner == k) list.back() = next++->vertex;
        }
    }
    return list;
}

}  // namespace helixavatar::lod
