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
