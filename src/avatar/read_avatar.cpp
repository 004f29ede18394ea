// SPDX-License-Identifier: MIT
#include <helixavatar/avatar/document_io.hpp>

#include <algorithm>
#include <set>

#include <helixavatar/gltf/model_view.hpp>

#include "source_parts.hpp"

namespace helixavatar::avatar {
namespace {

Error unfit(const std::string& message, const std::string& where) {
    return {ErrorKind::unconvertible, message, where, "run `helixavatar import` on the creator's file first"};
}

/// The joints of a scene: its nodes, less those that only carry a mesh.
struct SceneJoints {
    std::vector<Joint> joints;
    std::vector<int> of_pose;  ///< joint of the pose → joint here, or -1
};

SceneJoints scene_joints(const tinygltf::Model& model, const SourcePose& pose) {
    SceneJoints out;
    for (std::size_t j = 0; j < pose.nodes.size(); ++j) {
        const tinygltf::Node& node = model.nodes[pose.nodes[j]];
        const bool only_mesh = node.mesh >= 0 && !pose.in_skin[j] && node.children.empty();
        out.of_pose.push_back(only_mesh ? -1 : static_cast<int>(out.joints.size()));
        if (only_mesh) continue;
        const int parent = pose.parents[j] < 0 ? -1 : out.of_pose[pose.parents[j]];
        out.joints.push_back({node.name, parent, pose.in_skin[j], pose_of(pose.rest[j])});
    }
    return out;
}

/// Adds the triangles and morph targets of a primitive to the surface whose vertices it shares.
void add_slice(Surface& pool, Surface&& slice, bool face) {
    for (MorphTarget& morph : slice.morphs) {
        const auto same = [&](const MorphTarget& known) { return known.name == morph.name; };
        if (std::none_of(pool.morphs.begin(), pool.morphs.end(), same)) pool.morphs.push_back(std::move(morph));
    }
    std::vector<std::uint32_t>& into = face ? pool.face : pool.body;
    into.insert(into.end(), slice.body.begin(), slice.body.end());
}

Level read_level(SourceMeshes&& meshes, const std::vector<int>& to_avatar, std::string name) {
    Level level;
    level.name = std::move(name);
    std::vector<std::pair<int, int>> keys;  // POSITION accessor and material of each surface of the level
    for (std::size_t i = 0; i < meshes.surfaces.size(); ++i) {
        Surface& surface = meshes.surfaces[i];
        const bool face = surface.name.find(kFaceMesh) != std::string::npos;
        const std::pair<int, int> key{meshes.position_accessors[i], surface.material};
        const auto known = std::find(keys.begin(), keys.end(), key);
        if (known != keys.end()) {
            add_slice(level.surfaces[known - keys.begin()], std::move(surface), face);
            continue;
        }
        for (Influences& influences : surface.influences)
            for (Influence& influence : influences)
                influence.joint =
                    influence.weight > 0 ? static_cast<std::uint16_t>(to_avatar[influence.joint]) : std::uint16_t{0};
        if (face) std::swap(surface.body, surface.face);
        keys.push_back(key);
        level.surfaces.push_back(std::move(surface));
    }
    return level;
}

void read_manifests(const Json& json, Avatar& avatar) {
    if (!json.contains("scenes") || json["scenes"].empty() || !json["scenes"][0].contains("extras")) return;
    const Json& extras = json["scenes"][0]["extras"];
    if (!extras.is_object()) return;
    if (extras.contains("helixFace")) avatar.face = extras["helixFace"];
    if (extras.contains("helixDynamics")) avatar.dynamics = extras["helixDynamics"];
    const auto marks = extras.find("helixAvatar");
    if (marks == extras.end() || !marks->is_object() || !marks->contains("firstPersonHide")) return;
    for (const Json& name : (*marks)["firstPersonHide"])
        if (name.is_string()) avatar.first_person_hide.push_back(name);
}

}  // namespace

Result<Avatar> read_avatar(const gltf::Document& document) try {
    Result<tinygltf::Model> model = gltf::view_model(document);
    if (!model) return model.error();
    Avatar avatar;
    std::vector<std::string> ignored;
    Result<SourceMaterials> materials = read_materials(document, ignored);
    if (!materials) return materials.error();
    const std::size_t scenes = std::max<std::size_t>(1, model->scenes.size());
    for (std::size_t s = 0; s < scenes; ++s) {
        const std::string where = "/scenes/" + std::to_string(s);
        model->defaultScene = static_cast<int>(s);
        Result<SourcePose> pose = read_pose(document, *model, {}, ignored);
        if (!pose) return pose.error();
        Result<SourceMeshes> meshes =
            read_meshes(document, *model, *pose, materials->uv_sets, {}, Pools::whole, ignored);
        if (!meshes) return meshes.error();
        if (meshes->surfaces.empty())
            return unfit("the scene has no skinned mesh, so it is no level of an avatar", where);
        SceneJoints scene = scene_joints(*model, *pose);
        if (s == 0) avatar.joints = scene.joints;
        std::vector<int> to_avatar(scene.of_pose.size(), -1);
        for (std::size_t j = 0; j < to_avatar.size(); ++j) {
            if (scene.of_pose[j] < 0) continue;
            const std::string& name = scene.joints[scene.of_pose[j]].name;
            to_avatar[j] = s == 0 ? scene.of_pose[j] : avatar.find_joint(name);
            if (to_avatar[j] < 0 && pose->in_skin[j])
                return unfit("the joint " + name + " is not in the first scene's skeleton", where);
        }
        const std::string name = model->scenes.empty() ? "lod1" : model->scenes[s].name;
        avatar.levels.push_back(read_level(std::move(*meshes), to_avatar, name));
    }
    read_manifests(document.json, avatar);
    avatar.materials = std::move(materials->materials);
    avatar.textures = std::move(materials->textures);
    avatar.images = std::move(materials->images);
    return avatar;
} catch (const Json::exception& exception) {
    return unreadable_value(exception);
}

}  // namespace helixavatar::avatar
