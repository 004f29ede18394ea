// SPDX-License-Identifier: MIT
#include "simplifier.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fit.hpp"
#include "vertex_pool.hpp"

namespace helixavatar::lod {

using avatar::Surface;

namespace {

// A face that shows its back is worth waiting for a better move, while there is one somewhere.
constexpr double kTurningCost = 10;
constexpr std::uint32_t kNoFace = ~std::uint32_t{0};

}  // namespace

Simplifier::Simplifier(SimplifierInput input)
    : input_(std::move(input)), mesh_(input_.surfaces, input_.textured), errors_(input_, mesh_) {
    samples_ = sample_source(mesh_);
    survivor_.resize(mesh_.places.size());
    std::iota(survivor_.begin(), survivor_.end(), 0U);
    piece_ = find_pieces();
    best_.resize(mesh_.places.size());
    version_.assign(mesh_.places.size(), 0);
    for (std::uint32_t p = 0; p < mesh_.places.size(); ++p) find_best_move(p);
}

void Simplifier::find_best_move(std::uint32_t point) {
    ++version_[point];  // what the queue holds for it so far is void
    if (mesh_.around[point].empty() || mesh_.is_hub(point)) return;
    mesh_.spokes(point, spokes_);
    for (const Care care : {Care::full, Care::permissive, Care::little, Care::least})
        if (find_best_move(point, care)) return;
}

bool Simplifier::find_best_move(std::uint32_t point, Care care) {
    choices_.clear();
    move_.from = point;
    move_.care = care;
    for (const Spoke& spoke : spokes_) {
        move_.to = spoke.point;
        if (mesh_.is_hub(spoke.point) || !mesh_.match_wedges(move_)) continue;
        const double cost = errors_.cost(move_);
        if (std::isfinite(cost)) choices_.emplace_back(cost, spoke.point);
    }
    // Soundness costs more to find out than the price, and the cheapest move is nearly always sound.
    std::sort(choices_.begin(), choices_.end());
    for (const auto& [cost, to] : choices_) {
        move_.to = to;
        mesh_.match_wedges(move_);
        if (!mesh_.is_sound(move_, spokes_)) continue;
        best_[point] = {to, care};
        queue_.push({care == Care::least ? cost * kTurningCost : cost, point, version_[point]});
        return true;
    }
    return false;
}

bool Simplifier::collapse_cheapest() {
    while (!queue_.empty()) {
        const Candidate next = queue_.top();
        queue_.pop();
        if (next.version != version_[next.point]) continue;
        Move move;
        move.from = next.point;
        move.to = best_[next.point].point;
        move.care = best_[next.point].care;
        mesh_.match_wedges(move);
        errors_.merge(move);
        survivor_[move.from] = move.to;
        std::vector<Spoke> before;
        mesh_.spokes(move.from, before);
        mesh_.apply(move);
        // Everything around both ends has new faces or a new neighbour.
        std::vector<std::uint32_t> touched = {move.from, move.to};
        for (const Spoke& spoke : before) touched.push_back(spoke.point);
        mesh_.spokes(move.to, before);
        for (const Spoke& spoke : before) touched.push_back(spoke.point);
        std::sort(touched.begin(), touched.end());
        touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
        for (const std::uint32_t p : touched) find_best_move(p);
        return true;
    }
    return false;
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

bool Simplifier::drop_smallest_piece() {
    const std::vector<std::uint32_t> piece = find_pieces();
    std::vector<float> area(piece.size(), 0);
    for (std::uint32_t f = 0; f < piece.size(); ++f) {
        if (piece[f] == kNoFace) continue;
        const Vec3f &a = mesh_.places[mesh_.point(f, 0)], &b = mesh_.places[mesh_.point(f, 1)],
                    &c = mesh_.places[mesh_.point(f, 2)];
        area[piece[f]] += (b - a).cross(c - a).norm();
    }
    std::uint32_t smallest = kNoFace;
    std::size_t pieces = 0;
    for (std::uint32_t f = 0; f < piece.size(); ++f) {
        if (piece[f] != f) continue;
        ++pieces;
        if (smallest == kNoFace || area[f] < area[smallest]) smallest = f;
    }
    if (pieces < 2) return false;
    for (std::uint32_t f = 0; f < piece.size(); ++f)
        if (piece[f] == smallest) mesh_.remove_face(f);
    return true;
}

void Simplifier::reduce_to(std::size_t target) {
    while (mesh_.live > target)
        if (!collapse_cheapest() && !drop_smallest_piece()) return;
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
