// SPDX-License-Identifier: MIT
#include "error_field.hpp"

#include <algorithm>
#include <cmath>

namespace helixavatar::lod {

using avatar::Surface;

namespace {

// The constants below were found by measuring whole characters, see docs/PERFORMANCE.md.
// A unit normal, or a colour, that is off by 1 over a patch counts like a surface that is off by this share of the
// patch's width.
constexpr double kNormalShare = 0.25;
constexpr double kColorShare = 0.5;
// A texture that has slid by a metre counts like a surface that is off by this many metres.
constexpr double kTextureMetres = 0.1;
// The upright plane that holds an open border, and a seam, by length² as an area.
constexpr double kBorderWeight = 1.0;
constexpr double kSeamWeight = 0.1;
// All bent poses together count less than rest: most of the time a joint is near it.
constexpr double kPoseWeight = 0.02;
// Keeps points from sliding about for nothing on a plane; far under every real error.
constexpr double kStayWeight = 1e-6;

void add_plane(Quadric& q, const Vec3& unit, const Vec3& on, double weight) {
    q.add(unit, -unit.dot(on), weight);
}

}  // namespace

ErrorField::ErrorField(const SimplifierInput& input, const WedgeMesh& mesh) {
    place_points(input, mesh);
    scale_attributes(input, mesh);
    shape_.resize(places_.size());
    shading_.resize(mesh.wedges.size());
    texture_.resize(mesh.wedges.size());
    tinting_.resize(tints_.size());
    for (std::uint32_t f = 0; f < mesh.faces.size(); ++f) {
        double importance = 0;
        for (const std::uint32_t w : mesh.faces[f].wedges)
            importance += static_cast<double>(input.importance[mesh.wedges[w].surface][mesh.wedges[w].vertex]) / 3;
        add_face(mesh, f, importance);
    }
    for (std::uint32_t p = 0; p < mesh.places.size(); ++p) add_lines(mesh, p);
}

void ErrorField::place_points(const SimplifierInput& input, const WedgeMesh& mesh) {
    for (const auto& poses : input.posed) poses_ = std::max(poses_, poses.size() + 1);
    places_.resize(mesh.places.size() * poses_);
    for (std::size_t i = mesh.wedges.size(); i-- > 0;) {  // backwards: the first wedge of a point has the last word
        const Wedge& w = mesh.wedges[i];
        const auto& poses = input.posed[w.surface];
        for (std::size_t k = 0; k < poses_; ++k) {
            const bool at_rest = k == 0 || k > poses.size();
            places_[w.point * poses_ + k] = at_rest ? mesh.places[w.point] : poses[k - 1][w.vertex];
        }
    }
}

void ErrorField::scale_attributes(const SimplifierInput& input, const WedgeMesh& mesh) {
    // Metres of skin that a unit of UV covers, on the average of a surface.
    std::vector<double> skin(input.surfaces.size(), 0), map(input.surfaces.size(), 0);
    for (std::uint32_t f = 0; f < mesh.faces.size(); ++f) {
        const std::uint32_t s = mesh.wedges[mesh.faces[f].wedges[0]].surface;
        const double on_map = std::abs(static_cast<double>(mesh.uv_area(mesh.faces[f].wedges)));
        const Vec3 a = place(mesh.point(f, 0), 0), b = place(mesh.point(f, 1), 0), c = place(mesh.point(f, 2), 0);
        const double on_skin = (b - a).cross(c - a).norm();
        if (!std::isfinite(on_map) || !std::isfinite(on_skin)) continue;
        map[s] += on_map;
        skin[s] += on_skin;
    }
    shades_.assign(mesh.wedges.size(), {});
    texels_.assign(mesh.wedges.size(), {});
    if (std::any_of(input.surfaces.begin(), input.surfaces.end(), [](const Surface& s) { return !s.colors.empty(); }))
        tints_.assign(mesh.wedges.size(), {});
    const auto finite = [](double value) { return std::isfinite(value) ? static_cast<float>(value) : 0; };
    for (std::size_t i = 0; i < mesh.wedges.size(); ++i) {
        const Wedge& w = mesh.wedges[i];
        const Surface& s = input.surfaces[w.surface];
        for (std::size_t k = 0; k < 3; ++k)
            shades_[i][k] = finite(kNormalShare * static_cast<double>(w.normal[static_cast<int>(k)]));
        if (!input.textured[w.surface]) continue;
        if (!s.colors.empty())
            for (std::size_t k = 0; k < 3; ++k)
                tints_[i][k] = finite(kColorShare * static_cast<double>(s.colors[w.vertex][static_cast<int>(k)]));
        if (map[w.surface] <= 0) continue;
        const double scale = kTextureMetres * std::sqrt(skin[w.surface] / map[w.surface]);
        for (std::size_t k = 0; k < 2; ++k)
            texels_[i][k] = finite(scale * static_cast<double>(s.uvs[0][w.vertex][static_cast<int>(k)]));
    }
}

void ErrorField::add_face(const WedgeMesh& mesh, std::uint32_t f, double importance) {
    for (std::size_t pose = 0; pose < poses_; ++pose) {
        const Vec3 a = place(mesh.point(f, 0), pose), b = place(mesh.point(f, 1), pose),
                   c = place(mesh.point(f, 2), pose);
        const Vec3 normal = (b - a).cross(c - a);
        const double length = normal.norm();
        if (!(length > 0) || !std::isfinite(length)) continue;
        const double weight = importance * length / 2;
        for (std::size_t k = 0; k < 3; ++k) {
            Quadric& q = shape_[mesh.point(f, k) * poses_ + pose];
            add_plane(q, normal / length, a, pose == 0 ? weight : weight * kPoseWeight);
            if (pose == 0) q.add_point(place(mesh.point(f, k), 0), weight * kStayWeight);
        }
        if (pose == 0) add_attributes(mesh, f, weight);
    }
}

void ErrorField::add_attributes(const WedgeMesh& mesh, std::uint32_t f, double weight) {
    const Vec3 a = place(mesh.point(f, 0), 0), ab = place(mesh.point(f, 1), 0) - a, ac = place(mesh.point(f, 2), 0) - a;
    const Vec3 normal = ab.cross(ac);
    // Gradients of the second and third barycentric coordinate.
    const Vec3 to_b = ac.cross(normal) / normal.squaredNorm(), to_c = normal.cross(ab) / normal.squaredNorm();
    const auto& at = mesh.faces[f].wedges;
    const auto add = [&](auto& field, const auto& values) {
        std::remove_reference_t<decltype(field[0])> q;
        q.weight = weight;
        for (std::size_t i = 0; i < values[0].size(); ++i) {
            const auto of = [&](std::size_t corner) { return static_cast<double>(values[at[corner]][i]); };
            const double s = of(0);
            const Vec3 gradient = to_b * (of(1) - s) + to_c * (of(2) - s);
            q.add(i, gradient, s - gradient.dot(a), weight);
        }
        for (const std::uint32_t wedge : at) field[wedge] += q;
    };
    add(shading_, shades_);
    add(texture_, texels_);
    if (!tints_.empty()) add(tinting_, tints_);
}

// An open edge is held in place by a plane through it, upright on its face; a seam too, but more loosely.
void ErrorField::add_lines(const WedgeMesh& mesh, std::uint32_t from) {
    if (mesh.is_hub(from)) return;
    std::vector<Spoke> spokes;
    mesh.spokes(from, spokes);
    for (const Spoke& spoke : spokes) {
        const double strength = spoke.faces == 1 ? kBorderWeight : mesh.is_seam(from, spoke.point) ? kSeamWeight : 0;
        if (strength <= 0) continue;
        for (const std::uint32_t f : mesh.around[from]) {
            if (mesh.corner(f, spoke.point) == 3) continue;
            const std::uint32_t tip = mesh.point(f, 3 - mesh.corner(f, from) - mesh.corner(f, spoke.point));
            for (std::size_t pose = 0; pose < poses_; ++pose) {
                const Vec3 a = place(from, pose), edge = place(spoke.point, pose) - a, to_tip = place(tip, pose) - a;
                const Vec3 inward = to_tip - edge * (to_tip.dot(edge) / edge.squaredNorm());
                if (!inward.allFinite() || inward.norm() <= 0) continue;
                add_plane(shape_[from * poses_ + pose], inward.normalized(), a,
                          strength * edge.squaredNorm() * (pose == 0 ? 1 : kPoseWeight));
            }
        }
    }
}

// Rounding can push a sum of squares below zero, hence every max.
double ErrorField::cost(const Move& move, double most) const {
    const Vec3 there = place(move.to, 0);
    double sum = std::max(0.0, shape_[move.from * poses_](there));
    if (sum >= most) return sum;
    double shading = 0, texture = 0, patch = 0;
    for (const auto& [from, to] : move.wedges) {
        patch += shading_[from].weight;
        shading += std::max(0.0, shading_[from](there, shades_[to]));
        texture += std::max(0.0, texture_[from](there, texels_[to]));
        if (!tints_.empty()) shading += std::max(0.0, tinting_[from](there, tints_[to]));
    }
    sum += texture + patch * shading;
    for (std::size_t pose = 1; pose < poses_ && !(sum >= most); ++pose)
        sum += std::max(0.0, shape_[move.from * poses_ + pose](place(move.to, pose)));
    return sum;
}

void ErrorField::merge(const Move& move) {
    for (std::size_t pose = 0; pose < poses_; ++pose)
        shape_[move.to * poses_ + pose] += shape_[move.from * poses_ + pose];
    for (const auto& [from, to] : move.wedges) {
        shading_[to] += shading_[from];
        texture_[to] += texture_[from];
        if (!tints_.empty()) tinting_[to] += tinting_[from];
    }
}

}  // namespace helixavatar::lod
