// SPDX-License-Identifier: MIT
#include "triangle_tree.hpp"

#include <algorithm>
#include <limits>

namespace helixavatar::lod {

namespace {

constexpr std::uint32_t kLanes = 4;
constexpr std::uint32_t kLeafBit = std::uint32_t{1} << 31;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// a / b, and 0 where b is none above 0.
Float4 share(Float4 a, Float4 b) {
    const Float4 none = all_lanes(0);
    return b > none ? a / b : none;
}

}  // namespace

// Which of the seven regions of the triangle's plane p lies over: three corners, three edges, the inside (Ericson,
// Real-Time Collision Detection, 5.1.5).
std::array<float, 2> nearest_shares(const Vec3f& ap, const Vec3f& ab, const Vec3f& ac) {
    const float d1 = ab.dot(ap), d2 = ac.dot(ap);
    if (d1 <= 0 && d2 <= 0) return {0, 0};
    const Vec3f bp = ap - ab;
    const float d3 = ab.dot(bp), d4 = ac.dot(bp);
    if (d3 >= 0 && d4 <= d3) return {1, 0};
    const float vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return {d1 > d3 ? d1 / (d1 - d3) : 0, 0};
    const Vec3f cp = ap - ac;
    const float d5 = ab.dot(cp), d6 = ac.dot(cp);
    if (d6 >= 0 && d5 <= d6) return {0, 1};
    const float vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return {0, d2 > d6 ? d2 / (d2 - d6) : 0};
    const float va = d3 * d6 - d5 * d4, to_c = d4 - d3, to_b = d5 - d6;
    if (va <= 0 && to_c >= 0 && to_b >= 0) {
        const float c = to_c + to_b > 0 ? to_c / (to_c + to_b) : 0;
        return {1 - c, c};
    }
    const float sum = va + vb + vc;
    if (!(sum > 0)) return {0, 0};
    return {vb / sum, vc / sum};
}

Vec3f nearest_on_triangle(const Vec3f& p, const Triangle3& t) {
    const Vec3f ab = t[1] - t[0], ac = t[2] - t[0];
    const auto [b, c] = nearest_shares(p - t[0], ab, ac);
    return b == 1 ? t[1] : c == 1 ? t[2] : Vec3f(t[0] + b * ab + c * ac);
}

/// Halves by the median of the longest axis: the depth is log4 of the count whatever the triangles are.
class TriangleTree::Builder {
public:
    Builder(TriangleTree& tree, const std::vector<Triangle3>& triangles) : tree_(tree), triangles_(triangles) {
        std::vector<Centre> centres;
        centres.reserve(triangles.size());
        for (const Triangle3& t : triangles)
            centres.push_back({(t[0] + t[1] + t[2]) / 3, static_cast<std::uint32_t>(centres.size())});
        tree.leaves_.reserve(triangles.size() / kLanes + 1);
        tree.nodes_.reserve(triangles.size() / 8 + 1);
        add_node(centres);
    }

private:
    struct Centre {
        Vec3f place;
        std::uint32_t triangle = 0;
    };
    using Centres = std::span<Centre>;

    std::uint32_t add_node(Centres centres) {
        const auto index = static_cast<std::uint32_t>(tree_.nodes_.size());
        tree_.nodes_.emplace_back();
        for (Float4& low : tree_.nodes_[index].low) low = all_lanes(kInfinity);
        for (Float4& high : tree_.nodes_[index].high) high = all_lanes(-kInfinity);
        std::uint32_t lane = 0;
        const auto [left, right] = halves(centres);
        for (const Centres half : {left, right}) {
            const auto [first, second] = halves(half);
            for (const Centres quarter : {first, second}) {
                if (quarter.empty()) continue;
                Eigen::AlignedBox3f box;
                for (const Centre& centre : quarter)
                    for (const Vec3f& corner : triangles_[centre.triangle]) box.extend(corner);
                const std::uint32_t child = quarter.size() <= kLanes ? add_leaf(quarter) | kLeafBit : add_node(quarter);
                Node& node = tree_.nodes_[index];  // only now: the list may have grown
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    node.low[axis][lane] = box.min()[static_cast<int>(axis)];
                    node.high[axis][lane] = box.max()[static_cast<int>(axis)];
                }
                node.children[lane++] = child;
            }
        }
        return index;
    }

    /// The first half fills its leaves; the second one is empty where one leaf is enough.
    std::pair<Centres, Centres> halves(Centres centres) {
        if (centres.size() <= kLanes) return {centres, {}};
        Eigen::AlignedBox3f middles;
        for (const Centre& centre : centres) middles.extend(centre.place);
        int axis = 0;
        middles.sizes().maxCoeff(&axis);
        const std::size_t half = (centres.size() / 2 + kLanes - 1) / kLanes * kLanes;
        std::nth_element(centres.begin(), centres.begin() + static_cast<std::ptrdiff_t>(half), centres.end(),
                         [&](const Centre& a, const Centre& b) {
                             const float x = a.place[axis], y = b.place[axis];
                             return x != y ? x < y : a.triangle < b.triangle;
                         });
        return {centres.first(half), centres.subspan(half)};
    }

    std::uint32_t add_leaf(Centres centres) {
        Leaf leaf;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            leaf.given[lane] = centres[std::min<std::size_t>(lane, centres.size() - 1)].triangle;
            const Triangle3& t = triangles_[leaf.given[lane]];
            for (std::size_t k = 0; k < 3; ++k) {
                const auto axis = static_cast<int>(k);
                leaf.corner[k][lane] = t[0][axis];
                leaf.ab[k][lane] = t[1][axis] - t[0][axis];
                leaf.ac[k][lane] = t[2][axis] - t[0][axis];
            }
        }
        tree_.leaves_.push_back(leaf);
        return static_cast<std::uint32_t>(tree_.leaves_.size() - 1);
    }

    TriangleTree& tree_;
    const std::vector<Triangle3>& triangles_;
};

TriangleTree::TriangleTree(const std::vector<Triangle3>& triangles) {
    if (!triangles.empty()) Builder(*this, triangles);
}

/// What was asked, and the best answer so far.
struct TriangleTree::Nearest {
    Vec3x4 asked;
    std::uint32_t leaf = 0, lane = 0;
    Vec3f offset = Vec3f::Zero();
    float distance2 = 0;
};

/// The regions of nearest_shares() for four triangles at once, the last one first.
void TriangleTree::look_at(std::uint32_t index, Nearest& best) const {
    const Leaf& leaf = leaves_[index];
    const Float4 none = all_lanes(0), one = all_lanes(1);
    const Vec3x4 ap = minus(best.asked, leaf.corner), bp = minus(ap, leaf.ab), cp = minus(ap, leaf.ac);
    const Float4 d1 = dot(leaf.ab, ap), d2 = dot(leaf.ac, ap), d3 = dot(leaf.ab, bp), d4 = dot(leaf.ac, bp),
                 d5 = dot(leaf.ab, cp), d6 = dot(leaf.ac, cp);
    const Float4 va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    const Float4 to_c = d4 - d3, to_b = d5 - d6, sum = va + vb + vc;
    Float4 b = share(vb, sum), c = share(vc, sum);
    const auto lies = [&](Int4 where, Float4 b_there, Float4 c_there) {
        b = where ? b_there : b;
        c = where ? c_there : c;
    };
    const Float4 on_bc = share(to_c, to_c + to_b);
    lies((va <= none) & (to_c >= none) & (to_b >= none), one - on_bc, on_bc);
    lies((vb <= none) & (d2 >= none) & (d6 <= none), none, share(d2, d2 - d6));
    lies((d6 >= none) & (d5 <= d6), none, one);
    lies((vc <= none) & (d1 >= none) & (d3 <= none), share(d1, d1 - d3), none);
    lies((d3 >= none) & (d4 <= d3), one, none);
    lies((d1 <= none) & (d2 <= none), none, none);
    const Vec3x4 offset = {b * leaf.ab[0] + c * leaf.ac[0] - ap[0], b * leaf.ab[1] + c * leaf.ac[1] - ap[1],
                           b * leaf.ab[2] + c * leaf.ac[2] - ap[2]};
    const Float4 distance2 = dot(offset, offset);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        if (!(distance2[lane] < best.distance2)) continue;
        best.distance2 = distance2[lane];
        best.offset = {offset[0][lane], offset[1][lane], offset[2][lane]};
        best.leaf = index;
        best.lane = lane;
    }
}

TriangleTree::Hit TriangleTree::nearest(const Vec3f& p, std::uint32_t hint) const {
    Nearest best;
    best.asked = {all_lanes(p.x()), all_lanes(p.y()), all_lanes(p.z())};
    best.leaf = hint;
    const Vec3x4& corner = leaves_[hint].corner;
    best.offset = Vec3f(corner[0][0], corner[1][0], corner[2][0]) - p;
    best.distance2 = best.offset.squaredNorm();
    look_at(hint, best);
    struct Waiting {
        float distance2;
        std::uint32_t child;
    };
    std::array<Waiting, 64> stack;  // three stay behind in each of at most 16 levels
    std::size_t depth = 0;
    stack[depth++] = {0, 0};
    while (depth > 0) {
        const Waiting next = stack[--depth];
        if (!(next.distance2 < best.distance2)) continue;
        if (next.child & kLeafBit) {
            look_at(next.child & ~kLeafBit, best);
            continue;
        }
        const Node& node = nodes_[next.child];
        Float4 distance2 = all_lanes(0);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const Float4 off =
                larger(larger(node.low[axis] - best.asked[axis], best.asked[axis] - node.high[axis]), all_lanes(0));
            distance2 += off * off;
        }
        const std::size_t bottom = depth;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            if (!(distance2[lane] < best.distance2)) continue;
            std::size_t at = depth++;  // the nearest one is popped first
            for (; at > bottom && stack[at - 1].distance2 < distance2[lane]; --at) stack[at] = stack[at - 1];
            stack[at] = {distance2[lane], node.children[lane]};
        }
    }
    return {leaves_[best.leaf].given[best.lane], best.leaf, p + best.offset};
}

}  // namespace helixavatar::lod
