// SPDX-License-Identifier: MIT
#include "simplifier.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <helixavatar/base/parallel.hpp>

#include "fit.hpp"
#include "vertex_pool.hpp"

namespace helixavatar::lod {

using avatar::Surface;

namespace {

// A move of less care is worth waiting for a better one, while there is one somewhere.
constexpr double kPermissiveCost = 1.5;
constexpr double kPinchingCost = 3;
constexpr double kTurningCost = 30;
constexpr std::uint32_t kNoFace = ~std::uint32_t{0};

constexpr std::size_t kChunk = 1024;  // points that one thread looks at in one go
constexpr double kSpare = 0.015;      // of a target, for taking out turned faces

double price(double cost, Care care) {
    switch (care) {
        case Care::full:
            return cost;
        case Care::permissive:
            return cost * kPermissiveCost;
        case Care::little:
            return cost * kPinchingCost;
        case Care::least:
            return cost * kTurningCost;
    }
    return cost;
}

}  // namespace

Simplifier::Simplifier(SimplifierInput input)
    : input_(std::move(input)), mesh_(input_.surfaces, input_.textured), errors_(input_, mesh_) {
    samples_ = sample_source(mesh_);
    survivor_.resize(mesh_.places.size());
    std::iota(survivor_.begin(), survivor_.end(), 0U);
    piece_ = find_pieces();
    best_.resize(mesh_.places.size());
    version_.assign(mesh_.places.size(), 0);
    find_all_moves();
}

void Simplifier::find_all_moves() {
    parallel_for((best_.size() + kChunk - 1) / kChunk, [&](std::size_t chunk) {
        Search search;
        for (std::size_t p = chunk * kChunk; p < std::min(best_.size(), (chunk + 1) * kChunk); ++p)
            best_[p] = best_move(static_cast<std::uint32_t>(p), search);
    });
    std::vector<Candidate> candidates;
    for (std::uint32_t p = 0; p < best_.size(); ++p) {
        ++version_[p];
        if (best_[p].point != kNowhere) candidates.push_back({price(best_[p].cost, best_[p].care), p, version_[p]});
    }
    queue_ = Queue(std::greater<Candidate>(), std::move(candidates));
}

void Simplifier::find_best_move(std::uint32_t point) {
    ++version_[point];  // what the queue holds for it so far is void
    const Goal best = best_[point] = best_move(point, search_);
    if (best.point != kNowhere) queue_.push({price(best.cost, best.care), point, version_[point]});
}

Simplifier::Goal Simplifier::best_move(std::uint32_t point, Search& search) const {
    Goal best;
    if (mesh_.around[point].empty() || mesh_.is_hub(point)) return best;
    mesh_.spokes(point, search.spokes);
    search.move.from = point;
    search.move.care = Care::full;
    const bool all = price_moves(search);
    for (const auto& [cost, to] : search.choices) {
        if (!is_sound(to, Care::full, search)) continue;
        best = {to, Care::full, cost};
        break;
    }
    // Nothing can be cheaper than the cheapest of all.
    if (!all || search.choices.empty() || best.point != search.choices.front().second) find_careless_move(best, search);
    return best;
}

/// Fills search.choices. False when some ways are closed to moves of this care.
bool Simplifier::price_moves(Search& search) const {
    search.choices.clear();
    for (const Spoke& spoke : search.spokes) {
        search.move.to = spoke.point;
        if (mesh_.is_hub(spoke.point) || !mesh_.match_wedges(search.move)) continue;
        const double cost = errors_.cost(search.move);
        if (std::isfinite(cost)) search.choices.emplace_back(cost, spoke.point);
    }
    // Soundness costs more to find out than the price, and the cheapest move is nearly always sound.
    std::sort(search.choices.begin(), search.choices.end());
    return search.choices.size() == search.spokes.size();
}

bool Simplifier::is_sound(std::uint32_t to, Care care, Search& search) const {
    search.move.to = to;
    search.move.care = care;
    return mesh_.match_wedges(search.move) && mesh_.is_sound(search.move, search.spokes);
}

/// A move of less care that is so much cheaper that it is worth it.
void Simplifier::find_careless_move(Goal& found, Search& search) const {
    double least = found.point == kNowhere ? std::numeric_limits<double>::infinity() : found.cost;
    search.move.care = Care::permissive;
    price_moves(search);
    for (const auto& [cost, to] : search.choices) {
        if (price(cost, Care::permissive) >= least) break;
        for (const Care care : {Care::permissive, Care::little, Care::least}) {
            if (price(cost, care) >= least) break;
            if (!is_sound(to, care, search)) continue;
            found = {to, care, cost};
            least = price(cost, care);
            break;
        }
    }
}

/// A new neighbour may be a better goal than the one that a point has; what the others cost is as it was.
void Simplifier::consider(std::uint32_t point, std::uint32_t to) {
    if (mesh_.is_hub(point) || mesh_.is_hub(to)) return;
    search_.move.from = point;
    search_.move.to = to;
    search_.move.care = Care::full;
    if (!mesh_.match_wedges(search_.move)) return;
    const double cost = errors_.cost(search_.move);
    if (!(cost < best_[point].cost)) return;  // the rest is seldom needed
    mesh_.spokes(point, search_.spokes);
    const bool beside = std::any_of(search_.spokes.begin(), search_.spokes.end(),
                                    [&](const Spoke& spoke) { return spoke.point == to; });
    if (!beside || !mesh_.is_sound(search_.move, search_.spokes)) return;
    best_[point] = {to, Care::full, cost};
    queue_.push({cost, point, ++version_[point]});
}

/// The ways between other points have changed since the move was chosen.
bool Simplifier::still_sound(std::uint32_t point) {
    search_.move.from = point;
    search_.move.to = best_[point].point;
    search_.move.care = best_[point].care;
    if (mesh_.is_hub(point) || mesh_.is_hub(search_.move.to)) return false;
    mesh_.spokes(point, search_.spokes);
    const bool beside = std::any_of(search_.spokes.begin(), search_.spokes.end(),
                                    [&](const Spoke& spoke) { return spoke.point == search_.move.to; });
    return beside && mesh_.match_wedges(search_.move) && mesh_.is_sound(search_.move, search_.spokes);
}

/// Does the move that still_sound() has prepared.
void Simplifier::collapse(std::uint32_t point) {
    const std::uint32_t to = best_[point].point;
    errors_.merge(search_.move);
    survivor_[point] = to;
    ring_ = search_.spokes;
    mesh_.apply(search_.move);
    moved_ = true;
    ++version_[point];
    find_best_move(to);
    for (const Spoke& spoke : ring_) {
        const std::uint32_t p = spoke.point;
        if (p == to) continue;
        const Goal& goal = best_[p];
        if (goal.point == kNowhere || goal.point == point || goal.care != Care::full)
            find_best_move(p);
        else
            consider(p, to);
    }
}

bool Simplifier::collapse_cheapest() {
    while (!queue_.empty()) {
        const Candidate next = queue_.top();
        queue_.pop();
        if (next.version != version_[next.point]) continue;
        if (!mesh_.around[next.point].empty() && still_sound(next.point)) {
            collapse(next.point);
            return true;
        }
        find_best_move(next.point);
    }
    return false;
}

/// What was unsound may have become sound by what happened around it.
bool Simplifier::find_moves_again() {
    if (!moved_) return false;
    moved_ = false;
    find_all_moves();
    return !queue_.empty();
}

/// For each live face the first face of the piece that it belongs to; pieces share no point.
std::vector<std::uint32_t> Simplifier::find_pieces() const {
    std::vector<std::uint32_t> parent(mesh_.places.size());
    std::iota(parent.begin(), parent.end(), 0U);
    const auto root = [&](std::uint32_t p) {
        while (parent[p] != p) p = parent[p] = parent[parent[p]];
        return p;
    };
    for (std::uint32_t f = 0; f < mesh_.faces.size(); ++f)
        for (std::size_t k = 1; k < 3 && mesh_.faces[f].alive; ++k)
            parent[root(mesh_.point(f, k))] = root(mesh_.point(f, 0));
    std::vector<std::uint32_t> first(mesh_.places.size(), kNoFace), piece(mesh_.faces.size(), kNoFace);
    for (std::uint32_t f = 0; f < mesh_.faces.size(); ++f) {
        if (!mesh_.faces[f].alive) continue;
        std::uint32_t& of_root = first[root(mesh_.point(f, 0))];
        if (of_root == kNoFace) of_root = f;
        piece[f] = of_root;
    }
    return piece;
}

std::size_t Simplifier::missing_pieces() const {
    std::vector<bool> left(piece_.size(), false);
    for (std::uint32_t f = 0; f < piece_.size(); ++f)
        if (mesh_.faces[f].alive) left[piece_[f]] = true;
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
        const Vec3f &a = mesh_.places[mesh_.point(f, 0)], &b = mesh_.places[mesh_.point(f, 1)],
                    &c = mesh_.places[mesh_.point(f, 2)];
        const float twice = (b - a).cross(c - a).norm();
        if (std::isfinite(twice)) area[piece[f]] += twice;
        faces_of[piece[f]].push_back(f);
    }
    std::vector<std::pair<float, std::uint32_t>> smallest_first;
    for (const auto& [first, faces] : faces_of) smallest_first.emplace_back(area[first], first);
    std::sort(smallest_first.begin(), smallest_first.end());
    for (std::size_t i = 0; i + 1 < smallest_first.size() && mesh_.live > triangles; ++i)
        for (const std::uint32_t f : faces_of[smallest_first[i].second]) mesh_.remove_face(f);
}

void Simplifier::reduce_to(std::size_t target) {
    while (mesh_.live > target && (collapse_cheapest() || find_moves_again())) {
    }
    if (mesh_.live > target) drop_smallest_pieces(target);
    remove_turned_faces(target - static_cast<std::size_t>(kSpare * static_cast<double>(target)));
}

/// Down to `least` faces.
void Simplifier::remove_turned_faces(std::size_t least) {
    for (std::uint32_t f = 0; f < mesh_.faces.size() && mesh_.live > least + 1; ++f)
        if (mesh_.faces[f].alive && mesh_.is_turned(f) && !mesh_.was_turned(f)) remove_by_move(f);
}

/// Moves one corner of a face into another, at the least cost at which no other face turns.
bool Simplifier::remove_by_move(std::uint32_t face) {
    Goal best;
    std::uint32_t from = kNowhere;
    double least = std::numeric_limits<double>::infinity();
    const std::array<std::uint32_t, 3> corners = mesh_.faces[face].points;
    for (const std::uint32_t p : corners) {
        if (mesh_.is_hub(p)) continue;
        mesh_.spokes(p, search_.spokes);
        search_.move.from = p;
        for (const std::uint32_t to : corners) {
            if (to == p || mesh_.is_hub(to)) continue;
            for (const Care care : {Care::full, Care::permissive, Care::little}) {
                if (!is_sound(to, care, search_)) continue;
                const double cost = errors_.cost(search_.move);
                if (!(price(cost, care) < least)) break;
                least = price(cost, care);
                best = {to, care, cost};
                from = p;
                break;
            }
        }
    }
    if (from == kNowhere) return false;
    best_[from] = best;
    if (!still_sound(from)) return false;
    collapse(from);
    return true;
}

std::vector<Surface> Simplifier::surfaces() const {
    std::vector<std::uint32_t> survivor = survivor_;
    std::vector<bool> merged(survivor.size(), false);
    for (std::uint32_t p = 0; p < survivor.size(); ++p) {
        while (survivor[survivor[p]] != survivor[p]) survivor[p] = survivor[survivor[p]];
        if (survivor[p] != p) merged[survivor[p]] = true;
    }
    const Fit fit = fit_level(mesh_, samples_, survivor, merged);
    std::vector<Surface> left = input_.surfaces;
    for (std::uint32_t w = 0; w < mesh_.wedges.size(); ++w) {
        const Wedge& wedge = mesh_.wedges[w];
        if (!merged[wedge.point]) continue;
        Surface& surface = left[wedge.surface];
        surface.positions[wedge.vertex] = fit.places[wedge.point];
        if (surface.normals.empty()) continue;
        const Vec3f& normal = fit.normals[w];
        surface.normals[wedge.vertex] = normal;
        if (surface.tangents.empty()) continue;
        Vec4f& tangent = surface.tangents[wedge.vertex];
        const Vec3f upright = tangent.head<3>() - normal * normal.dot(tangent.head<3>());
        if (upright.norm() > 0) tangent.head<3>() = upright.normalized();
    }
    for (std::uint32_t s = 0; s < left.size(); ++s) {
        left[s].body = mesh_.triangles(s);
        left[s].face.clear();
        left[s] = drop_unused_vertices(left[s]);
    }
    return left;
}

}  // namespace helixavatar::lod
