// SPDX-License-Identifier: MIT
// Sums of weighted squared distances as quadratic forms (Garland and Heckbert 1997; attributes after Hoppe 1999).
// Weights are areas in m² and attributes are scaled to metres, so every error is in m⁴ and can be added to any other.
#pragma once

#include <array>
#include <cstddef>

#include <helixavatar/base/geometry.hpp>

namespace helixavatar::lod {

/// x ↦ Σ w (g·x + d)², the sum over everything that was added.
struct Quadric {
    double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
    Vec3 linear = Vec3::Zero();
    double constant = 0;

    /// w (g·x + d)²; for a plane g is its unit normal, for an attribute the gradient of what it should be.
    void add(const Vec3& g, double d, double w) {
        xx += w * g.x() * g.x();
        xy += w * g.x() * g.y();
        xz += w * g.x() * g.z();
        yy += w * g.y() * g.y();
        yz += w * g.y() * g.z();
        zz += w * g.z() * g.z();
        linear += w * d * g;
        constant += w * d * d;
    }

    /// w |x − p|².
    void add_point(const Vec3& p, double w) {
        xx += w;
        yy += w;
        zz += w;
        linear -= w * p;
        constant += w * p.squaredNorm();
    }

    Quadric& operator+=(const Quadric& o) {
        xx += o.xx;
        xy += o.xy;
        xz += o.xz;
        yy += o.yy;
        yz += o.yz;
        zz += o.zz;
        linear += o.linear;
        constant += o.constant;
        return *this;
    }

    double operator()(const Vec3& p) const {
        const double x = p.x(), y = p.y(), z = p.z();
        return x * (xx * x + 2 * (xy * y + xz * z + linear.x())) + y * (yy * y + 2 * (yz * z + linear.y())) +
               z * (zz * z + 2 * linear.z()) + constant;
    }
};

/// (x, s) ↦ Σ w Σ_a (g_a·x + d_a − s_a)²: how far N attributes s at x are from what the triangles had there.
template <std::size_t N>
struct AttributeQuadric {
    Quadric predicted;
    double weight = 0;
    std::array<Vec4, N> sums;  ///< Σ w (g, d) of each attribute

    AttributeQuadric() { sums.fill(Vec4::Zero()); }

    /// `weight` grows apart from this, once for all attributes.
    void add(std::size_t attribute, const Vec3& g, double d, double w) {
        predicted.add(g, d, w);
        sums[attribute] += w * Vec4(g.x(), g.y(), g.z(), d);
    }

    AttributeQuadric& operator+=(const AttributeQuadric& o) {
        predicted += o.predicted;
        weight += o.weight;
        for (std::size_t a = 0; a < N; ++a) sums[a] += o.sums[a];
        return *this;
    }

    double operator()(const Vec3& x, const std::array<float, N>& s) const {
        double error = predicted(x);
        const Vec4 at(x.x(), x.y(), x.z(), 1);
        for (std::size_t a = 0; a < N; ++a) {
            const auto is = static_cast<double>(s[a]);
            error += is * (is * weight - 2 * sums[a].dot(at));
        }
        return error;
    }
};

}  // namespace helixavatar::lod
