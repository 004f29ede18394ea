// SPDX-License-Identifier: MIT
#include "rule_cases.hpp"

#include <algorithm>
#include <stdexcept>

namespace helixavatar::test {
namespace {

using preflight::PreflightOptions;

bool hangs_on(const FixtureLevel& level, int joint, int ancestor) {
    while (joint >= 0 && joint != ancestor) joint = level.joints[joint].parent;
    return joint == ancestor;
}

/// Turns a joint and everything on it about the joint's own place.
void turn_limb(FixtureAvatar& avatar, const std::string& name, const Quat& turn) {
    for (FixtureLevel& level : avatar.levels) {
        const int root = level.joint(name);
        const Vec3 pivot = level.joints[root].world.translation;
        const Pose about{pivot - turn * pivot, turn};
        for (std::size_t i = 0; i < level.joints.size(); ++i) {
            if (hangs_on(level, static_cast<int>(i), root)) level.joints[i].world = about * level.joints[i].world;
        }
    }
}

Quat about_axis(double angle, const Vec3& axis) {
    return Quat(Eigen::AngleAxisd(radians(angle), axis));
}

void arms_down(FixtureAvatar& avatar) {
    const FixtureLevel& level = avatar.levels[0];
    for (const char* side : {"_l", "_r"}) {
        const std::string upper = std::string("upperarm") + side;
        const Vec3 along = level.joints[level.joint(std::string("lowerarm") + side)].world.translation -
                           level.joints[level.joint(upper)].world.translation;
        const Vec3 wanted = about_axis(side[1] == 'l' ? 5 : -5, Vec3::UnitZ()) * -Vec3::UnitY();
        turn_limb(avatar, upper, Quat::FromTwoVectors(along, wanted));
    }
}

void toes_out(FixtureAvatar& avatar) {
    for (FixtureLevel& level : avatar.levels) {
        for (const char* side : {"_l", "_r"}) {
            const Vec3 foot = level.joints[level.joint(std::string("foot") + side)].world.translation;
            Vec3& ball = level.joints[level.joint(std::string("ball") + side)].world.translation;
            ball = foot + about_axis(side[1] == 'l' ? 100 : -100, Vec3::UnitY()) * (ball - foot);
        }
    }
}

Json& primitive(gltf::Document& document, int mesh) {
    return document.json["meshes"][mesh]["primitives"][0];
}

void unskin(gltf::Document& document) {
    for (Json& node : document.json["nodes"]) node.erase("skin");
    document.json.erase("skins");
}

void share_skeleton(gltf::Document& document) {
    Json& scenes = document.json["scenes"];
    scenes[1]["nodes"][0] = scenes[0]["nodes"][0];
    for (std::size_t i = 1; i < scenes[1]["nodes"].size(); ++i) {
        document.json["nodes"][scenes[1]["nodes"][i].get<std::size_t>()]["skin"] = 0;
    }
}

void rename_face(gltf::Document& document) {
    Json& scene = document.json["scenes"][1];
    Json& node = document.json["nodes"][scene["nodes"][2].get<std::size_t>()];
    node["name"] = "Head";
    document.json["meshes"][node["mesh"].get<std::size_t>()]["name"] = "Head";
}

void rename_joint(FixtureAvatar& avatar) {
    for (FixtureLevel& level : avatar.levels) level.joints[level.joint("index_03_l")].name = "index_02_l";
}

std::vector<RuleCase> gate_cases() {
    return {
        {"bind-pose", "arms bound 5 degrees from straight down", arms_down, {}, {}, {}, false},
        {"draw-calls",
         "seven more primitives",
         {},
         [](gltf::Document& d) {
             for (int i = 0; i < 7; ++i) d.json["meshes"][0]["primitives"].push_back(Json(primitive(d, 0)));
         },
         {},
         {},
         false},
        {"file-size",
         "a limit below the file's size",
         {},
         {},
         [](PreflightOptions& o) { o.budgets.file_bytes = 10000; },
         {},
         false},
        {"materials",
         "nine materials",
         [](FixtureAvatar& a) {
             for (int i = 0; i < 8; ++i) a.materials.push_back(Json(a.materials[0]));
         },
         {},
         {},
         {"unused-data"},
         false},
        {"no-dynamics", "no manifest", [](FixtureAvatar& a) { a.dynamics = Json(); }, {}, {}, {}, false},
        {"no-face", "no manifest", [](FixtureAvatar& a) { a.face = Json(); }, {}, {}, {}, false},
        {"no-first-person-hide", "no list", [](FixtureAvatar& a) { a.hide = Json(); }, {}, {}, {}, false},
        {"no-skin", "no node names a skin", {}, unskin, {}, {"unused-data", "file-node"}, true},
        {"orientation-geometry",
         "the mesh turned 30 degrees, the skeleton not",
         [](FixtureAvatar& a) { turn_vertices(a, 30); },
         {},
         {},
         {"dynamics"},
         false},
        {"orientation-skeleton",
         "the skeleton turned 30 degrees, the mesh not",
         [](FixtureAvatar& a) { turn_joints(a, 30); },
         {},
         {},
         {"dynamics"},
         false},
        {"rig-scale",
         "twelve times as large",
         [](FixtureAvatar& a) { transform_all(a, 12, Vec3::Zero()); },
         {},
         {},
         {"units", "dynamics"},
         false},
        {"skeleton",
         "spine_03 is missing",
         [](FixtureAvatar& a) {
             for (FixtureLevel& level : a.levels) remove_joint(level, "spine_03");
         },
         {},
         {},
         {},
         false},
        {"texture-edge",
         "a limit below the images' edge",
         {},
         {},
         [](PreflightOptions& o) { o.budgets.texture_edge = 32; },
         {},
         false},
        {"triangles",
         "a limit below the file's count",
         {},
         {},
         [](PreflightOptions& o) { o.budgets.triangles = 500; },
         {},
         false},
    };
}

std::vector<RuleCase> guard_cases() {
    return {
        {"base-color-normal-map",
         "the normal map in both slots",
         [](FixtureAvatar& a) { a.color = a.normal; },
         {},
         {},
         {},
         false},
        {"normal-map", "the colour map in both slots", [](FixtureAvatar& a) { a.normal = a.color; }, {}, {}, {}, false},
        {"normal-map-green",
         "green pointing down",
         [](FixtureAvatar& a) { a.normal = png(64, normal_picture(64, -1)); },
         {},
         {},
         {},
         false},
        {"rest-frames",
         "a hand's frame turned over",
         [](FixtureAvatar& a) {
             for (FixtureLevel& level : a.levels) {
                 Quat& rotation = level.joints[level.joint("hand_l")].world.rotation;
                 rotation = rotation * about_axis(180, Vec3::UnitX());
             }
         },
         {},
         {},
         {},
         false},
    };
}

std::vector<RuleCase> shape_cases() {
    return {
        {"declared-height", "declared 1 m", {}, {}, [](PreflightOptions& o) { o.declared_height = 1.0; }, {}, false},
        {"feet-forward", "toes 100 degrees outward", toes_out, {}, {}, {}, false},
        {"feet-ground",
         "10 cm above the ground",
         [](FixtureAvatar& a) { transform_all(a, 1, Vec3(0, 0.1, 0)); },
         {},
         {},
         {},
         false},
        {"short-body",
         "70 % of the size",
         [](FixtureAvatar& a) { transform_all(a, 0.7, Vec3::Zero()); },
         {},
         {},
         {"dynamics"},
         false},
        {"units",
         "twice the size",
         [](FixtureAvatar& a) { transform_all(a, 2, Vec3::Zero()); },
         {},
         {},
         {"dynamics"},
         false},
    };
}

std::vector<RuleCase> runtime_cases() {
    return {
        {"dynamics",
         "a stiffness of 3",
         [](FixtureAvatar& a) { a.dynamics["chains"][0]["stiffness"] = 3; },
         {},
         {},
         {},
         false},
        {"face", "an unknown key", [](FixtureAvatar& a) { a.face["mouth"] = 1; }, {}, {}, {}, false},
        {"face-mesh", "LOD1's slice has another name", {}, rename_face, {}, {}, false},
        {"first-person-hide",
         "a name that no mesh has",
         [](FixtureAvatar& a) { a.hide = Json::array({"Helmet"}); },
         {},
         {},
         {},
         false},
        {"influences",
         "JOINTS_1",
         {},
         [](gltf::Document& d) {
             Json& attributes = primitive(d, 0)["attributes"];
             attributes["JOINTS_1"] = attributes["JOINTS_0"];
             attributes["WEIGHTS_1"] = attributes["WEIGHTS_0"];
         },
         {},
         {"file-data"},
         true},
        {"joint-names", "two joints named index_02_l", rename_joint, {}, {}, {}, false},
        {"lod-count", "two levels", [](FixtureAvatar& a) { a.levels.pop_back(); }, {}, {}, {}, false},
        {"lod-mismatch",
         "a finger joint is missing in LOD2",
         [](FixtureAvatar& a) { remove_joint(a.levels[2], "pinky_03_l"); },
         {},
         {},
         {"dynamics", "face"},
         true},
        {"lod-order",
         "the levels backwards",
         [](FixtureAvatar& a) { std::reverse(a.levels.begin(), a.levels.end()); },
         {},
         {},
         {},
         false},
        {"lod-shared-skeleton", "LOD1 uses LOD0's joints", {}, share_skeleton, {}, {"dynamics", "face"}, true},
        {"unknown-extension-required",
         "an extension nobody knows",
         {},
         [](gltf::Document& d) {
             d.json["extensionsUsed"] = Json::array({"ACME_hat"});
             d.json["extensionsRequired"] = Json::array({"ACME_hat"});
         },
         {},
         {"file-extension"},
         false},
        {"unused-data",
         "a kilobyte at the end of the buffer",
         {},
         [](gltf::Document& d) {
             d.buffers[0].resize(d.buffers[0].size() + 1024, 7);
             d.json["buffers"][0]["byteLength"] = d.buffers[0].size();
         },
         {},
         {},
         false},
        {"unused-data",
         "a material that no mesh has",
         {},
         [](gltf::Document& d) { d.json["materials"].push_back({{"name", "Spare"}}); },
         {},
         {},
         false},
        {"uv-range",
         "one coordinate at a million",
         [](FixtureAvatar& a) { a.levels[0].uvs[0] = 1e6f; },
         {},
         {},
         {},
         false},
        {"weights",
         "one vertex at half weight",
         [](FixtureAvatar& a) { a.levels[0].weights[0] = 0.5f; },
         {},
         {},
         {"file-data"},
         true},
    };
}

RuleCase broken_file(const char* rule, const char* how, std::function<void(gltf::Document&)> edit) {
    return {rule, how, {}, std::move(edit), {}, {"*"}, true};
}

std::vector<RuleCase> file_cases() {
    return {
        broken_file("file-accessor", "a count past the buffer",
                    [](gltf::Document& d) { d.json["accessors"][1]["count"] = 100000; }),
        broken_file("file-animation", "a channel without sampler",
                    [](gltf::Document& d) {
                        d.json["animations"] = Json::array(
                            {{{"channels", {{{"sampler", 3}, {"target", {{"node", 0}, {"path", "rotation"}}}}}},
                              {"samplers", Json::array()}}});
                    }),
        broken_file("file-asset", "no version", [](gltf::Document& d) { d.json["asset"].erase("version"); }),
        broken_file("file-buffer-view", "past its buffer",
                    [](gltf::Document& d) { d.json["bufferViews"][0]["byteLength"] = 1u << 30; }),
        broken_file("file-camera", "no type",
                    [](gltf::Document& d) { d.json["cameras"] = Json::array({Json::object()}); }),
        {"file-data",
         "an index past the vertices",
         [](FixtureAvatar& a) { a.levels[0].body[0] = 60000; },
         {},
         {},
         {},
         true},
        broken_file("file-extension", "used in no declaration",
                    [](gltf::Document& d) { d.json["extensionsRequired"] = Json::array({"KHR_materials_unlit"}); }),
        broken_file("file-image", "a buffer view that is not there",
                    [](gltf::Document& d) { d.json["images"][0]["bufferView"] = 9999; }),
        broken_file("file-material", "an alpha mode nobody knows",
                    [](gltf::Document& d) { d.json["materials"][0]["alphaCutoff"] = -1; }),
        broken_file("file-mesh", "no primitives",
                    [](gltf::Document& d) { d.json["meshes"][0]["primitives"] = Json::array(); }),
        broken_file("file-node", "its own grandchild",
                    [](gltf::Document& d) { d.json["nodes"][2]["children"].push_back(1); }),
        broken_file("file-scene", "a node that is not there",
                    [](gltf::Document& d) { d.json["scenes"][0]["nodes"].push_back(99999); }),
        broken_file("file-skin", "a joint that is not there",
                    [](gltf::Document& d) { d.json["skins"][0]["joints"][3] = 99999; }),
        broken_file("file-texture", "an image that is not there",
                    [](gltf::Document& d) { d.json["textures"][0]["source"] = 99999; }),
    };
}

preflight::Report judged(const gltf::Document& document, const PreflightOptions& options) {
    const Bytes glb = gltf::write_glb(document);
    Result<preflight::Report> report = preflight::judge(glb, "avatar.glb", options);
    if (!report) throw std::runtime_error(report.error().message);
    return report.take();
}

}  // namespace

const std::vector<RuleCase>& rule_cases() {
    static const std::vector<RuleCase> all = [] {
        std::vector<RuleCase> cases;
        for (auto part : {gate_cases(), guard_cases(), shape_cases(), runtime_cases(), file_cases()}) {
            cases.insert(cases.end(), part.begin(), part.end());
        }
        return cases;
    }();
    return all;
}

preflight::Report judge_case(const RuleCase& one) {
    FixtureAvatar avatar = good_avatar();
    if (one.edit) one.edit(avatar);
    gltf::Document document = to_document(avatar);
    if (one.edit_document) one.edit_document(document);
    PreflightOptions options;
    if (one.options) one.options(options);
    return judged(document, options);
}

preflight::Report judge_good(const PreflightOptions& options) {
    return judged(to_document(good_avatar()), options);
}

}  // namespace helixavatar::test
