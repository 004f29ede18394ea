// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <cmath>

#include <helixavatar/base/child_process.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/gltf/image_header.hpp>
#include <helixavatar/texture/fit.hpp>

#include "texture/pictures.hpp"

using namespace helixavatar;
using namespace helixavatar::texture;
using pictures::kBaseColor;
using pictures::kMetallicRoughness;
using pictures::kNormal;
using pictures::Rgba;
using pictures::Scene;

namespace {

/// Detail that no packing takes away.
Rgba grain(int x, int y) {
    const unsigned mixed = static_cast<unsigned>(x * 7919 + y * 104729) * 2654435761U;
    return {static_cast<int>(mixed >> 24), static_cast<int>(mixed >> 16 & 255U), static_cast<int>(mixed >> 8 & 255U),
            255};
}
Rgba grainy_normal(int x, int y) {
    return {118 + grain(x, y)[0] % 20, 118 + grain(x, y)[1] % 20, 254, 255};
}

Scene body(int edge) {
    Scene scene;
    const Bytes color = pictures::png(edge, edge, grain);
    scene.material(
        {{kBaseColor, scene.texture(scene.image(color, "image/png", "skin"))},
         {kNormal, scene.texture(scene.image(pictures::png(edge, edge, grainy_normal), "image/png", "bumps"))},
         {kMetallicRoughness, scene.texture(scene.image(color, "image/png", "gloss"))}});
    return scene;
}

std::size_t bytes_of(const avatar::Avatar& avatar) {
    std::size_t bytes = 0;
    for (const avatar::Image& image : avatar.images) bytes += image.bytes.size();
    return bytes;
}

TextureOptions options(bool ktx2, const std::filesystem::path& encoder = {}) {
    TextureOptions made;
    made.ktx2 = ktx2;
    made.encoder = encoder;
    made.cache = false;
    made.quality = Quality::fast;
    return made;
}

int edge_of(const avatar::Avatar& avatar, std::size_t image) {
    const auto header = gltf::read_image_header(avatar.images[image].bytes);
    REQUIRE(header);
    return std::max(header->width, header->height);
}

}  // namespace

TEST_CASE("Textures with room enough are what they would be without a limit") {
    const Scene scene = body(64);
    const auto fitted = fit_textures(scene.avatar, options(false), std::size_t{1} << 20);
    REQUIRE(fitted);
    CHECK(fitted->fits);
    CHECK(fitted->given_up.empty());
    const auto plain = process_textures(scene.avatar, options(false));
    REQUIRE(plain);
    for (std::size_t i = 0; i < plain->avatar.images.size(); ++i)
        CHECK(fitted->output.avatar.images[i].bytes == plain->avatar.images[i].bytes);
}

TEST_CASE("Textures are brought within any number of bytes that their smallest pictures allow, and spend it") {
    const Scene scene = body(256);
    const std::size_t whole = bytes_of(process_textures(scene.avatar, options(false))->avatar);
    for (const double share : {0.9, 0.5, 0.25, 0.1}) {
        INFO(share);
        const auto limit = static_cast<std::size_t>(static_cast<double>(whole) * share);
        const auto fitted = fit_textures(scene.avatar, options(false), limit);
        REQUIRE(fitted);
        CHECK(fitted->fits);
        CHECK(bytes_of(fitted->output.avatar) == fitted->bytes);
        CHECK(fitted->bytes <= limit);
        CHECK(fitted->bytes > limit / 5);  // a step of an edge is a factor of four
        CHECK_FALSE(fitted->given_up.empty());
    }
}

TEST_CASE("Gloss gives way before bumps, and bumps before colour") {
    const Scene scene = body(256);
    const std::size_t whole = bytes_of(process_textures(scene.avatar, options(false))->avatar);
    const auto fitted = fit_textures(scene.avatar, options(false), whole / 2);
    REQUIRE(fitted);
    REQUIRE(fitted->output.records.size() == 3);
    CHECK(edge_of(fitted->output.avatar, 2) <= edge_of(fitted->output.avatar, 1));
    CHECK(edge_of(fitted->output.avatar, 1) <= edge_of(fitted->output.avatar, 0));
    CHECK(fitted->given_up.back().find("orm texture \"gloss\": ") == 0);
}

TEST_CASE("A number of bytes that nothing meets is told as such, with the smallest pictures") {
    const auto fitted = fit_textures(body(256).avatar, options(false), 100);
    REQUIRE(fitted);
    CHECK_FALSE(fitted->fits);
    CHECK(fitted->bytes > 100);
    for (std::size_t i = 0; i < 3; ++i) CHECK(edge_of(fitted->output.avatar, i) == 64);
    CHECK(TextureForecast(body(256).avatar, options(false)).loss_within(100) > 1e9);
}

TEST_CASE("A forecast asks for more the fewer bytes there are") {
    const avatar::Avatar avatar = body(256).avatar;
    const TextureForecast forecast(avatar, options(false));
    double before = 0;
    for (const std::size_t bytes :
         {std::size_t{1} << 20, std::size_t{100000}, std::size_t{50000}, std::size_t{25000}}) {
        const double loss = forecast.loss_within(bytes);
        CHECK(loss >= before);
        before = loss;
    }
    CHECK(forecast.loss_within(std::size_t{1} << 20) == 0);
    CHECK(before > 0);
}

TEST_CASE("With an encoder base colours get the better codec when there is room, and the other one when there is not") {
    const auto encoder = pictures::encoder_or_skip();
    if (encoder.empty()) return;
    const Scene scene = body(256);
    const auto roomy = fit_textures(scene.avatar, options(true, encoder), std::size_t{1} << 20);
    REQUIRE(roomy);
    CHECK(roomy->output.records[0].mode == "uastc");
    CHECK(roomy->given_up.empty());
    const auto tight = fit_textures(scene.avatar, options(true, encoder), roomy->bytes * 3 / 4);
    REQUIRE(tight);
    CHECK(tight->fits);
    CHECK(tight->output.records[0].mode == "etc1s");
    CHECK(edge_of(tight->output.avatar, 0) == 256);
    REQUIRE_FALSE(tight->given_up.empty());
    CHECK(tight->given_up.front() == "baseColor texture \"skin\": ETC1S instead of UASTC");
}

TEST_CASE("Smaller KTX2 pictures are cut from the larger one that was encoded, never encoded again") {
    const auto encoder = pictures::encoder_or_skip();
    if (encoder.empty()) return;
    const TemporaryFolder folder;
    const auto counting =
        pictures::script(folder.path(), "basisu",
                         "case \"$*\" in *-output_file*) echo x >> '" + (folder.path() / "calls").string() +
                             "';; esac\nexec '" + encoder.string() + "' \"$@\"");
    Scene scene;
    scene.material(
        {{kNormal, scene.texture(scene.image(pictures::png(256, 256, grainy_normal), "image/png", "bumps"))}});
    const auto whole = fit_textures(scene.avatar, options(true, encoder), std::size_t{1} << 20);
    REQUIRE(whole);
    const auto fitted = fit_textures(scene.avatar, options(true, counting), whole->bytes / 3);
    REQUIRE(fitted);
    CHECK(fitted->fits);
    CHECK(edge_of(fitted->output.avatar, 0) == 128);
    CHECK(read_file(folder.path() / "calls")->size() == 2);  // one line of one letter: one encode
    CHECK(decode_ktx2(fitted->output.avatar.images[0].bytes, 128, encoder));
}
