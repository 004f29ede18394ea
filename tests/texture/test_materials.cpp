// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <helixavatar/texture/materials.hpp>

#include "texture/pictures.hpp"

using namespace helixavatar;
using namespace helixavatar::texture;
using avatar::Json;
using pictures::kBaseColor;
using pictures::Rgba;
using pictures::Scene;

namespace {

Bytes red() {
    return pictures::png(4, 4, [](int x, int) { return Rgba{200 + x, 0, 0, 255}; });
}

int material_of(const MaterialsOutput& out, std::size_t surface) {
    return out.avatar.levels[0].surfaces[surface].material;
}

}  // namespace

TEST_CASE("Materials that differ in name, extras and spelled-out defaults only become one") {
    Scene scene;
    scene.material({}, Json::parse(R"({"name":"Skin","pbrMetallicRoughness":{"roughnessFactor":0.5}})"));
    scene.material(
        {},
        Json::parse(R"({"pbrMetallicRoughness":{"metallicFactor":1,"roughnessFactor":0.5,"baseColorFactor":[1,1,1,1.0]},
        "name":"Skin.001","alphaMode":"OPAQUE","alphaCutoff":0.3,"doubleSided":false,"emissiveFactor":[0,0,0],"extras":{"a":1},"extensions":{}})"));
    const auto out = merge_equal_materials(scene.avatar);
    CHECK(material_of(out, 0) == 0);
    CHECK(material_of(out, 1) == 0);
    REQUIRE(out.notes.size() == 1);
    CHECK(out.notes[0].find("\"Skin.001\" draws the same as \"Skin\"") != std::string::npos);
}

TEST_CASE("Materials that draw differently stay apart") {
    for (const char* other :
         {R"({"doubleSided":true})", R"({"alphaMode":"MASK"})", R"({"pbrMetallicRoughness":{"metallicFactor":0}})",
          R"({"extensions":{"KHR_materials_unlit":{}}})"}) {
        INFO(other);
        Scene scene;
        scene.material({});
        scene.material({}, Json::parse(other));
        const auto out = merge_equal_materials(scene.avatar);
        CHECK(material_of(out, 1) == 1);
        CHECK(out.notes.empty());
    }
}

TEST_CASE("Textures are equal by the bytes of their images and by their samplers") {
    Scene scene;
    const int first = scene.texture(scene.image(red(), "image/png", "a")),
              second = scene.texture(scene.image(red(), "image/png", "b"));
    const int clamped = scene.texture(scene.image(red(), "image/png", "c"));
    scene.avatar.textures[static_cast<std::size_t>(clamped)].sampler = Json{{"wrapS", 33071}};
    for (const int texture : {first, second, clamped}) scene.material({{kBaseColor, texture}});
    const auto out = merge_equal_materials(scene.avatar);
    CHECK(material_of(out, 1) == 0);
    CHECK(material_of(out, 2) == 2);
    CHECK(out.avatar.textures[static_cast<std::size_t>(clamped)].image == 0);
}
