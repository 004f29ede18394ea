// SPDX-License-Identifier: MIT
// Half-edge collapses, cheapest first, over the whole of a mesh or over one region of it.
#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "error_field.hpp"
#include "wedge_mesh.hpp"

namespace helixavatar::lod {

inline constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

/// Where a point goes.
struct Goal {
    std::uint32_t point = kNowhere;
    Care care = Care::full;
    double cost = 0;

    /// The cost with what less care adds to it, by which moves are compared; infinite without a goal.
    double price() const;
};

/// A mesh that is being reduced, and what is known of its points.
struct Reduction {
    WedgeMesh mesh;
    ErrorField errors;
    std::vector<Goal> best;               ///< point: its cheapest sound move
    std::vector<std::uint32_t> version;   ///< point: which of its candidates is the last; the others are out of date
    std::vector<std::uint32_t> survivor;  ///< point: the one that it was merged into, or itself
    std::vector<std::uint8_t> region;     ///< point: at most kStill of them; empty: one for all

    static constexpr std::uint8_t kStill = 255;

    explicit Reduction(const SimplifierInput& input);

    /// Points with a neighbour in another region belong to none: they stay, and none of them loses its faces.
    void hold_still_where_regions_meet();
};

/// Looks for moves and makes them. Several may work side by side, each on a region of its own, once the points where
/// regions meet are held still: then none reads what another one writes. Deterministic: equal prices go by
/// point number.
class Collapses {
public:
    explicit Collapses(Reduction& all, std::uint8_t region = 0) : all_(all), region_(region) {}

    /// Finds the best move of every point again and queues them all.
    void find_all();
    /// Queues the best moves of these points, and finds those that are missing.
    void find_missing(std::span<const std::uint32_t> points);
    /// Does the cheapest move there is of at most this price. Faces that went, 0 when there is none.
    std::size_t collapse_cheapest(double most);

private:
    struct Candidate {
        double price = 0;
        std::uint32_t point = 0;
        std::uint32_t version = 0;
        bool operator>(const Candidate& o) const { return price != o.price ? price > o.price : point > o.point; }
    };
    using Queue = std::priority_queue<Candidate, std::vector<Candidate>, std::greater<Candidate>>;

    void fill_queue(std::span<const std::uint32_t> points);
    void find_best_move(std::uint32_t point);
    Goal best_move(std::uint32_t point);
    bool in_region(std::uint32_t point) const { return all_.region.empty() || all_.region[point] == region_; }
    bool find_cheapest(Goal& cheapest);
    void price_moves(double most);
    bool is_sound(std::uint32_t to, Care care);
    void find_careless_move(Goal& found);
    void consider(std::uint32_t point, std::uint32_t to);
    bool still_sound(std::uint32_t point);
    bool beside(std::uint32_t point) const;
    std::size_t collapse(std::uint32_t point);

    Reduction& all_;
    std::uint8_t region_;
    Queue queue_;
    Move move_;
    std::vector<Spoke> spokes_;                              ///< of move_.from
    std::vector<Spoke> ring_;                                ///< of the point that was collapsed last
    std::vector<std::pair<double, std::uint32_t>> choices_;  ///< what each way costs, cheapest first
};

}  // namespace helixavatar::lod
