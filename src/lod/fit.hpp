// SPDX-License-Identifier: MIT
// Where the vertices of a level lie best, all of them together.
#pragma once

#include <vector>

#include "level_mesh.hpp"

namespace helixavatar::lod {

/// A place on the source's surface.
struct SourceSample {
    Vec3f place = Vec3f::Zero();
    Vec3f upright = Vec3f::Zero();          ///< unit normal of its triangle
    Vec3f shading = Vec3f::Zero();          ///< unit shading normal; zero when there is none
    float weight = 0;                       ///< area in m² that it stands for
    std::array<std::uint32_t, 3> points{};  ///< corners of its triangle
    bool turned = false;                    ///< its triangle faces away from its shading
};

/// Samples of a mesh before anything is collapsed in it.
std::vector<SourceSample> sample_source(const WedgeMesh& mesh);

/// The normal of one corner of one face, where it is not that of its wedge.
struct CornerNormal {
    std::uint32_t face = 0;
    std::uint32_t corner = 0;
    Vec3f normal = Vec3f::Zero();
};

struct Fit {
    std::vector<Vec3f> places;              ///< of each point
    std::vector<Vec3f> normals;             ///< of each wedge; zero where its surface has none
    std::vector<CornerNormal> own_normals;  ///< by face
};

/// Places and normals that bring the level's surface and shading nearest to the samples, by least squares over all
/// vertices; each sample counts where it comes to lie near the survivor of a corner of its triangle, so that sheets
/// over sheets are not mixed up. Only points that stand for others too move. They stay on open borders, and where they
/// would turn a face over or away from its shading, leave the bounds of the source or go further than half their
/// shortest edge.
Fit fit_level(const LevelMesh& mesh, const std::vector<SourceSample>& samples);

}  // namespace helixavatar::lod
