// SPDX-License-Identifier: MIT
// Small meshes as values for the tests of the levels.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

namespace shapes {

using namespace helixavatar;

/// A grid of columns × rows quads whose vertex (u, v), both 0..1, `place(u, v)` puts in space. Where columns meet again
/// (a tube) vertices share a place and have their own UVs: a seam. Normals are set by the caller's surface or smoothed
/// by place.
template <class Place>
avatar::Surface grid(int columns, int rows, Place place) {
    avatar::Surface s;
    s.uvs.resize(1);
    for (int r = 0; r <= rows; ++r)
        for (int c = 0; c <= columns; ++c) {
            const float u = static_cast<float>(c) / static_cast<float>(columns),
                        v = static_cast<float>(r) / static_cast<float>(rows);
            s.positions.push_back(place(u, v));
            s.uvs[0].emplace_back(u, v);
        }
    const auto at = [&](int c, int r) { return static_cast<std::uint32_t>(r * (columns + 1) + c); };
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
            const std::uint32_t quad[] = {at(c, r), at(c + 1, r), at(c + 1, r + 1), at(c, r + 1)};
            for (const int k : {0, 1, 2, 0, 2, 3}) s.body.push_back(quad[k]);
        }
    return s;
}

inline Vec3f on_circle(float u) {
    // The last column lies exactly on the first.
    const double angle = u >= 1 ? 0 : static_cast<double>(u) * 2 * kPi;
    return {static_cast<float>(std::cos(angle)), 0, static_cast<float>(-std::sin(angle))};
}

/// An upright tube, open at both ends, with a seam along it.
inline avatar::Surface tube(int columns, int rows, float radius = 0.2F, float height = 1) {
    avatar::Surface s =
        grid(columns, rows, [&](float u, float v) { return Vec3f(radius * on_circle(u) + Vec3f(0, v * height, 0)); });
    for (const Vec3f& p : s.positions) s.normals.push_back(Vec3f(p.x(), 0, p.z()).normalized());
    return s;
}

/// A closed ball with a seam from pole to pole; the triangles at the poles have no area until they are welded.
inline avatar::Surface ball(int columns, int rows, float radius = 0.5F) {
    avatar::Surface s = grid(columns, rows, [&](float u, float v) {
        if (v <= 0) return Vec3f(0, -radius, 0);
        if (v >= 1) return Vec3f(0, radius, 0);
        const double angle = (static_cast<double>(v) - 0.5) * kPi;
        return Vec3f(radius * static_cast<float>(std::cos(angle)) * on_circle(u) +
                     Vec3f(0, radius * static_cast<float>(std::sin(angle)), 0));
    });
    for (const Vec3f& p : s.positions) s.normals.push_back(p.normalized());
    return s;
}

inline avatar::Avatar character(std::vector<avatar::Surface> surfaces) {
    avatar::Avatar a;
    a.joints = {{"root", -1, true, {}}};
    a.materials.resize(2);
    for (avatar::Material& m : a.materials) m.slots.push_back({"/pbrMetallicRoughness/baseColorTexture", 0});
    for (avatar::Surface& s : surfaces) {
        if (s.material < 0) s.material = 0;
        if (s.influences.empty()) {
            avatar::Influences one{};
            one[0] = {0, 1};
            s.influences.assign(s.positions.size(), one);
        }
    }
    a.levels.resize(1);
    a.levels[0].name = "lod1";
    a.levels[0].surfaces = std::move(surfaces);
    return a;
}

using Place = std::array<float, 3>;
inline Place place(const Vec3f& p) {
    return {p.x() + 0.0F, p.y() + 0.0F, p.z() + 0.0F};
}

/// Edges by the places of their ends, with how many faces have them, over all surfaces.
inline std::map<std::pair<Place, Place>, int> edges(const avatar::Level& level) {
    std::map<std::pair<Place, Place>, int> count;
    for (const avatar::Surface& s : level.surfaces)
        for (const auto* list : {&s.body, &s.face})
            for (std::size_t i = 0; i + 2 < list->size(); i += 3)
                for (std::size_t k = 0; k < 3; ++k) {
                    const Place a = place(s.positions[(*list)[i + k]]),
                                b = place(s.positions[(*list)[i + (k + 1) % 3]]);
                    ++count[a < b ? std::pair(a, b) : std::pair(b, a)];
                }
    return count;
}

struct Edges {
    int open = 0, many = 0;  ///< edges of one face, of more than two
    double open_length = 0;
};
inline Edges edge_counts(const avatar::Level& level) {
    Edges result;
    for (const auto& [ends, faces] : edges(level)) {
        if (faces > 2) ++result.many;
        if (faces != 1) continue;
        ++result.open;
        const Vec3f a(ends.first.data()), b(ends.second.data());
        result.open_length += static_cast<double>((a - b).norm());
    }
    return result;
}

/// Triangles that face away from the shading normals of their corners.
inline int turned_over(const avatar::Level& level) {
    int count = 0;
    for (const avatar::Surface& s : level.surfaces)
        for (std::size_t i = 0; i + 2 < s.body.size(); i += 3) {
            const Vec3f &a = s.positions[s.body[i]], &b = s.positions[s.body[i + 1]], &c = s.positions[s.body[i + 2]];
            Vec3f shading = Vec3f::Zero();
            for (std::size_t k = 0; k < 3; ++k) shading += s.normals[s.body[i + k]];
            if ((b - a).cross(c - a).dot(shading) < 0) ++count;
        }
    return count;
}

}  // namespace shapes
