// SPDX-License-Identifier: MIT
#include <map>

#include "support/humanoid_model.hpp"

namespace helixavatar::test {
namespace {

using gltf::Json;

std::size_t morph_index(const HumanoidModel& model, const std::string& name) {
    for (std::size_t i = 0; i < model.shapes.size(); ++i)
        if (model.shapes[i].name == name) return i;
    return model.shapes.size();
}

std::vector<std::size_t> hair_nodes(const HumanoidModel& model, std::size_t first_node) {
    std::vector<std::size_t> out;
    for (std::size_t j = 0; j < model.rig.joints.size(); ++j)
        if (model.rig.joints[j].name.starts_with("hair_")) out.push_back(first_node + j);
    return out;
}

Json vrm0(const HumanoidOptions& options, const HumanoidModel& model, std::size_t first_node, std::size_t mesh) {
    Json bones = Json::array();
    for (std::size_t j = 0; j < model.rig.joints.size(); ++j)
        if (!model.rig.joints[j].canonical.empty())
            bones.push_back({{"bone", model.rig.joints[j].name}, {"node", first_node + j}, {"useDefaultValues", true}});
    Json groups = Json::array();
    if (options.face == "vrm0") {
        // Morph, preset, as UniVRM writes them.
        const std::vector<std::pair<const char*, const char*>> presets = {{"A", "a"},
                                                                          {"I", "i"},
                                                                          {"U", "u"},
                                                                          {"E", "e"},
                                                                          {"O", "o"},
                                                                          {"Blink", "blink"},
                                                                          {"Blink_L", "blink_l"},
                                                                          {"Blink_R", "blink_r"},
                                                                          {"Joy", "joy"},
                                                                          {"Angry", "angry"},
                                                                          {"Sorrow", "sorrow"},
                                                                          {"Surprised", "unknown"}};
        for (const auto& [morph, preset] : presets)
            groups.push_back({{"name", morph},
                              {"presetName", preset},
                              {"isBinary", false},
                              {"materialValues", Json::array()},
                              {"binds", {{{"mesh", mesh}, {"index", morph_index(model, morph)}, {"weight", 100}}}}});
    }
    Json springs = Json::array();
    const auto hair = hair_nodes(model, first_node);
    if (!hair.empty())
        springs.push_back({{"comment", "hair"},
                           {"stiffiness", 1.0},
                           {"gravityPower", 0.1},
                           {"gravityDir", {{"x", 0}, {"y", -1}, {"z", 0}}},
                           {"dragForce", 0.4},
                           {"center", -1},
                           {"hitRadius", 0.03},
                           {"bones", {hair[0]}},
                           {"colliderGroups", Json::array()}});
    return {{"exporterVersion", "helixavatar humanoid builder"},
            {"specVersion", "0.0"},
            {"meta",
             {{"title", "Humanoid"},
              {"version", "1"},
              {"author", "helixavatar"},
              {"allowedUserName", "Everyone"},
              {"licenseName", "CC0"}}},
            {"humanoid", {{"humanBones", bones}}},
            {"firstPerson", {{"meshAnnotations", Json::array()}}},
            {"blendShapeMaster", {{"blendShapeGroups", groups}}},
            {"secondaryAnimation", {{"boneGroups", springs}, {"colliderGroups", Json::array()}}},
            {"materialProperties", Json::array()}};
}

Json vrm1(const HumanoidOptions& options, const HumanoidModel& model, std::size_t first_node, std::size_t mesh_node) {
    Json bones = Json::object();
    for (std::size_t j = 0; j < model.rig.joints.size(); ++j)
        if (!model.rig.joints[j].canonical.empty()) bones[model.rig.joints[j].name] = {{"node", first_node + j}};
    Json out = {{"specVersion", "1.0"},
                {"meta",
                 {{"name", "Humanoid"},
                  {"version", "1"},
                  {"authors", {"helixavatar"}},
                  {"licenseUrl", "https://vrm.dev/licenses/1.0/"}}},
                {"humanoid", {{"humanBones", bones}}}};
    if (options.face == "vrm1")
        for (const FaceShape& shape : model.shapes)
            out["expressions"]["preset"][shape.name] = {
                {"isBinary", false},
                {"morphTargetBinds",
                 {{{"node", mesh_node}, {"index", morph_index(model, shape.name)}, {"weight", 1.0}}}}};
    return out;
}

Json springs1(const std::vector<std::size_t>& hair) {
    Json joints = Json::array();
    for (const std::size_t node : hair)
        joints.push_back({{"node", node},
                          {"hitRadius", 0.03},
                          {"stiffness", 1.0},
                          {"gravityPower", 0.1},
                          {"gravityDir", {0, -1, 0}},
                          {"dragForce", 0.4}});
    return {{"specVersion", "1.0"}, {"springs", {{{"name", "hair"}, {"joints", joints}}}}};
}

}  // namespace

void add_vrm(Json& json, const HumanoidOptions& options, const HumanoidModel& model, std::size_t first_node,
             std::size_t mesh, std::size_t mesh_node) {
    if (options.family == "vrm0") {
        json["extensionsUsed"].push_back("VRM");
        json["extensions"]["VRM"] = vrm0(options, model, first_node, mesh);
    } else if (options.family == "vrm1") {
        json["extensionsUsed"].push_back("VRMC_vrm");
        json["extensions"]["VRMC_vrm"] = vrm1(options, model, first_node, mesh_node);
        const auto hair = hair_nodes(model, first_node);
        if (hair.empty()) return;
        json["extensionsUsed"].push_back("VRMC_springBone");
        json["extensions"]["VRMC_springBone"] = springs1(hair);
    }
}

}  // namespace helixavatar::test
