// SPDX-License-Identifier: MIT
// Sums of weighted squared distances as quadratic forms (Garland and Heckbert 1997; attributes after Hoppe 1999).
// Weights are areas in m² and attributes are scaled to metres, so every error is in m⁴ and can be added to any other.
//
// A form is written down as seen from a place on what was summed up: its numbers stay as small as the errors they stand
// for, and single precision is enough.
#pragma once

#include <array>
#include <cstddef>

#include "float4.hpp"

namespace helixavatar::lod {

/// x ↦ Σ w (g·x + d)², the sum over everything that was added. T: float, or Float4 for four sums in four places.
template <class T>
struct Quadric {
    T xx{}, xy{}, xz{}, yy{}, yz{}, zz{};
    T x{}, y{}, z{};  ///< Σ w d g
    T constant{};

    /// w (g·x)²; for a plane through the origin g is its unit normal, for an attribute the gradient of what it should
    /// be.
    template <class V>
    void add(const V& g, T w) {
        const T wx = w * g[0], wy = w * g[1], wz = w * g[2];
        xx += wx * g[0];
        xy += wx * g[1];
        xz += wx * g[2];
        yy += wy * g[1];
        yz += wy * g[2];
        zz += wz * g[2];
    }

    /// w |x|².
    void add_point(T w) {
        xx += w;
        yy += w;
        zz += w;
    }

    Quadric& operator+=(const Quadric& o) {
        xx += o.xx;
        xy += o.xy;
        xz += o.xz;
        yy += o.yy;
        yz += o.yz;
        zz += o.zz;
        x += o.x;
        y += o.y;
        z += o.z;
        constant += o.constant;
        return *this;
    }

    template <class V>
    T operator()(const V& at) const {
        return at[0] * (xx * at[0] + 2 * (xy * at[1] + xz * at[2] + x)) + at[1] * (yy * at[1] + 2 * (yz * at[2] + y)) +
               at[2] * (zz * at[2] + 2 * z) + constant;
    }

    /// Seen from another place.
    template <class V>
    Quadric from(const V& place) const {
        Quadric q = *this;
        q.x += xx * place[0] + xy * place[1] + xz * place[2];
        q.y += xy * place[0] + yy * place[1] + yz * place[2];
        q.z += xz * place[0] + yz * place[1] + zz * place[2];
        q.constant = (*this)(place);
        return q;
    }
};

/// (x, s) ↦ Σ w Σ_a (g_a·x + d_a − s_a)²: how far N attributes s at x are from what the triangles had there.
template <std::size_t N>
struct AttributeQuadric {
    using Values = std::array<float, N>;

    std::array<Float4, N> sums{};  ///< Σ w (g, d) of each attribute
    Quadric<float> predicted;
    float weight = 0;

    /// `weight` grows apart from this, once for all attributes.
    template <class V>
    void add(std::size_t attribute, const V& g, float w) {
        predicted.add(g, w);
        sums[attribute] += w * Float4{g[0], g[1], g[2], 0};
    }

    AttributeQuadric& operator+=(const AttributeQuadric& o) {
        predicted += o.predicted;
        weight += o.weight;
        for (std::size_t a = 0; a < N; ++a) sums[a] += o.sums[a];
        return *this;
    }

    template <class V>
    float operator()(const V& at, const Values& s) const {
        Float4 meant{};
        float squares = 0;
        for (std::size_t a = 0; a < N; ++a) {
            meant += s[a] * sums[a];
            squares += s[a] * s[a];
        }
        return predicted(at) + weight * squares -
               2 * (meant[0] * at[0] + meant[1] * at[1] + meant[2] * at[2] + meant[3]);
    }

    /// Seen from another place, and with attributes counted from other values.
    template <class V>
    AttributeQuadric from(const V& place, const Values& s) const {
        AttributeQuadric q = *this;
        q.predicted = predicted.from(place);
        q.predicted.constant = (*this)(place, s);
        for (std::size_t a = 0; a < N; ++a) {
            q.predicted.x -= s[a] * sums[a][0];
            q.predicted.y -= s[a] * sums[a][1];
            q.predicted.z -= s[a] * sums[a][2];
            q.sums[a][3] += sums[a][0] * place[0] + sums[a][1] * place[1] + sums[a][2] * place[2] - weight * s[a];
        }
        return q;
    }
};

}  // namespace helixavatar::lod
