// SPDX-License-Identifier: MIT
// What both outputs of the builder are made from: the posed body on the joints of a rig.
#pragma once

#include "support/face_shapes.hpp"
#include "support/humanoid.hpp"

namespace helixavatar::test {

struct HumanoidModel {
    Rig rig;                                     ///< joints at the bind pose
    std::vector<Pose> nodes;                     ///< of each rig joint where the nodes are posed, world
    HumanoidBody body;                           ///< positions and normals posed; influences replaced by `influences`
    std::vector<avatar::Influences> influences;  ///< on rig joints
    std::vector<int> materials;                  ///< of each triangle
    std::vector<bool> head;                      ///< triangles of the FaceMesh slice
    std::vector<FaceShape> shapes;
};

/// Level 0 first; throws std::invalid_argument for options out of range.
std::vector<HumanoidModel> make_models(const HumanoidOptions& options);

/// Name of material i of `count`.
std::string material_name(std::size_t i, std::size_t count);
double material_roughness(std::size_t i, std::size_t count);

/// More than kStuffs split every stuff.
inline constexpr std::size_t kMostMaterials = 64;

/// The glTF JSON of VRM extensions for a model whose joints are nodes first_node, first_node + 1, ...; morph targets
/// are those of mesh `mesh` on node `mesh_node`. Nothing for a family that is no VRM.
void add_vrm(gltf::Json& json, const HumanoidOptions& options, const HumanoidModel& model, std::size_t first_node,
             std::size_t mesh, std::size_t mesh_node);

/// Faults that are done to the finished document.
void apply_faults(gltf::Document& document, const HumanoidOptions& options);

}  // namespace helixavatar::test
