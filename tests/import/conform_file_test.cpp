// SPDX-License-Identifier: MIT
// `conform` changes skeleton and rest; everything else of the file is as it was.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

#include <helixavatar/gltf/accessor_view.hpp>
#include <helixavatar/gltf/document_builder.hpp>
#include <helixavatar/gltf/structure_check.hpp>
#include <helixavatar/import/import.hpp>

#include "support/humanoid.hpp"

using namespace helixavatar;
using namespace helixavatar::test;
using gltf::Json;

namespace {

constexpr auto kNone = gltf::DocumentBuilder::Target::none;

HumanoidOptions person() {
    HumanoidOptions options;
    options.triangles = 2000;
    options.materials = 3;
    options.skins = 2;
    options.face = "arkit";
    return options;
}

std::vector<float> floats(const gltf::Document& document, const Json& accessor) {
    const auto view = gltf::AccessorView::open(document, accessor.get<std::size_t>());
    REQUIRE(view);
    return view->floats();
}

std::size_t node_named(const Json& root, const std::string& name) {
    const Json& nodes = root["nodes"];
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].value("name", "") == name) return i;
    FAIL("no node " + name);
    return 0;
}

/// World places of all nodes at a key of the first animation.
std::vector<Vec3> places_at(const gltf::Document& document, double time) {
    const Json& nodes = document.json["nodes"];
    std::vector<Pose> local(nodes.size());
    std::vector<int> parent(nodes.size(), -1);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].contains("translation"))
            for (int k = 0; k < 3; ++k) local[i].translation[k] = nodes[i]["translation"][k];
        if (nodes[i].contains("rotation"))
            for (int k = 0; k < 4; ++k) local[i].rotation.coeffs()[k] = nodes[i]["rotation"][k];
        for (const Json& child : nodes[i].value("children", Json::array())) parent[child] = static_cast<int>(i);
    }
    const Json& animation = document.json["animations"][0];
    for (const Json& channel : animation["channels"]) {
        const Json& sampler = animation["samplers"][channel["sampler"].get<std::size_t>()];
        const std::vector<float> times = floats(document, sampler["input"]),
                                 values = floats(document, sampler["output"]);
        const auto key = std::find(times.begin(), times.end(), static_cast<float>(time));
        REQUIRE(key != times.end());
        const auto at = static_cast<std::size_t>(key - times.begin());
        const std::size_t node = channel["target"]["node"];
        for (std::size_t k = 0; k < 4 && channel["target"]["path"] == "rotation"; ++k)
            local[node].rotation.coeffs()[static_cast<int>(k)] = static_cast<double>(values[4 * at + k]);
        for (std::size_t k = 0; k < 3 && channel["target"]["path"] == "translation"; ++k)
            local[node].translation[static_cast<int>(k)] = static_cast<double>(values[3 * at + k]);
    }
    std::vector<Vec3> out;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        Pose world = local[i];
        for (int p = parent[i]; p >= 0; p = parent[static_cast<std::size_t>(p)])
            world = local[static_cast<std::size_t>(p)] * world;
        out.push_back(world.translation);
    }
    return out;
}

/// A file whose joints bend elbows, knees, spine and a finger, and whose hips walk away.
gltf::Document walking(HumanoidOptions options) {
    options.face = "none";
    options.skins = 1;
    gltf::DocumentBuilder builder(build_humanoid(options));
    const std::vector<float> times = {0, 0.5F, 1};
    const std::size_t input = builder.add_floats(times, "SCALAR", kNone, true);
    Json animation = {{"name", "Walk"}, {"channels", Json::array()}, {"samplers", Json::array()}};
    const auto add = [&](const std::string& name, const char* path, const std::vector<float>& values) {
        const std::string type = std::string(path) == "rotation" ? "VEC4" : "VEC3";
        animation["samplers"].push_back({{"input", input}, {"output", builder.add_floats(values, type, kNone)}});
        const std::size_t node = node_named(builder.json(), "mixamorig:" + name);
        animation["channels"].push_back(
            {{"sampler", animation["samplers"].size() - 1}, {"target", {{"node", node}, {"path", path}}}});
    };
    const auto turned = [&](const std::string& name, const Vec3& axis, double most) {
        const std::size_t node = node_named(builder.json(), "mixamorig:" + name);
        Quat rest = Quat::Identity();
        if (const Json& json = builder.json()["nodes"][node]; json.contains("rotation"))
            for (int k = 0; k < 4; ++k) rest.coeffs()[k] = json["rotation"][k];
        std::vector<float> values;
        for (const double share : {0.0, 0.5, 1.0}) {
            const Quat q = rest * Quat(Eigen::AngleAxisd(radians(share * most), axis));
            for (const double c : {q.x(), q.y(), q.z(), q.w()}) values.push_back(static_cast<float>(c));
        }
        add(name, "rotation", values);
    };
    turned("LeftUpLeg", Vec3::UnitX(), -40);
    turned("LeftLeg", Vec3::UnitX(), 60);
    turned("RightArm", Vec3::UnitZ(), 50);
    turned("RightForeArm", Vec3::UnitX(), 70);
    turned("Spine", Vec3::UnitY(), 25);
    turned("LeftHandIndex1", Vec3::UnitX(), 30);
    const Json hips = builder.json()["nodes"][node_named(builder.json(), "mixamorig:Hips")]["translation"];
    const std::vector<float> place = {hips[0], hips[1], hips[2]};
    add("Hips", "translation",
        {place[0], place[1], place[2], place[0] + 0.1F, place[1], place[2] + 0.4F, place[0], place[1] - 0.05F,
         place[2] + 1});
    builder.add("animations", std::move(animation));
    return builder.finish();
}

}  // namespace

TEST_CASE("conform keeps mesh nodes, materials, textures, texture coordinates, targets and extras") {
    gltf::Document source = build_humanoid(person());
    source.json["extras"] = {{"studio", "ours"}};
    source.json["materials"][0]["extras"] = {{"shader", "skin"}};
    source.json["asset"]["copyright"] = "2026 somebody";
    for (Json& node : source.json["nodes"])
        if (node.contains("mesh")) node["extras"] = {{"part", node["name"]}};
    const Result<import::ConformedFile> out = import::conform_file(source, {});
    REQUIRE(out);
    const Json& was = source.json;
    const Json& is = out->document.json;
    CHECK(is["materials"] == was["materials"]);
    CHECK(is["textures"] == was["textures"]);
    CHECK(is["samplers"] == was["samplers"]);
    CHECK(is["images"].size() == was["images"].size());
    CHECK(is["extras"] == was["extras"]);
    CHECK(is["asset"]["copyright"] == was["asset"]["copyright"]);
    for (std::size_t i = 0; i < is["images"].size(); ++i)
        CHECK(std::ranges::equal(*gltf::image_bytes(out->document, i), *gltf::image_bytes(source, i)));
    REQUIRE(is["meshes"].size() == was["meshes"].size());
    for (std::size_t m = 0; m < is["meshes"].size(); ++m) {
        CHECK(is["meshes"][m]["name"] == was["meshes"][m]["name"]);
        CHECK(is["meshes"][m].value("extras", Json()) == was["meshes"][m].value("extras", Json()));
        REQUIRE(is["meshes"][m]["primitives"].size() == was["meshes"][m]["primitives"].size());
        for (std::size_t p = 0; p < is["meshes"][m]["primitives"].size(); ++p) {
            const Json &a = is["meshes"][m]["primitives"][p], &b = was["meshes"][m]["primitives"][p];
            CHECK(a["material"] == b["material"]);
            CHECK(floats(out->document, a["attributes"]["TEXCOORD_0"]) ==
                  floats(source, b["attributes"]["TEXCOORD_0"]));
            CHECK(floats(out->document, a["indices"]) == floats(source, b["indices"]));
            CHECK(a.value("targets", Json::array()).size() == b.value("targets", Json::array()).size());
        }
    }
    for (const Json& node : was["nodes"])
        if (node.contains("mesh")) {
            const Json& kept = is["nodes"][node_named(out->document.json, node["name"])];
            CHECK(kept["extras"] == node["extras"]);
            CHECK(kept["skin"] == 0);
        }
    CHECK(is["skins"].size() == 1);
    CHECK_FALSE(has_error(gltf::check_structure(out->document, {true, {}})));
    for (const std::string& warning : out->warnings) CHECK(warning.find("re-posed") != std::string::npos);
}

TEST_CASE("a body that was put back has the vertices of the one that was conformed") {
    HumanoidOptions options = person();
    options.face = "none";
    options.units = Units::centimetres_under_node;
    options.mirrored_node = true;
    const gltf::Document source = build_humanoid(options);
    const Result<import::ConformedFile> file = import::conform_file(source, {});
    const Result<import::Conformed> body = import::conform_only(source, {});
    REQUIRE(file);
    REQUIRE(body);
    const Result<import::Understood> read = import::understand(file->document, {});
    REQUIRE(read);
    CHECK(read->recognition.map.family == "helix-humanoid@1");
    const auto &a = read->source.avatar.levels[0].surfaces, &b = body->avatar.levels[0].surfaces;
    REQUIRE(a.size() == b.size());
    for (std::size_t s = 0; s < a.size(); ++s) {
        REQUIRE(a[s].positions.size() == b[s].positions.size());
        float most = 0;
        for (std::size_t v = 0; v < a[s].positions.size(); ++v)
            most = std::max(most, (a[s].positions[v] - b[s].positions[v]).norm());
        CHECK(most < 1e-5F);
        CHECK(a[s].body == b[s].body);
    }
}

TEST_CASE("animations move the conformed joints as they moved the file's own") {
    const std::map<std::string, std::string> joints = {
        {"thigh_l", "LeftUpLeg"},       {"calf_l", "LeftLeg"},     {"foot_l", "LeftFoot"},
        {"ball_l", "LeftToeBase"},      {"thigh_r", "RightUpLeg"}, {"upperarm_r", "RightArm"},
        {"lowerarm_r", "RightForeArm"}, {"hand_r", "RightHand"},   {"head", "Head"},
        {"hand_l", "LeftHand"}};
    HumanoidOptions options = person();
    options.pose = GENERATE(BodyPose::canonical, BodyPose::t, BodyPose::a45);
    options.yaw_degrees = GENERATE(0.0, 90.0);
    const gltf::Document source = walking(options);
    const Result<import::ConformedFile> out = import::conform_file(source, {});
    REQUIRE(out);
    for (const std::string& warning : out->warnings) CHECK(warning.find("re-posed") != std::string::npos);
    CHECK(out->document.json["animations"][0]["name"] == "Walk");
    CHECK_FALSE(has_error(gltf::check_structure(out->document, {true, {}})));
    const auto ours_at_rest = places_at(out->document, 0), theirs_at_rest = places_at(source, 0);
    const Quat turn(Eigen::AngleAxisd(radians(-options.yaw_degrees), Vec3::UnitY()));
    for (const double time : {0.0, 0.5, 1.0}) {
        const auto ours = places_at(out->document, time), theirs = places_at(source, time);
        const std::size_t pelvis = node_named(out->document.json, "pelvis"),
                          hips = node_named(source.json, "mixamorig:Hips");
        CHECK((ours[pelvis] - ours_at_rest[pelvis] - turn * (theirs[hips] - theirs_at_rest[hips])).norm() < 1e-3);
        for (const auto& [canonical, name] : joints) {
            CAPTURE(time, canonical);
            const std::size_t a = node_named(out->document.json, canonical),
                              b = node_named(source.json, "mixamorig:" + name);
            CHECK((ours[a] - ours[pelvis] - turn * (theirs[b] - theirs[hips])).norm() < 2e-3);
        }
    }
}

TEST_CASE("broken animations cost nothing but themselves") {
    const gltf::Document sound = walking(person());
    const auto broken = [&](const char* pointer, const Json& value) {
        gltf::Document source = sound;
        source.json["animations"].push_back(source.json["animations"][0]);
        source.json["animations"][0][Json::json_pointer(pointer)] = value;
        const Result<import::ConformedFile> out = import::conform_file(source, {});
        REQUIRE(out);
        CHECK_FALSE(has_error(gltf::check_structure(out->document, {true, {}})));
        CHECK(out->document.json["animations"].back()["channels"].size() >= 7);
        return std::any_of(out->warnings.begin(), out->warnings.end(),
                           [](const std::string& w) { return w.find("broken: Walk") != std::string::npos; });
    };
    CHECK(broken("/channels", 7));
    CHECK(broken("/channels/0/target", "hips"));
    CHECK(broken("/channels/0/target/node", 100000));
    CHECK(broken("/channels/0/sampler", 1000));
    CHECK(broken("/samplers/0/input", 100000));
    CHECK(broken("/samplers/0/output", -1));
    CHECK(broken("/samplers/0/interpolation", 5));
}

TEST_CASE("what cannot stay in a conformed file is said") {
    gltf::Document source = walking(person());
    source.json["cameras"] = Json::array({{{"type", "perspective"}, {"perspective", {{"yfov", 1}, {"znear", 0.1}}}}});
    source.json["nodes"].push_back({{"name", "Lamp"}, {"translation", {0, 3, 0}}});
    Json channel = source.json["animations"][0]["channels"].back();
    channel["target"]["node"] = source.json["nodes"].size() - 1;
    source.json["animations"][0]["channels"].push_back(channel);
    const Result<import::ConformedFile> out = import::conform_file(source, {});
    REQUIRE(out);
    CHECK(std::any_of(out->warnings.begin(), out->warnings.end(),
                      [](const std::string& w) { return w.find("1 camera(s)") != std::string::npos; }));
    CHECK(std::any_of(out->warnings.begin(), out->warnings.end(),
                      [](const std::string& w) { return w.ends_with("or are broken: Walk"); }));
}

TEST_CASE("a head that shares the body's vertices goes on sharing them, morph targets or none") {
    HumanoidOptions options;
    options.triangles = 4000;
    options.texture_size = 16;
    options.face = "arkit";
    import::ImportOptions plain;
    plain.textures.ktx2 = false;
    const auto avatar = import::import_avatar(build_humanoid(options), {}, "a.web.glb", plain);
    REQUIRE(avatar);
    auto source = gltf::parse_document(avatar->glb, {});
    REQUIRE(source);
    for (Json& mesh : source->json["meshes"])
        if (mesh["name"] == avatar::kBodyMesh) {
            mesh.erase("weights");
            for (Json& part : mesh["primitives"]) part.erase("targets");
        }
    const Result<import::ConformedFile> out = import::conform_file(*source, {});
    REQUIRE(out);
    const auto primitive = [](const gltf::Document& document, const std::string& name) {
        const Json& node = document.json["nodes"][node_named(document.json, name)];
        return document.json["meshes"][node["mesh"].get<std::size_t>()]["primitives"][0];
    };
    const Json body = primitive(out->document, avatar::kBodyMesh), face = primitive(out->document, avatar::kFaceMesh);
    REQUIRE(face.contains("targets"));
    CHECK_FALSE(primitive(*source, avatar::kBodyMesh).contains("targets"));
    CHECK(face["attributes"] == body["attributes"]);
}
