// SPDX-License-Identifier: MIT
// Half-edge collapse over all surfaces of a level at once.
#pragma once

#include <cstdint>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

#include "collapses.hpp"
#include "fit.hpp"

namespace helixavatar::lod {

/// Goes from the full level down, one collapse after the other, cheapest first; asked for a falling row of targets it
/// stops at each. A point takes a move of less care only where it has none of more that costs nearly as little; when no
/// point has any, the smallest separate pieces go. After a collapse only what it changed is looked at again, and a move
/// is checked once more when its turn comes. Deterministic: equal costs go by point number.
class Simplifier {
public:
    explicit Simplifier(SimplifierInput input);

    /// Collapses until at most `triangles` are left or nothing more can be done.
    void reduce_to(std::size_t triangles);

    std::size_t triangles() const { return live_; }
    /// Separate pieces of the source that have no triangle left.
    std::size_t missing_pieces() const;

    /// What is left now.
    LevelMesh level() const;

    /// What a level has of each surface, in the order of the input, without unused vertices. UVs, weights, colours and
    /// morph deltas are the input's; positions and normals of vertices that stand for others too are set where they fit
    /// best. May be called while the reduction goes on in another thread.
    std::vector<avatar::Surface> surfaces(const LevelMesh& level) const;

private:
    void reduce_in_regions(std::size_t target);
    std::vector<std::uint32_t> points_by_height() const;
    double price_of_share(double share) const;
    bool find_moves_again();
    std::vector<std::uint32_t> find_pieces() const;
    void drop_smallest_pieces(std::size_t triangles);

    SimplifierInput input_;
    Reduction all_;
    Collapses collapses_;
    std::size_t live_ = 0;              ///< faces
    std::vector<std::uint32_t> piece_;  ///< face: a face of the same piece of the source
    std::vector<SourceSample> samples_;
    bool moved_ = true;  ///< something was collapsed since every point was looked at
};

}  // namespace helixavatar::lod
