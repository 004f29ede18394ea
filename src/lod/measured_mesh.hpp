// SPDX-License-Identifier: MIT
// A level as one pool of vertices, and its surface as samples.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

#include "triangle_tree.hpp"

namespace helixavatar::lod {

/// A point of a triangle: corner 0 plus a and b times the edges from it.
struct Sample {
    std::uint32_t triangle = 0;
    float a = 0, b = 0;
    float weight = 0;  ///< area in m² that it stands for; 0 at vertices, which only count for the maximum
};

struct MeasuredMesh {
    std::vector<Vec3f> positions;                         ///< at rest
    std::vector<Vec3f> normals;                           ///< or empty
    std::vector<Vec2f> uvs;                               ///< of the first set; or empty
    std::vector<std::array<std::uint32_t, 3>> triangles;  ///< those whose corners are finite

    explicit MeasuredMesh(const avatar::Level& level);

    /// Some `by_area` samples spread by area at rest and as many of the used vertices, or all, triangle after triangle.
    std::vector<Sample> samples(std::size_t by_area, std::size_t vertices) const;

    /// The triangles over other positions of the same vertices.
    std::vector<Triangle3> placed(const std::vector<Vec3f>& at) const;

    /// A value that vertices have, at a sample.
    template <class T>
    T at(const Sample& s, const std::vector<T>& values) const {
        const auto& t = triangles[s.triangle];
        return values[t[0]] + s.a * (values[t[1]] - values[t[0]]) + s.b * (values[t[2]] - values[t[0]]);
    }

    /// The sample of a triangle that lies at `point`, which is on it.
    Sample sample_at(std::uint32_t triangle, const Vec3f& point) const;

    double area(std::size_t triangle) const;
    /// Metres of skin that a unit of UV covers on the average; 0 without UVs.
    double metres_a_uv() const;
};

}  // namespace helixavatar::lod
