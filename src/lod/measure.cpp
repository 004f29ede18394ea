// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include <helixavatar/lod/levels.hpp>

#include "triangle_tree.hpp"

namespace helixavatar::lod {

namespace {

constexpr double kSamples =
    30000;  // a surface of 2 m² gets one every 8 mm in each direction, beside one at every corner
constexpr double kMillimetres = 1000;

std::vector<Triangle3> triangles_of(const avatar::Level& level) {
    std::vector<Triangle3> triangles;
    for (const avatar::Surface& surface : level.surfaces) {
        for (const auto* list : {&surface.body, &surface.face}) {
            for (std::size_t i = 0; i + 2 < list->size(); i += 3) {
                Triangle3 t;
                for (std::size_t k = 0; k < 3; ++k) t[k] = surface.positions[(*list)[i + k]];
                if (t[0].allFinite() && t[1].allFinite() && t[2].allFinite()) triangles.push_back(t);
            }
        }
    }
    return triangles;
}

double area(const Triangle3& t) {
    return 0.5 * static_cast<double>((t[1] - t[0]).cross(t[2] - t[0]).norm());
}

struct Sums {
    double squares = 0, weight = 0, largest = 0;
};

/// Calls visit(point, weight) for samples spread by area, and visit(corner, 0) for every corner.
template <class Visit>
void sample(const std::vector<Triangle3>& triangles, Visit visit) {
    double total = 0;
    for (const Triangle3& t : triangles) total += area(t);
    // Each sample stands for the same area; what a triangle has left over goes on to the next one. The places inside a
    // triangle follow the plastic number's sequence, which fills it evenly.
    const double step = total / kSamples;
    double owed = step / 2, u = 0.5, v = 0.5;
    for (const Triangle3& t : triangles) {
        for (const Vec3f& corner : t) visit(corner, 0.0);
        owed += area(t);
        for (; step > 0 && owed >= step; owed -= step) {
            u = std::fmod(u + 0.7548776662466927, 1.0);
            v = std::fmod(v + 0.5698402909980532, 1.0);
            const bool folded = u + v > 1;
            const auto a = static_cast<float>(folded ? 1 - u : u), b = static_cast<float>(folded ? 1 - v : v);
            visit(Vec3f(t[0] + a * (t[1] - t[0]) + b * (t[2] - t[0])), step);
        }
    }
}

void add_distances(Sums& sums, const std::vector<Triangle3>& from, const TriangleTree& to) {
    sample(from, [&](const Vec3f& point, double weight) {
        const double d = static_cast<double>((to.nearest(point).point - point).norm());
        sums.largest = std::max(sums.largest, d);
        sums.squares += weight * d * d;
        sums.weight += weight;
    });
}

}  // namespace

avatar::LevelError measure(const avatar::Level& level, const avatar::Level& reference) {
    const std::vector<Triangle3> ours = triangles_of(level), theirs = triangles_of(reference);
    if (ours.empty() || theirs.empty()) return {};
    Sums sums;
    add_distances(sums, ours, TriangleTree(theirs));
    add_distances(sums, theirs, TriangleTree(ours));
    avatar::LevelError error;
    error.max_mm = sums.largest * kMillimetres;
    error.rms_mm = sums.weight > 0 ? std::sqrt(sums.squares / sums.weight) * kMillimetres : 0;
    return error;
}

}  // namespace helixavatar::lod
