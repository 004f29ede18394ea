// SPDX-License-Identifier: MIT
#include "refit.hpp"

#include <algorithm>
#include <limits>

namespace helixavatar::lod {

namespace {

constexpr float kLongestStep = 0.5F;  ///< of the shortest edge at the point
constexpr float kMostTilt = 0.5F;     ///< cosine between a face before and after

std::vector<std::uint32_t> wedges_in_use(const WedgeMesh& mesh, std::uint32_t point) {
    std::vector<std::uint32_t> wedges;
    for (const std::uint32_t f : mesh.around[point]) {
        const std::uint32_t w = mesh.faces[f].wedges[mesh.corner(f, point)];
        if (std::find(wedges.begin(), wedges.end(), w) == wedges.end()) wedges.push_back(w);
    }
    return wedges;
}

bool keeps_faces_upright(const WedgeMesh& mesh, const std::vector<Vec3f>& places, std::uint32_t point,
                         const Vec3f& to) {
    return std::all_of(mesh.around[point].begin(), mesh.around[point].end(), [&](std::uint32_t f) {
        const std::size_t k = mesh.corner(f, point);
        const Vec3f &a = places[mesh.point(f, (k + 1) % 3)], &b = places[mesh.point(f, (k + 2) % 3)];
        const Vec3f before = (a - places[point]).cross(b - places[point]), after = (a - to).cross(b - to);
        return after.dot(before) > kMostTilt * after.norm() * before.norm();
    });
}

Eigen::AlignedBox3f bounds_of(const std::vector<Vec3f>& places) {
    Eigen::AlignedBox3f box;
    for (const Vec3f& p : places)
        if (p.allFinite()) box.extend(p);
    return box;
}

std::vector<Vec3f> fitted_places(const WedgeMesh& mesh, const ErrorField& errors) {
    std::vector<Vec3f> places = mesh.places;
    const Eigen::AlignedBox3f source = bounds_of(places);
    std::vector<Spoke> spokes;
    for (std::uint32_t p = 0; p < places.size(); ++p) {
        if (mesh.around[p].empty() || mesh.is_hub(p) || !errors.merged(p)) continue;
        mesh.spokes(p, spokes);
        float shortest = std::numeric_limits<float>::max();
        bool inside = true;
        for (const Spoke& spoke : spokes) {
            shortest = std::min(shortest, (places[spoke.point] - places[p]).norm());
            inside = inside && spoke.faces > 1;
        }
        if (!inside) continue;
        // Feet stay on the ground and the height stays what it was.
        const Vec3f best = errors.best_place(p, wedges_in_use(mesh, p)).cast<float>();
        const Vec3f to = best.cwiseMax(source.min()).cwiseMin(source.max());
        if ((to - places[p]).norm() <= kLongestStep * shortest && keeps_faces_upright(mesh, places, p, to))
            places[p] = to;
    }
    return places;
}

bool faces_its_shading(const WedgeMesh& mesh, const Refit& fit, std::uint32_t f) {
    const Vec3f &a = fit.places[mesh.point(f, 0)], &b = fit.places[mesh.point(f, 1)], &c = fit.places[mesh.point(f, 2)];
    Vec3f shading = Vec3f::Zero();
    for (const std::uint32_t w : mesh.faces[f].wedges) shading += fit.normals[w];
    return (b - a).cross(c - a).dot(shading) >= 0;
}

/// Takes back what was done at the corners of faces that turned away from their shading, until none is left that it
/// could help.
void take_back(const WedgeMesh& mesh, Refit& fit) {
    std::vector<bool> back(mesh.places.size(), false);
    bool changed = true;
    while (changed) {
        changed = false;
        for (std::uint32_t f = 0; f < mesh.faces.size(); ++f) {
            if (!mesh.faces[f].alive || faces_its_shading(mesh, fit, f)) continue;
            for (const std::uint32_t corner : mesh.faces[f].wedges) {
                const std::uint32_t p = mesh.wedges[corner].point;
                if (back[p]) continue;
                back[p] = changed = true;
                fit.places[p] = mesh.places[p];
                for (const std::uint32_t w : wedges_in_use(mesh, p)) fit.normals[w] = mesh.wedges[w].normal;
            }
        }
    }
}

}  // namespace

Refit refit(const WedgeMesh& mesh, const ErrorField& errors) {
    Refit fit{fitted_places(mesh, errors), {}};
    for (std::uint32_t w = 0; w < mesh.wedges.size(); ++w) {
        const Wedge& wedge = mesh.wedges[w];
        Vec3f normal = wedge.normal;
        if (!normal.isZero() && errors.merged(wedge.point) && !mesh.around[wedge.point].empty()) {
            const Vec3f best = errors.best_normal(w, fit.places[wedge.point]);
            if (!best.isZero()) normal = best;
        }
        fit.normals.push_back(normal);
    }
    take_back(mesh, fit);
    return fit;
}

}  // namespace helixavatar::lod
