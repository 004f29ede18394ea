// SPDX-License-Identifier: MIT
// The fused shell of the person on the reference joints: one fixed surface, whatever rig it is emitted on.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

#include "support/figure.hpp"

namespace helixavatar::test {

/// Heaviest first, sum 1, unused places {0, 0}; `joint` indexes reference_joints(), skin joints only.
using BodyInfluences = std::array<avatar::Influence, 4>;

/// A piece of the surface that lies flat in the texture.
struct Chart {
    float texel_metres = 0;  ///< metres of surface a whole texture width would be
};

struct HumanoidBody {
    // One entry a vertex; a vertex on a UV seam is there once a chart.
    std::vector<Vec3f> positions;  ///< metres, at the rest of helix-humanoid@1, feet on Y = 0, symmetric about X = 0
    std::vector<Vec3f> normals;
    std::vector<Vec2f> uvs;  ///< 0..1, V down as glTF has it; charts do not overlap
    std::vector<BodyInfluences> influences;
    std::vector<float> openness;        ///< 1 where nothing is near, less in creases
    std::vector<std::uint16_t> charts;  ///< index into chart_list
    std::vector<Chart> chart_list;

    std::vector<std::uint32_t> triangles;  ///< counter-clockwise from outside, closed over equal positions
    std::vector<Stuff> stuffs;             ///< of each triangle
    std::vector<Part> parts;               ///< of each triangle
};

/// The body at about `triangles` triangles (1000 to 1 000 000, within 3 %). Built once for each argument, then remembered
/// for the life of the program; safe to call from several threads.
const HumanoidBody& humanoid_body(std::size_t triangles, const FigureOptions& figure = {});

/// The same body with about `triangles` triangles that lie in the same texture.
HumanoidBody coarser(const HumanoidBody& body, const Field& field, std::size_t triangles);

/// The figure behind it, remembered too.
const Field& humanoid_field(const FigureOptions& figure = {});

/// Weights of a place on the surface.
BodyInfluences weigh(const Field& field, const Vec3f& position);

/// Fills uvs, charts, chart_list and splits vertices on seams. Needs positions, triangles, parts, normals.
void unfold(HumanoidBody& body);

}  // namespace helixavatar::test
