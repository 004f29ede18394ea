// SPDX-License-Identifier: MIT
#include "simplifier.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vertex_pool.hpp"

namespace helixavatar::lod {

using avatar::Surface;

namespace {

double tune(const char* name, double value) {
    const char* t = std::getenv(name);
    return t ? std::atof(t) : value;
}
// How many metres a difference of 1 in a unit normal, in a colour, or a metre of texture shift counts. Found by
// measuring whole characters, see docs/PERFORMANCE.md.
const double kNormalMetres = tune("T_N", 0.05);
const double kColorMetres = tune("T_C", 0.05);
const double kTextureShift = tune("T_UV", 0.3);
// Weight of a border's own plane against that of the surface, by length² as an area.
const double kOpenBorderWeight = tune("T_B", 1.0);
const double kSeamWeight = tune("T_S", 0.1);
// A bent pose is seen less often than one near rest.
const double kPoseWeight = tune("T_P", 0.1);
// Keeps points from sliding about for nothing on a plane; far under every real error.
const double kStayWeight = tune("T_R", 1e-3);

constexpr std::uint32_t kNoMove = ~std::uint32_t{0};

}  // namespace

Simplifier::Simplifier(SimplifierInput input) : input_(std::move(input)), mesh_(input_.surfaces, input_.textured) {
    for (const auto& poses : input_.posed) poses_ = std::max(poses_, poses.size() + 1);
    const std::size_t points = mesh_.places.size();
    posed_.resize(points * poses_);
    shape_.resize(points * poses_);
    std::vector<bool> seen(points, false);
    for (const Wedge& w : mesh_.wedges) {
        if (seen[w.point]) continue;
        seen[w.point] = true;
        const auto& poses = input_.posed[w.surface];
        for (std::size_t k = 0; k < poses_; ++k)
            posed_[w.point * poses_ + k] =
                (k == 0 || k > poses.size() ? mesh_.places[w.point] : poses[k - 1][w.vertex]).cast<double>();
    }
    look_.resize(mesh_.wedges.size());
    measure_attributes();
    for (std::uint32_t f = 0; f < mesh_.faces.size(); ++f) add_face(f);
    for (std::uint32_t p = 0; p < points; ++p) add_borders(p);
    best_.assign(points, kNoMove);
    version_.assign(points, 0);
    for (std::uint32_t p = 0; p < points; ++p) find_best_move(p);
}

Vec3 Simplifier::place(std::uint32_t point, std::size_t pose) const {
    return posed_[point * poses_ + pose];
}

void Simplifier::measure_attributes() {
    // Metres of skin that a unit of UV covers on the average of the surface make UV errors comparable with distances.
    std::vector<double> skin(input_.surfaces.size(), 0), map(input_.surfaces.size(), 0);
    for (std::uint32_t f = 0; f < mesh_.faces.size(); ++f) {
        const Wedge& w = mesh_.wedges[mesh_.faces[f].wedges[0]];
        const Surface& s = input_.surfaces[w.surface];
        if (s.uvs.empty() || s.uvs[0].empty()) continue;
        const Vec3 a = place(mesh_.point(f, 0), 0), b = place(mesh_.point(f, 1), 0), c = place(mesh_.point(f, 2), 0);
        const auto uv = [&](std::size_t k) {
            return Vec2(s.uvs[0][mesh_.wedges[mesh_.faces[f].wedges[k]].vertex].cast<double>());
        };
        const Vec2 along = uv(1) - uv(0), across = uv(2) - uv(0);
        skin[w.surface] += (b - a).cross(c - a).norm();
        map[w.surface] += std::abs(along.x() * across.y() - along.y() * across.x());
    }
    attributes_.assign(mesh_.wedges.size(), Attributes{});
    for (std::size_t i = 0; i < mesh_.wedges.size(); ++i) {
        const Wedge& w = mesh_.wedges[i];
        const Surface& s = input_.surfaces[w.surface];
        for (int k = 0; k < 3; ++k) attributes_[i][k] = kNormalMetres * static_cast<double>(w.normal[k]);
        if (!input_.textured[w.surface]) continue;
        if (map[w.surface] > 0)
            for (int k = 0; k < 2; ++k)
                attributes_[i][3 + k] = kTextureShift * std::sqrt(skin[w.surface] / map[w.surface]) *
                                        static_cast<double>(s.uvs[0][w.vertex][k]);
        if (!s.colors.empty())
            for (int k = 0; k < 3; ++k)
                attributes_[i][5 + k] = kColorMetres * static_cast<double>(s.colors[w.vertex][k]);
    }
    for (Attributes& of_wedge : attributes_)
        for (double& value : of_wedge)
            if (!std::isfinite(value)) value = 0;
}

void Simplifier::add_face(std::uint32_t f) {
    double importance = 0;
    for (const std::uint32_t w : mesh_.faces[f].wedges)
        importance += static_cast<double>(input_.importance[mesh_.wedges[w].surface][mesh_.wedges[w].vertex]) / 3;
    for (std::size_t pose = 0; pose < poses_; ++pose) {
        const Vec3 a = place(mesh_.point(f, 0), pose), b = place(mesh_.point(f, 1), pose),
                   c = place(mesh_.point(f, 2), pose);
        const Vec3 normal = (b - a).cross(c - a);
        const double length = normal.norm();
        if (!(length > 0) || !std::isfinite(length)) continue;
        const Vec3 unit = normal / length;
        const double weight = importance * length / 2;
        const double pose_weight = pose == 0 ? 1 : kPoseWeight;
        for (std::size_t k = 0; k < 3; ++k) {
            Quadric& q = shape_[mesh_.point(f, k) * poses_ + pose];
            q.add(unit, -unit.dot(a), weight * pose_weight);
            if (pose == 0) q.add_point(place(mesh_.point(f, k), 0), weight * kStayWeight);
        }
        if (pose == 0) add_attribute_gradients(f, unit, weight);
    }
}

void Simplifier::add_attribute_gradients(std::uint32_t f, const Vec3& unit, double weight) {
    const Vec3 a = place(mesh_.point(f, 0), 0), b = place(mesh_.point(f, 1), 0), c = place(mesh_.point(f, 2), 0);
    const Vec3 ab = b - a, ac = c - a;
    const double area2 = ab.cross(ac).norm();
    // Gradients of the second and third barycentric coordinate.
    const Vec3 to_b = ac.cross(unit) / area2, to_c = unit.cross(ab) / area2;
    const auto& at = mesh_.faces[f].wedges;
    AttributeQuadric q;
    q.weight = weight;
    for (std::size_t i = 0; i < kAttributes; ++i) {
        const double s = attributes_[at[0]][i];
        const Vec3 gradient = to_b * (attributes_[at[1]][i] - s) + to_c * (attributes_[at[2]][i] - s);
        q.add(i, gradient, s - gradient.dot(a), weight);
    }
    for (const std::uint32_t wedge : at) look_[wedge] += q;
}

// An edge of one face only is held in place by a plane through it, upright on the face; a seam too, but more loosely.
void Simplifier::add_borders(std::uint32_t from) {
    mesh_.spokes(from, spokes_);
    for (const Spoke& spoke : spokes_) {
        for (const std::uint32_t f : mesh_.around[from]) {
            if (mesh_.corner(f, spoke.point) == 3) continue;
            bool seam = false;
            for (const std::uint32_t other : mesh_.around[from]) {
                if (other == f || mesh_.corner(other, spoke.point) == 3) continue;
                seam = seam || mesh_.wedges[mesh_.faces[f].wedges[mesh_.corner(f, from)]].group !=
                                   mesh_.wedges[mesh_.faces[other].wedges[mesh_.corner(other, from)]].group;
            }
            const double strength = spoke.faces == 1 ? kOpenBorderWeight : seam ? kSeamWeight : 0;
            if (strength <= 0) continue;
            const std::uint32_t third = mesh_.point(f, 0) + mesh_.point(f, 1) + mesh_.point(f, 2) - from - spoke.point;
            for (std::size_t pose = 0; pose < poses_; ++pose) {
                const Vec3 a = place(from, pose), b = place(spoke.point, pose), c = place(third, pose);
                const Vec3 edge = b - a;
                const Vec3 inward = (c - a) - edge * ((c - a).dot(edge) / std::max(edge.squaredNorm(), 1e-30));
                const double length = inward.norm();
                if (!(length > 0) || !std::isfinite(length)) continue;
                const Vec3 unit = inward / length;
                shape_[from * poses_ + pose].add(unit, -unit.dot(a),
                                                 strength * edge.squaredNorm() * (pose == 0 ? 1 : kPoseWeight));
            }
        }
    }
}

double Simplifier::cost(const Move& move) const {
    double sum = 0;
    for (std::size_t pose = 0; pose < poses_; ++pose)
        sum += std::max(0.0, shape_[move.from * poses_ + pose](place(move.to, pose)));
    const Vec3 there = place(move.to, 0);
    for (const auto& [from, to] : move.wedges) sum += std::max(0.0, look_[from](there, attributes_[to]));
    return sum;
}

void Simplifier::find_best_move(std::uint32_t point) {
    ++version_[point];
    best_[point] = kNoMove;
    if (mesh_.around[point].empty()) return;
    mesh_.spokes(point, spokes_);
    std::vector<std::pair<double, std::uint32_t>> choices;
    Move move;
    move.from = point;
    for (const Spoke& spoke : spokes_) {
        move.to = spoke.point;
        if (!mesh_.match_wedges(move)) continue;
        const double price = cost(move);
        if (std::isfinite(price)) choices.emplace_back(price, spoke.point);
    }
    std::sort(choices.begin(), choices.end());
    for (const auto& [price, to] : choices) {
        move.to = to;
        mesh_.match_wedges(move);
        if (!mesh_.is_sound(move, spokes_)) continue;
        best_[point] = to;
        queue_.push({price, point, version_[point]});
        return;
    }
}

void Simplifier::refresh_around(std::uint32_t point) {
    mesh_.spokes(point, spokes_);
    std::vector<std::uint32_t> touched = {point};
    for (const Spoke& spoke : spokes_) touched.push_back(spoke.point);
    for (const std::uint32_t p : touched) find_best_move(p);
}

bool Simplifier::collapse_cheapest() {
    while (!queue_.empty()) {
        const Candidate next = queue_.top();
        queue_.pop();
        if (next.version != version_[next.point] || best_[next.point] == kNoMove) continue;
        Move move;
        move.from = next.point;
        move.to = best_[next.point];
        mesh_.match_wedges(move);
        for (std::size_t pose = 0; pose < poses_; ++pose)
            shape_[move.to * poses_ + pose] += shape_[move.from * poses_ + pose];
        for (const auto& [from, to] : move.wedges) look_[to] += look_[from];
        mesh_.spokes(move.from, spokes_);
        const std::vector<Spoke> old = spokes_;
        mesh_.apply(move);
        ++version_[move.from];
        best_[move.from] = kNoMove;
        refresh_around(move.to);
        for (const Spoke& spoke : old)  // tips that lost their last face with it
            if (mesh_.around[spoke.point].empty()) find_best_move(spoke.point);
        return true;
    }
    return false;
}

bool Simplifier::drop_least_piece() {
    std::vector<std::uint32_t> parent(mesh_.places.size());
    std::iota(parent.begin(), parent.end(), 0U);
    const auto root = [&](std::uint32_t p) {
        while (parent[p] != p) p = parent[p] = parent[parent[p]];
        return p;
    };
    std::vector<double> area(mesh_.places.size(), 0);
    for (std::uint32_t f = 0; f < mesh_.faces.size(); ++f)
        if (mesh_.faces[f].alive)
            for (std::size_t k = 1; k < 3; ++k) parent[root(mesh_.point(f, k))] = root(mesh_.point(f, 0));
    for (std::uint32_t f = 0; f < mesh_.faces.size(); ++f) {
        if (!mesh_.faces[f].alive) continue;
        const Vec3f a = mesh_.places[mesh_.point(f, 0)], b = mesh_.places[mesh_.point(f, 1)],
                    c = mesh_.places[mesh_.point(f, 2)];
        area[root(mesh_.point(f, 0))] += static_cast<double>((b - a).cross(c - a).norm());
    }
    std::uint32_t least = kNoMove;
    std::size_t pieces = 0;
    for (std::uint32_t p = 0; p < area.size(); ++p) {
        if (root(p) != p || mesh_.around[p].empty()) continue;
        ++pieces;
        if (least == kNoMove || area[p] < area[least]) least = p;
    }
    if (pieces < 2) return false;
    for (std::uint32_t f = 0; f < mesh_.faces.size(); ++f)
        if (mesh_.faces[f].alive && root(mesh_.point(f, 0)) == least) mesh_.remove_face(f);
    ++dropped_pieces_;
    return true;
}

void Simplifier::reduce_to(std::size_t target) {
    while (mesh_.live > target)
        if (!collapse_cheapest() && !drop_least_piece()) return;
}

std::vector<Surface> Simplifier::surfaces() const {
    std::vector<Surface> left;
    for (std::uint32_t s = 0; s < input_.surfaces.size(); ++s) {
        Surface surface = input_.surfaces[s];
        surface.body = mesh_.triangles(s);
        surface.face.clear();
        left.push_back(drop_unused_vertices(surface));
    }
    return left;
}

}  // namespace helixavatar::lod
