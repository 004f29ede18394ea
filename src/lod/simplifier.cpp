// SPDX-License-Identifier: MIT
#include "simplifier.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <span>

#include <helixavatar/avatar/vertices.hpp>
#include <helixavatar/base/parallel.hpp>

#include "fit.hpp"

namespace helixavatar::lod {

using avatar::Surface;

namespace {

constexpr std::uint32_t kNoFace = ~std::uint32_t{0};
// Regions do the way down to this many times a target, when it is at least so many faces. How many there are does not
// depend on the machine, or the level would.
constexpr double kInRegions = 1.2;
constexpr std::size_t kWorthRegions = 10000;
constexpr std::size_t kFewestInRegions = 6000;  // further down what stands still where regions meet is too much
constexpr std::size_t kRegions = 8;
constexpr double kAtOnce = 0.6;
constexpr std::size_t kNear = 20;  // regions stop at one in so many faces over

/// kRegions of as many points each; or one more, of which the first and the last have half as many.
std::vector<std::span<const std::uint32_t>> slices(std::span<const std::uint32_t> points, bool shifted) {
    std::vector<std::span<const std::uint32_t>> out;
    const std::size_t halves = 2 * kRegions;
    std::size_t first = 0;
    for (std::size_t end = shifted ? 1 : 2; first < points.size(); end += 2) {
        const std::size_t last = points.size() * std::min(end, halves) / halves;
        out.push_back(points.subspan(first, last - first));
        first = last;
    }
    return out;
}

void turn_to(Surface& surface, std::uint32_t vertex, const Vec3f& normal) {
    if (surface.normals.empty()) return;
    surface.normals[vertex] = normal;
    if (surface.tangents.empty()) return;
    Vec4f& tangent = surface.tangents[vertex];
    const Vec3f upright = tangent.head<3>() - normal * normal.dot(tangent.head<3>());
    if (upright.norm() > 0) tangent.head<3>() = upright.normalized();
}

/// What a level has of one surface. `first`: wedge of its first vertex.
Surface fitted(const Surface& source, std::uint32_t index, std::uint32_t first, const LevelMesh& mesh, const Fit& fit) {
    const auto count = static_cast<std::uint32_t>(source.positions.size());
    std::vector<LevelMesh::OwnVertex> own;
    std::vector<const CornerNormal*> own_normals;
    for (const CornerNormal& c : fit.own_normals) {
        if (mesh.wedges[mesh.faces[c.face].wedges[c.corner]].surface != index) continue;
        own.push_back({c.face, c.corner, count + static_cast<std::uint32_t>(own.size())});
        own_normals.push_back(&c);
    }
    std::vector<std::uint32_t> triangles = mesh.triangles(index, own);
    std::vector<bool> used(count, false);
    for (const std::uint32_t v : triangles)
        if (v < count) used[v] = true;
    std::vector<std::uint32_t> vertices, place(count + own.size(), 0);
    for (std::uint32_t v = 0; v < count; ++v) {
        if (!used[v]) continue;
        place[v] = static_cast<std::uint32_t>(vertices.size());
        vertices.push_back(v);
    }
    for (const LevelMesh::OwnVertex& o : own) {
        place[o.vertex] = static_cast<std::uint32_t>(vertices.size());
        vertices.push_back(mesh.wedges[mesh.faces[o.face].wedges[o.corner]].vertex);
    }
    Surface out = avatar::gather(source, vertices);
    for (std::uint32_t v = 0; v < vertices.size(); ++v) {
        const std::uint32_t wedge = first + vertices[v], point = mesh.wedges[wedge].point;
        if (!mesh.merged[point]) continue;
        out.positions[v] = fit.places[point];
        turn_to(out, v, fit.normals[wedge]);
    }
    for (std::size_t i = 0; i < own.size(); ++i) turn_to(out, place[own[i].vertex], own_normals[i]->normal);
    for (std::uint32_t& v : triangles) v = place[v];
    out.body = std::move(triangles);
    return out;
}

}  // namespace

Simplifier::Simplifier(SimplifierInput input) : input_(std::move(input)), all_(input_), collapses_(all_) {
    live_ = all_.mesh.faces.size();
    samples_ = sample_source(all_.mesh);
    piece_ = find_pieces();
    collapses_.find_all();
}

/// For each live face the first face of the piece that it belongs to; pieces share no point.
std::vector<std::uint32_t> Simplifier::find_pieces() const {
    std::vector<std::uint32_t> parent(all_.mesh.places.size());
    std::iota(parent.begin(), parent.end(), 0U);
    const auto root = [&](std::uint32_t p) {
        while (parent[p] != p) p = parent[p] = parent[parent[p]];
        return p;
    };
    for (std::uint32_t f = 0; f < all_.mesh.faces.size(); ++f)
        for (std::size_t k = 1; k < 3 && all_.mesh.faces[f].alive; ++k)
            parent[root(all_.mesh.point(f, k))] = root(all_.mesh.point(f, 0));
    std::vector<std::uint32_t> first(all_.mesh.places.size(), kNoFace), piece(all_.mesh.faces.size(), kNoFace);
    for (std::uint32_t f = 0; f < all_.mesh.faces.size(); ++f) {
        if (!all_.mesh.faces[f].alive) continue;
        std::uint32_t& of_root = first[root(all_.mesh.point(f, 0))];
        if (of_root == kNoFace) of_root = f;
        piece[f] = of_root;
    }
    return piece;
}

std::size_t Simplifier::missing_pieces() const {
    std::vector<bool> left(piece_.size(), false);
    for (std::uint32_t f = 0; f < piece_.size(); ++f)
        if (all_.mesh.faces[f].alive) left[piece_[f]] = true;
    std::size_t missing = 0;
    for (std::uint32_t f = 0; f < piece_.size(); ++f)
        if (piece_[f] == f && !left[f]) ++missing;
    return missing;
}

/// Never the last one.
void Simplifier::drop_smallest_pieces(std::size_t triangles) {
    const std::vector<std::uint32_t> piece = find_pieces();
    std::map<std::uint32_t, std::vector<std::uint32_t>> faces_of;
    std::vector<float> area(piece.size(), 0);
    for (std::uint32_t f = 0; f < piece.size(); ++f) {
        if (piece[f] == kNoFace) continue;
        const Vec3f &a = all_.mesh.places[all_.mesh.point(f, 0)], &b = all_.mesh.places[all_.mesh.point(f, 1)],
                    &c = all_.mesh.places[all_.mesh.point(f, 2)];
        const float twice = (b - a).cross(c - a).norm();
        if (std::isfinite(twice)) area[piece[f]] += twice;
        faces_of[piece[f]].push_back(f);
    }
    std::vector<std::pair<float, std::uint32_t>> smallest_first;
    for (const auto& [first, faces] : faces_of) smallest_first.emplace_back(area[first], first);
    std::sort(smallest_first.begin(), smallest_first.end());
    for (std::size_t i = 0; i + 1 < smallest_first.size() && live_ > triangles; ++i)
        for (const std::uint32_t f : faces_of[smallest_first[i].second]) {
            all_.mesh.remove_face(f);
            --live_;
        }
}

void Simplifier::reduce_to(std::size_t target) {
    reduce_in_regions(std::max(kFewestInRegions, static_cast<std::size_t>(kInRegions * static_cast<double>(target))));
    while (live_ > target) {
        const std::size_t gone = collapses_.collapse_cheapest(std::numeric_limits<double>::infinity());
        live_ -= gone;
        moved_ = moved_ || gone > 0;
        if (gone == 0 && !find_moves_again()) break;
    }
    if (live_ > target) drop_smallest_pieces(target);
}

/// What was unsound may have become sound by what happened around it.
bool Simplifier::find_moves_again() {
    if (!moved_) return false;
    moved_ = false;
    collapses_.find_all();
    return true;
}

/// Most of the way down, side by side, where there is much to do. All regions go up to the same price in each round, so
/// that none is spared and none is worn out; their borders, where nothing moves, lie elsewhere in the next one.
void Simplifier::reduce_in_regions(std::size_t target) {
    const std::size_t near = target + target / kNear;
    if (live_ < target + kWorthRegions) return;
    std::vector<std::uint32_t> upwards = points_by_height();
    all_.region.resize(upwards.size());
    for (std::size_t before = 0, round = 0; live_ > near && before != live_; ++round) {
        before = live_;
        std::erase_if(upwards, [&](std::uint32_t p) { return all_.mesh.around[p].empty(); });
        const std::vector<std::span<const std::uint32_t>> points = slices(upwards, round % 2 == 1);
        const std::size_t count = points.size();
        for (std::size_t r = 0; r < count; ++r)
            for (const std::uint32_t p : points[r]) all_.region[p] = static_cast<std::uint8_t>(r);
        all_.hold_still_where_regions_meet();
        std::vector<Collapses> regions;
        for (std::uint8_t r = 0; r < count; ++r) regions.emplace_back(all_, r);
        parallel_for(count, [&](std::size_t r) { regions[r].find_missing(points[r]); });
        const std::size_t most = (live_ - target + count - 1) / count;
        const double price = price_of_share(kAtOnce * (1 - static_cast<double>(target) / static_cast<double>(live_)));
        std::vector<std::size_t> gone(count, 0);
        parallel_for(count, [&](std::size_t r) {
            for (std::size_t faces = 1; gone[r] < most && faces > 0; gone[r] += faces)
                faces = regions[r].collapse_cheapest(price);
        });
        for (const std::size_t faces : gone) live_ -= faces;
    }
    all_.region.clear();
    collapses_.find_missing(upwards);
}

std::vector<std::uint32_t> Simplifier::points_by_height() const {
    std::vector<std::pair<float, std::uint32_t>> heights;
    for (std::uint32_t p = 0; p < all_.mesh.places.size(); ++p) {
        const float height = all_.mesh.places[p].y();
        heights.emplace_back(std::isfinite(height) ? height : 0, p);
    }
    std::sort(heights.begin(), heights.end());
    std::vector<std::uint32_t> points;
    for (const auto& [height, point] : heights) points.push_back(point);
    return points;
}

/// The price up to which that share of the points that can move would move, the cheapest ones.
double Simplifier::price_of_share(double share) const {
    std::vector<double> prices;
    for (const Goal& goal : all_.best)
        if (goal.point != kNowhere) prices.push_back(goal.price());
    if (prices.empty()) return 0;
    const auto at = prices.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(prices.size()));
    std::nth_element(prices.begin(), at, prices.end());
    return *at;
}

LevelMesh Simplifier::level() const {
    return {all_.mesh, all_.survivor};
}

std::vector<Surface> Simplifier::surfaces(const LevelMesh& mesh) const {
    const Fit fit = fit_level(mesh, samples_);
    std::vector<Surface> left;
    std::uint32_t first = 0;
    for (const Surface& source : input_.surfaces) {
        left.push_back(fitted(source, static_cast<std::uint32_t>(left.size()), first, mesh, fit));
        first += static_cast<std::uint32_t>(source.positions.size());
    }
    return left;
}

}  // namespace helixavatar::lod
