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
constexpr float kNormalShare = 0.25F;
constexpr float kColorShare = 0.5F;
// A texture that has slid by a metre counts like a surface that is off by this many metres.
constexpr float kTextureMetres = 0.1F;
// The upright plane that holds an open border, and a seam, by length² as an area.
constexpr float kBorderWeight = 1.0F;
constexpr float kSeamWeight = 0.1F;
// All bent poses together count less than rest: most of the time a joint is near it.
constexpr float kPoseWeight = 0.02F;
// Keeps points from sliding about for nothing on a plane; far under every real error.
constexpr float kStayWeight = 1e-6F;

/// 1 / a, and 0 where that is no number.
Float4 inverse(Float4 a) {
    Float4 out{};
    for (std::size_t lane = 0; lane < 4; ++lane)
        if (a[lane] > 0 && std::isfinite(a[lane])) out[lane] = 1 / a[lane];
    return out;
}

Float4 root(Float4 a) {
    return Float4{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
}

// Rounding can push a sum of squares below zero, and there it means zero.
float not_below_zero(float error) {
    return error > 0 ? error : 0;
}

}  // namespace

template <std::size_t N>
std::array<float, N> ErrorField::Attributes<N>::step(std::uint32_t from, std::uint32_t to) const {
    std::array<float, N> step;
    for (std::size_t a = 0; a < N; ++a) step[a] = values[to][a] - values[from][a];
    return step;
}

template <std::size_t N>
float ErrorField::Attributes<N>::cost(std::uint32_t from, std::uint32_t to, const Vec3f& step_of_point) const {
    return not_below_zero(errors[from](step_of_point, step(from, to)));
}

template <std::size_t N>
void ErrorField::Attributes<N>::merge(std::uint32_t from, std::uint32_t to, const Vec3f& step_of_point) {
    errors[to] += errors[from].from(step_of_point, step(from, to));
}

/// `to_b`, `to_c`: gradients of the second and third barycentric coordinate.
template <std::size_t N>
void ErrorField::Attributes<N>::add_face(const std::array<std::uint32_t, 3>& wedges, const Vec3f& to_b,
                                         const Vec3f& to_c, float weight) {
    AttributeQuadric<N> q;  // at each corner the face has what the corner has
    q.weight = weight;
    const auto ab = step(wedges[0], wedges[1]), ac = step(wedges[0], wedges[2]);
    for (std::size_t a = 0; a < N; ++a) q.add(a, Vec3f(to_b * ab[a] + to_c * ac[a]), weight);
    for (const std::uint32_t wedge : wedges) errors[wedge] += q;
}

ErrorField::ErrorField(const SimplifierInput& input, const WedgeMesh& mesh) : places_(mesh.places) {
    place_points(input, mesh);
    scale_attributes(input, mesh);
    shape_.resize(places_.size());
    posed_shape_.resize(places_.size());
    shading_.errors.resize(shading_.values.size());
    texture_.errors.resize(texture_.values.size());
    tinting_.errors.resize(tinting_.values.size());
    for (std::uint32_t f = 0; f < mesh.faces.size(); ++f) {
        float importance = 0;
        for (const std::uint32_t w : mesh.faces[f].wedges)
            importance += input.importance[mesh.wedges[w].surface][mesh.wedges[w].vertex] / 3;
        add_face(mesh, f, importance);
    }
    for (std::uint32_t p = 0; p < mesh.places.size(); ++p) add_lines(mesh, p);
}

void ErrorField::place_points(const SimplifierInput& input, const WedgeMesh& mesh) {
    posed_places_.resize(mesh.places.size());
    for (std::size_t i = mesh.wedges.size(); i-- > 0;) {  // backwards: the first wedge of a point has the last word
        const Wedge& w = mesh.wedges[i];
        for (std::size_t pose = 0; pose < 4; ++pose)
            for (std::size_t axis = 0; axis < 3; ++axis)
                posed_places_[w.point][axis][pose] =
                    input.posed[w.surface][pose][w.vertex][static_cast<Eigen::Index>(axis)];
    }
}

void ErrorField::scale_attributes(const SimplifierInput& input, const WedgeMesh& mesh) {
    // Metres of skin that a unit of UV covers, on the average of a surface.
    std::vector<double> skin(input.surfaces.size(), 0), map(input.surfaces.size(), 0);
    for (std::uint32_t f = 0; f < mesh.faces.size(); ++f) {
        const std::uint32_t s = mesh.wedges[mesh.faces[f].wedges[0]].surface;
        const float on_map = std::abs(mesh.uv_area(mesh.faces[f].wedges));
        const Vec3f &a = places_[mesh.point(f, 0)], &b = places_[mesh.point(f, 1)], &c = places_[mesh.point(f, 2)];
        const float on_skin = (b - a).cross(c - a).norm();
        if (!std::isfinite(on_map) || !std::isfinite(on_skin)) continue;
        map[s] += static_cast<double>(on_map);
        skin[s] += static_cast<double>(on_skin);
    }
    shading_.values.assign(mesh.wedges.size(), {});
    texture_.values.assign(mesh.wedges.size(), {});
    if (std::any_of(input.surfaces.begin(), input.surfaces.end(), [](const Surface& s) { return !s.colors.empty(); }))
        tinting_.values.assign(mesh.wedges.size(), {});
    const auto finite = [](float value) { return std::isfinite(value) ? value : 0; };
    for (std::size_t i = 0; i < mesh.wedges.size(); ++i) {
        const Wedge& w = mesh.wedges[i];
        const Surface& s = input.surfaces[w.surface];
        for (std::size_t k = 0; k < 3; ++k)
            shading_.values[i][k] = finite(kNormalShare * w.normal[static_cast<int>(k)]);
        if (!input.textured[w.surface]) continue;
        if (!s.colors.empty())
            for (std::size_t k = 0; k < 3; ++k)
                tinting_.values[i][k] = finite(kColorShare * s.colors[w.vertex][static_cast<int>(k)]);
        if (map[w.surface] <= 0) continue;
        const float scale = kTextureMetres * static_cast<float>(std::sqrt(skin[w.surface] / map[w.surface]));
        for (std::size_t k = 0; k < 2; ++k)
            texture_.values[i][k] = finite(scale * s.uvs[0][w.vertex][static_cast<int>(k)]);
    }
}

void ErrorField::add_face(const WedgeMesh& mesh, std::uint32_t f, float importance) {
    const std::array<std::uint32_t, 3>& at = mesh.faces[f].points;
    const Vec3x4 &a = posed_places_[at[0]], &b = posed_places_[at[1]], &c = posed_places_[at[2]];
    const Vec3x4 posed_normal = cross(minus(b, a), minus(c, a));
    const Float4 posed_length = root(dot(posed_normal, posed_normal)), shorten = inverse(posed_length);
    const Float4 posed_weight = (importance / 2 * kPoseWeight) * posed_length;
    const Vec3x4 posed_unit = times(shorten, posed_normal);
    for (const std::uint32_t p : at) posed_shape_[p].add(posed_unit, posed_weight);

    const Vec3f ab = places_[at[1]] - places_[at[0]], ac = places_[at[2]] - places_[at[0]], normal = ab.cross(ac);
    const float length = normal.norm();
    if (!(length > 0) || !std::isfinite(length)) return;
    const float weight = importance * length / 2;
    for (const std::uint32_t p : at) {
        shape_[p].add(Vec3f(normal / length), weight);
        shape_[p].add_point(weight * kStayWeight);
    }
    const float squared = length * length;
    const Vec3f to_b = ac.cross(normal) / squared, to_c = normal.cross(ab) / squared;
    shading_.add_face(mesh.faces[f].wedges, to_b, to_c, weight);
    texture_.add_face(mesh.faces[f].wedges, to_b, to_c, weight);
    if (!tinting_.values.empty()) tinting_.add_face(mesh.faces[f].wedges, to_b, to_c, weight);
}

// An open edge is held in place by a plane through it, upright on its face; a seam too, but more loosely.
void ErrorField::add_lines(const WedgeMesh& mesh, std::uint32_t from) {
    if (mesh.is_hub(from)) return;
    std::vector<Spoke> spokes;
    mesh.spokes(from, spokes);
    for (const Spoke& spoke : spokes) {
        const float strength = spoke.faces == 1 ? kBorderWeight : mesh.is_seam(from, spoke.point) ? kSeamWeight : 0;
        if (strength <= 0) continue;
        for (const std::uint32_t f : mesh.around[from]) {
            if (mesh.corner(f, spoke.point) == 3) continue;
            const std::uint32_t tip = mesh.point(f, 3 - mesh.corner(f, from) - mesh.corner(f, spoke.point));
            const Vec3f edge = places_[spoke.point] - places_[from], to_tip = places_[tip] - places_[from];
            const Vec3f inward = to_tip - edge * (to_tip.dot(edge) / edge.squaredNorm());
            if (inward.allFinite() && inward.norm() > 0)
                shape_[from].add(Vec3f(inward.normalized()), strength * edge.squaredNorm());

            const Vec3x4 posed_edge = minus(posed_places_[spoke.point], posed_places_[from]),
                         posed_tip = minus(posed_places_[tip], posed_places_[from]);
            const Float4 edge2 = dot(posed_edge, posed_edge);
            const Vec3x4 posed_inward =
                minus(posed_tip, times(dot(posed_tip, posed_edge) * inverse(edge2), posed_edge));
            posed_shape_[from].add(times(inverse(root(dot(posed_inward, posed_inward))), posed_inward),
                                   strength * kPoseWeight * edge2);
        }
    }
}

double ErrorField::rest_cost(std::uint32_t from, std::uint32_t to) const {
    return static_cast<double>(not_below_zero(shape_[from](Vec3f(places_[to] - places_[from]))));
}

double ErrorField::cost(const Move& move, double rest, double most) const {
    const Vec3f step = places_[move.to] - places_[move.from];
    double sum = rest;
    float shading = 0, texture = 0, patch = 0;
    for (const auto& [from, to] : move.wedges) {
        patch += shading_.errors[from].weight;
        shading += shading_.cost(from, to, step);
        texture += texture_.cost(from, to, step);
        if (!tinting_.values.empty()) shading += tinting_.cost(from, to, step);
    }
    sum += static_cast<double>(texture + patch * shading);
    if (sum >= most) return sum;
    const Float4 posed = posed_shape_[move.from](minus(posed_places_[move.to], posed_places_[move.from]));
    for (std::size_t pose = 0; pose < 4; ++pose) sum += static_cast<double>(not_below_zero(posed[pose]));
    return sum;
}

void ErrorField::merge(const Move& move) {
    const Vec3f step = places_[move.to] - places_[move.from];
    shape_[move.to] += shape_[move.from].from(step);
    posed_shape_[move.to] += posed_shape_[move.from].from(minus(posed_places_[move.to], posed_places_[move.from]));
    for (const auto& [from, to] : move.wedges) {
        shading_.merge(from, to, step);
        texture_.merge(from, to, step);
        if (!tinting_.values.empty()) tinting_.merge(from, to, step);
    }
}

}  // namespace helixavatar::lod
