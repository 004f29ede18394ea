// SPDX-License-Identifier: MIT
#include <helixavatar/avatar/read_source.hpp>

#include <algorithm>
#include <cctype>
#include <limits>

#include <helixavatar/avatar/manifest_faults.hpp>
#include <helixavatar/gltf/model_view.hpp>

#include "source_parts.hpp"

namespace helixavatar::avatar {
namespace {

/// VRM 0 writes hips, leftUpperLeg...: the same spelling as VRM 1, whose map is an object instead of a list.
std::map<std::string, int> vrm_humanoid(const Json& extension, int version, const std::vector<int>& node_to_joint) {
    std::map<std::string, int> map;
    const auto add = [&](const std::string& bone, const Json& entry) {
        if (!entry.is_object() || !entry.contains("node") || !entry["node"].is_number_integer()) return;
        const auto node = entry["node"].get<long long>();
        if (node < 0 || static_cast<std::size_t>(node) >= node_to_joint.size() || node_to_joint[node] < 0) return;
        map.emplace(bone, node_to_joint[node]);
    };
    if (!extension.contains("humanoid") || !extension["humanoid"].is_object() ||
        !extension["humanoid"].contains("humanBones"))
        return map;
    const Json& bones = extension["humanoid"]["humanBones"];
    if (version == 0 && bones.is_array()) {
        for (const Json& bone : bones)
            if (bone.is_object() && bone.contains("bone") && bone["bone"].is_string()) add(bone["bone"], bone);
    } else if (bones.is_object()) {
        for (const auto& item : bones.items()) add(item.key(), item.value());
    }
    return map;
}

std::optional<VrmFacts> read_vrm(const Json& json, const SourcePose& pose) {
    const auto extensions = json.find("extensions");
    if (extensions == json.end() || !extensions->is_object()) return std::nullopt;
    VrmFacts facts;
    if (extensions->contains("VRMC_vrm")) {
        facts.version = 1;
        facts.extension = (*extensions)["VRMC_vrm"];
    } else if (extensions->contains("VRM")) {
        facts.version = 0;
        facts.extension = (*extensions)["VRM"];
    } else {
        return std::nullopt;
    }
    if (!facts.extension.is_object()) return std::nullopt;
    if (extensions->contains("VRMC_springBone")) facts.spring_bone = (*extensions)["VRMC_springBone"];
    facts.node_to_joint = pose.node_to_joint;
    facts.humanoid = vrm_humanoid(facts.extension, facts.version, pose.node_to_joint);
    return facts;
}

SourceFacts read_facts(const gltf::Document& document, const tinygltf::Model& model, const SourcePose& pose,
                       const SourceMeshes& meshes, const std::optional<VrmFacts>& vrm) {
    SourceFacts facts;
    facts.format = vrm                                          ? (vrm->version == 0 ? "vrm0" : "vrm1")
                   : document.container == gltf::Container::glb ? "glb"
                   : document.container == gltf::Container::fbx ? "fbx"
                                                                : "gltf";
    facts.generator = document.json["asset"].value("generator", "");
    facts.meshes = model.meshes.size();
    facts.primitives = meshes.primitives;
    facts.vertices = meshes.vertices;
    facts.materials = count_of(document.json, "materials");
    facts.textures = count_of(document.json, "images");
    facts.joints = static_cast<std::size_t>(std::count(pose.in_skin.begin(), pose.in_skin.end(), true));
    facts.animations = count_of(document.json, "animations");
    for (const Surface& surface : meshes.surfaces) facts.triangles += surface.triangles();
    for (const auto& names : meshes.mesh_morph_names) facts.morph_targets += names.size();
    return facts;
}

void warn_of_other_scenes(const Json& json, std::vector<std::string>& warnings) {
    if (const std::size_t n = count_of(json, "scenes"); n > 1) {
        const Json& scenes = json["scenes"];
        const bool chosen =
            json.contains("scene") && json["scene"].is_number_integer() && json["scene"] >= 0 && json["scene"] < n;
        const std::size_t read = chosen ? json["scene"].get<std::size_t>() : 0;
        const bool named =
            scenes[read].is_object() && scenes[read].contains("name") && scenes[read]["name"].is_string();
        warnings.push_back(
            "the file has " + std::to_string(n) + " scenes; only " +
            (chosen ? "its default one" : "the first (none is the default)") + " was read: " +
            (named ? scenes[read]["name"].get<std::string>() : std::string("#").append(std::to_string(read))));
    }
}

/// The extras of the first scene, where an avatar has its manifests, or null.
const Json* avatar_extras(const Json& json) {
    if (count_of(json, "scenes") == 0) return nullptr;
    const Json& scene = json["scenes"][0];
    const auto extras = scene.is_object() ? scene.find("extras") : scene.end();
    return extras != scene.end() && extras->is_object() ? &*extras : nullptr;
}

/// What a viewer would show or play that an avatar does not carry (conform.md §1.7).
void warn_of_dropped(const Json& json, std::vector<std::string>& warnings) {
    if (const std::size_t n = count_of(json, "animations")) {
        std::string names;
        for (std::size_t i = 0; i < n && i < 5; ++i) {
            const Json& animation = json["animations"][i];
            const bool named = animation.is_object() && animation.contains("name") && animation["name"].is_string();
            names += (i ? ", " : "") +
                     (named ? animation["name"].get<std::string>() : std::string("#").append(std::to_string(i)));
        }
        warnings.push_back(std::to_string(n) + " animation(s) were left out (" + names + (n > 5 ? ", ..." : "") +
                           "): avatars play the platform's clips");
    }
    if (const Json* extras = avatar_extras(json)) {
        if (extras->contains("helixDynamics"))
            warnings.push_back(
                "the file is an avatar already, and its dynamics chains were left out, for the joints that carry them "
                "are built anew: apply them again afterwards with `helixavatar dynamics-apply`");
        if (extras->contains("helixFace"))
            warnings.push_back(
                "the file is an avatar already, and its face manifest was left out: faces are found anew from the "
                "names of the morph targets, or given with --face-map");
    }
    if (const std::size_t n = count_of(json, "cameras"))
        warnings.push_back(std::to_string(n) + " camera(s) were left out");
    static const char* const kUnderstood[] = {"KHR_draco_mesh_compression",
                                              "EXT_meshopt_compression",
                                              "KHR_mesh_quantization",
                                              "KHR_texture_transform",
                                              "KHR_texture_basisu",
                                              "EXT_texture_webp",
                                              "VRM",
                                              "VRMC_vrm",
                                              "VRMC_springBone"};
    for (const Json& name : json.value("extensionsUsed", Json::array())) {
        if (!name.is_string()) continue;
        const std::string text = name;
        const bool known = std::find(std::begin(kUnderstood), std::end(kUnderstood), text) != std::end(kUnderstood);
        if (known || text.starts_with("KHR_materials_")) continue;
        warnings.push_back("the extension " + text + " was left out");
    }
}

Error nothing_skinned(const gltf::Document& document) {
    const bool has_mesh = count_of(document.json, "meshes") > 0;
    return {ErrorKind::unconvertible,
            has_mesh
                ? "nothing in the file is skinned: no mesh follows the joints, so there is no body to put on a skeleton"
                : "the file has no mesh",
            "",
            "export the character with its armature and skin weights (in Blender: select mesh and armature, "
            "\"Skinning\" on)"};
}

constexpr std::size_t kNamesShown = 5;

/// --root and --drop-node name nodes that are there.
Result<void> check_named_nodes(const tinygltf::Model& model, const SourcePose& pose, const ReadOptions& options) {
    std::vector<std::string> names = options.drop_nodes;
    if (!options.root.empty()) names.push_back(options.root);
    std::vector<std::string> there;
    for (const int node : pose.nodes)
        if (!model.nodes[node].name.empty()) there.push_back(model.nodes[node].name);
    for (const std::string& name : names) {
        if (std::find(there.begin(), there.end(), name) != there.end()) continue;
        std::string nearest;
        for (const std::string& near : nearest_names(name, there, kNamesShown))
            nearest += (nearest.empty() ? "; the nearest: " : ", ") + near;
        return Error{ErrorKind::usage, "no node of the scene is named \"" + name + "\"", "",
                     "write the name as the file has it; capitals count" + nearest};
    }
    return {};
}

std::string joint_name(const tinygltf::Node& node, int index) {
    return node.name.empty() ? "node_" + std::to_string(index) : node.name;
}

}  // namespace

Result<Source> read_source(const gltf::Document& document, const ReadOptions& options) try {
    Result<tinygltf::Model> model = gltf::view_model(document);
    if (!model) return model.error();
    Source source;
    Result<SourcePose> pose = read_pose(document, *model, options, source.notes);
    if (!pose) return pose.error();
    if (pose->nodes.size() > std::numeric_limits<std::uint16_t>::max())
        return Error{ErrorKind::unconvertible,
                     "the file has " + std::to_string(pose->nodes.size()) + " nodes; a character has fewer than 65536",
                     "", "export the character alone"};
    if (std::find(pose->in_skin.begin(), pose->in_skin.end(), true) == pose->in_skin.end())
        return nothing_skinned(document);
    const Result<void> named = check_named_nodes(*model, *pose, options);
    if (!named) return named.error();
    Result<SourceMaterials> materials = read_materials(document, source.warnings);
    if (!materials) return materials.error();
    Avatar& avatar = source.avatar;
    avatar.materials = std::move(materials->materials);
    avatar.textures = std::move(materials->textures);
    avatar.images = std::move(materials->images);
    source.vrm = read_vrm(document.json, *pose);
    if (options.look_is_read) options.look_is_read(source);
    const Pools pools = options.keeps_the_rest ? Pools::whole : Pools::used;
    Result<SourceMeshes> meshes =
        read_meshes(document, *model, *pose, materials->uv_sets, options, pools, source.warnings);
    if (!meshes) return meshes.error();
    if (meshes->surfaces.empty()) return nothing_skinned(document);

    source.facts = read_facts(document, *model, *pose, *meshes, source.vrm);
    source.rest_pose = pose->chosen;
    warn_of_other_scenes(document.json, source.warnings);
    if (!options.keeps_the_rest) warn_of_dropped(document.json, source.warnings);
    source.mesh_morph_names = std::move(meshes->mesh_morph_names);
    for (const tinygltf::Node& node : model->nodes) source.node_mesh.push_back(node.mesh);

    source.surface_origin = std::move(meshes->origin);
    source.joint_node = pose->nodes;
    for (std::size_t j = 0; j < pose->nodes.size(); ++j)
        avatar.joints.push_back({joint_name(model->nodes[pose->nodes[j]], pose->nodes[j]), pose->parents[j],
                                 pose->in_skin[j], pose_of(pose->rest[j])});
    avatar.levels.push_back({"lod1", std::move(meshes->surfaces), std::nullopt});
    return source;
} catch (const Json::exception& exception) {
    return unreadable_value(exception);
}

}  // namespace helixavatar::avatar
