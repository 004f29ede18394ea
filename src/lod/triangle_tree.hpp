// SPDX-License-Identifier: MIT
// Nearest point on a triangle mesh.
#pragma once

#include <array>
#include <cstdint>
#include <span>
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
    /// Metres from `p` to the nearest triangle; `at_most` when none is nearer.
    float distance(const Vec3f& p, float at_most) const;

private:
    struct Node {
        Eigen::AlignedBox3f box;
        std::uint32_t first = 0;  ///< first triangle of a leaf, or the left child (the right one follows it)
        std::uint32_t count = 0;  ///< triangles of a leaf; 0: inner node
    };
    void build(std::uint32_t node, std::uint32_t first, std::uint32_t count, std::vector<Vec3f>& centres);

    std::vector<Triangle3> triangles_;
    std::vector<Node> nodes_;
};

}  // namespace helixavatar::lod
