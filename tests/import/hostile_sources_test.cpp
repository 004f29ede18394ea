// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>

#include <helixavatar/avatar/document_io.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/gltf/accessor_view.hpp>
#include <helixavatar/gltf/document_builder.hpp>
#include <helixavatar/import/import.hpp>
#include <helixavatar/skeleton/skeleton.hpp>

#include "support/humanoid.hpp"

using namespace helixavatar;
using gltf::Json;

namespace {

gltf::Document person() {
    test::HumanoidOptions options;
    options.triangles = 1000;
    options.texture_size = 16;
    return test::build_humanoid(options);
}

/// A second copy of everything in the scene, two metres to the side, its names with a prefix.
void add_twin(gltf::Document& document, double aside) {
    Json& json = document.json;
    const std::size_t nodes = json["nodes"].size();
    const std::size_t skins = json["skins"].size();
    for (std::size_t i = 0; i < nodes; ++i) {
        Json node = json["nodes"][i];
        node["name"] = "Twin_" + node.value("name", "");
        if (node.contains("children"))
            for (Json& child : node["children"]) child = child.get<std::size_t>() + nodes;
        if (node.contains("skin")) node["skin"] = node["skin"].get<std::size_t>() + skins;
        json["nodes"].push_back(node);
    }
    for (std::size_t s = 0; s < skins; ++s) {
        Json skin = json["skins"][s];
        for (Json& joint : skin["joints"]) joint = joint.get<std::size_t>() + nodes;
        if (skin.contains("skeleton")) skin["skeleton"] = skin["skeleton"].get<std::size_t>() + nodes;
        json["skins"].push_back(skin);
    }
    Json twin = {{"name", "Twin"}, {"translation", {aside, 0, 0}}, {"children", json["scenes"][0]["nodes"]}};
    for (Json& child : twin["children"]) child = child.get<std::size_t>() + nodes;
    json["scenes"][0]["nodes"].push_back(json["nodes"].size());
    json["nodes"].push_back(twin);
}

import::ImportOptions fast(){import::ImportOptions options;
options.lod_triangles = {600, 300, 150};
options.textures.ktx2 = false;
return options;
}  // namespace

}  // namespace

TEST_CASE("of a file with several scenes it is said which one was read") {
    gltf::Document document = person();
    document.json["scenes"][0]["name"] = "Person";
    document.json["scenes"].push_back({{"name", "Stage"}, {"nodes", Json::array()}});
    const auto said = [&](const std::string& text) {
        const Result<import::Understood> understood = import::understand(document, {});
        REQUIRE(understood);
        const auto& warnings = understood->source.warnings;
        return std::count(warnings.begin(), warnings.end(), text);
    };
    document.json["scene"] = 0;
    CHECK(said("the file has 2 scenes; only its default one was read: Person") == 1);
    document.json.erase("scene");
    CHECK(said("the file has 2 scenes; only the first (none is the default) was read: Person") == 1);
    document.json["scenes"].erase(1);
    const Result<import::Understood> one = import::understand(document, {});
    REQUIRE(one);
    for (const std::string& warning : one->source.warnings) CHECK(warning.find("scenes") == std::string::npos);
}

namespace {

/// The person's joints with a cube on each in place of its skin; `as_children`: each cube on a node below the joint's,
/// as Blender writes bone children.
gltf::Document rigid_parts(bool as_children) {
    test::HumanoidOptions options;
    options.triangles = 1000;
    options.texture_size = 0;
    gltf::Document skinned = test::build_humanoid(options);
    const std::set<int> joints(skinned.json["skins"][0]["joints"].begin(), skinned.json["skins"][0]["joints"].end());
    skinned.json.erase("skins");
    skinned.json.erase("meshes");
    for (Json& node : skinned.json["nodes"]) {
        node.erase("mesh");
        node.erase("skin");
    }
    gltf::DocumentBuilder builder(std::move(skinned));
    std::vector<float> corners;
    for (int i = 0; i < 8; ++i)
        for (const int bit : {1, 2, 4}) corners.push_back(i & bit ? 0.03F : -0.03F);
    const std::vector<std::uint32_t> sides = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                              2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    const std::size_t position = builder.add_floats(corners, "VEC3", gltf::DocumentBuilder::Target::vertex, true);
    const std::size_t mesh = builder.add(
        "meshes",
        {{"name", "Cube"},
         {"primitives", {{{"attributes", {{"POSITION", position}}}, {"indices", builder.add_indices(sides)}}}}});
    for (const int joint : joints) {
        Json& nodes = builder.json()["nodes"];
        if (!as_children) {
            nodes[static_cast<std::size_t>(joint)]["mesh"] = mesh;
            continue;
        }
        nodes.push_back({{"name", "Part"}, {"mesh", mesh}});
        nodes[static_cast<std::size_t>(joint)]["children"].push_back(nodes.size() - 1);
    }
    return builder.finish();
}

}  // namespace

TEST_CASE("a person of rigid parts without a skin is put on the skeleton part by part") {
    const bool as_children = GENERATE(false, true);
    const gltf::Document document = rigid_parts(as_children);
    const Result<import::Understood> understood = import::understand(document, {});
    REQUIRE(understood);
    const rig::Recognition& found = understood->recognition;
    for (const std::string& role : rig::required_joints()) CHECK(found.map.source(role) >= 0);
    CHECK(understood->source.avatar.joints[found.map.source("lowerarm_l")].name == "mixamorig:LeftForeArm");
    const Result<import::Conformed> out = import::conform_only(document, {});
    REQUIRE(out);
    CHECK(out->report.edges_kept_share == 1);
    const auto& notes = understood->source.notes;
    CHECK(std::any_of(notes.begin(), notes.end(), [](const std::string& n) {
        return n.find("rigid parts were taken for the body") != std::string::npos;
    }));
}

TEST_CASE("one fault in several meshes is told once") {
    test::HumanoidOptions options;
    options.triangles = 1000;
    options.texture_size = 0;
    options.skins = 3;
    gltf::Document document = test::build_humanoid(options);
    Json& json = document.json;
    for (const Json& mesh : json["meshes"]) {
        const Json& accessor = json["accessors"][mesh["primitives"][0]["attributes"]["WEIGHTS_0"].get<std::size_t>()];
        const Json& view = json["bufferViews"][accessor["bufferView"].get<std::size_t>()];
        auto* weights = reinterpret_cast<float*>(document.buffers[0].data() + view["byteOffset"].get<std::size_t>());
        for (std::size_t i = 0; i < 4 * accessor["count"].get<std::size_t>(); ++i) weights[i] *= 0.5F;
    }
    const std::filesystem::path path = std::filesystem::temp_directory_path() / "helixavatar-halved.glb";
    REQUIRE(write_file_atomically(path, gltf::write_glb(document)));
    const Result<import::Readable> readable = import::read_for_conversion(path, Limits{});
    std::filesystem::remove(path);
    REQUIRE(readable);
    REQUIRE(readable->mended.size() == 1);
    INFO(readable->mended[0]);
    CHECK(readable->mended[0].find("(and the same in 2 more places)") != std::string::npos);
}

TEST_CASE("two characters in one file are asked for by name, and either can be had") {
    gltf::Document document = person();
    add_twin(document, 2);
    const auto refused = import::understand(document, fast());
    REQUIRE(!refused);
    CHECK(refused.error().kind == ErrorKind::unconvertible);
    CHECK(refused.error().message.find("Twin_") != std::string::npos);
    CHECK(refused.error().hint.find("--root") != std::string::npos);
    import::ImportOptions options = fast();
    options.root = "Twin";
    const auto twin = import::understand(document, options);
    REQUIRE(twin);
    for (const avatar::BoneMatch& match : twin->recognition.map.matches)
        if (match.source >= 0) CHECK(twin->source.avatar.joints[match.source].name.substr(0, 5) == "Twin_");
    options.root = "Nobody";
    CHECK(import::understand(document, options).error().kind == ErrorKind::usage);
}

TEST_CASE("a character whose normals are zero gets some, of unit length") {
    gltf::Document document = person();
    const Json& attributes = document.json["meshes"][0]["primitives"][0]["attributes"];
    const Json& accessor = document.json["accessors"][attributes["NORMAL"].get<std::size_t>()];
    const Json& view = document.json["bufferViews"][accessor["bufferView"].get<std::size_t>()];
    const std::size_t at = view.value("byteOffset", std::size_t{0}) + accessor.value("byteOffset", std::size_t{0});
    REQUIRE(view.value("byteStride", std::size_t{12}) == 12);
    std::memset(document.buffers[0].data() + at, 0, accessor["count"].get<std::size_t>() * 12);
    const auto out = import::import_avatar(document, {"a.glb", 1, "0", {}}, "a.web.glb", fast());
    REQUIRE(out);
    const auto written = gltf::parse_document(out->glb, {});
    REQUIRE(written);
    const auto read = avatar::read_avatar(*written);
    REQUIRE(read);
    for (const avatar::Level& level : read->levels)
        for (const avatar::Surface& surface : level.surfaces) {
            REQUIRE(!surface.normals.empty());
            CHECK(std::all_of(surface.normals.begin(), surface.normals.end(),
                              [](const Vec3f& n) { return std::abs(n.norm() - 1) < 0.01F; }));
        }
}

TEST_CASE("values of another type than glTF's end in an error, never in an exception") {
    const auto broken = [](const char* pointer, const Json& value) {
        gltf::Document document = person();
        document.json[Json::json_pointer(pointer)] = value;
        return document;
    };
    for (const gltf::Document& document :
         {broken("/images/0", Json::array({-1})), broken("/textures/0/name", 5), broken("/images", 3),
          broken("/materials/0/normalTexture/texCoord", nullptr), broken("/scenes/0/extras", {{"helixAvatar", {1}}})}) {
        CHECK_NOTHROW(avatar::read_source(document));
        CHECK_NOTHROW(avatar::read_avatar(document));
        CHECK_NOTHROW(skeleton::skeleton_from_document(document));
    }
    // What exporters do write: an animation's name, a texture past the images, an empty offset.
    gltf::Document odd = broken("/textures/0/source", 99);
    odd.json["animations"] = Json::array({{{"name", 7}}});
    odd.json["materials"][0]["normalTexture"]["extensions"]["KHR_texture_transform"]["offset"] = Json::array();
    CHECK(avatar::read_source(odd));
}

TEST_CASE("a skeleton is not taken from a document that does not hold together") {
    for (const Json& children : {Json(5), Json::array({99999}), Json::array({0}), Json("x")}) {
        gltf::Document document = person();
        document.json["nodes"][0]["children"] = children;
        const auto read = skeleton::skeleton_from_document(document);
        REQUIRE(!read);
        CHECK(read.error().kind == ErrorKind::malformed);
    }
}
