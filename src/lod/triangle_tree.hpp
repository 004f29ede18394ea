// SPDX-License-Identifier: MIT
// Nearest point on a triangle mesh.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <helixavatar/base/geometry.hpp>

namespace helixavatar::lod {

using Triangle3 = std::array<Vec3f, 3>;

/// Point of the triangle nearest to `p`.
Vec3f nearest_on_triangle(const Vec3f& p, const Triangle3& t);

/// A tree of boxes over triangles. Triangles with a corner that is not finite must not be given.
class TriangleTree {
public:
    explicit TriangleTree(std::vector<Triangle3> triangles);

    bool empty() const { return triangles_.empty(); }

    struct Hit {
        std::uint32_t triangle = 0;   ///< as they were given
        std::uint32_t slot = 0;       ///< its place in the tree: a hint for a question nearby
        Vec3f point = Vec3f::Zero();  ///< of that triangle, nearest to what was asked
    };
    /// The tree must not be empty. `hint`: slot of a triangle that may be near; any slot gives the same distance.
    Hit nearest(const Vec3f& p, std::uint32_t hint = 0) const;

private:
    struct Node {
        Eigen::AlignedBox3f box;
        std::uint32_t first = 0;  ///< first triangle of a leaf, or the left child (the right one follows it)
        std::uint32_t count = 0;  ///< triangles of a leaf; 0: inner node
    };
    void build(std::uint32_t node, std::uint32_t first, std::uint32_t count);

    std::vector<Triangle3> triangles_;  ///< as they were given while the tree is built, then by slot
    std::vector<Vec3f> centres_;        ///< while the tree is built
    std::vector<std::uint32_t> given_;  ///< slot: place in the list that was given
    std::vector<Node> nodes_;
};

}  // namespace helixavatar::lod
