// SPDX-License-Identifier: MIT
#include "wedge_mesh.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

namespace helixavatar::lod {

using avatar::Surface;

namespace {

// A face may tilt by up to 75° in one move, and must not end up facing away from the shading normals of its corners.
constexpr float kMostTilt = 0.26F;

bool no_seam_between(const Surface& s, std::uint32_t a, std::uint32_t b) {
    for (const auto& uv : s.uvs)
        if (!uv.empty() && uv[a] != uv[b]) return false;
    return s.colors.empty() || s.colors[a] == s.colors[b];
}

}  // namespace

WedgeMesh::WedgeMesh(std::span<const Surface> surfaces, const std::vector<bool>& seams)
    : surfaces_(surfaces), seams_(seams) {
    std::map<std::array<std::uint32_t, 3>, std::uint32_t> point_of;
    for (std::uint32_t s = 0; s < surfaces.size(); ++s) {
        const Surface& surface = surfaces[s];
        const auto first = static_cast<std::uint32_t>(wedges.size());
        for (std::uint32_t v = 0; v < surface.positions.size(); ++v) {
            const Vec3f place = surface.positions[v] + Vec3f::Zero();  // + 0: the two zeros are one place
            const auto key =
                std::bit_cast<std::array<std::uint32_t, 3>>(std::array<float, 3>{place.x(), place.y(), place.z()});
            const auto [found, is_new] = point_of.try_emplace(key, static_cast<std::uint32_t>(places.size()));
            if (is_new) {
                places.push_back(place);
                wedges_at_.emplace_back();
            }
            Wedge wedge{s, v, found->second, static_cast<std::uint32_t>(wedges.size()), Vec3f::Zero()};
            if (!surface.normals.empty()) wedge.normal = surface.normals[v];
            for (const std::uint32_t other : wedges_at_[wedge.point]) {
                if (wedges[other].surface != s || (seams[s] && !no_seam_between(surface, wedges[other].vertex, v)))
                    continue;
                wedge.group = wedges[other].group;
                break;
            }
            wedges_at_[wedge.point].push_back(static_cast<std::uint32_t>(wedges.size()));
            wedges.push_back(wedge);
        }
        for (const auto* list : {&surface.body, &surface.face})
            for (std::size_t i = 0; i + 2 < list->size(); i += 3)
                faces.push_back({{first + (*list)[i], first + (*list)[i + 1], first + (*list)[i + 2]}, true});
    }
    around.resize(places.size());
    for (std::uint32_t f = 0; f < faces.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) around[point(f, k)].push_back(f);
    live = faces.size();
}

std::size_t WedgeMesh::corner(std::uint32_t face, std::uint32_t on) const {
    std::size_t k = 0;
    while (k < 3 && point(face, k) != on) ++k;
    return k;
}

void WedgeMesh::spokes(std::uint32_t at, std::vector<Spoke>& out) const {
    out.clear();
    for (const std::uint32_t face : around[at]) {
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t other = point(face, k);
            if (other == at) continue;
            const auto found = std::find_if(out.begin(), out.end(), [&](const Spoke& s) { return s.point == other; });
            if (found == out.end())
                out.push_back({other, 1});
            else
                ++found->faces;
        }
    }
}

bool WedgeMesh::match_wedges(Move& move) const {
    // Faces on the edge say which side of a seam goes to which side.
    std::array<std::pair<std::uint32_t, std::uint32_t>, 8> groups;
    std::size_t known = 0;
    for (const std::uint32_t face : around[move.from]) {
        const std::size_t there = corner(face, move.to);
        if (there == 3) continue;
        const std::uint32_t from = wedges[faces[face].wedges[corner(face, move.from)]].group;
        const std::uint32_t to = wedges[faces[face].wedges[there]].group;
        std::size_t i = 0;
        while (i < known && groups[i].first != from) ++i;
        if (i < known && groups[i].second != to) return false;
        if (i == groups.size()) return false;
        if (i == known) groups[known++] = {from, to};
    }
    move.wedges.clear();
    for (const std::uint32_t face : around[move.from]) {
        const std::uint32_t wedge = faces[face].wedges[corner(face, move.from)];
        if (std::any_of(move.wedges.begin(), move.wedges.end(), [&](const auto& pair) { return pair.first == wedge; }))
            continue;
        std::size_t i = 0;
        while (i < known && groups[i].first != wedges[wedge].group) ++i;
        if (i == known) return false;
        std::uint32_t best = kNoWedge;
        for (const std::uint32_t candidate : wedges_at_[move.to]) {
            if (wedges[candidate].group != groups[i].second) continue;
            if (best == kNoWedge ||
                wedges[candidate].normal.dot(wedges[wedge].normal) > wedges[best].normal.dot(wedges[wedge].normal))
                best = candidate;
        }
        move.wedges.emplace_back(wedge, best);
    }
    return true;
}

// Edges of another multiplicity than the rest are a line: an open border, or where sheets meet. A point on such a line
// may only slide along it, and where lines cross or end it stays.
bool WedgeMesh::along_border(const Move& move, const std::vector<Spoke>& spokes) const {
    std::uint32_t low = ~std::uint32_t{0}, high = 0, taken = 0;
    for (const Spoke& spoke : spokes) {
        low = std::min(low, spoke.faces);
        high = std::max(high, spoke.faces);
        if (spoke.point == move.to) taken = spoke.faces;
    }
    if (low == high) return true;
    const std::uint32_t line = low != 1 && high % 2 == 1 ? high : low;
    std::size_t on_line = 0;
    for (const Spoke& spoke : spokes) {
        if (spoke.faces == line) ++on_line;
        if (spoke.faces != low && spoke.faces != high) return false;
    }
    return taken == line && on_line == 2;
}

bool WedgeMesh::keeps_sheets_apart(const Move& move, const std::vector<Spoke>& spokes) const {
    // Neighbours of both ends must be exactly the tips of the faces between them, or else a tunnel would be pinched
    // shut.
    for (const Spoke& spoke : spokes) {
        if (spoke.point == move.to) continue;
        bool beside_both = false, tip = false;
        for (const std::uint32_t face : around[spoke.point]) {
            const bool has_from = corner(face, move.from) < 3, has_to = corner(face, move.to) < 3;
            beside_both = beside_both || has_to;
            tip = tip || (has_from && has_to);
        }
        if (beside_both && !tip) return false;
    }
    for (const std::uint32_t face : around[move.from]) {
        if (corner(face, move.to) < 3) continue;
        const std::size_t k = corner(face, move.from);
        const std::uint32_t a = point(face, (k + 1) % 3), b = point(face, (k + 2) % 3);
        for (const std::uint32_t other : around[move.to])
            if (corner(other, move.from) == 3 && corner(other, a) < 3 && corner(other, b) < 3) return false;
    }
    return true;
}

float WedgeMesh::uv_area(const std::array<std::uint32_t, 3>& at) const {
    const Wedge& w = wedges[at[0]];
    const Surface& surface = surfaces_[w.surface];
    if (!seams_[w.surface] || surface.uvs.empty() || surface.uvs[0].empty()) return 0;
    const auto& uv = surface.uvs[0];
    const Vec2f a = uv[wedges[at[1]].vertex] - uv[w.vertex], b = uv[wedges[at[2]].vertex] - uv[w.vertex];
    return a.x() * b.y() - a.y() * b.x();
}

bool WedgeMesh::keeps_faces_upright(const Move& move) const {
    for (const std::uint32_t face : around[move.from]) {
        if (corner(face, move.to) < 3) continue;
        const std::size_t k = corner(face, move.from);
        const Vec3f &a = places[point(face, (k + 1) % 3)], &b = places[point(face, (k + 2) % 3)];
        const Vec3f before = (a - places[move.from]).cross(b - places[move.from]);
        const Vec3f after = (a - places[move.to]).cross(b - places[move.to]);
        if (!(after.dot(before) > kMostTilt * after.norm() * before.norm())) return false;
        std::array<std::uint32_t, 3> corners = faces[face].wedges;
        const float uv_before = uv_area(corners);
        const std::uint32_t old = corners[k];
        const auto moved =
            std::find_if(move.wedges.begin(), move.wedges.end(), [&](const auto& pair) { return pair.first == old; });
        corners[k] = moved->second;
        if (uv_before * uv_area(corners) < 0) return false;
        for (const std::uint32_t w : corners)
            if (after.dot(wedges[w].normal) < 0 && before.dot(wedges[w == moved->second ? old : w].normal) >= 0)
                return false;
    }
    return true;
}

bool WedgeMesh::is_sound(const Move& move, const std::vector<Spoke>& spokes) const {
    return along_border(move, spokes) && keeps_faces_upright(move) && keeps_sheets_apart(move, spokes);
}

void WedgeMesh::remove_face(std::uint32_t face) {
    faces[face].alive = false;
    --live;
    for (std::size_t k = 0; k < 3; ++k) {
        auto& list = around[point(face, k)];
        list.erase(std::find(list.begin(), list.end(), face));
    }
}

void WedgeMesh::apply(const Move& move) {
    const std::vector<std::uint32_t> touched = around[move.from];
    for (const std::uint32_t face : touched)
        if (corner(face, move.to) < 3) remove_face(face);
    for (const std::uint32_t face : around[move.from]) {
        std::uint32_t& wedge = faces[face].wedges[corner(face, move.from)];
        const auto moved =
            std::find_if(move.wedges.begin(), move.wedges.end(), [&](const auto& pair) { return pair.first == wedge; });
        wedge = moved->second;
        around[move.to].push_back(face);
    }
    around[move.from].clear();
}

std::vector<std::uint32_t> WedgeMesh::triangles(std::uint32_t surface) const {
    std::vector<std::uint32_t> list;
    for (const Face& face : faces) {
        if (!face.alive || wedges[face.wedges[0]].surface != surface) continue;
        for (const std::uint32_t w : face.wedges) list.push_back(wedges[w].vertex);
    }
    return list;
}

}  // namespace helixavatar::lod
