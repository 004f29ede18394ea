// SPDX-License-Identifier: MIT
// Our KTX2 through three.js's KTX2Loader: it loads, and looks like its source.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>

#include <helixavatar/avatar/read_source.hpp>
#include <helixavatar/base/child_process.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/gltf/decode.hpp>
#include <helixavatar/gltf/image_header.hpp>

#include "support/humanoid.hpp"
#include "support/real_avatars.hpp"
#include "texture/pictures.hpp"

using namespace helixavatar;
using namespace helixavatar::texture;
using pictures::kBaseColor;
using pictures::Rgba;
using pictures::Scene;

namespace {

/// KTX2Loader's run over a file of the folder; nothing, said, without node or three.
std::optional<ChildResult> load(const Bytes& ktx2, const std::filesystem::path& folder) {
    const auto modules = test::node_modules();
    const auto node = find_program("node");
    if (!modules || node.empty()) return std::nullopt;
    REQUIRE(write_file_atomically(folder / "in.ktx2", ktx2));
    const auto run = run_child(
        node,
        {std::string(HELIXAVATAR_SOURCE_DIR) + "/tests/readback/ktx2.mjs", modules->string(), "in.ktx2", "out.rgba"},
        folder, std::chrono::seconds(120));
    REQUIRE(run);
    return *run;
}

/// The largest level as three.js sees it; nothing, said, without node or three.
std::optional<Pixels> transcode(const Bytes& ktx2, bool srgb) {
    const auto header = gltf::read_image_header(ktx2);
    REQUIRE(header);
    const TemporaryFolder folder;
    const auto run = load(ktx2, folder.path());
    if (!run) return std::nullopt;
    INFO(run->output);
    REQUIRE(run->exit_code == 0);
    const auto says = [&](const std::string& fact) { return run->output.find(fact) != std::string::npos; };
    CHECK(says("\"levels\":" + std::to_string(header->ktx2->levels)));
    CHECK(says(std::string("\"srgb\":") + (srgb ? "true" : "false")));
    const auto rgba = read_file(folder.path() / "out.rgba");
    REQUIRE(rgba);
    const std::size_t base = static_cast<std::size_t>(header->width) * header->height * 4;
    REQUIRE(rgba->size() > base);  // all levels came
    Pixels pixels;
    pixels.width = header->width;
    pixels.height = header->height;
    pixels.rgba.assign(rgba->begin(), rgba->begin() + static_cast<std::ptrdiff_t>(base));
    for (std::size_t i = 3; i < base; i += 4) pixels.has_alpha = pixels.has_alpha || pixels.rgba[i] != 255;
    return pixels;
}

TextureOptions options(bool ktx2, const std::filesystem::path& encoder = {}) {
    TextureOptions made;
    made.ktx2 = ktx2;
    made.encoder = encoder;
    made.cache = false;
    return made;
}

/// Least PSNR by codec, decibels.
struct Floor {
    double uastc = 38, etc1s = 30;
};

/// The colour of what nobody sees may be another one.
void take_hidden_colours(Pixels& pixels, const Pixels& from) {
    for (std::size_t i = 0; pixels.has_alpha && i < pixels.rgba.size(); i += 4)
        if (from.rgba[i + 3] == 0)
            std::copy_n(from.rgba.begin() + static_cast<std::ptrdiff_t>(i), 3,
                        pixels.rgba.begin() + static_cast<std::ptrdiff_t>(i));
}

/// Every KTX2 of the avatar against the same picture without it: PSNR over RGB, at least that of its codec.
void check_against_source(const std::string& name, const avatar::Avatar& avatar, int max_edge, const Floor& floor) {
    const auto encoder = pictures::encoder_or_skip();
    if (encoder.empty()) return;
    TextureOptions with = options(true, encoder), without = options(false);
    with.max_edge = without.max_edge = max_edge;
    const auto ktx2 = process_textures(avatar, with);
    const auto plain = process_textures(avatar, without);
    REQUIRE(ktx2);
    REQUIRE(plain);
    REQUIRE(ktx2->records.size() == plain->records.size());
    for (std::size_t i = 0; i < ktx2->records.size(); ++i) {
        const TextureRecord& record = ktx2->records[i];
        INFO(name << ", " << record.name);
        auto seen = transcode(ktx2->avatar.images[i].bytes, avatar::is_srgb(record.role));
        if (!seen) return;
        const auto source = decode(plain->avatar.images[i].bytes);
        REQUIRE(source);
        if (source->width == 4) continue;  // one colour
        take_hidden_colours(*seen, *source);
        const double decibels = pictures::psnr(*seen, *source);
        std::printf("| %s | %s | %s | %d x %d | %zu | %.1f |\n", name.c_str(), record.name.c_str(), record.mode.c_str(),
                    seen->width, seen->height, record.to.bytes, decibels);
        CHECK(decibels >= (record.mode == "uastc" ? floor.uastc : floor.etc1s));
    }
}

}  // namespace

TEST_CASE("KTX2 of a painted character loads in three.js's KTX2Loader and looks like its source") {
    test::HumanoidOptions character;
    character.triangles = 1000;
    character.texture_size = 256;
    check_against_source("builder", test::humanoid_avatar(character), 2048, {});
}

TEST_CASE("A mask whose levels were put together by us loads level by level") {
    const auto encoder = pictures::encoder_or_skip();
    if (encoder.empty()) return;
    Scene scene;
    const Bytes png = pictures::png(64, 32, [](int x, int y) {
        return Rgba{90 + x, 60 + y, 40, (x + y / 3) % 8 == 0 ? 255 : 0};
    });
    scene.material({{kBaseColor, scene.texture(scene.image(png, "image/png", "hair"))}}, {{"alphaMode", "MASK"}});
    const auto out = process_textures(scene.avatar, options(true, encoder));
    REQUIRE(out);
    const auto seen = transcode(out->avatar.images[0].bytes, true);
    if (!seen) return;
    const auto source = decode(png);
    std::size_t differ = 0;
    for (std::size_t i = 3; i < seen->rgba.size(); i += 4) differ += (seen->rgba[i] >= 128) != (source->rgba[i] >= 128);
    CHECK(differ <= seen->rgba.size() / 4 / 100);
}

TEST_CASE("A KTX2 cut short is not one that KTX2Loader loads") {
    const auto encoder = pictures::encoder_or_skip();
    if (encoder.empty()) return;
    Scene scene;
    const Bytes png = pictures::png(64, 64, [](int x, int y) { return Rgba{3 * x, 2 * y, 40, 255}; });
    scene.material({{kBaseColor, scene.texture(scene.image(png, "image/png", "skin"))}}, {});
    const auto out = process_textures(scene.avatar, options(true, encoder));
    REQUIRE(out);
    Bytes cut = out->avatar.images[0].bytes;
    cut.resize(cut.size() / 2);
    const TemporaryFolder folder;
    const auto run = load(cut, folder.path());
    if (run) CHECK(run->exit_code == 1);
}

TEST_CASE("Every KTX2 of the real characters loads in three.js's KTX2Loader and looks like its source", "[real]") {
    const auto folder = test::folder_from("HELIXAVATAR_REAL_AVATARS");
    if (!folder) return;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(*folder))
        if (entry.path().extension() == ".glb" || entry.path().extension() == ".vrm") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    // Hard edges of saturated colours (cool-loops, 27.2) and a normal map that is noise (lumberjack, 34.2).
    constexpr Floor kHardest{33, 26};
    std::size_t characters = 0;
    constexpr int kQuickEdge = 512;  // pixels; what an encoder does to a block does not depend on how many there are
    for (const std::filesystem::path& file : files) {
        INFO(file);
        const auto document = gltf::read_document(file);
        REQUIRE(document);
        const auto plain = gltf::decompress(*document);
        REQUIRE(plain);
        const auto source = avatar::read_source(*plain);
        if (!source) continue;  // the debug robot is no character
        check_against_source(file.filename().string(), source->avatar, kQuickEdge, kHardest);
        ++characters;
    }
    CHECK(characters >= 15);
}
