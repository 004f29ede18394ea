// SPDX-License-Identifier: MIT
// What a collapse would cost: shape at rest and in bent poses, shading and texture.
#pragma once

#include <array>
#include <limits>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

#include "flexed_poses.hpp"
#include "quadric.hpp"
#include "wedge_mesh.hpp"

namespace helixavatar::lod {

/// What the simplifier must know of the level beside its triangles.
struct SimplifierInput {
    std::vector<avatar::Surface> surfaces;       ///< welded
    std::vector<FlexedPoses> posed;              ///< surface: the same vertices in bent poses
    std::vector<std::vector<float>> importance;  ///< surface, vertex: factor on every squared error, 1 for plain skin
    std::vector<bool> textured;                  ///< surface: its UVs and colours are seen
};

/// One sum of errors a point, pose and wedge; it grows as points merge. Each is seen from where its point is.
class ErrorField {
public:
    ErrorField(const SimplifierInput& input, const WedgeMesh& mesh);

    /// In m⁴, area × squared distance: how far the surface at rest goes off. The whole cost is this or more.
    double rest_cost(std::uint32_t from, std::uint32_t to) const;

    /// The whole cost of a move whose rest_cost() is `rest`. Where it is `most` or more it may be any number from there
    /// on.
    double cost(const Move& move, double rest, double most = std::numeric_limits<double>::infinity()) const;

    void merge(const Move& move);

private:
    /// Some attributes of every wedge.
    template <std::size_t N>
    struct Attributes {
        std::vector<std::array<float, N>> values;  ///< scaled to metres
        std::vector<AttributeQuadric<N>> errors;

        std::array<float, N> step(std::uint32_t from, std::uint32_t to) const;
        float cost(std::uint32_t from, std::uint32_t to, const Vec3f& step_of_point) const;
        void merge(std::uint32_t from, std::uint32_t to, const Vec3f& step_of_point);
        void add_face(const std::array<std::uint32_t, 3>& wedges, const Vec3f& to_b, const Vec3f& to_c, float weight);
    };

    void place_points(const SimplifierInput& input, const WedgeMesh& mesh);
    void scale_attributes(const SimplifierInput& input, const WedgeMesh& mesh);
    void add_face(const WedgeMesh& mesh, std::uint32_t face, float importance);
    void add_lines(const WedgeMesh& mesh, std::uint32_t point);

    // What neighbours are asked for lies close together: reading it is what a cost takes most of its time for.
    std::vector<Vec3f> places_;          ///< of each point
    std::vector<Vec3x4> posed_places_;   ///< in each of the bent poses
    std::vector<Quadric<float>> shape_;  ///< of each point
    std::vector<Quadric<Float4>> posed_shape_;
    Attributes<3> shading_;  ///< normals
    Attributes<2> texture_;  ///< UVs as metres of skin
    Attributes<3> tinting_;  ///< colours; none where no surface has them
};

}  // namespace helixavatar::lod
