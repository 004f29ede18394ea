// SPDX-License-Identifier: MIT
#include "triangle_tree.hpp"

#include <algorithm>
#include <numeric>

namespace helixavatar::lod {

namespace {

constexpr std::uint32_t kLeafSize = 4;

}  // namespace

// Which of the seven regions of the triangle's plane p lies over: three corners, three edges, the inside (Ericson,
// Real-Time Collision Detection, 5.1.5).
Vec3f nearest_on_triangle(const Vec3f& p, const Triangle3& t) {
    const Vec3f ab = t[1] - t[0], ac = t[2] - t[0], ap = p - t[0];
    const float d1 = ab.dot(ap), d2 = ac.dot(ap);
    if (d1 <= 0 && d2 <= 0) return t[0];
    const Vec3f bp = p - t[1];
    const float d3 = ab.dot(bp), d4 = ac.dot(bp);
    if (d3 >= 0 && d4 <= d3) return t[1];
    const float vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return t[0] + ab * (d1 > d3 ? d1 / (d1 - d3) : 0);
    const Vec3f cp = p - t[2];
    const float d5 = ab.dot(cp), d6 = ac.dot(cp);
    if (d6 >= 0 && d5 <= d6) return t[2];
    const float vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return t[0] + ac * (d2 > d6 ? d2 / (d2 - d6) : 0);
    const float va = d3 * d6 - d5 * d4, to_c = d4 - d3, to_b = d5 - d6;
    if (va <= 0 && to_c >= 0 && to_b >= 0) return t[1] + (t[2] - t[1]) * (to_c + to_b > 0 ? to_c / (to_c + to_b) : 0);
    const float sum = va + vb + vc;
    return sum > 0 ? Vec3f(t[0] + ab * (vb / sum) + ac * (vc / sum)) : t[0];
}

TriangleTree::TriangleTree(std::vector<Triangle3> triangles) : triangles_(std::move(triangles)) {
    if (triangles_.empty()) return;
    given_.resize(triangles_.size());
    std::iota(given_.begin(), given_.end(), 0U);
    centres_.reserve(triangles_.size());
    for (const Triangle3& t : triangles_) centres_.push_back((t[0] + t[1] + t[2]) / 3);
    nodes_.reserve(triangles_.size());
    nodes_.emplace_back();
    build(0, 0, static_cast<std::uint32_t>(triangles_.size()));
    std::vector<Triangle3> by_slot;
    by_slot.reserve(triangles_.size());
    for (const std::uint32_t t : given_) by_slot.push_back(triangles_[t]);
    triangles_ = std::move(by_slot);
    centres_ = {};
}

// Halves by the median of the longest axis: the depth is log2 of the count whatever the triangles are.
void TriangleTree::build(std::uint32_t node, std::uint32_t first, std::uint32_t count) {
    Eigen::AlignedBox3f box, middles;
    for (std::uint32_t i = first; i < first + count; ++i) {
        for (const Vec3f& corner : triangles_[given_[i]]) box.extend(corner);
        middles.extend(centres_[given_[i]]);
    }
    nodes_[node].box = box;
    if (count <= kLeafSize) {
        nodes_[node].first = first;
        nodes_[node].count = count;
        return;
    }
    int axis = 0;
    middles.sizes().maxCoeff(&axis);
    const std::uint32_t half = count / 2;
    const auto begin = given_.begin() + first;
    std::nth_element(begin, begin + half, begin + count, [&](std::uint32_t a, std::uint32_t b) {
        const float x = centres_[a][axis], y = centres_[b][axis];
        return x != y ? x < y : a < b;
    });
    const auto left = static_cast<std::uint32_t>(nodes_.size());
    nodes_[node].first = left;
    nodes_.resize(nodes_.size() + 2);
    build(left, first, half);
    build(left + 1, first + half, count - half);
}

TriangleTree::Hit TriangleTree::nearest(const Vec3f& p, std::uint32_t hint) const {
    Hit hit{given_[hint], hint, nearest_on_triangle(p, triangles_[hint])};
    float best2 = (hit.point - p).squaredNorm();
    struct Waiting {
        std::uint32_t node;
        float distance2;
    };
    std::array<Waiting, 128> stack;
    std::size_t depth = 0;
    stack[depth++] = {0, 0};
    while (depth > 0) {
        const Waiting next = stack[--depth];
        if (next.distance2 >= best2) continue;
        const Node& node = nodes_[next.node];
        if (node.count > 0) {
            for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
                const Vec3f point = nearest_on_triangle(p, triangles_[i]);
                const float distance2 = (point - p).squaredNorm();
                if (distance2 >= best2) continue;
                best2 = distance2;
                hit = {given_[i], i, point};
            }
            continue;
        }
        const Waiting left{node.first, nodes_[node.first].box.squaredExteriorDistance(p)};
        const Waiting right{node.first + 1, nodes_[node.first + 1].box.squaredExteriorDistance(p)};
        const bool left_first = left.distance2 <= right.distance2;
        stack[depth++] = left_first ? right : left;  // the nearer one is popped first
        stack[depth++] = left_first ? left : right;
    }
    return hit;
}

}  // namespace helixavatar::lod
