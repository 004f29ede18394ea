// SPDX-License-Identifier: MIT
// One level's vertices straight from the document's accessors, so that weights can be written back where they were.
#pragma once

#include <array>
#include <vector>

#include <helixavatar/dynamics/apply.hpp>
#include <helixavatar/gltf/edit.hpp>

namespace helixavatar::dynamics {

/// A vertex's weights on avatar joints; new joints come after those that the avatar has. Heaviest first, no zeros.
struct JointWeight {
    int joint = 0;
    double weight = 0;
};
using JointWeights = std::vector<JointWeight>;

/// Vertices that share one JOINTS_0 and WEIGHTS_0: a body and its FaceMesh are one pool.
struct VertexPool {
    std::size_t joints_accessor = 0, weights_accessor = 0, position_accessor = 0;
    std::size_t skin = 0;
    std::size_t first = 0, count = 0;  ///< in the level's vertices
};

struct LevelMesh {
    std::vector<VertexPool> pools;
    std::vector<Vec3> positions;  ///< world at bind, metres
    std::vector<JointWeights> weights;
    std::vector<float> luminance;               ///< of the base colour as stored, 0..1; NaN where nothing is known
    std::vector<int> welded;                    ///< vertex → point: vertices of one place are one point
    std::vector<std::vector<int>> neighbours;   ///< of each point, over the edges of triangles
    std::vector<std::vector<int>> vertices_of;  ///< of each point
    std::vector<int> piece;                     ///< of each point: the connected piece that it belongs to
};

/// Fills `welded`, `neighbours`, `vertices_of` and `piece` from the positions; triangles of vertex indices in range.
void weld(LevelMesh& level, const std::vector<std::array<int, 3>>& triangles);

/// One for each scene. Errors: unconvertible (compressed or sparse data, a further set of weights, a bind that is not
/// the character's own space).
Result<std::vector<LevelMesh>> read_levels(const gltf::Document& document, const avatar::Avatar& avatar,
                                           const PictureSource& pictures);

/// Writes the weights of the marked vertices into their accessors in place. `joint_in_skin[skin][avatar joint]`: place
/// in the skin. At most four weights a vertex, of sum 1. Errors: unconvertible (a joint index does not fit).
Result<void> write_weights(gltf::Document& document, const LevelMesh& level, const std::vector<bool>& changed,
                           const std::vector<std::vector<int>>& joint_in_skin);

}  // namespace helixavatar::dynamics
