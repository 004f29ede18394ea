// SPDX-License-Identifier: MIT
// Half-edge collapse over all surfaces of a level at once.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

#include "error_field.hpp"
#include "fit.hpp"
#include "wedge_mesh.hpp"

namespace helixavatar::lod {

/// Goes from the full level down, one collapse after the other, cheapest first; asked for a falling row of targets it
/// stops at each. A point takes a move of less care only where it has none of more that costs nearly as little; when no
/// point has any, the smallest separate pieces go. After a collapse only what it changed is looked at again, and a move
/// is checked once more when its turn comes. Deterministic: equal costs go by point number.
class Simplifier {
public:
    explicit Simplifier(SimplifierInput input);

    /// Collapses until at most `triangles` are left or nothing more can be done; then some more, within the 2 % that a
    /// level may stay under its target, where faces have turned away from their shading.
    void reduce_to(std::size_t triangles);

    std::size_t triangles() const { return mesh_.live; }
    /// Separate pieces of the source that have no triangle left.
    std::size_t missing_pieces() const;

    /// What is left of each surface, in the order of the input, without unused vertices. UVs, weights, colours and
    /// morph deltas are the input's; positions and normals of vertices that stand for others too are set where they fit
    /// best.
    std::vector<avatar::Surface> surfaces() const;

private:
    struct Candidate {
        double cost = 0;
        std::uint32_t point = 0;
        std::uint32_t version = 0;
        bool operator>(const Candidate& o) const { return cost != o.cost ? cost > o.cost : point > o.point; }
    };

    using Queue = std::priority_queue<Candidate, std::vector<Candidate>, std::greater<Candidate>>;

    struct Goal {
        std::uint32_t point = kNowhere;
        Care care = Care::full;
        double cost = 0;
    };
    static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
    /// What a look for moves works on; one a thread.
    struct Search {
        Move move;
        std::vector<Spoke> spokes;                              ///< of move.from
        std::vector<std::pair<double, std::uint32_t>> choices;  ///< what each way costs, cheapest first
    };

    void find_all_moves();
    void find_best_move(std::uint32_t point);
    Goal best_move(std::uint32_t point, Search& search) const;
    bool price_moves(Search& search) const;
    bool is_sound(std::uint32_t to, Care care, Search& search) const;
    void find_careless_move(Goal& found, Search& search) const;
    void consider(std::uint32_t point, std::uint32_t to);
    bool still_sound(std::uint32_t point);
    void collapse(std::uint32_t point);
    bool collapse_cheapest();
    bool find_moves_again();
    void remove_turned_faces(std::size_t least);
    bool remove_by_move(std::uint32_t face);
    std::vector<std::uint32_t> find_pieces() const;
    void drop_smallest_pieces(std::size_t triangles);

    SimplifierInput input_;
    WedgeMesh mesh_;
    ErrorField errors_;
    std::vector<Goal> best_;              ///< point: where it goes
    std::vector<std::uint32_t> version_;  ///< point: which of its candidates is the last; the others are out of date
    Queue queue_;
    std::vector<std::uint32_t> piece_;  ///< face: a face of the same piece of the source
    std::vector<SourceSample> samples_;
    std::vector<std::uint32_t> survivor_;  ///< point: the one that it was merged into, or itself
    Search search_;
    std::vector<Spoke> ring_;  ///< scratch
    bool moved_ = true;        ///< something was collapsed since every point was looked at
};

}  // namespace helixavatar::lod
