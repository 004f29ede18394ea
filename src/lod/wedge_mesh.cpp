// SPDX-License-Identifier: MIT
#include "wedge_mesh.hpp"

#include <algorithm>
#include <array>
#include <bitset>

#include <helixavatar/base/place_numbers.hpp>

namespace helixavatar::lod {

using avatar::Surface;

namespace {

// Cosine of the most that a face may tilt in one move: 75°, and 88° where a point has no better move.
constexpr float kMostTilt = 0.26F;
constexpr float kMostTiltPermissive = 0.03F;
// An open border that gets longer by no more than this share has only been rounded.
constexpr float kRounding = 1e-5F;

bool no_seam_between(const Surface& s, std::uint32_t a, std::uint32_t b) {
    for (const auto& uv : s.uvs)
        if (!uv.empty() && uv[a] != uv[b]) return false;
    return s.colors.empty() || s.colors[a] == s.colors[b];
}

}  // namespace

WedgeMesh::WedgeMesh(std::span<const Surface> surfaces, const std::vector<bool>& seams)
    : surfaces_(surfaces), seams_(seams) {
    std::size_t vertices = 0, corners = 0;
    for (const Surface& surface : surfaces) {
        vertices += surface.positions.size();
        corners += surface.body.size() + surface.face.size();
    }
    PlaceNumbers<3> numbers(vertices);
    std::vector<std::uint32_t> last;  // wedge of each point
    wedges.reserve(vertices);
    faces.reserve(corners / 3);
    for (std::uint32_t s = 0; s < surfaces.size(); ++s) {
        const Surface& surface = surfaces[s];
        const auto first = static_cast<std::uint32_t>(wedges.size());
        for (std::uint32_t v = 0; v < surface.positions.size(); ++v) {
            const std::uint32_t point = numbers(place_bits(surface.positions[v]));
            if (point == places.size()) {
                places.push_back(surface.positions[v] + Vec3f::Zero());  // + 0: the two zeros are one place
                first_wedge_.push_back(kNoWedge);
                last.push_back(kNoWedge);
            }
            Wedge wedge{s, v, point, static_cast<std::uint32_t>(wedges.size()), Vec3f::Zero()};
            if (!surface.normals.empty()) wedge.normal = surface.normals[v];
            for (std::uint32_t other = first_wedge_[wedge.point]; other != kNoWedge; other = wedges[other].next) {
                if (wedges[other].surface != s || (seams[s] && !no_seam_between(surface, wedges[other].vertex, v)))
                    continue;
                wedge.group = wedges[other].group;
                break;
            }
            std::uint32_t& before = last[wedge.point];
            (before == kNoWedge ? first_wedge_[wedge.point] : wedges[before].next) =
                static_cast<std::uint32_t>(wedges.size());
            before = static_cast<std::uint32_t>(wedges.size());
            wedges.push_back(wedge);
        }
        for (const auto* list : {&surface.body, &surface.face})
            for (std::size_t i = 0; i + 2 < list->size(); i += 3) {
                Face face;
                for (std::size_t k = 0; k < 3; ++k) {
                    face.wedges[k] = first + (*list)[i + k];
                    face.points[k] = wedges[face.wedges[k]].point;
                }
                faces.push_back(face);
            }
    }
    for (const std::uint32_t w : first_wedge_) only_wedge_.push_back(wedges[w].next == kNoWedge ? w : kNoWedge);
    around.resize(places.size());
    std::vector<std::uint32_t> count(places.size(), 0);
    for (const Face& face : faces)
        for (const std::uint32_t p : face.points) ++count[p];
    for (std::uint32_t p = 0; p < places.size(); ++p) {
        around[p].reserve(count[p]);
        if (count[p] > kMostFacesAround) hubs_ = true;
    }
    for (std::uint32_t f = 0; f < faces.size(); ++f)
        for (const std::uint32_t p : faces[f].points) around[p].push_back(f);
    find_backlit();
}

bool WedgeMesh::is_turned(std::uint32_t f) const {
    const Vec3f &a = places[point(f, 0)], &b = places[point(f, 1)], &c = places[point(f, 2)];
    Vec3f shading = Vec3f::Zero();
    for (const std::uint32_t w : faces[f].wedges) shading += wedges[w].normal;
    return (b - a).cross(c - a).dot(shading) < 0;
}

/// Most faces around turned away from their shading: that is how it was made. A single one is a crease gone wrong,
/// which must not grow.
void WedgeMesh::find_backlit() {
    was_turned_.resize(faces.size());
    for (std::uint32_t f = 0; f < faces.size(); ++f) was_turned_[f] = is_turned(f);
    backlit_.assign(faces.size(), false);
    for (std::uint32_t f = 0; f < faces.size(); ++f) {
        if (!was_turned_[f]) continue;
        std::size_t all = 0, alike = 0;
        for (const std::uint32_t p : faces[f].points) {
            if (is_hub(p)) continue;
            for (const std::uint32_t g : around[p]) {
                ++all;
                if (was_turned_[g]) ++alike;
            }
        }
        backlit_[f] = 2 * alike > all;
    }
}

void find_spokes(const std::vector<Face>& faces, std::span<const std::uint32_t> around, std::uint32_t at,
                 std::vector<Spoke>& out) {
    for (const std::uint32_t face : around) __builtin_prefetch(&faces[face]);  // all at once rather than one by one
    out.clear();
    for (const std::uint32_t face : around) {
        for (const std::uint32_t other : faces[face].points) {
            if (other == at) continue;
            const auto found = std::find_if(out.begin(), out.end(), [&](const Spoke& s) { return s.point == other; });
            if (found == out.end())
                out.push_back({other, 1});
            else
                ++found->faces;
        }
    }
}

bool WedgeMesh::is_seam(std::uint32_t a, std::uint32_t b) const {
    if (only_wedge_[a] != kNoWedge) return false;
    std::uint32_t group = kNoWedge;
    for (const std::uint32_t face : around[a]) {
        if (corner(face, b) == 3) continue;
        const std::uint32_t here = wedges[faces[face].wedges[corner(face, a)]].group;
        if (group != kNoWedge && here != group) return true;
        group = here;
    }
    return false;
}

/// Of the wedges of the same surface at a point the one with the nearest UV.
std::uint32_t WedgeMesh::nearest_wedge(std::uint32_t wedge, std::uint32_t at) const {
    const Wedge& w = wedges[wedge];
    const auto& uvs = surfaces_[w.surface].uvs;
    std::uint32_t best = kNoWedge;
    float least = 0;
    for (std::uint32_t candidate = first_wedge_[at]; candidate != kNoWedge; candidate = wedges[candidate].next) {
        if (wedges[candidate].surface != w.surface) continue;
        const float off =
            uvs.empty() || uvs[0].empty() ? 0 : (uvs[0][wedges[candidate].vertex] - uvs[0][w.vertex]).norm();
        if (best != kNoWedge && !(off < least)) continue;
        best = candidate;
        least = off;
    }
    return best;
}

bool WedgeMesh::match_several_wedges(Move& move) const {
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
        if (i < known && groups[i].second != to && move.care == Care::full) return false;
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
        if (i == known && move.care == Care::full) return false;
        std::uint32_t best = i == known ? nearest_wedge(wedge, move.to) : kNoWedge;
        for (std::uint32_t candidate = first_wedge_[move.to]; candidate != kNoWedge;
             candidate = wedges[candidate].next) {
            if (i == known || wedges[candidate].group != groups[i].second) continue;
            if (best == kNoWedge ||
                wedges[candidate].normal.dot(wedges[wedge].normal) > wedges[best].normal.dot(wedges[wedge].normal))
                best = candidate;
        }
        if (best == kNoWedge) return false;
        move.wedges.emplace_back(wedge, best);
    }
    return true;
}

// Edges of another multiplicity than the rest are a line: an open border, or where sheets meet. A point on such a line
// may only slide along it, and where lines cross or end it stays.
bool WedgeMesh::along_line(const Move& move, const std::vector<Spoke>& spokes) const {
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

/// What must hold at the least: a point of an open border moves along an open edge, and the border does not get longer.
bool WedgeMesh::shortens_open_border(const Move& move, const std::vector<Spoke>& spokes) const {
    bool open = false, along = false;
    float before = 0, after = 0;
    for (const Spoke& spoke : spokes) {
        if (spoke.faces != 1) continue;
        open = true;
        along = along || spoke.point == move.to;
        before += (places[spoke.point] - places[move.from]).norm();
        after += (places[spoke.point] - places[move.to]).norm();
    }
    return !open || (along && after <= before * (1 + kRounding));
}

// Neighbours of both ends must be exactly the tips of the faces between them, or else a tunnel would be pinched shut;
// and no two faces may come to lie on each other.
bool WedgeMesh::keeps_sheets_apart(const Move& move, const std::vector<Spoke>& spokes) const {
    const auto spoke_to = [&](std::uint32_t p) {
        return static_cast<std::size_t>(
            std::find_if(spokes.begin(), spokes.end(), [&](const Spoke& spoke) { return spoke.point == p; }) -
            spokes.begin());
    };
    const auto across = [&](const Face& face, std::uint32_t a, std::uint32_t b) {  // its third point
        return face.points[3 - face.corner(a) - face.corner(b)];
    };
    std::bitset<2 * kMostFacesAround> tips;
    for (const std::uint32_t f : around[move.from])
        if (faces[f].corner(move.to) < 3) tips.set(spoke_to(across(faces[f], move.from, move.to)));
    const auto is_face = [&](std::uint32_t a, std::uint32_t b) {
        return std::any_of(around[move.from].begin(), around[move.from].end(), [&](std::uint32_t f) {
            return corner(f, a) < 3 && corner(f, b) < 3 && corner(f, move.to) == 3;
        });
    };
    for (const std::uint32_t f : around[move.to]) {
        const Face& face = faces[f];
        if (face.corner(move.from) < 3) continue;
        std::size_t beside = 0;
        for (const std::uint32_t p : face.points) {
            if (p == move.to) continue;
            const std::size_t spoke = spoke_to(p);
            if (spoke == spokes.size()) continue;
            if (!tips.test(spoke)) return false;
            ++beside;
        }
        const std::size_t k = face.corner(move.to);
        if (beside == 2 && is_face(face.points[(k + 1) % 3], face.points[(k + 2) % 3])) return false;
    }
    return true;
}

float WedgeMesh::uv_area(const std::array<std::uint32_t, 3>& corners) const {
    const Wedge& w = wedges[corners[0]];
    const Surface& surface = surfaces_[w.surface];
    if (!seams_[w.surface] || surface.uvs.empty() || surface.uvs[0].empty()) return 0;
    const auto& uv = surface.uvs[0];
    const Vec2f a = uv[wedges[corners[1]].vertex] - uv[w.vertex], b = uv[wedges[corners[2]].vertex] - uv[w.vertex];
    return a.x() * b.y() - a.y() * b.x();
}

bool WedgeMesh::keeps_faces_upright(const Move& move) const {
    for (const std::uint32_t face : around[move.from]) {
        if (corner(face, move.to) < 3) continue;
        const std::size_t k = corner(face, move.from);
        const Vec3f &a = places[point(face, (k + 1) % 3)], &b = places[point(face, (k + 2) % 3)];
        const Vec3f before = (a - places[move.from]).cross(b - places[move.from]);
        const Vec3f after = (a - places[move.to]).cross(b - places[move.to]);
        const float most_tilt = move.care == Care::full ? kMostTilt : kMostTiltPermissive;
        if (!(after.dot(before) > most_tilt * after.norm() * before.norm())) return false;
        const std::array<std::uint32_t, 3>& old = faces[face].wedges;
        std::array<std::uint32_t, 3> now = old;
        now[k] = std::find_if(move.wedges.begin(), move.wedges.end(), [&](const auto& pair) {
                     return pair.first == old[k];
                 })->second;
        float shading_before = 0, shading_after = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const float was = before.dot(wedges[old[i]].normal), is = after.dot(wedges[now[i]].normal);
            if (move.care == Care::full && is < 0 && was >= 0) return false;
            shading_before += was;
            shading_after += is;
        }
        const bool may_be_turned =
            backlit_[face] || (shading_before < 0 && after.squaredNorm() <= before.squaredNorm());
        if (move.care != Care::least && shading_after < 0 && !may_be_turned) return false;
        if (move.care == Care::full && uv_area(old) * uv_area(now) < 0) return false;
    }
    return true;
}

bool WedgeMesh::is_sound(const Move& move, const std::vector<Spoke>& spokes) const {
    return (move.care == Care::full ? along_line(move, spokes) : shortens_open_border(move, spokes)) &&
           keeps_faces_upright(move) &&
           (move.care == Care::little || move.care == Care::least || keeps_sheets_apart(move, spokes));
}

void WedgeMesh::remove_face(std::uint32_t face) {
    faces[face].alive = false;
    for (std::size_t k = 0; k < 3; ++k) {
        auto& list = around[point(face, k)];
        list.erase(std::find(list.begin(), list.end(), face));
    }
}

std::size_t WedgeMesh::apply(const Move& move) {
    const std::vector<std::uint32_t> touched = around[move.from];
    std::size_t gone = 0;
    for (const std::uint32_t face : touched) {
        if (corner(face, move.to) == 3) continue;
        remove_face(face);
        ++gone;
    }
    for (const std::uint32_t face : around[move.from]) {
        const std::size_t k = corner(face, move.from);
        std::uint32_t& wedge = faces[face].wedges[k];
        const auto moved =
            std::find_if(move.wedges.begin(), move.wedges.end(), [&](const auto& pair) { return pair.first == wedge; });
        wedge = moved->second;
        faces[face].points[k] = move.to;
        around[move.to].push_back(face);
    }
    if (around[move.to].size() > kMostFacesAround) hubs_.store(true, std::memory_order_relaxed);
    const std::vector<std::uint32_t> moved_faces = std::move(around[move.from]);
    around[move.from].clear();
    for (const std::uint32_t face : moved_faces) gone += cancel_back_to_back(face);
    return gone;
}

// Two faces over the same three points that face away from each other enclose nothing.
std::size_t WedgeMesh::cancel_back_to_back(std::uint32_t face) {
    if (!faces[face].alive) return 0;
    const std::uint32_t a = point(face, 0), b = point(face, 1), c = point(face, 2);
    for (const std::uint32_t other : around[a]) {
        const std::size_t k = corner(other, a);
        if (other == face || point(other, (k + 1) % 3) != c || point(other, (k + 2) % 3) != b) continue;
        remove_face(other);
        remove_face(face);
        return 2;
    }
    return 0;
}

}  // namespace helixavatar::lod
