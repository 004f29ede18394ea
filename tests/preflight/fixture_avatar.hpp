// SPDX-License-Identifier: MIT
// A good three-level avatar made of boxes around the bones of the canonical skeleton: it passes every rule, and a test
// breaks one thing in it.
#pragma once

#include <string>
#include <vector>

#include <helixavatar/gltf/document.hpp>
#include <helixavatar/skeleton/skeleton.hpp>

namespace helixavatar::test {

using gltf::Json;

struct FixtureJoint {
    std::string name;
    int parent = -1;
    bool skin = true;
    Pose world;
};

struct FixtureLevel {
    std::vector<FixtureJoint> joints;
    std::vector<float> positions, normals, uvs, weights;  ///< 3, 3, 2 and 4 a vertex
    std::vector<std::uint16_t> influences;                ///< 4 a vertex, places in the skin's joint list
    std::vector<std::uint32_t> body, face;

    int joint(const std::string& name) const;
    std::size_t vertices() const { return positions.size() / 3; }
};

struct FixtureAvatar {
    std::vector<FixtureLevel> levels;
    Bytes color, normal;  ///< encoded images
    std::string mime = "image/png";
    Json dynamics, face, hide;
    Json materials;
};

FixtureAvatar good_avatar();

/// Scene i is level i: nodes 0.. of a level are its joints in order, then Body, then FaceMesh.
gltf::Document to_document(const FixtureAvatar& avatar);

/// Node of a level's joint in to_document()'s output.
int node_of(const FixtureAvatar& avatar, std::size_t level, const std::string& joint);

/// Turns joints and vertices of every level about the vertical axis.
void turn_joints(FixtureAvatar& avatar, double degrees);
void turn_vertices(FixtureAvatar& avatar, double degrees);
/// Scales or moves both.
void transform_all(FixtureAvatar& avatar, double scale, const Vec3& move);
/// Removes a joint from every level, or from one; what hung on it hangs on its parent.
void remove_joint(FixtureLevel& level, const std::string& name);

/// An RGB PNG of `edge` pixels a side, uncompressed.
Bytes png(int edge, const std::vector<std::uint8_t>& rgb);

/// Pictures: skin-like colours; rounded bumps as a tangent-space normal map (`green` −1: DirectX).
std::vector<std::uint8_t> color_picture(int edge);
std::vector<std::uint8_t> normal_picture(int edge, double green = 1);

}  // namespace helixavatar::test
