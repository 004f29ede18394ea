// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <limits>

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/avatar/document_io.hpp>
#include <helixavatar/gltf/structure_check.hpp>

using namespace helixavatar;
using namespace helixavatar::avatar;

namespace {

Influences weights(std::initializer_list<Influence> list) {
    Influences out{};
    std::copy(list.begin(), list.end(), out.begin());
    return out;
}

Joint joint(const char* name, int parent, Vec3 at, bool skin = true) { return {name, parent, skin, {at, Quat::Identity()}}; }

/// Two triangles on two joints, one of them in the face slice, with a texture and a morph target that moves vertex 3.
Avatar small_avatar() {
    Avatar avatar;
    avatar.joints = {joint("root", -1, {0, 0, 0}), joint("head", 0, {0, 1, 0}), joint("helper", 1, {0, 1.2, 0}, false)};
    Surface surface;
    surface.material = 0;
    surface.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    surface.normals.assign(4, Vec3f::UnitZ());
    surface.tangents.assign(4, Vec4f(1, 0, 0, -1));
    surface.uvs = {{{0, 0}, {1, 0}, {0, 1}, {1, 1}}};
    surface.influences = {weights({{0, 1}}), weights({{0, 0.5F}, {1, 0.5F}}), weights({{1, 1}}), weights({{1, 1}})};
    surface.morphs = {{"smile", {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0.25F}}, {}}};
    surface.body = {0, 1, 2};
    surface.face = {2, 1, 3};
    avatar.levels.push_back({"lod1", {surface}, std::nullopt});
    avatar.materials.push_back({Json{{"name", "skin"}, {"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 7}}}}}},
                                {{"/pbrMetallicRoughness/baseColorTexture", 0}}});
    avatar.textures.push_back({"skin", 1, Json{{"wrapS", 33071}}});
    avatar.images = {{"unused", "image/png", {1, 2, 3}}, {"skin", "image/jpeg", {0xFF, 0xD8, 0xFF, 0xE0}}};
    avatar.first_person_hide = {"FaceMesh"};
    avatar.face = Json{{"contract", "helix/avatar-face@1"}};
    return avatar;
}

}  // namespace

TEST_CASE("limiting influences keeps the heaviest, merges equal joints and sums to one") {
    Influences influences = weights({{3, 0.1F}, {1, 0.2F}, {3, 0.2F}, {2, 0.05F}, {4, 0.25F}, {5, 0.2F}});
    const float dropped = limit_influences(influences, 4);
    CHECK(influences[0].joint == 3);
    CHECK(dropped == Approx(0.05F));
    float sum = 0;
    for (const Influence& influence : influences) sum += influence.weight;
    CHECK(sum == Approx(1.0F));
    CHECK(influences[4].weight == 0);
}

TEST_CASE("a vertex without weight keeps none, and a NaN weight is none") {
    Influences none{};
    CHECK(limit_influences(none, 4) == 0);
    CHECK(none[0].weight == 0);
}

TEST_CASE("texture roles follow from the slot") {
    CHECK(role_of("/pbrMetallicRoughness/baseColorTexture") == TextureRole::base_color);
    CHECK(role_of("/normalTexture") == TextureRole::normal);
    CHECK(role_of("/extensions/KHR_materials_clearcoat/clearcoatNormalTexture") == TextureRole::normal);
    CHECK(role_of("/occlusionTexture") == TextureRole::occlusion_roughness_metallic);
    CHECK(role_of("/extensions/KHR_materials_specular/specularColorTexture") == TextureRole::other_color);
    CHECK(is_srgb(TextureRole::emissive));
    CHECK(!is_srgb(TextureRole::normal));
}

TEST_CASE("only morphs that move a slice are written for it") {
    const Avatar avatar = small_avatar();
    CHECK(written_morphs(avatar.levels[0], false).empty());
    CHECK(written_morphs(avatar.levels[0], true) == std::vector<std::string>{"smile"});
}

TEST_CASE("a written avatar has a scene a level with its own skeleton, and slices that share their vertices") {
    Avatar avatar = small_avatar();
    avatar.levels.push_back(avatar.levels[0]);
    avatar.levels[1].name = "lod2";
    const gltf::Document document = write_avatar(avatar, {"test"});
    const Json& json = document.json;
    REQUIRE(json["scenes"].size() == 2);
    CHECK(json["skins"].size() == 2);
    CHECK(json["skins"][0]["joints"].size() == 2);
    CHECK(json["skins"][0]["joints"] != json["skins"][1]["joints"]);
    CHECK(json["skins"][0]["inverseBindMatrices"] == json["skins"][1]["inverseBindMatrices"]);
    CHECK(json["nodes"].size() == 2 * (3 + 2));
    REQUIRE(json["meshes"].size() == 4);
    CHECK(json["meshes"][0]["name"] == "Body");
    CHECK(json["meshes"][1]["name"] == "FaceMesh");
    for (const char* attribute : {"POSITION", "NORMAL", "TANGENT", "TEXCOORD_0", "JOINTS_0", "WEIGHTS_0"})
        CHECK(json["meshes"][0]["primitives"][0]["attributes"][attribute] == json["meshes"][1]["primitives"][0]["attributes"][attribute]);
    CHECK(json["meshes"][1]["extras"]["targetNames"][0] == "smile");
    CHECK(json["images"].size() == 1);  // the unused one is gone
    CHECK(json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["index"] == 0);
    for (const Json& scene : json["scenes"]) {
        CHECK(scene["extras"]["helixAvatar"]["firstPersonHide"][0] == "FaceMesh");
        CHECK(scene["extras"]["helixFace"]["contract"] == "helix/avatar-face@1");
    }
}

TEST_CASE("a written avatar passes our own structure check and has no unreferenced byte") {
    const gltf::Document document = write_avatar(small_avatar());
    // The four bytes of the JPEG are no picture; everything else must be sound.
    for (const Finding& finding : gltf::check_structure(document)) {
        INFO(finding.where.pointer << ": " << finding.message);
        CHECK((finding.severity != Severity::error || finding.rule == "file-image"));
    }
    std::size_t referenced = 0;
    for (const Json& view : document.json["bufferViews"]) referenced += (view["byteLength"].get<std::size_t>() + 3) / 4 * 4;
    CHECK(referenced >= document.buffers[0].size());
}

TEST_CASE("an avatar reads back as it was written") {
    Avatar avatar = small_avatar();
    avatar.textures.clear();
    avatar.images.clear();
    avatar.materials = {{Json{{"name", "skin"}}, {}}};
    const auto read = read_avatar(write_avatar(avatar));
    REQUIRE(read);
    REQUIRE(read->levels.size() == 1);
    CHECK(read->levels[0].surfaces.size() == 1);
    CHECK(digest(read->levels[0]) == digest(avatar.levels[0]));
    CHECK(read->joints.size() == 3);
    CHECK(!read->joints[2].skin);
    CHECK(read->first_person_hide == avatar.first_person_hide);
    CHECK(*read->face == *avatar.face);
}

TEST_CASE("more than 255 joints still have their own numbers") {
    Avatar avatar = small_avatar();
    for (int i = 0; i < 300; ++i) avatar.joints.push_back(joint(("aux" + std::to_string(i)).c_str(), 1, {0, 1, 0}));
    avatar.levels[0].surfaces[0].influences[0] = weights({{302, 1}});
    const gltf::Document document = write_avatar(avatar);
    const int accessor = document.json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"];
    CHECK(document.json["accessors"][accessor]["componentType"] == 5123);
}

TEST_CASE("a surface that lost all its triangles leaves nothing behind") {
    Avatar avatar = small_avatar();
    avatar.levels.push_back(avatar.levels[0]);
    Surface empty = avatar.levels[1].surfaces[0];
    empty.body.clear();
    empty.face.clear();
    avatar.levels[1].surfaces = {empty, avatar.levels[0].surfaces[0]};
    const gltf::Document document = write_avatar(avatar);
    CHECK(document.json["meshes"].size() == 4);
    for (const Json& accessor : document.json["accessors"]) CHECK(accessor["count"] > 0);
}
