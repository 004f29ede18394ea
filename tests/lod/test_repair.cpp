// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <set>

#include <helixavatar/lod/repair.hpp>

using namespace helixavatar;
using gltf::Json;

namespace {

gltf::Document document(const char* text) {
    gltf::Document d;
    d.json = Json::parse(text);
    d.buffers = {Bytes(16, std::uint8_t{7})};
    return d;
}

/// Two scenes that share armature and skin: what three.js loads with undefined bones.
gltf::Document shared_skeleton() {
    return document(R"({
      "asset": {"version": "2.0"}, "scene": 0,
      "scenes": [{"name": "lod1", "nodes": [0, 4], "extras": {"firstPersonHide": ["FaceMesh"]}}, {"name": "lod2", "nodes": [0, 5]}],
      "nodes": [{"name": "root", "children": [1]}, {"name": "pelvis", "children": [2], "translation": [0, 1, 0]},
        {"name": "head", "children": [3]}, {"name": "hat_socket"},
        {"name": "Body", "mesh": 0, "skin": 0}, {"name": "Body", "mesh": 1, "skin": 0}],
      "skins": [{"joints": [0, 1, 2], "skeleton": 0, "inverseBindMatrices": 3}],
      "meshes": [{"primitives": []}, {"primitives": []}], "vendor": {"kept": [1, 2.5]}})");
}

std::set<int> reach(const Json& json, const Json& roots) {
    std::set<int> seen;
    std::vector<int> open = roots.get<std::vector<int>>();
    while (!open.empty()) {
        const int n = open.back();
        open.pop_back();
        if (!seen.insert(n).second) continue;
        for (const Json& child : json["nodes"][n].value("children", Json::array())) open.push_back(child);
    }
    return seen;
}

/// Scenes share no node, and every skin's joints are in the scene of the mesh that it moves.
void check_self_contained(const Json& json) {
    std::set<int> taken;
    for (const Json& scene : json["scenes"]) {
        const std::set<int> nodes = reach(json, scene["nodes"]);
        for (const int n : nodes) {
            CHECK(taken.insert(n).second);
            const Json& node = json["nodes"][n];
            if (!node.contains("skin")) continue;
            for (const Json& joint : json["skins"][node["skin"].get<int>()]["joints"])
                CHECK(nodes.count(joint.get<int>()) == 1);
        }
    }
}

std::vector<std::string> joint_names(const Json& json, int skin) {
    std::vector<std::string> names;
    for (const Json& joint : json["skins"][skin]["joints"]) names.push_back(json["nodes"][joint.get<int>()]["name"]);
    return names;
}

}  // namespace

TEST_CASE("scenes that share a skeleton get their own copy with the same names") {
    const auto out = lod::repair_lod_skeletons(shared_skeleton());
    REQUIRE(out);
    const Json& json = out->document.json;
    check_self_contained(json);
    CHECK(out->changes.size() == 1);
    REQUIRE(json["skins"].size() == 2);
    CHECK(joint_names(json, 1) == joint_names(json, 0));
    CHECK(json["skins"][1]["inverseBindMatrices"] == 3);
    CHECK(json["skins"][1]["skeleton"] == json["skins"][1]["joints"][0]);
    const int copied_pelvis = json["skins"][1]["joints"][1];
    CHECK(json["nodes"][copied_pelvis]["translation"] == Json::array({0, 1, 0}));
    CHECK(json["nodes"].size() == 10);  // the socket below the head came along
}

TEST_CASE("a repair touches nothing else") {
    const gltf::Document before = shared_skeleton();
    const auto out = lod::repair_lod_skeletons(before);
    REQUIRE(out);
    Json json = out->document.json;
    CHECK(out->document.buffers == before.buffers);
    CHECK(json["scenes"][0] == before.json["scenes"][0]);
    for (std::size_t n = 0; n < 5; ++n) CHECK(json["nodes"][n] == before.json["nodes"][n]);
    CHECK(json["skins"][0] == before.json["skins"][0]);
    for (const char* key : {"scenes", "nodes", "skins"}) json[key] = before.json[key];
    CHECK(json.dump() == before.json.dump());
}

TEST_CASE("a second repair changes nothing") {
    const auto once = lod::repair_lod_skeletons(shared_skeleton());
    REQUIRE(once);
    const auto twice = lod::repair_lod_skeletons(once->document);
    REQUIRE(twice);
    CHECK(twice->changes.empty());
    CHECK(twice->document.json.dump() == once->document.json.dump());
}

TEST_CASE("a mesh node that two scenes share is duplicated and the mesh is not") {
    gltf::Document d = shared_skeleton();
    d.json["scenes"][1]["nodes"] = {0, 4};
    const auto out = lod::repair_lod_skeletons(d);
    REQUIRE(out);
    check_self_contained(out->document.json);
    CHECK(out->document.json["meshes"].size() == 2);
    CHECK(out->document.json["nodes"][out->document.json["scenes"][1]["nodes"][1].get<int>()]["mesh"] == 0);
}

TEST_CASE("a scene that lacks its skin's joints altogether gets the skeleton without the other scene's meshes") {
    gltf::Document d = shared_skeleton();
    d.json["nodes"][0]["children"] = {1, 4};  // the near body hangs under the armature
    d.json["scenes"][0]["nodes"] = {0};
    d.json["scenes"][1]["nodes"] = {5};
    const auto out = lod::repair_lod_skeletons(d);
    REQUIRE(out);
    const Json& json = out->document.json;
    check_self_contained(json);
    std::size_t drawn = 0;
    for (const int n : reach(json, json["scenes"][1]["nodes"])) drawn += json["nodes"][n].contains("mesh") ? 1 : 0;
    CHECK(drawn == 1);
}

TEST_CASE("a healthy document is left as it is, and one without a skin is refused") {
    gltf::Document healthy = shared_skeleton();
    healthy.json["scenes"].erase(1);
    const auto out = lod::repair_lod_skeletons(healthy);
    REQUIRE(out);
    CHECK(out->changes.empty());
    CHECK(out->document.json.dump() == healthy.json.dump());
    gltf::Document bare = shared_skeleton();
    for (Json& node : bare.json["nodes"]) node.erase("skin");
    const auto refused = lod::repair_lod_skeletons(bare);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::unconvertible);
}

TEST_CASE("cycles and indices that point nowhere neither hang nor crash the repair") {
    gltf::Document d = shared_skeleton();
    d.json["nodes"][2]["children"] = {0, 3, 99, -1, "x"};
    d.json["scenes"][1]["nodes"] = {0, 5, 4000000000, 2};
    d.json["skins"][0]["joints"].push_back(77);
    const auto out = lod::repair_lod_skeletons(d);
    REQUIRE(out);
}

namespace {

/// One scene with two levels of a body and of a sword in the hand side by side, and a hat that has none.
gltf::Document siblings() {
    return document(R"({
      "asset": {"version": "2.0"}, "scene": 0,
      "scenes": [{"name": "Scene", "nodes": [0], "extras": {"firstPersonHide": ["FaceMesh"]}}],
      "nodes": [{"name": "Armature", "children": [1, 3, 4, 5]}, {"name": "root", "children": [2]},
        {"name": "hand_r", "children": [6, 7]},
        {"name": "Body_LOD0", "mesh": 0, "skin": 0}, {"name": "Body_LOD1", "mesh": 1, "skin": 1},
        {"name": "Body_LOD2", "mesh": 2, "skin": 0},
        {"name": "Sword_LOD0", "mesh": 3}, {"name": "Sword_LOD1", "mesh": 4, "children": [8]}, {"name": "gem", "mesh": 5}],
      "skins": [{"joints": [1, 2], "inverseBindMatrices": 3}, {"joints": [1, 2], "inverseBindMatrices": 4}],
      "meshes": [{"primitives": []}, {"primitives": []}, {"primitives": []}, {"primitives": []}, {"primitives": []},
        {"primitives": []}], "vendor": {"kept": [1, 2.5]}})");
}

/// The meshes that a scene draws, sorted.
std::vector<int> drawn(const Json& json, std::size_t scene) {
    std::vector<int> meshes;
    for (const int n : reach(json, json["scenes"][scene]["nodes"]))
        if (json["nodes"][n].contains("mesh")) meshes.push_back(json["nodes"][n]["mesh"].get<int>());
    std::sort(meshes.begin(), meshes.end());
    return meshes;
}

}  // namespace

TEST_CASE("siblings named _LOD0, _LOD1, _LOD2 become scenes of their own, parts with fewer levels keep the last") {
    const gltf::Document before = siblings();
    const auto out = lod::repair_lod_skeletons(before);
    REQUIRE(out);
    const Json& json = out->document.json;
    REQUIRE(json["scenes"].size() == 3);
    check_self_contained(json);
    CHECK(drawn(json, 0) == std::vector<int>{0, 3});
    CHECK(drawn(json, 1) == std::vector<int>{1, 4, 5});
    CHECK(drawn(json, 2) == std::vector<int>{2, 4, 5});
    for (std::size_t s = 0; s < 3; ++s) CHECK(json["scenes"][s]["extras"] == before.json["scenes"][0]["extras"]);
    CHECK(json["scenes"][1]["name"] == "lod2");
    CHECK(json["skins"].size() == 3);  // one a scene: the second level's own was not left behind
    for (int skin = 0; skin < 3; ++skin) CHECK(joint_names(json, skin) == joint_names(json, 0));
    CHECK(out->changes.front().find("3 scenes") != std::string::npos);
    const auto again = lod::repair_lod_skeletons(out->document);
    REQUIRE(again);
    CHECK(again->changes.empty());
}

TEST_CASE("turning sibling levels into scenes changes no other member and no byte") {
    const gltf::Document before = siblings();
    const auto out = lod::repair_lod_skeletons(before);
    REQUIRE(out);
    Json json = out->document.json;
    CHECK(out->document.buffers == before.buffers);
    for (std::size_t n = 3; n < 9; ++n) {  // the meshes' nodes stay as they are but for their skin
        Json was = before.json["nodes"][n], is = json["nodes"][n];
        was.erase("skin");
        is.erase("skin");
        CHECK(is == was);
    }
    CHECK(json["scenes"][0] == before.json["scenes"][0]);
    CHECK(json["skins"][0] == before.json["skins"][0]);
    for (const char* key : {"scenes", "nodes", "skins"}) json[key] = before.json[key];
    CHECK(json.dump() == before.json.dump());
}

TEST_CASE("levels that MSFT_lod names become scenes, and the extension goes with them") {
    gltf::Document d = siblings();
    Json& nodes = d.json["nodes"];
    for (Json& node : nodes)
        if (node["name"].get<std::string>().find("_LOD") != std::string::npos) node["name"] = "part";
    nodes[0]["children"] = {1, 3};  // farther levels hang nowhere
    nodes[3]["extensions"] = {{"MSFT_lod", {{"ids", {4, 5}}}}};
    nodes[3]["extras"] = {{"MSFT_screencoverage", {0.5, 0.2, 0.01}}};
    nodes[2]["children"] = {6};
    d.json["extensionsUsed"] = {"MSFT_lod", "KHR_materials_unlit"};
    const auto out = lod::repair_lod_skeletons(d);
    REQUIRE(out);
    const Json& json = out->document.json;
    REQUIRE(json["scenes"].size() == 3);
    check_self_contained(json);
    for (std::size_t s = 0; s < 3; ++s) CHECK(drawn(json, s) == std::vector<int>{static_cast<int>(s), 3});
    CHECK(json["extensionsUsed"] == Json({"KHR_materials_unlit"}));
    CHECK_FALSE(json["nodes"][3].contains("extensions"));
    CHECK(json["nodes"][3]["extras"] == nodes[3]["extras"]);
}

TEST_CASE("MSFT_lod that names itself, its parent or nothing is not followed") {
    for (const Json& ids : {Json({3}), Json({0}), Json({99, -1, "x"}), Json("x"), Json({4, 4})}) {
        gltf::Document d = siblings();
        for (Json& node : d.json["nodes"]) node["name"] = "part";
        d.json["nodes"][3]["extensions"] = {{"MSFT_lod", {{"ids", ids}}}};
        const auto out = lod::repair_lod_skeletons(d);
        REQUIRE(out);
        CHECK(out->document.json["scenes"].size() == 1);
    }
}
