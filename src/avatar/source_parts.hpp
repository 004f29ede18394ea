// SPDX-License-Identifier: MIT
// The parts of read_source(): rest pose, meshes, materials.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <tiny_gltf.h>

#include <helixavatar/avatar/read_source.hpp>

namespace helixavatar::avatar {

/// Elements of a root array; 0 when it is missing or none.
inline std::size_t count_of(const Json& json, const char* array) {
    return json.contains(array) && json[array].is_array() ? json[array].size() : 0;
}

/// What is left to say when the structure check let a value through that a reader cannot take.
inline Error unreadable_value(const Json::exception& exception) {
    return {ErrorKind::malformed, std::string("a value of the file is not what glTF asks for: ") + exception.what(), "",
            "run `helixavatar preflight` on the file, then export it again"};
}

/// The file's node hierarchy at the chosen rest. All matrices map into the file's world space and may scale and mirror.
struct SourcePose {
    std::vector<int> nodes;                        ///< joint → glTF node, parents first
    std::vector<int> node_to_joint;                ///< glTF node → joint, or -1 (not in the scene)
    std::vector<int> parents;                      ///< joint → joint
    std::vector<Mat4> rest;                        ///< joint → world
    std::vector<bool> in_skin;                     ///< a skin of a mesh in the scene names it
    std::vector<std::vector<Mat4>> inverse_binds;  ///< skin → its matrices
    std::string chosen;                            ///< "bind" or "node"
};

Result<SourcePose> read_pose(const gltf::Document& document, const tinygltf::Model& model, const ReadOptions& options,
                             std::vector<std::string>& notes);

/// The UV sets that a material needs, in the order of the surfaces' uvs: a TEXCOORD of the file through a
/// KHR_texture_transform.
struct UvSet {
    int texcoord = 0;
    Vec2 offset = Vec2::Zero();
    double rotation = 0;
    Vec2 scale = Vec2::Ones();
    bool operator==(const UvSet&) const = default;
};

using UvSets = std::vector<std::vector<UvSet>>;  ///< by material

struct SourceMaterials {
    std::vector<Material> materials;
    UvSets uv_sets;
    std::vector<Texture> textures;
    std::vector<Image> images;
};

Result<SourceMaterials> read_materials(const gltf::Document& document, std::vector<std::string>& warnings);

/// Every primitive of every mesh in the scene as a surface in world space.
struct SourceMeshes {
    std::vector<Surface> surfaces;
    std::vector<std::pair<int, int>> origin;  ///< node and primitive of each surface
    std::vector<int> position_accessors;      ///< of each surface: equal ones share their vertices
    std::vector<std::vector<std::string>> mesh_morph_names;
    std::size_t primitives = 0;
    std::size_t vertices = 0;  ///< as the file has them, unused ones too
};

/// Whether a surface gets all vertices of the accessors that its primitive names, or those that it draws.
enum class Pools { whole, used };

Result<SourceMeshes> read_meshes(const gltf::Document& document, const tinygltf::Model& model, const SourcePose& pose,
                                 const UvSets& uv_sets, const ReadOptions& options, Pools pools,
                                 std::vector<std::string>& warnings);

}  // namespace helixavatar::avatar
