// SPDX-License-Identifier: MIT
// Half-edge collapse over all surfaces of a level at once.
#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <string>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

#include "quadric.hpp"
#include "wedge_mesh.hpp"

namespace helixavatar::lod {

/// What the simplifier must know of the level beside its triangles.
struct SimplifierInput {
    std::vector<avatar::Surface> surfaces;               ///< welded
    std::vector<std::vector<std::vector<Vec3f>>> posed;  ///< surface, pose, vertex: the same vertices in bent poses
    std::vector<std::vector<float>> importance;  ///< surface, vertex: factor on every squared error, 1 for plain skin
    std::vector<bool> textured;                  ///< surface: its UVs and colours are seen
};

/// Goes from the full level down, one collapse after the other, cheapest first; asked for a falling row of targets it
/// stops at each. Deterministic: equal costs go by point number.
class Simplifier {
public:
    explicit Simplifier(SimplifierInput input);

    /// Collapses until at most `triangles` are left or nothing can be collapsed any more.
    void reduce_to(std::size_t triangles);

    std::size_t triangles() const { return mesh_.live; }
    /// Separate pieces that had to be left out to reach a target, so far.
    std::size_t dropped_pieces() const { return dropped_pieces_; }

    /// What is left of each surface, in the order of the input; unused vertices are gone.
    std::vector<avatar::Surface> surfaces() const;

private:
    struct Candidate {
        double cost = 0;
        std::uint32_t point = 0;
        std::uint32_t version = 0;
        bool operator>(const Candidate& o) const { return cost != o.cost ? cost > o.cost : point > o.point; }
    };

    void measure_attributes();
    void add_face(std::uint32_t face);
    void add_attribute_gradients(std::uint32_t face, const Vec3& unit, double weight);
    void add_borders(std::uint32_t point);
    Vec3 place(std::uint32_t point, std::size_t pose) const;

    void find_best_move(std::uint32_t point);
    double cost(const Move& move) const;
    bool collapse_cheapest();
    void refresh_around(std::uint32_t point);
    bool drop_least_piece();

    SimplifierInput input_;
    WedgeMesh mesh_;
    std::size_t poses_ = 1;                      ///< with rest, which comes first
    std::vector<Vec3> posed_;                    ///< point × poses_ + pose
    std::vector<Quadric> shape_;                 ///< the same
    std::vector<AttributeQuadric> look_;         ///< wedge
    std::vector<Attributes> attributes_;         ///< wedge, scaled to metres
    std::vector<std::uint32_t> best_, version_;  ///< point
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<Candidate>> queue_;
    std::size_t dropped_pieces_ = 0;
    std::vector<Spoke> spokes_;  ///< scratch
};

}  // namespace helixavatar::lod
