// SPDX-License-Identifier: MIT
#include "collapses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <helixavatar/base/parallel.hpp>

namespace helixavatar::lod {

namespace {

// A move of less care is worth waiting for a better one, while there is one somewhere.
constexpr double kPermissiveCost = 2;
constexpr double kPinchingCost = 3;
constexpr double kTurningCost = 5;
constexpr std::size_t kChunk = 1024;  // points that one thread looks at in one go

double price_of(double cost, Care care) {
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

double Goal::price() const {
    return point == kNowhere ? std::numeric_limits<double>::infinity() : price_of(cost, care);
}

Reduction::Reduction(const SimplifierInput& input) : mesh(input.surfaces, input.textured), errors(input, mesh) {
    survivor.resize(mesh.places.size());
    std::iota(survivor.begin(), survivor.end(), 0U);
    best.resize(mesh.places.size());
    version.assign(mesh.places.size(), 0);
}

void Reduction::hold_still_where_regions_meet() {
    std::vector<std::uint8_t> held = region;
    for (const Face& face : mesh.faces) {
        const std::uint8_t first = region[face.points[0]];
        if (!face.alive || (region[face.points[1]] == first && region[face.points[2]] == first)) continue;
        for (const std::uint32_t p : face.points) held[p] = kStill;
    }
    region = std::move(held);
}

void Collapses::find_all() {
    std::vector<Goal>& best = all_.best;
    parallel_for((best.size() + kChunk - 1) / kChunk, [&](std::size_t chunk) {
        Collapses search(all_, region_);
        for (std::size_t p = chunk * kChunk; p < std::min(best.size(), (chunk + 1) * kChunk); ++p)
            best[p] = search.best_move(static_cast<std::uint32_t>(p));
    });
    std::vector<std::uint32_t> all(best.size());
    std::iota(all.begin(), all.end(), 0U);
    fill_queue(all);
}

void Collapses::find_missing(std::span<const std::uint32_t> points) {
    for (const std::uint32_t p : points)
        if (in_region(p) && all_.best[p].point == kNowhere) all_.best[p] = best_move(p);
    fill_queue(points);
}

void Collapses::fill_queue(std::span<const std::uint32_t> points) {
    std::vector<Candidate> candidates;
    candidates.reserve(points.size());
    for (const std::uint32_t p : points) {
        ++all_.version[p];  // what another queue holds for it is void
        const Goal& best = all_.best[p];
        if (best.point != kNowhere && in_region(p)) candidates.push_back({best.price(), p, all_.version[p]});
    }
    queue_ = Queue(std::greater<Candidate>(), std::move(candidates));
}

void Collapses::find_best_move(std::uint32_t point) {
    ++all_.version[point];
    const Goal best = all_.best[point] = best_move(point);
    if (best.point != kNowhere) queue_.push({best.price(), point, all_.version[point]});
}

Goal Collapses::best_move(std::uint32_t point) {
    Goal best;
    const WedgeMesh& mesh = all_.mesh;
    if (mesh.around[point].empty() || mesh.is_hub(point) || !in_region(point)) return best;
    mesh.spokes(point, spokes_);
    move_.from = point;
    move_.care = Care::full;
    const bool all_open = find_cheapest(best);
    if (best.point == kNowhere || is_sound(best.point, Care::full)) {
        if (!all_open || best.point == kNowhere) find_careless_move(best);
        return best;
    }
    best = {};
    price_moves(std::numeric_limits<double>::infinity());
    for (const auto& [cost, to] : choices_) {
        if (!is_sound(to, Care::full)) continue;
        best = {to, Care::full, cost};
        break;
    }
    find_careless_move(best);
    return best;
}

/// The cheapest way, sound or not: it nearly always is, and soundness costs more to find out than the price. False when
/// some ways are closed to moves of this care.
bool Collapses::find_cheapest(Goal& cheapest) {
    double least = std::numeric_limits<double>::infinity();
    std::size_t open = 0;
    for (const Spoke& spoke : spokes_) {
        if (all_.mesh.is_hub(spoke.point)) continue;
        const double rest = all_.errors.rest_cost(move_.from, spoke.point);
        if (rest > least) {  // whether it is open does not matter
            ++open;
            continue;
        }
        move_.to = spoke.point;
        if (!all_.mesh.match_wedges(move_)) continue;
        const double cost = all_.errors.cost(move_, rest, least);
        if (!std::isfinite(cost)) continue;
        ++open;
        if (!(cost < least) && !(cost == least && spoke.point < cheapest.point)) continue;
        least = cost;
        cheapest = {spoke.point, Care::full, cost};
    }
    return open == spokes_.size();
}

/// Those of less than `most`, for the care of move_.
void Collapses::price_moves(double most) {
    choices_.clear();
    for (const Spoke& spoke : spokes_) {
        if (all_.mesh.is_hub(spoke.point)) continue;
        const double rest = all_.errors.rest_cost(move_.from, spoke.point);
        if (!(rest < most)) continue;
        move_.to = spoke.point;
        if (!all_.mesh.match_wedges(move_)) continue;
        const double cost = all_.errors.cost(move_, rest, most);
        if (cost < most) choices_.emplace_back(cost, spoke.point);
    }
    std::sort(choices_.begin(), choices_.end());
}

bool Collapses::is_sound(std::uint32_t to, Care care) {
    move_.to = to;
    move_.care = care;
    return all_.mesh.match_wedges(move_) && all_.mesh.is_sound(move_, spokes_);
}

/// A move of less care that is so much cheaper that it is worth it.
void Collapses::find_careless_move(Goal& found) {
    double least = found.point == kNowhere ? std::numeric_limits<double>::infinity() : found.cost;
    move_.care = Care::permissive;
    price_moves(least / kPermissiveCost);
    for (const auto& [cost, to] : choices_) {
        if (price_of(cost, Care::permissive) >= least) break;
        for (const Care care : {Care::permissive, Care::little, Care::least}) {
            if (price_of(cost, care) >= least) break;
            if (!is_sound(to, care)) continue;
            found = {to, care, cost};
            least = price_of(cost, care);
            break;
        }
    }
}

/// A new neighbour may be a better goal than the one that a point has; what the others cost is as it was.
void Collapses::consider(std::uint32_t point, std::uint32_t to) {
    const WedgeMesh& mesh = all_.mesh;
    if (mesh.is_hub(point) || mesh.is_hub(to)) return;
    const double best = all_.best[point].cost, rest = all_.errors.rest_cost(point, to);
    if (!(rest < best)) return;
    move_.from = point;
    move_.to = to;
    move_.care = Care::full;
    if (!mesh.match_wedges(move_)) return;
    const double cost = all_.errors.cost(move_, rest, best);
    if (!(cost < best)) return;  // what follows is seldom needed
    mesh.spokes(point, spokes_);
    if (!beside(to) || !mesh.is_sound(move_, spokes_)) return;
    all_.best[point] = {to, Care::full, cost};
    queue_.push({cost, point, ++all_.version[point]});
}

bool Collapses::beside(std::uint32_t point) const {
    return std::any_of(spokes_.begin(), spokes_.end(), [&](const Spoke& spoke) { return spoke.point == point; });
}

/// The ways between other points have changed since the move was chosen.
bool Collapses::still_sound(std::uint32_t point) {
    const Goal& goal = all_.best[point];
    move_.from = point;
    if (all_.mesh.is_hub(point) || all_.mesh.is_hub(goal.point)) return false;
    all_.mesh.spokes(point, spokes_);
    return beside(goal.point) && is_sound(goal.point, goal.care);
}

/// Does the move that still_sound() has prepared.
std::size_t Collapses::collapse(std::uint32_t point) {
    const std::uint32_t to = all_.best[point].point;
    all_.errors.merge(move_);
    all_.survivor[point] = to;
    std::swap(ring_, spokes_);
    const std::size_t gone = all_.mesh.apply(move_);
    ++all_.version[point];
    all_.best[point] = {};
    find_best_move(to);
    for (const Spoke& spoke : ring_) {
        const std::uint32_t p = spoke.point;
        if (p == to) continue;
        const Goal& goal = all_.best[p];
        if (!in_region(p))
            all_.best[p] = {};  // to be found when it may move
        else if (goal.point == kNowhere || goal.point == point || goal.care != Care::full)
            find_best_move(p);
        else
            consider(p, to);
    }
    return gone;
}

std::size_t Collapses::collapse_cheapest(double most) {
    while (!queue_.empty() && queue_.top().price <= most) {
        const Candidate next = queue_.top();
        queue_.pop();
        if (next.version != all_.version[next.point]) continue;
        if (!all_.mesh.around[next.point].empty() && still_sound(next.point)) return collapse(next.point);
        find_best_move(next.point);
    }
    return 0;
}

}  // namespace helixavatar::lod
