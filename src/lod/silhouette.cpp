// SPDX-License-Identifier: MIT
#include "silhouette.hpp"

#include <algorithm>
#include <cmath>

namespace helixavatar::lod {

namespace {

constexpr int kCells = 384;
constexpr int kMargin = 16;  // a level may stand out a little
constexpr int kEdge = kCells + 2 * kMargin;
constexpr int kDirections = 8;

using Mask = std::vector<std::uint8_t>;

/// Cells whose centre a triangle covers.
void fill(Mask& mask, const Vec2f& a, const Vec2f& b, const Vec2f& c) {
    const auto cross = [](const Vec2f& u, const Vec2f& v) { return u.x() * v.y() - u.y() * v.x(); };
    const float area = cross(b - a, c - a);
    if (!std::isfinite(area) || area == 0) return;
    const float side = area > 0 ? 1.0F : -1.0F;
    const auto cell = [](float at) { return static_cast<int>(std::clamp(at, -1.0F, static_cast<float>(kEdge))); };
    const int left = std::max(0, cell(std::min({a.x(), b.x(), c.x()}))),
              right = std::min(kEdge - 1, cell(std::max({a.x(), b.x(), c.x()})) + 1),
              low = std::max(0, cell(std::min({a.y(), b.y(), c.y()}))),
              high = std::min(kEdge - 1, cell(std::max({a.y(), b.y(), c.y()})) + 1);
    for (int y = low; y <= high; ++y) {
        for (int x = left; x <= right; ++x) {
            const Vec2f p(static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F);
            if (side * cross(b - a, p - a) >= 0 && side * cross(c - b, p - b) >= 0 && side * cross(a - c, p - c) >= 0)
                mask[static_cast<std::size_t>(y * kEdge + x)] = 1;
        }
    }
}

struct View {
    Vec3f right;
    Vec3f centre;
    float cells_a_metre = 1;
    Vec2f operator()(const Vec3f& p) const {
        const Vec3f from = p - centre;
        return Vec2f(from.dot(right), from.y()) * cells_a_metre + Vec2f::Constant(static_cast<float>(kEdge) / 2);
    }
};

Mask outline(const Outlined& body, const View& view) {
    Mask mask(static_cast<std::size_t>(kEdge) * kEdge, 0);
    std::vector<Vec2f> flat(body.positions->size());
    for (std::size_t v = 0; v < flat.size(); ++v) flat[v] = view((*body.positions)[v]);
    for (const auto& t : *body.triangles) fill(mask, flat[t[0]], flat[t[1]], flat[t[2]]);
    return mask;
}

}  // namespace

double silhouette_difference(const Outlined& level, const Outlined& reference) {
    Eigen::AlignedBox3f box;
    for (const Vec3f& p : *reference.positions)
        if (p.allFinite()) box.extend(p);
    if (box.isEmpty() || !(box.sizes().maxCoeff() > 0)) return 0;
    double sum = 0;
    for (int i = 0; i < kDirections; ++i) {
        const double angle = 2 * kPi * i / kDirections;
        const View view{Vec3f(static_cast<float>(std::cos(angle)), 0, static_cast<float>(std::sin(angle))),
                        box.center(), static_cast<float>(kCells) / box.sizes().norm()};
        const Mask a = outline(level, view), b = outline(reference, view);
        std::size_t both = 0, either = 0;
        for (std::size_t cell = 0; cell < a.size(); ++cell) {
            both += a[cell] & b[cell];
            either += a[cell] | b[cell];
        }
        if (either > 0) sum += 1 - static_cast<double>(both) / static_cast<double>(either);
    }
    return sum / kDirections;
}

}  // namespace helixavatar::lod
