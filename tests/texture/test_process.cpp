// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <cmath>

#include "texture/pictures.hpp"

using namespace helixavatar;
using namespace helixavatar::texture;
using avatar::Json;
using pictures::at;
using pictures::kBaseColor;
using pictures::kMetallicRoughness;
using pictures::kNormal;
using pictures::kOcclusion;
using pictures::Rgba;
using pictures::Scene;

namespace {

Rgba grey_or_white(int x, int) {
    return x % 2 == 0 ? Rgba{0, 0, 0, 255} : Rgba{255, 255, 255, 255};
}
Rgba gradient(int x, int y) {
    return {x % 256, y % 256, (x + y) % 256, 255};
}

TextureOptions plain(int max_edge = 2048) {
    TextureOptions options;
    options.ktx2 = false;
    options.max_edge = max_edge;
    return options;
}

/// One image in one slot, processed without KTX2 and decoded again.
Pixels through(const Bytes& picture, const std::string& slot, int max_edge, Json material = {}) {
    Scene scene;
    scene.material({{slot, scene.texture(scene.image(picture, "image/png"))}}, std::move(material));
    const auto out = process_textures(scene.avatar, plain(max_edge));
    REQUIRE(out);
    REQUIRE(out->avatar.images.size() == 1);
    auto pixels = decode(out->avatar.images[0].bytes);
    REQUIRE(pixels);
    return pixels.take();
}

}  // namespace

TEST_CASE("Every edge becomes a power of two of at least four, within the limit, with the shape kept") {
    struct Row {
        int width, height, max_edge, to_width, to_height;
    };
    for (const Row& row :
         {Row{1, 1, 2048, 4, 4}, Row{3, 5, 2048, 4, 4}, Row{1000, 600, 2048, 1024, 512}, Row{300, 40, 128, 128, 16},
          Row{256, 256, 1000, 256, 256}, Row{256, 256, 100, 64, 64}, Row{64, 2, 2048, 64, 4}}) {
        INFO(row.width << " x " << row.height << " within " << row.max_edge);
        const Pixels pixels = through(pictures::png(row.width, row.height, gradient), kBaseColor, row.max_edge);
        CHECK(pixels.width == row.to_width);
        CHECK(pixels.height == row.to_height);
    }
}

TEST_CASE("Colour is averaged as light, data as numbers") {
    const Bytes stripes = pictures::png(16, 16, grey_or_white);
    // Half the light of white is code 188 in sRGB.
    CHECK(std::abs(at(through(stripes, kBaseColor, 4), 1, 1)[0] - 188) <= 3);
    CHECK(std::abs(at(through(stripes, kOcclusion, 4), 1, 1)[0] - 128) <= 3);
}

TEST_CASE("The hidden colour of transparent texels does not bleed into the visible") {
    const Bytes leaf = pictures::png(16, 16, [](int x, int) {
        return x % 4 == 0 ? Rgba{200, 40, 40, 255} : Rgba{0, 255, 0, 0};
    });
    const Rgba mixed = at(through(leaf, kBaseColor, 4, Json{{"alphaMode", "MASK"}}), 2, 2);
    CHECK(std::abs(mixed[0] - 200) <= 4);
    CHECK(std::abs(mixed[1] - 40) <= 4);
    CHECK(std::abs(mixed[3] - 64) <= 8);
}

TEST_CASE("Alpha that no material reads is dropped, and then no longer weighs the colours") {
    const Bytes leaf = pictures::png(16, 16, [](int x, int) {
        return x % 2 == 0 ? Rgba{255, 255, 255, 255} : Rgba{0, 0, 0, 0};
    });
    const Pixels opaque = through(leaf, kBaseColor, 4);
    CHECK_FALSE(opaque.has_alpha);
    CHECK(std::abs(at(opaque, 1, 1)[0] - 188) <= 3);
    CHECK(through(leaf, kBaseColor, 4, Json{{"alphaMode", "BLEND"}}).has_alpha);
}

TEST_CASE("Normals keep unit length when they shrink") {
    const Bytes bumps = pictures::png(16, 16, [](int x, int) { return Rgba{x % 2 == 0 ? 218 : 38, 128, 218, 255}; });
    const Rgba mixed = at(through(bumps, kNormal, 4), 1, 1);
    const Vec3 n(mixed[0] / 127.5 - 1, mixed[1] / 127.5 - 1, mixed[2] / 127.5 - 1);
    CHECK(n.norm() == Approx(1).margin(0.01));
    CHECK(n.z() > 0.99);
}

TEST_CASE("A picture of one colour shrinks to the smallest block") {
    const Pixels pixels = through(pictures::png(64, 64, [](int, int) { return Rgba{9, 8, 7, 255}; }), kBaseColor, 2048);
    CHECK(pixels.width == 4);
    CHECK(at(pixels, 3, 3) == Rgba{9, 8, 7, 255});
}

TEST_CASE("A PNG that fits stays byte for byte when there is no KTX2; a 16-bit one becomes 8-bit") {
    Scene scene;
    const Bytes fits = pictures::png(8, 8, gradient);
    scene.material({{kBaseColor, scene.texture(scene.image(fits, "image/png"))}});
    scene.material({{kNormal, scene.texture(scene.image(pictures::png(8, 8,
                                                                      [](int x, int y) {
                                                                          return Rgba{x << 12, y << 12, 0xFFFF, 0xFFFF};
                                                                      },
                                                                      {16, 6, {}}),
                                                        "image/png"))}});
    const auto out = process_textures(scene.avatar, plain());
    REQUIRE(out);
    CHECK(out->avatar.images[0].bytes == fits);
    CHECK(out->records[0].mode == "kept");
    CHECK(out->records[1].mode == "png");
    CHECK(out->avatar.images[1].bytes[24] == 8);
    CHECK_FALSE(out->ktx2_enabled);
}

TEST_CASE("Colour from JPEG or WebP goes back to JPEG, data from them to PNG") {
    Scene scene;
    const int webp = scene.image(pictures::fixture("lossless.webp"), "image/webp");
    scene.material({{kBaseColor, scene.texture(webp)}});
    scene.material({{kNormal, scene.texture(webp)}});
    const auto out = process_textures(scene.avatar, plain());
    REQUIRE(out);
    REQUIRE(out->records.size() == 2);
    CHECK(out->records[0].to.mime == "image/jpeg");
    CHECK(out->records[0].from.mime == "image/webp");
    CHECK(out->records[1].to.mime == "image/png");
    CHECK(out->records[1].from.bytes == pictures::fixture("lossless.webp").size());
}

TEST_CASE("One image used as colour and as data becomes two, and every slot finds its own") {
    Scene scene;
    const int texture = scene.texture(scene.image(pictures::png(16, 16, grey_or_white), "image/png"));
    scene.material({{kBaseColor, texture}, {kMetallicRoughness, texture}, {kOcclusion, texture}});
    const auto out = process_textures(scene.avatar, plain(4));
    REQUIRE(out);
    REQUIRE(out->avatar.images.size() == 2);
    const auto& material = out->avatar.materials[0];
    const int color = material.texture(kBaseColor), data = material.texture(kMetallicRoughness);
    CHECK(color != data);
    CHECK(material.texture(kOcclusion) == data);
    const auto pixels_of = [&](int t) {
        return decode(out->avatar.images[out->avatar.textures[t].image].bytes).take();
    };
    CHECK(at(pixels_of(color), 1, 1)[0] > 180);
    CHECK(at(pixels_of(data), 1, 1)[0] < 135);
}

TEST_CASE("Images and textures that no drawn material uses go") {
    Scene scene;
    scene.image(pictures::png(8, 8, gradient), "image/png", "unused");
    const int used = scene.texture(scene.image(pictures::png(8, 8, gradient), "image/png", "used"));
    scene.material({{kBaseColor, used}});
    scene.material({{kBaseColor, scene.texture(scene.image(pictures::png(8, 8, gradient), "image/png", "undrawn"))}});
    scene.avatar.levels[0].surfaces.pop_back();
    const auto out = process_textures(scene.avatar, plain());
    REQUIRE(out);
    REQUIRE(out->avatar.images.size() == 1);
    CHECK(out->avatar.images[0].name == "used");
    CHECK(out->avatar.textures.size() == 1);
    CHECK(out->avatar.materials[0].texture(kBaseColor) == 0);
    CHECK(out->avatar.materials[1].texture(kBaseColor) == -1);
}

TEST_CASE("The same avatar gives the same bytes twice") {
    Scene scene;
    for (int i = 0; i < 5; ++i)
        scene.material({{kBaseColor, scene.texture(scene.image(pictures::png(90 + i, 70, gradient), "image/png"))}});
    const auto first = process_textures(scene.avatar, plain(64));
    const auto second = process_textures(scene.avatar, plain(64));
    REQUIRE(first);
    REQUIRE(second);
    for (std::size_t i = 0; i < 5; ++i) CHECK(first->avatar.images[i].bytes == second->avatar.images[i].bytes);
}

TEST_CASE("A picture that does not decode is malformed and named") {
    Scene scene;
    Bytes broken = pictures::png(8, 8, gradient);
    broken.resize(40);
    scene.material({{kBaseColor, scene.texture(scene.image(broken, "image/png", "face"))}});
    const auto out = process_textures(scene.avatar, plain());
    REQUIRE_FALSE(out);
    CHECK(out.error().kind == ErrorKind::malformed);
    CHECK(out.error().where.find("/images/0 (face)") != std::string::npos);
}

TEST_CASE("Slots that point nowhere are left without a texture instead of crashing") {
    Scene scene;
    scene.material({{kBaseColor, 7}, {kNormal, -1}});
    const auto out = process_textures(scene.avatar, plain());
    REQUIRE(out);
    CHECK(out->avatar.materials[0].texture(kBaseColor) == -1);
    CHECK(out->avatar.images.empty());
}

TEST_CASE("A normal map whose slopes prove that its green points down is turned the right way up, and that is said") {
    const auto bumps = [](int up) { return pictures::round_bumps(64, up); };
    const auto imported = [](const Bytes& map, std::vector<std::string>& warnings) {
        Scene scene;
        scene.material({{kNormal, scene.texture(scene.image(map, "image/png", "bumps"))}});
        auto out = process_textures(scene.avatar, plain());
        REQUIRE(out);
        warnings = out->warnings;
        return out->avatar.images[0].bytes;
    };
    std::vector<std::string> warnings;
    CHECK(imported(bumps(1), warnings) == bumps(1));  // sound: not a byte is touched
    CHECK(warnings.empty());
    const auto righted = decode(imported(bumps(-1), warnings));
    const auto sound = decode(bumps(1));
    REQUIRE(righted);
    CHECK(pictures::psnr(*righted, *sound) > 45);
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find("\"bumps\" had its green channel upside down") != std::string::npos);
    // A flat map proves nothing.
    const Bytes flat = pictures::png(16, 16, [](int, int) { return Rgba{128, 128, 255, 255}; });
    imported(flat, warnings);
    CHECK(warnings.empty());
}

TEST_CASE("Occlusion in a picture of its own is packed with roughness and metal, each in its own channel") {
    Scene scene;
    const int occlusion = scene.texture(scene.image(pictures::png(32, 32,
                                                                  [](int x, int) {
                                                                      return Rgba{x * 8, 7, 7, 255};
                                                                  }),
                                                    "image/png", "ao"));
    const int gloss = scene.texture(scene.image(pictures::png(64, 64,
                                                              [](int, int y) {
                                                                  return Rgba{9, y * 4, 200, 255};
                                                              }),
                                                "image/png", "gloss"));
    scene.material({{kOcclusion, occlusion}, {kMetallicRoughness, gloss}});
    const auto out = process_textures(scene.avatar, plain());
    REQUIRE(out);
    REQUIRE(out->avatar.images.size() == 1);
    CHECK(out->avatar.materials[0].texture(kOcclusion) == out->avatar.materials[0].texture(kMetallicRoughness));
    const auto pixels = decode(out->avatar.images[0].bytes);
    REQUIRE(pixels);
    CHECK(pixels->width == 64);
    CHECK(std::abs(at(*pixels, 32, 10)[0] - 128) <= 5);
    CHECK(at(*pixels, 32, 10)[1] == 40);
    CHECK(at(*pixels, 32, 10)[2] == 200);
}

TEST_CASE("Occlusion that lies elsewhere stays in its own picture") {
    const auto images_of = [](Json material) {
        Scene scene;
        const Bytes picture = pictures::png(16, 16, gradient), other = pictures::png(16, 16, grey_or_white);
        const int occlusion = scene.texture(scene.image(picture, "image/png"));
        scene.material({{kOcclusion, occlusion}, {kMetallicRoughness, scene.texture(scene.image(other, "image/png"))}},
                       std::move(material));
        const auto out = process_textures(scene.avatar, plain());
        REQUIRE(out);
        return out->avatar.images.size();
    };
    CHECK(images_of({{"occlusionTexture", {{"texCoord", 1}}}}) == 2);
    CHECK(images_of(Json::object()) == 1);
}

TEST_CASE("What conversion saw of a picture is what another look at the written picture sees") {
    const Bytes tiled = pictures::png(64, 64, [](int x, int y) {
        return Rgba{80 + x, 60 + 2 * y, 40, (x / 8 + y / 8) % 2 ? 255 : 0};
    });
    const Bytes odd = pictures::png(60, 44, [](int x, int y) { return Rgba{80 + x, 60 + 2 * y, 40, 255}; });
    Scene scene;
    scene.material({{kBaseColor, scene.texture(scene.image(tiled, "image/png"))},
                    {kNormal, scene.texture(scene.image(pictures::round_bumps(64, -1), "image/png"))}},
                   {{"alphaMode", "BLEND"}});
    scene.material({{kBaseColor, scene.texture(scene.image(odd, "image/png"))},
                    {kMetallicRoughness, scene.texture(scene.image(odd, "image/png"))}});
    const auto out = process_textures(scene.avatar, plain());
    REQUIRE(out);
    REQUIRE(out->statistics.size() == out->records.size());
    std::size_t seen = 0;
    for (std::size_t i = 0; i < out->records.size(); ++i) {
        const bool data = out->records[i].role == avatar::TextureRole::occlusion_roughness_metallic;
        CHECK(out->statistics[i].has_value() != data);
        if (!out->statistics[i]) continue;
        const auto decoded = decode(out->avatar.images[i].bytes);
        REQUIRE(decoded);
        const PixelStatistics again = pixel_statistics(*decoded), &first = *out->statistics[i];
        CHECK(first.sampled == again.sampled);
        CHECK(first.background_share == again.background_share);
        CHECK(first.mean == again.mean);
        CHECK(first.deviation == again.deviation);
        CHECK(first.unit_share == again.unit_share);
        CHECK(first.curl_agreement == again.curl_agreement);
        CHECK(first.relief == again.relief);
        ++seen;
    }
    CHECK(seen == 3);
}
