// SPDX-License-Identifier: MIT
// What a collapse would cost: shape at rest and in bent poses, shading and texture.
#pragma once

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

using ShadingQuadric = AttributeQuadric<6>;  ///< normal, colour
using TextureQuadric = AttributeQuadric<2>;  ///< UV in metres of skin

/// One sum of errors a point, pose and wedge; it grows as points merge.
class ErrorField {
public:
    ErrorField(const SimplifierInput& input, const WedgeMesh& mesh);

    /// In m⁴: area × squared distance.
    double cost(const Move& move) const;

    void merge(const Move& move);
    /// True once another point has merged into this one.
    bool merged(std::uint32_t point) const { return merged_[point]; }

    /// Where everything that merged into a point is best represented by the wedges that it has left; its own place when
    /// that is no better. UVs and colours stay, normals follow.
    Vec3 best_place(std::uint32_t point, const std::vector<std::uint32_t>& wedges) const;
    /// The normal that fits what merged into the wedge, at a place near its own; zero when there is none.
    Vec3f best_normal(std::uint32_t wedge, const Vec3f& at) const;

private:
    void place_points(const SimplifierInput& input, const WedgeMesh& mesh);
    void scale_attributes(const SimplifierInput& input, const WedgeMesh& mesh);
    void add_face(const WedgeMesh& mesh, std::uint32_t face, double importance);
    void add_attributes(const WedgeMesh& mesh, std::uint32_t face, double weight);
    void add_lines(const WedgeMesh& mesh, std::uint32_t point);
    Vec3 place(std::uint32_t point, std::size_t pose) const { return places_[point * poses_ + pose]; }

    std::size_t poses_ = 1;                ///< with rest, which comes first
    std::vector<Vec3> places_;             ///< point × poses_ + pose
    std::vector<Quadric> shape_;           ///< the same
    std::vector<bool> merged_;             ///< point
    std::vector<ShadingQuadric> shading_;  ///< wedge
    std::vector<ShadingQuadric::Values> shades_;
    std::vector<TextureQuadric> texture_;  ///< wedge
    std::vector<TextureQuadric::Values> texels_;
};

}  // namespace helixavatar::lod
