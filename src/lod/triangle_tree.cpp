// SPDX-License-Identifier: MIT
#include "triangle_tree.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>

namespace helixavatar::lod {

namespace {

constexpr std::uint32_t kLeafSize = 4;

Vec3f nearest_on_segment(const Vec3f& p, const Vec3f& a, const Vec3f& b) {
    const Vec3f along = b - a;
    const float length2 = along.squaredNorm();
    if (!(length2 > 0)) return a;
    return a + along * std::clamp((p - a).dot(along) / length2, 0.0F, 1.0F);
}

}  // namespace

Vec3f nearest_on_triangle(const Vec3f& p, const Triangle3& t) {
    const Vec3f normal = (t[1] - t[0]).cross(t[2] - t[0]);
    const float length2 = normal.squaredNorm();
    if (length2 > 0) {
        bool inside = true;
        for (std::size_t i = 0; i < 3 && inside; ++i) inside = normal.dot((t[(i + 1) % 3] - t[i]).cross(p - t[i])) >= 0;
        if (inside) return p - normal * (normal.dot(p - t[0]) / length2);
    }
    Vec3f best = nearest_on_segment(p, t[0], t[1]);
    for (std::size_t i = 1; i < 3; ++i) {
        const Vec3f other = nearest_on_segment(p, t[i], t[(i + 1) % 3]);
        if ((other - p).squaredNorm() < (best - p).squaredNorm()) best = other;
    }
    return best;
}

TriangleTree::TriangleTree(std::vector<Triangle3> triangles) : triangles_(std::move(triangles)) {
    if (triangles_.empty()) return;
    given_.resize(triangles_.size());
    std::iota(given_.begin(), given_.end(), 0U);
    std::vector<Vec3f> centres;
    centres.reserve(triangles_.size());
    for (const Triangle3& t : triangles_) centres.push_back((t[0] + t[1] + t[2]) / 3);
    nodes_.reserve(triangles_.size());
    nodes_.emplace_back();
    build(0, 0, static_cast<std::uint32_t>(triangles_.size()), centres);
}

// Halves by the median of the longest axis: the depth is log2 of the count whatever the triangles are.
void TriangleTree::build(std::uint32_t node, std::uint32_t first, std::uint32_t count, std::vector<Vec3f>& centres) {
    Eigen::AlignedBox3f box, middles;
    for (std::uint32_t i = first; i < first + count; ++i) {
        for (const Vec3f& corner : triangles_[i]) box.extend(corner);
        middles.extend(centres[i]);
    }
    nodes_[node].box = box;
    if (count <= kLeafSize) {
        nodes_[node].first = first;
        nodes_[node].count = count;
        return;
    }
    int axis = 0;
    middles.sizes().maxCoeff(&axis);
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), first);
    const std::uint32_t half = count / 2;
    std::nth_element(order.begin(), order.begin() + half, order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return centres[a][axis] != centres[b][axis] ? centres[a][axis] < centres[b][axis] : a < b;
    });
    const auto reorder = [&](auto& values) {
        std::remove_reference_t<decltype(values)> moved;
        for (const std::uint32_t i : order) moved.push_back(values[i]);
        std::copy(moved.begin(), moved.end(), values.begin() + first);
    };
    reorder(triangles_);
    reorder(given_);
    reorder(centres);
    const auto left = static_cast<std::uint32_t>(nodes_.size());
    nodes_[node].first = left;
    nodes_.resize(nodes_.size() + 2);
    build(left, first, half, centres);
    build(left + 1, first + half, count - half, centres);
}

TriangleTree::Hit TriangleTree::nearest(const Vec3f& p) const {
    Hit hit;
    float best2 = std::numeric_limits<float>::infinity();
    std::array<std::uint32_t, 128> stack;
    std::size_t depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const Node& node = nodes_[stack[--depth]];
        if (node.box.squaredExteriorDistance(p) >= best2) continue;
        if (node.count > 0) {
            for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
                const Vec3f point = nearest_on_triangle(p, triangles_[i]);
                if ((point - p).squaredNorm() >= best2) continue;
                best2 = (point - p).squaredNorm();
                hit = {given_[i], point};
            }
            continue;
        }
        const float left = nodes_[node.first].box.squaredExteriorDistance(p);
        const float right = nodes_[node.first + 1].box.squaredExteriorDistance(p);
        stack[depth++] = left <= right ? node.first + 1 : node.first;  // the nearer one is popped first
        stack[depth++] = left <= right ? node.first : node.first + 1;
    }
    return hit;
}

}  // namespace helixavatar::lod
