// SPDX-License-Identifier: MIT
// What the rules judge: one measured model of the file. Counting works on any JSON; geometry is measured only when the
// structure check found the file safe to read.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <helixavatar/base/geometry.hpp>
#include <helixavatar/base/limits.hpp>
#include <helixavatar/gltf/document.hpp>
#include <helixavatar/gltf/image_header.hpp>

namespace helixavatar::preflight {

struct PrimitiveFacts {
    int material = -1;
    std::size_t triangles = 0;                     ///< drawn by one instance
    std::size_t vertices = 0;                      ///< elements of POSITION
    int position = -1, joints = -1, weights = -1;  ///< accessors
};

struct MeshFacts {
    std::string name;
    std::vector<PrimitiveFacts> primitives;
};

struct NodeFacts {
    std::string name;
    int parent = -1, mesh = -1, skin = -1;
    std::vector<int> children;
    Mat4 world = Mat4::Identity();  ///< valid in a file that is safe to read
};

struct SkinFacts {
    std::vector<int> joints;          ///< nodes
    std::vector<Mat4> inverse_binds;  ///< one a joint; identity where the file has none
};

/// Where vertices that hang on one joint lie, skinned at rest in world space.
struct Cloud {
    double weight = 0;
    Vec3 weighted_sum = Vec3::Zero();
    Vec3 centroid() const { return weighted_sum / weight; }
};

struct Box {
    Vec3 low = Vec3::Constant(1e300), high = Vec3::Constant(-1e300);
    void add(const Vec3& point) {
        low = low.cwiseMin(point);
        high = high.cwiseMax(point);
    }
    bool empty() const { return low.x() > high.x(); }
};

struct SceneFacts {
    std::string name;
    std::vector<int> roots;             ///< as the scene lists them
    std::vector<int> nodes;             ///< reachable, parents before children
    std::vector<int> instances;         ///< those nodes that draw a mesh
    std::vector<int> skins;             ///< of those instances, in order of first use
    std::map<std::string, int> joints;  ///< name → node of every joint of those skins; the first of equal names
    std::vector<std::string> repeated_joints;  ///< names that several joints of the scene bear
    std::size_t triangles = 0, draw_calls = 0, vertices = 0;
    Box bounds;                           ///< of all geometry, skinned at rest
    std::map<std::string, Cloud> clouds;  ///< joint name → skinned vertices
    Cloud face_morphs;                    ///< vertices that morph targets move, weighted by how far
};

/// A fault of one vertex pool's skin weights.
struct WeightFaults {
    std::string pointer, mesh;
    int scene = -1;
    std::size_t vertices = 0;
    std::size_t off_sum = 0, negative = 0, non_finite = 0, bad_joint = 0, unweighted = 0;
    std::size_t first_off_sum = 0, first_negative = 0, first_non_finite = 0, first_bad_joint = 0, first_unweighted = 0;
    double worst_sum = 1;
};

struct ImageFacts {
    std::string name;  ///< its own, or the material and slot that use it
    std::size_t bytes = 0;
    std::optional<gltf::ImageHeader> header;
    std::string fault;              ///< why there is no header
    std::vector<std::string> uses;  ///< "baseColorTexture of Skin"
    std::size_t gpu_bytes = 0;
};

/// A material's reference to an image.
struct TextureUse {
    int material = -1, image = -1;
    std::string slot;     ///< "baseColorTexture"
    std::string pointer;  ///< of the textureInfo
};

/// Primitives of one level that could be one draw: they share a material, and are all of the body or all of the face
/// slice, which stays a mesh of its own.
struct JoinableParts {
    std::size_t scene = 0;
    int material = -1;
    std::vector<std::string> meshes;  ///< labels of the nodes, one a primitive; two at least
};

struct Facts {
    bool readable = false;       ///< geometry was measured
    std::string unreadable_why;  ///< when not
    std::vector<MeshFacts> meshes;
    std::vector<NodeFacts> nodes;
    std::vector<SkinFacts> skins;
    std::vector<SceneFacts> scenes;
    std::vector<int> instances;  ///< all nodes that draw a mesh, in a scene or not
    std::vector<std::string> materials;
    std::vector<ImageFacts> images;
    std::vector<TextureUse> texture_uses;
    std::vector<WeightFaults> weight_faults;
    std::size_t triangles = 0, draw_calls = 0;

    /// World position and rotation (shear and scale taken off) of a node at rest.
    Vec3 position(int node) const { return nodes[static_cast<std::size_t>(node)].world.topRightCorner<3, 1>(); }
    Quat rotation(int node) const;
    std::string node_label(int node) const;  ///< its name, or "node 12"
    std::string mesh_label(int mesh) const;  ///< its name, or "mesh 3"
    std::string material_label(int material) const;
    std::string scene_label(std::size_t scene) const;  ///< "LOD0"
    std::vector<JoinableParts> joinable_parts() const;
    bool has_skin() const;  ///< some scene draws a skinned mesh
    /// A joint of a scene by name, or -1.
    int joint(std::size_t scene, const std::string& name) const;
};

/// Counts everything that needs no geometry.
Facts count_facts(const gltf::Document& document);

/// Adds node transforms, skinned bounds and weights. Requires a decompressed document without structure errors, and the
/// facts that count_facts() gave for it or for what it was decompressed from. Files that ask for more vertices (over
/// all instances and scenes) than the limit are left unreadable, with the reason.
void measure_geometry(const gltf::Document& document, Facts& facts, const Limits& limits);

}  // namespace helixavatar::preflight
