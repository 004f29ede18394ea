// SPDX-License-Identifier: MIT
// Nearest point on a triangle mesh.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <helixavatar/base/geometry.hpp>

#include "float4.hpp"

namespace helixavatar::lod {

using Triangle3 = std::array<Vec3f, 3>;

/// Of the point of a triangle nearest to a place: the shares of its second and third corner, exactly 0 and 1 where it
/// lies on an edge or a corner. Both edges and the place are seen from the first corner.
std::array<float, 2> nearest_shares(const Vec3f& ap, const Vec3f& ab, const Vec3f& ac);

/// That point.
Vec3f nearest_on_triangle(const Vec3f& p, const Triangle3& t);

/// A tree of boxes over triangles, four to a node and to a leaf. Triangles with a corner that is not finite must not be
/// given.
class TriangleTree {
public:
    explicit TriangleTree(const std::vector<Triangle3>& triangles);

    bool empty() const { return leaves_.empty(); }

    struct Hit {
        std::uint32_t triangle = 0;   ///< as they were given
        std::uint32_t leaf = 0;       ///< where it is in the tree: a hint for a question nearby
        Vec3f point = Vec3f::Zero();  ///< of that triangle, nearest to what was asked
    };
    /// The tree must not be empty. `hint`: leaf of a triangle that may be near; any leaf gives the same distance.
    Hit nearest(const Vec3f& p, std::uint32_t hint = 0) const;

private:
    struct Leaf {
        Vec3x4 corner, ab, ac;                 ///< of up to four triangles; the last one fills what is left
        std::array<std::uint32_t, 4> given{};  ///< places in the list that was given
    };
    struct Node {
        Vec3x4 low, high;                         ///< boxes of its children; inside out where there is none
        std::array<std::uint32_t, 4> children{};  ///< nodes, or leaves with the highest bit set
    };
    struct Nearest;
    class Builder;

    void look_at(std::uint32_t leaf, Nearest& best) const;

    std::vector<Leaf> leaves_;
    std::vector<Node> nodes_;  ///< the root is the first
};

}  // namespace helixavatar::lod
