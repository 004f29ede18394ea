// SPDX-License-Identifier: MIT
#include "measured_mesh.hpp"

#include <algorithm>
#include <cmath>

namespace helixavatar::lod {

namespace {

template <class T>
bool all_have(const avatar::Level& level, const T& values_of) {
    return std::all_of(level.surfaces.begin(), level.surfaces.end(), [&](const avatar::Surface& s) {
        return s.positions.empty() || values_of(s).size() == s.positions.size();
    });
}

}  // namespace

MeasuredMesh::MeasuredMesh(const avatar::Level& level) {
    static const std::vector<Vec2f> no_uvs;
    const auto uvs_of = [](const avatar::Surface& s) -> const std::vector<Vec2f>& {
        return s.uvs.empty() ? no_uvs : s.uvs[0];
    };
    const auto normals_of = [](const avatar::Surface& s) -> const std::vector<Vec3f>& { return s.normals; };
    const bool with_normals = all_have(level, normals_of), with_uvs = all_have(level, uvs_of);
    for (const avatar::Surface& s : level.surfaces) {
        const auto first = static_cast<std::uint32_t>(positions.size());
        positions.insert(positions.end(), s.positions.begin(), s.positions.end());
        if (with_normals) normals.insert(normals.end(), s.normals.begin(), s.normals.end());
        if (with_uvs) uvs.insert(uvs.end(), uvs_of(s).begin(), uvs_of(s).end());
        for (const auto* list : {&s.body, &s.face}) {
            for (std::size_t i = 0; i + 2 < list->size(); i += 3) {
                const std::uint32_t* t = list->data() + i;
                if (std::all_of(t, t + 3, [&](std::uint32_t v) { return s.positions[v].allFinite(); }))
                    triangles.push_back({first + t[0], first + t[1], first + t[2]});
            }
        }
    }
}

double MeasuredMesh::area(std::size_t triangle) const {
    const auto& t = triangles[triangle];
    return 0.5 *
           static_cast<double>((positions[t[1]] - positions[t[0]]).cross(positions[t[2]] - positions[t[0]]).norm());
}

std::vector<Sample> MeasuredMesh::samples(std::size_t by_area, std::size_t vertices) const {
    double total = 0;
    for (std::size_t t = 0; t < triangles.size(); ++t) total += area(t);
    // Each sample stands for the same area; what a triangle has left over goes on to the next one. The places inside a
    // triangle follow the plastic number's sequence, which fills it evenly.
    const double step = total / static_cast<double>(by_area);
    double owed = step / 2, u = 0.5, v = 0.5;
    std::vector<Sample> out;
    std::vector<bool> seen(positions.size(), false);
    const std::size_t every = std::max<std::size_t>(1, positions.size() / std::max<std::size_t>(1, vertices));
    std::size_t met = 0;
    for (std::uint32_t t = 0; t < triangles.size(); ++t) {
        for (std::size_t corner = 0; corner < 3; ++corner) {
            if (seen[triangles[t][corner]]) continue;
            seen[triangles[t][corner]] = true;
            if (met++ % every != 0) continue;
            out.push_back({t, corner == 1 ? 1.0F : 0.0F, corner == 2 ? 1.0F : 0.0F, 0});
        }
        for (owed += area(t); step > 0 && owed >= step; owed -= step) {
            u = std::fmod(u + 0.7548776662466927, 1.0);
            v = std::fmod(v + 0.5698402909980532, 1.0);
            const bool folded = u + v > 1;
            out.push_back({t, static_cast<float>(folded ? 1 - u : u), static_cast<float>(folded ? 1 - v : v),
                           static_cast<float>(step)});
        }
    }
    return out;
}

std::vector<Triangle3> MeasuredMesh::placed(const std::vector<Vec3f>& at) const {
    std::vector<Triangle3> out;
    out.reserve(triangles.size());
    for (const auto& t : triangles) out.push_back({at[t[0]], at[t[1]], at[t[2]]});
    return out;
}

Sample MeasuredMesh::sample_at(std::uint32_t triangle, const Vec3f& point) const {
    const auto& t = triangles[triangle];
    const Vec3f ab = positions[t[1]] - positions[t[0]], ac = positions[t[2]] - positions[t[0]],
                ap = point - positions[t[0]];
    const float bb = ab.dot(ab), bc = ab.dot(ac), cc = ac.dot(ac), pb = ap.dot(ab), pc = ap.dot(ac);
    const float determinant = bb * cc - bc * bc;
    Sample s{triangle, 0, 0, 0};
    if (!(determinant > 0)) return s;
    s.a = std::clamp((cc * pb - bc * pc) / determinant, 0.0F, 1.0F);
    s.b = std::clamp((bb * pc - bc * pb) / determinant, 0.0F, 1.0F - s.a);
    return s;
}

double MeasuredMesh::metres_a_uv() const {
    if (uvs.empty()) return 0;
    double skin = 0, map = 0;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const auto& c = triangles[t];
        const Vec2f ab = uvs[c[1]] - uvs[c[0]], ac = uvs[c[2]] - uvs[c[0]];
        const double on_map = 0.5 * std::abs(static_cast<double>(ab.x() * ac.y() - ab.y() * ac.x()));
        if (!std::isfinite(on_map)) continue;
        map += on_map;
        skin += area(t);
    }
    return map > 0 ? std::sqrt(skin / map) : 0;
}

}  // namespace helixavatar::lod
