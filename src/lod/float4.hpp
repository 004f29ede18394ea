// SPDX-License-Identifier: MIT
// Four floats that are worked on at once, by the vector extension that g++ and clang share. Every lane does what a
// float would do, in the order that is written, so that results are the same on any machine.
#pragma once

#include <array>
#include <cstdint>

namespace helixavatar::lod {

using Float4 = float __attribute__((vector_size(16)));
using Int4 = std::int32_t __attribute__((vector_size(16)));  ///< what comparisons give: all bits set where they hold

inline Float4 all_lanes(float value) {
    return Float4{value, value, value, value};
}

/// Lane by lane; the second where the first is no number.
inline Float4 larger(Float4 a, Float4 b) {
    return a > b ? a : b;
}

/// Four vectors: x, y and z of all of them.
using Vec3x4 = std::array<Float4, 3>;

inline Vec3x4 minus(const Vec3x4& a, const Vec3x4& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

inline Vec3x4 times(Float4 scale, const Vec3x4& a) {
    return {scale * a[0], scale * a[1], scale * a[2]};
}

inline Float4 dot(const Vec3x4& a, const Vec3x4& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

inline Vec3x4 cross(const Vec3x4& a, const Vec3x4& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace helixavatar::lod
