// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <functional>
#include <limits>

#include <helixavatar/face/face.hpp>

#include "face_fixture.hpp"

namespace helixavatar::face {
namespace {

using gltf::Json;

Json good() {
    return Json::parse(R"({"contract":"helix/avatar-face@1","capability":"jaw","channels":[
      {"name":"jawOpen","bone":{"joint":"jaw","axis":[0,-1,0],"maxDegrees":20}},
      {"name":"blink.left","morphs":[{"mesh":"FaceMesh","target":"Blink_L","weight":1}]},
      {"name":"blink.right","morphs":[{"mesh":"FaceMesh","target":"Blink_R","weight":1}]},
      {"name":"expression.neutral","morphs":[]}]})");
}

avatar::Avatar good_avatar() {
    avatar::Avatar avatar = face_avatar(std::vector<Shape>{{"Blink_L", 0.03}, {"Blink_R", -0.03}, {"still", 0, false}});
    add_joint(avatar, "jaw");
    return avatar;
}

struct Mutation {
    const char* what;
    std::function<void(Json&)> apply;
    Severity severity;
    const char* pointer;
};

constexpr Severity E = Severity::error, W = Severity::warning;

Json& morph(Json& m) {
    return m["channels"][1]["morphs"][0];
}
Json& bone(Json& m) {
    return m["channels"][0]["bone"];
}

TEST_CASE("a well-formed face has nothing to say, by itself and against its avatar") {
    const avatar::Avatar avatar = good_avatar();
    CHECK(check_face(good(), nullptr, "", {}).empty());
    CHECK(check_face(good(), &avatar, "", {}).empty());
}

TEST_CASE("each single fault of a face is found at its place, alone") {
    const std::vector<Mutation> mutations{
        {"unknown key at the top", [](Json& m) { m["x"] = 1; }, E, "/x"},
        {"unknown key in a channel", [](Json& m) { m["channels"][0]["x"] = 1; }, E, "/channels/0/x"},
        {"unknown key in a shape", [](Json& m) { morph(m)["x"] = 1; }, E, "/channels/1/morphs/0/x"},
        {"unknown key in a bone", [](Json& m) { bone(m)["x"] = 1; }, E, "/channels/0/bone/x"},
        {"another contract", [](Json& m) { m["contract"] = "helix/avatar-face@2"; }, E, "/contract"},
        {"no contract", [](Json& m) { m.erase("contract"); }, E, ""},
        {"unknown capability", [](Json& m) { m["capability"] = "viseme"; }, E, "/capability"},
        {"capability above the channels", [](Json& m) { m["capability"] = "vowel5"; }, E, "/capability"},
        {"capability below the channels", [](Json& m) { m["capability"] = "none"; }, E, "/capability"},
        {"channels missing", [](Json& m) { m.erase("channels"); }, E, ""},
        {"channels of another type", [](Json& m) { m["channels"] = 3; }, E, "/channels"},
        {"no channel",
         [](Json& m) {
             m["channels"] = Json::array();
             m["capability"] = "none";
         },
         W, "/channels"},
        {"unknown channel",
         [](Json& m) {
             m["channels"][3]["name"] = "expression.bored";
             m["channels"][3]["morphs"].push_back(morph(m));
         },
         E, "/channels/3/name"},
        {"channel without a name",
         [](Json& m) {
             m["channels"][3].erase("name");
             m["channels"][3]["morphs"].push_back(morph(m));
         },
         E, "/channels/3"},
        {"channel twice", [](Json& m) { m["channels"].push_back(m["channels"][1]); }, E, "/channels/4/name"},
        {"channel without morphs or bone", [](Json& m) { m["channels"][3].erase("morphs"); }, E, "/channels/3"},
        {"channel with both", [](Json& m) { m["channels"][0]["morphs"] = Json::array({morph(m)}); }, E, "/channels/0"},
        {"a channel that moves nothing", [](Json& m) { m["channels"][1]["morphs"] = Json::array(); }, E,
         "/channels/1/morphs"},
        {"weight over 1", [](Json& m) { morph(m)["weight"] = 1.5; }, E, "/channels/1/morphs/0/weight"},
        {"weight 0", [](Json& m) { morph(m)["weight"] = 0; }, E, "/channels/1/morphs/0/weight"},
        {"no mesh", [](Json& m) { morph(m).erase("mesh"); }, E, "/channels/1/morphs/0"},
        {"no target", [](Json& m) { morph(m).erase("target"); }, E, "/channels/1/morphs/0"},
        {"the same shape twice", [](Json& m) { m["channels"][1]["morphs"].push_back(morph(m)); }, W,
         "/channels/1/morphs/1"},
        {"bone without axis", [](Json& m) { bone(m).erase("axis"); }, E, "/channels/0/bone"},
        {"zero axis",
         [](Json& m) {
             bone(m)["axis"] = {0, 0, 0};
         },
         E, "/channels/0/bone/axis"},
        {"axis with a NaN",
         [](Json& m) {
             bone(m)["axis"] = {0, std::numeric_limits<double>::quiet_NaN(), 0};
         },
         E, "/channels/0/bone/axis"},
        {"46 degrees", [](Json& m) { bone(m)["maxDegrees"] = 46; }, E, "/channels/0/bone/maxDegrees"},
        {"0 degrees", [](Json& m) { bone(m)["maxDegrees"] = 0; }, E, "/channels/0/bone/maxDegrees"},
        {"no joint", [](Json& m) { bone(m).erase("joint"); }, E, "/channels/0/bone"},
        {"one blink", [](Json& m) { m["channels"].erase(2); }, W, "/channels"},
        {"the jaw on the A shape",
         [](Json& m) {
             m["channels"][0] = {{"name", "jawOpen"}, {"morphs", {morph(m)}}};
             m["channels"].push_back({{"name", "viseme.aa"}, {"morphs", {morph(m)}}});
         },
         W, "/channels/0/morphs/0"},
    };
    for (const Mutation& mutation : mutations) {
        INFO(mutation.what);
        Json manifest = good();
        mutation.apply(manifest);
        const Findings findings = check_face(manifest, nullptr, "", {});
        for (const Finding& finding : findings) UNSCOPED_INFO(finding.where.pointer << " " << finding.message);
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].rule == "face");
        CHECK(findings[0].severity == mutation.severity);
        CHECK(findings[0].where.pointer == mutation.pointer);
        CHECK_FALSE(findings[0].fix.empty());
    }
}

TEST_CASE("a face that names what its avatar has not is told the nearest") {
    const avatar::Avatar avatar = good_avatar();
    Json manifest = good();
    morph(manifest)["target"] = "Blink_l";
    Findings findings = check_face(manifest, &avatar, "/f", 0);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].severity == E);
    CHECK(findings[0].where.pointer == "/f/channels/1/morphs/0/target");
    CHECK(findings[0].fix.find("Blink_L") != std::string::npos);

    manifest = good();
    morph(manifest)["mesh"] = "Body";
    CHECK(check_face(manifest, &avatar, "", {}).size() == 1);
    morph(manifest)["mesh"] = "Head";
    CHECK(check_face(manifest, &avatar, "", {})[0].where.pointer == "/channels/1/morphs/0/mesh");

    manifest = good();
    bone(manifest)["joint"] = "kaw";
    findings = check_face(manifest, &avatar, "", {});
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].fix.find("jaw") != std::string::npos);
}

TEST_CASE("a shape that moves no vertex is a warning, but sil is its name") {
    const avatar::Avatar avatar = good_avatar();
    Json manifest = good();
    morph(manifest)["target"] = "still";
    Findings findings = check_face(manifest, &avatar, "", {});
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].severity == W);
    manifest = good();
    manifest["channels"].push_back({{"name", "viseme.sil"}, {"morphs", {{{"mesh", "FaceMesh"}, {"target", "still"}}}}});
    CHECK(check_face(manifest, &avatar, "", {}).empty());
}

TEST_CASE("farther levels may drop their shapes; what some of them lack is one note a mesh and level") {
    avatar::Avatar avatar = good_avatar();
    avatar.levels.push_back(avatar.levels[0]);
    CHECK(check_face(good(), &avatar, "", {}).empty());
    avatar.levels[1].surfaces[0].morphs.clear();
    CHECK(check_face(good(), &avatar, "", {}).empty());
    avatar.levels[1].surfaces[0].morphs.push_back(avatar.levels[0].surfaces[0].morphs[0]);
    const Findings findings = check_face(good(), &avatar, "", {});
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].severity == Severity::info);
    CHECK(findings[0].message.find("LOD 1 is too coarse for") != std::string::npos);
    CHECK(findings[0].message.find("Blink_R") != std::string::npos);
}

TEST_CASE("a face bone that a dynamics chain moves is an error") {
    avatar::Avatar avatar = good_avatar();
    avatar.dynamics = Json::parse(R"({"chains":[{"root":"neck_02"},3,{}]})");
    const Findings findings = check_face(good(), &avatar, "", {});
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].severity == E);
    CHECK(findings[0].where.pointer == "/channels/0/bone/joint");
    (*avatar.dynamics)["chains"][0]["exclude"] = {"jaw"};
    CHECK(check_face(good(), &avatar, "", {}).empty());
}

TEST_CASE("any value in any place of a face is judged without a crash") {
    const avatar::Avatar avatar = good_avatar();
    const std::vector<Json> values{Json(),     Json(1), Json("x"), Json::array(), Json::object(), Json::array({1, "x"}),
                                   Json(false)};
    const Json flat = good().flatten();
    std::size_t errors = 0;
    for (const auto& [pointer, unused] : flat.items()) {
        for (const Json& value : values) {
            Json manifest = good();
            for (Json::json_pointer at(pointer);; at.pop_back()) {
                manifest[at] = value;
                errors += has_error(check_face(manifest, &avatar, "", {})) ? 1U : 0U;
                if (at.empty()) break;
            }
        }
    }
    CHECK(errors > 100);
}

TEST_CASE("a vowel A made from the jaw among other shapes is no A shape") {
    const Json manifest = Json::parse(R"({"contract": "helix/avatar-face@1", "capability": "jaw", "channels": [
        {"name": "viseme.aa", "morphs": [{"mesh": "FaceMesh", "target": "jawOpen", "weight": 0.6},
                                         {"mesh": "FaceMesh", "target": "mouthLowerDownLeft", "weight": 0.2}]},
        {"name": "jawOpen", "morphs": [{"mesh": "FaceMesh", "target": "jawOpen"}]}]})");
    CHECK(check_face(manifest, nullptr, "", {}).empty());
}

TEST_CASE("many shapes that move nothing, or that a coarse level lost, are one line each") {
    std::vector<std::string> names{"A", "B", "C", "D", "E", "F", "G", "H"};
    std::vector<Shape> shapes;
    for (const std::string& name : names) shapes.push_back({name, 0, name < "E"});
    avatar::Avatar avatar = face_avatar(shapes);
    avatar.levels.push_back(avatar.levels[0]);
    auto& morphs = avatar.levels[1].surfaces[0].morphs;
    morphs.erase(morphs.begin() + 1, morphs.end());
    Json manifest = {{"contract", "helix/avatar-face@1"}, {"capability", "none"}, {"channels", Json::array()}};
    Json all = Json::array();
    for (const std::string& name : names) all.push_back({{"mesh", "FaceMesh"}, {"target", name}});
    for (const char* channel : {"expression.happy", "expression.sad"})
        manifest["channels"].push_back({{"name", channel}, {"morphs", all}});
    const Findings findings = check_face(manifest, &avatar, "", {});
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].message == "4 shapes E, F, G, H of FaceMesh move no vertex");
    CHECK(findings[1].severity == Severity::info);
    CHECK(findings[1].message.find("too coarse for 7 shapes") != std::string::npos);
}

}  // namespace
}  // namespace helixavatar::face
