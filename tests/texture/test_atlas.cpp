// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <set>

#include <helixavatar/texture/atlas.hpp>

#include "texture/pictures.hpp"

using namespace helixavatar;
using namespace helixavatar::texture;
using avatar::Json;
using pictures::kBaseColor;
using pictures::kEmissive;
using pictures::kMetallicRoughness;
using pictures::kNormal;
using pictures::kOcclusion;
using pictures::Rgba;
using pictures::Scene;

namespace {

double linear(int code) {
    const double s = code / 255.0;
    return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
}

/// What a renderer reads nearest to the middle of a surface's triangle: texel × factor for a slot; alpha last.
Vec4 shaded(const avatar::Avatar& value, const avatar::Surface& surface, const std::string& slot, bool srgb,
            Vec4 factor) {
    const avatar::Material& material = value.materials.at(static_cast<std::size_t>(surface.material));
    const int texture = material.texture(slot);
    if (texture < 0) return factor;
    const auto image = value.textures.at(static_cast<std::size_t>(texture)).image;
    const Pixels pixels = decode(value.images.at(static_cast<std::size_t>(image)).bytes).take();
    Vec2f uv = Vec2f::Zero();
    for (std::size_t k = 0; k < 3; ++k) uv += surface.uvs.at(0).at(surface.body.at(k)) / 3.0F;
    const auto wrap = [](float t, int size) {
        return static_cast<int>(std::floor((t - std::floor(t)) * static_cast<float>(size))) % size;
    };
    const Rgba texel = pictures::at(pixels, wrap(uv.x(), pixels.width), wrap(uv.y(), pixels.height));
    for (std::size_t c = 0; c < 4; ++c)
        factor[static_cast<int>(c)] *= srgb && c < 3 ? linear(texel[c]) : texel[c] / 255.0;
    return factor;
}

Vec4 base_color(const avatar::Avatar& value, std::size_t surface) {
    const avatar::Surface& drawn = value.levels[0].surfaces[surface];
    const Json& json = value.materials.at(static_cast<std::size_t>(drawn.material)).json;
    Vec4 factor = Vec4::Ones();
    const Json::json_pointer pointer("/pbrMetallicRoughness/baseColorFactor");
    if (json.contains(pointer))
        for (int c = 0; c < 4; ++c) factor[c] = json[pointer][static_cast<std::size_t>(c)].get<double>();
    return shaded(value, drawn, kBaseColor, true, factor);
}

Pixels picture_of(const avatar::Avatar& value, std::size_t surface, const std::string& slot) {
    const auto material = static_cast<std::size_t>(value.levels[0].surfaces[surface].material);
    const int texture = value.materials.at(material).texture(slot);
    REQUIRE(texture >= 0);
    return decode(value.images[static_cast<std::size_t>(value.textures[static_cast<std::size_t>(texture)].image)].bytes)
        .take();
}

Bytes painted(int seed, int width, int height) {
    return pictures::png(width, height, [=](int x, int y) {
        return Rgba{(x * 2 + seed) % 256, (y * 2 + seed) % 256, seed % 256, 255};
    });
}

Json color(double r, double g, double b, double a = 1) {
    return Json{{"pbrMetallicRoughness",
                 {{"baseColorFactor", {r, g, b, a}}, {"metallicFactor", 0.4}, {"roughnessFactor", 0.6}}}};
}

AtlasOutput atlas_of(const Scene& scene, const AtlasOptions& options = {}) {
    auto out = atlas(scene.avatar, options);
    REQUIRE(out);
    return out.take();
}

std::size_t drawn_materials(const AtlasOutput& out) {
    std::set<int> used;
    for (const auto& surface : out.avatar.levels[0].surfaces) used.insert(surface.material);
    return used.size();
}

TextureOptions without_ktx2(int max_edge) {
    TextureOptions options;
    options.max_edge = max_edge;
    options.ktx2 = false;
    return options;
}

void set_uvs(Scene& scene, std::size_t surface, Vec2f a, Vec2f b, Vec2f c) {
    scene.avatar.levels[0].surfaces[surface].uvs = {{a, b, c}};
}

}  // namespace

TEST_CASE("Nine untextured materials become one small palette of the same colours") {
    Scene scene;
    for (int i = 0; i < 9; ++i) scene.material({}, color(0.1 * i, 0.05 * i, 0.5));
    const AtlasOutput out = atlas_of(scene);
    REQUIRE(out.avatar.materials.size() == 1);
    CHECK(out.atlases.at(0).from.size() == 9);
    CHECK(out.atlases[0].width <= 64);
    for (std::size_t i = 0; i < 9; ++i) CHECK((base_color(out.avatar, i) - base_color(scene.avatar, i)).norm() < 0.01);
    // Equal everywhere, hence factors and no texture.
    CHECK(out.avatar.materials[0].json["pbrMetallicRoughness"]["metallicFactor"].get<float>() == Approx(0.4));
    CHECK(out.avatar.materials[0].texture(kMetallicRoughness) == -1);
}

TEST_CASE("Materials that differ in roughness alone get a roughness picture and keep their factor colour") {
    Scene scene;
    for (const double roughness : {0.25, 0.75})
        scene.material({}, Json{{"pbrMetallicRoughness",
                                 {{"baseColorFactor", {0.2, 0.4, 0.6, 1}}, {"roughnessFactor", roughness}}}});
    const AtlasOutput out = atlas_of(scene);
    REQUIRE(out.avatar.materials.size() == 1);
    CHECK(out.avatar.materials[0].texture(kBaseColor) == -1);
    CHECK(out.avatar.materials[0].texture(kOcclusion) == -1);
    for (const auto& [surface, roughness] : {std::pair<std::size_t, double>{0, 0.25}, {1, 0.75}}) {
        const Vec4 orm =
            shaded(out.avatar, out.avatar.levels[0].surfaces[surface], kMetallicRoughness, false, Vec4::Ones());
        CHECK(orm[1] == Approx(roughness).margin(0.005));
        CHECK(orm[2] == Approx(1));
    }
}

TEST_CASE("Textures of different sizes lie side by side, texel for texel, with their factors in them") {
    Scene scene;
    scene.material({{kBaseColor, scene.texture(scene.image(painted(10, 64, 64), "image/png"))}});
    scene.material({{kBaseColor, scene.texture(scene.image(painted(90, 48, 100), "image/png"))}},
                   color(0.5, 0.5, 0.25));
    scene.material({}, color(0.9, 0, 0));
    const AtlasOutput out = atlas_of(scene);
    REQUIRE(out.avatar.materials.size() == 1);
    CHECK(out.atlases[0].scale == 1);
    CHECK(out.atlases[0].width <= 256);
    for (std::size_t i = 0; i < 3; ++i) {
        INFO("surface " << i);
        CHECK((base_color(out.avatar, i) - base_color(scene.avatar, i)).norm() < 0.015);
        CHECK(out.avatar.levels[0].surfaces[i].uvs.size() == 1);
    }
    const auto finished = process_textures(out.avatar, without_ktx2(2048));
    REQUIRE(finished);
    CHECK(finished->avatar.images.size() == 2);
    CHECK(finished->records[0].mode == "kept");
}

TEST_CASE("Only the used part of a texture goes into the atlas") {
    Scene scene;
    for (int i = 0; i < 2; ++i) {
        scene.material({{kBaseColor, scene.texture(scene.image(painted(i, 1024, 1024), "image/png"))}});
        set_uvs(scene, static_cast<std::size_t>(i), {0.5F, 0.5F}, {0.6F, 0.5F}, {0.5F, 0.6F});
    }
    const AtlasOutput out = atlas_of(scene);
    CHECK(out.atlases.at(0).scale == 1);
    CHECK(std::max(out.atlases[0].width, out.atlases[0].height) <= 256);
    for (std::size_t i = 0; i < 2; ++i) CHECK((base_color(out.avatar, i) - base_color(scene.avatar, i)).norm() < 0.015);
}

TEST_CASE("A part of one colour needs only a few texels, however large its texture") {
    Scene scene;
    for (int i = 0; i < 2; ++i)
        scene.material({{kBaseColor, scene.texture(scene.image(
                                         pictures::png(512, 512,
                                                       [=](int x, int) {
                                                           return Rgba{x < 256 ? 50 + i : x % 256, 99, 0, 255};
                                                       }),
                                         "image/png"))}});
    for (std::size_t i = 0; i < 2; ++i) set_uvs(scene, i, {0.1F, 0.1F}, {0.4F, 0.1F}, {0.1F, 0.9F});
    const AtlasOutput out = atlas_of(scene);
    CHECK(out.atlases.at(0).width <= 64);
    for (std::size_t i = 0; i < 2; ++i) CHECK((base_color(out.avatar, i) - base_color(scene.avatar, i)).norm() < 0.003);
}

TEST_CASE("Repeated textures are baked when they repeat a few times and left out with the reason when often") {
    for (const float repeats : {3.2F, 12.0F}) {
        INFO(repeats << " repeats");
        Scene scene;
        scene.material({{kBaseColor, scene.texture(scene.image(painted(40, 32, 32), "image/png", "cloth"))}},
                       Json{{"name", "Cloth"}});
        scene.material({}, color(0.2, 0.2, 0.2));
        scene.material({}, color(0.7, 0.2, 0.2));
        set_uvs(scene, 0, {0, 0}, {repeats, 0}, {0, repeats * 0.9F});
        const AtlasOutput out = atlas_of(scene);
        CHECK((base_color(out.avatar, 0) - base_color(scene.avatar, 0)).norm() < 0.02);
        if (repeats < 5) {
            CHECK(out.left_out.empty());
            CHECK(out.avatar.materials.size() == 1);
        } else {
            REQUIRE(out.left_out.size() == 1);
            CHECK(out.left_out[0].material == "Cloth");
            CHECK(out.left_out[0].reason.find("repeats 12 times") != std::string::npos);
            CHECK(out.avatar.materials.size() == 2);
        }
    }
}

TEST_CASE("An island that lies wholly in another tile is moved, not repeated") {
    Scene scene;
    scene.material({{kBaseColor, scene.texture(scene.image(painted(40, 64, 64), "image/png"))}});
    scene.material({}, color(0.2, 0.2, 0.2));
    set_uvs(scene, 0, {7.25F, -3.75F}, {7.75F, -3.75F}, {7.25F, -3.25F});
    const AtlasOutput out = atlas_of(scene);
    CHECK(out.left_out.empty());
    CHECK(out.atlases.at(0).width <= 64);
    CHECK((base_color(out.avatar, 0) - base_color(scene.avatar, 0)).norm() < 0.015);
}

TEST_CASE("Stray and broken UVs leave a material out instead of breaking the atlas") {
    for (const float bad : {1e38F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        Scene scene;
        for (int i = 0; i < 3; ++i)
            scene.material({{kBaseColor, scene.texture(scene.image(painted(i, 16, 16), "image/png"))}});
        set_uvs(scene, 1, {0, 0}, {bad, 0}, {0, 1});
        const AtlasOutput out = atlas_of(scene);
        REQUIRE(out.left_out.size() == 1);
        CHECK(out.left_out[0].reason.find("stray") != std::string::npos);
        CHECK(drawn_materials(out) == 2);
    }
}

TEST_CASE("Opaque, masked and blended, one-sided and two-sided, lit and unlit come down to two materials") {
    Scene scene;
    const Bytes leaf = pictures::png(32, 32, [](int x, int y) {
        return Rgba{40, 180, 60, (x + y) % 64 < 32 ? 90 : 40};
    });
    int i = 0;
    for (const char* mode : {"OPAQUE", "MASK", "BLEND"})
        for (const bool two_sided : {false, true})
            for (const bool unlit : {false, true}) {
                Json json = color(0.06 * ++i, 0.5, 0.5);
                json["alphaMode"] = mode;
                json["doubleSided"] = two_sided;
                if (unlit) json["extensions"]["KHR_materials_unlit"] = Json::object();
                if (std::string(mode) == "MASK") json["alphaCutoff"] = 0.25;
                scene.material({{kBaseColor, scene.texture(scene.image(leaf, "image/png"))}}, json);
            }
    const AtlasOutput out = atlas_of(scene);
    REQUIRE(out.avatar.materials.size() == 2);
    const auto material_of = [&](std::size_t surface) -> const Json& {
        return out.avatar.materials[static_cast<std::size_t>(out.avatar.levels[0].surfaces[surface].material)].json;
    };
    CHECK(material_of(0)["alphaMode"] == "MASK");
    CHECK(material_of(4)["alphaMode"] == "MASK");
    CHECK(material_of(8)["alphaMode"] == "BLEND");
    CHECK(material_of(8)["doubleSided"] == true);
    CHECK_FALSE(out.warnings.empty());
    // Alpha 90/255 is over the cutoff 0.25 and 40/255 under it: so they stay on their sides of the atlas's 0.5.
    const Pixels base = picture_of(out.avatar, 4, kBaseColor);
    CHECK(base_color(out.avatar, 0)[3] == 1);
    std::set<int> alphas;
    for (std::size_t p = 3; p < base.rgba.size(); p += 4) alphas.insert(base.rgba[p]);
    CHECK(std::any_of(alphas.begin(), alphas.end(), [](int a) { return a > 130 && a < 255; }));
    CHECK(std::any_of(alphas.begin(), alphas.end(), [](int a) { return a < 120; }));
}

TEST_CASE("Few differences are kept apart while they fit") {
    Scene scene;
    scene.material({}, color(0.1, 0.2, 0.3));
    scene.material({}, color(0.2, 0.2, 0.3));
    Json two_sided = color(0.3, 0.2, 0.3);
    two_sided["doubleSided"] = true;
    scene.material({}, two_sided);
    const AtlasOutput out = atlas_of(scene);
    CHECK(out.avatar.materials.size() == 2);
    CHECK_FALSE(out.avatar.materials[static_cast<std::size_t>(out.avatar.levels[0].surfaces[0].material)].json.contains(
        "doubleSided"));
    AtlasOptions one;
    one.max_materials = 1;
    CHECK(atlas_of(scene, one).avatar.materials.size() == 1);
}

TEST_CASE(
    "Normals, roughness, occlusion and emission share the layout, with scales, strengths and factors in the texels") {
    Scene scene;
    const auto solid = [&](Rgba value) {
        return scene.texture(scene.image(pictures::png(8, 8,
                                                       [=](int x, int) {
                                                           return x == 7 ? Rgba{1, 1, 1, 255} : value;
                                                       }),
                                         "image/png"));
    };
    Json json = color(1, 1, 1);
    json["emissiveFactor"] = {1, 0.5, 0};
    json["extensions"]["KHR_materials_emissive_strength"]["emissiveStrength"] = 4.0;
    const int orm = solid({100, 200, 150, 255});
    scene.material({{kBaseColor, solid({250, 250, 250, 255})},
                    {kNormal, solid({218, 128, 218, 255})},
                    {kMetallicRoughness, orm},
                    {kOcclusion, orm},
                    {kEmissive, solid({255, 255, 255, 255})}},
                   json);
    scene.avatar.materials[0].json["normalTexture"]["scale"] = 0.5;
    scene.avatar.materials[0].json["occlusionTexture"]["strength"] = 0.5;
    scene.material({}, color(0.2, 0.2, 0.2));
    const AtlasOutput out = atlas_of(scene);
    REQUIRE(out.avatar.materials.size() == 1);
    const Json& material = out.avatar.materials[0].json;
    const auto read = [&](std::size_t surface, const std::string& slot, bool srgb) {
        return shaded(out.avatar, out.avatar.levels[0].surfaces[surface], slot, srgb, Vec4::Ones());
    };
    const Vec4 packed = read(0, kMetallicRoughness, false);
    CHECK(packed[0] == Approx(1 + 0.5 * (100 / 255.0 - 1)).margin(0.01));
    CHECK(packed[1] == Approx(200 / 255.0 * 0.6).margin(0.01));
    CHECK(packed[2] == Approx(150 / 255.0 * 0.4).margin(0.01));
    CHECK(out.avatar.materials[0].texture(kOcclusion) == out.avatar.materials[0].texture(kMetallicRoughness));
    const Vec4 plain = read(1, kMetallicRoughness, false);
    CHECK(plain[0] == 1);
    CHECK(plain[1] == Approx(0.6).margin(0.01));
    const Vec3 tilted = (read(0, kNormal, false).head<3>() * 2 - Vec3::Ones());
    CHECK(tilted.norm() == Approx(1).margin(0.01));
    CHECK(tilted.x() / tilted.z() == Approx(0.5).margin(0.02));
    CHECK(read(1, kNormal, false)[2] == Approx(1));
    CHECK(material["extensions"]["KHR_materials_emissive_strength"]["emissiveStrength"].get<double>() == Approx(4));
    CHECK(read(0, kEmissive, true)[1] == Approx(0.5).margin(0.01));
    CHECK(read(1, kEmissive, true)[1] == Approx(0).margin(0.001));
}

TEST_CASE("Neighbours do not bleed into each other in the next mip levels") {
    Scene scene;
    const auto stripes = [](int shift) {
        return pictures::png(64, 64, [=](int x, int) { return Rgba{shift, x % 2 == 0 ? 10 : 14, 0, 255}; });
    };
    scene.material({{kBaseColor, scene.texture(scene.image(stripes(250), "image/png"))}});
    scene.material({{kBaseColor, scene.texture(scene.image(stripes(10), "image/png"))}});
    const AtlasOutput out = atlas_of(scene);
    const Pixels whole = picture_of(out.avatar, 0, kBaseColor);
    for (const auto& [divisor, tolerance] : {std::pair{2, 3}, std::pair{4, 12}}) {
        const auto small = process_textures(out.avatar, without_ktx2(std::max(whole.width, whole.height) / divisor));
        REQUIRE(small);
        const Pixels mip = picture_of(small->avatar, 0, kBaseColor);
        for (std::size_t surface = 0; surface < 2; ++surface)
            for (const Vec2f& uv : out.avatar.levels[0].surfaces[surface].uvs[0]) {
                const auto along = [](float t, int size) {
                    return std::min(size - 1, static_cast<int>(t * static_cast<float>(size)));
                };
                const Rgba texel = pictures::at(mip, along(uv.x(), mip.width), along(uv.y(), mip.height));
                CHECK(std::abs(texel[0] - (surface == 0 ? 250 : 10)) <= tolerance);
            }
    }
}

TEST_CASE("Too much texture is made smaller, the densest parts first") {
    Scene scene;
    for (int i = 0; i < 3; ++i)
        scene.material({{kBaseColor, scene.texture(scene.image(painted(i, 128, 128), "image/png"))}});
    for (Vec3f& p : scene.avatar.levels[0].surfaces[0].positions) p *= 0.01F;
    AtlasOptions small;
    small.max_edge = 128;
    const AtlasOutput out = atlas_of(scene, small);
    CHECK(out.atlases.at(0).width == 128);
    CHECK(out.atlases[0].scale < 1);
    const auto share = [&](std::size_t surface) {
        const auto& uv = out.avatar.levels[0].surfaces[surface].uvs[0];
        return std::abs((uv[1].x() - uv[0].x()) * (uv[2].y() - uv[0].y()));
    };
    CHECK(share(0) < 0.5F * share(1));
}

TEST_CASE("An outline shell that faces inwards stays one-sided on its own") {
    Scene scene;
    scene.material({}, color(0.5, 0.5, 0.5));
    scene.avatar.materials[0].json["doubleSided"] = true;
    scene.material({}, color(0, 0, 0));
    scene.avatar.materials[1].json["name"] = "Outline";
    avatar::Surface& shell = scene.avatar.levels[0].surfaces[1];
    shell.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    shell.uvs = {std::vector<Vec2f>(4, Vec2f::Zero())};
    shell.body = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
    AtlasOptions one;
    one.max_materials = 1;
    const AtlasOutput out = atlas_of(scene, one);
    REQUIRE(out.left_out.size() == 1);
    CHECK(out.left_out[0].material == "Outline");
}

TEST_CASE("One material needs no atlas, undrawn ones go, and the default material joins in") {
    Scene scene;
    scene.material({{kBaseColor, scene.texture(scene.image(painted(3, 16, 16), "image/png"))}});
    CHECK(atlas_of(scene).atlases.empty());
    scene.material({}, color(0.3, 0.3, 0.3));
    scene.avatar.levels[0].surfaces[1].material = -1;
    const AtlasOutput out = atlas_of(scene);
    REQUIRE(out.avatar.materials.size() == 1);
    CHECK(base_color(out.avatar, 1) == Vec4::Ones());
}

TEST_CASE("A texture on a second UV set is named when it is lost, and light-transmitting materials stay out") {
    Scene scene;
    const int texture = scene.texture(scene.image(painted(3, 16, 16), "image/png"));
    scene.material({{kBaseColor, texture}, {kOcclusion, texture}},
                   Json{{"name", "Coat"}, {"occlusionTexture", {{"texCoord", 1}}}});
    scene.material({}, color(0.3, 0.3, 0.3));
    Json glass = color(1, 1, 1);
    glass["name"] = "Visor";
    glass["extensions"]["KHR_materials_transmission"]["transmissionFactor"] = 0.9;
    scene.material({}, glass);
    const AtlasOutput out = atlas_of(scene);
    REQUIRE(out.left_out.size() == 1);
    CHECK(out.left_out[0].material == "Visor");
    REQUIRE(out.warnings.size() == 1);
    CHECK(out.warnings[0].find("occlusionTexture on UV set 1") != std::string::npos);
}

TEST_CASE("The same avatar gives the same atlas twice") {
    Scene scene;
    for (int i = 0; i < 4; ++i)
        scene.material({{kBaseColor, scene.texture(scene.image(painted(i * 40, 50 + i, 40), "image/png"))}});
    const AtlasOutput first = atlas_of(scene), second = atlas_of(scene);
    REQUIRE(first.avatar.images.size() == second.avatar.images.size());
    for (std::size_t i = 0; i < first.avatar.images.size(); ++i)
        CHECK(first.avatar.images[i].bytes == second.avatar.images[i].bytes);
    CHECK(avatar::digest(first.avatar.levels[0]) == avatar::digest(second.avatar.levels[0]));
}
