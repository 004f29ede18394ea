// SPDX-License-Identifier: MIT
// What a collapse would cost: shape at rest and in bent poses, shading and texture.
#pragma once

#include <array>
#include <limits>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

#include "quadric.hpp"
#include "wedge_mesh.hpp"

namespace helixavatar::lod {

/// What the simplifier must know of the level beside its triangles.
struct SimplifierInput {
    std::vector<avatar::Surface> surfaces;               ///< welded
    std::vector<std::vector<std::vector<Vec3f>>> posed;  ///< surface, pose, vertex: the same vertices in bent poses
    std::vector<std::vector<float>> importance;  ///< surface, vertex: factor on every squared error, 1 for plain skin
    std::vector<bool> textured;                  ///< surface: its UVs and colours are seen
};

using ShadingQuadric = AttributeQuadric<3>;  ///< normal, or colour
using TextureQuadric = AttributeQuadric<2>;  ///< UV in metres of skin

/// One sum of errors a point, pose and wedge; it grows as points merge.
class ErrorField {
public:
    ErrorField(const SimplifierInput& input, const WedgeMesh& mesh);

    /// In m⁴: area × squared distance. Where it is `most` or more it may be any number from there on.
    double cost(const Move& move, double most = std::numeric_limits<double>::infinity()) const;

    void merge(const Move& move);

private:
    using Values3 = std::array<float, 3>;
    using Values2 = std::array<float, 2>;

    void place_points(const SimplifierInput& input, const WedgeMesh& mesh);
    void scale_attributes(const SimplifierInput& input, const WedgeMesh& mesh);
    void add_face(const WedgeMesh& mesh, std::uint32_t face, double importance);
    void add_attributes(const WedgeMesh& mesh, std::uint32_t face, double weight);
    void add_lines(const WedgeMesh& mesh, std::uint32_t point);
    Vec3 place(std::uint32_t point, std::size_t pose) const { return places_[point * poses_ + pose].cast<double>(); }

    // What neighbours are asked for lies close together: reading it is what a cost takes most of its time for.
    std::size_t poses_ = 1;                ///< with rest, which comes first
    std::vector<Vec3f> places_;            ///< point × poses_ + pose
    std::vector<Quadric> shape_;           ///< the same
    std::vector<Values3> shades_;          ///< wedge: its normal, scaled
    std::vector<Values2> texels_;          ///< wedge: its UV, scaled
    std::vector<Values3> tints_;           ///< wedge: its colour, scaled; none where no surface has colours
    std::vector<ShadingQuadric> shading_;  ///< wedge
    std::vector<TextureQuadric> texture_;  ///< wedge
    std::vector<ShadingQuadric> tinting_;  ///< wedge, as tints_
};

}  // namespace helixavatar::lod
