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

    struct Hit {
        std::uint32_t triangle = 0;   ///< as they were given
        Vec3f point = Vec3f::Zero();  ///< of that triangle, nearest to what was asked
    };
    /// The tree must not be empty.
    Hit nearest(const Vec3f& p) const;

private:
    struct Node {
        Eigen::AlignedBox3f box;
        std::uint32_t first = 0;  ///< first triangle of a leaf, or the left child (the right one follows it)
        std::uint32_t count = 0;  ///< triangles of a leaf; 0: inner node
    };
    void build(std::uint32_t node, std::uint32_t first, std::uint32_t count, std::vector<Vec3f>& centres);

    std::vector<Triangle3> triangles_;
    std::vector<std::uint32_t> given_;  ///< place of each triangle in the list that was given
    std::vector<Node> nodes_;
};

}  // namespace helixavatar::lod
