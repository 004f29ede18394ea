// SPDX-License-Identifier: MIT
#include <algorithm>

#include <catch2/catch.hpp>

#include "texture/pictures.hpp"

using namespace helixavatar;
using namespace helixavatar::texture;
using pictures::at;
using pictures::Rgba;

namespace {

void near(const Rgba& got, const Rgba& wanted, int tolerance) {
    INFO("got " << got[0] << " " << got[1] << " " << got[2] << " " << got[3]);
    for (std::size_t c = 0; c < 4; ++c) CHECK(std::abs(got[c] - wanted[c]) <= tolerance);
}

/// The left half (200, 60, 20), the right half (40, 60, 220): what every fixture shows.
void check_fixture(const std::string& name, int tolerance) {
    INFO(name);
    const auto pixels = decode(pictures::fixture(name));
    REQUIRE(pixels);
    CHECK(pixels->width == 16);
    CHECK(pixels->height == 8);
    CHECK_FALSE(pixels->has_alpha);
    near(at(*pixels, 1, 4), {200, 60, 20, 255}, tolerance);
    near(at(*pixels, 14, 4), {40, 60, 220, 255}, tolerance);
}

}  // namespace

TEST_CASE("A 16-bit PNG decodes to the upper eight bits") {
    const auto pixels = decode(pictures::png(2, 1,
                                             [](int x, int) {
                                                 return Rgba{x == 0 ? 0x8000 : 0xFFFF, 0x1234, 0, 0xFFFF};
                                             },
                                             {16, 6, {}}));
    REQUIRE(pixels);
    CHECK(at(*pixels, 0, 0) == Rgba{0x80, 0x12, 0, 255});
    CHECK(at(*pixels, 1, 0) == Rgba{255, 0x12, 0, 255});
}

TEST_CASE("A palette PNG decodes with the alpha of its palette") {
    const auto pixels = decode(pictures::png(2, 1,
                                             [](int x, int) {
                                                 return Rgba{x, 0, 0, 0};
                                             },
                                             {8, 3, {{10, 20, 30, 255}, {40, 50, 60, 70}}}));
    REQUIRE(pixels);
    CHECK(at(*pixels, 0, 0) == Rgba{10, 20, 30, 255});
    CHECK(at(*pixels, 1, 0) == Rgba{40, 50, 60, 70});
    CHECK(pixels->has_alpha);
}

TEST_CASE("Interlaced PNG, lossless WebP, progressive and CMYK JPEG decode to the same picture") {
    check_fixture("interlaced.png", 0);
    check_fixture("lossless.webp", 0);
    check_fixture("progressive.jpg", 6);
    check_fixture("cmyk.jpg", 40);  // the fixture was converted between colour profiles
}

TEST_CASE("Alpha is reported only where a pixel is not opaque") {
    const auto opaque = decode(pictures::png(2, 2, [](int, int) { return Rgba{1, 2, 3, 255}; }));
    const auto clear = decode(pictures::png(2, 2, [](int x, int y) { return Rgba{1, 2, 3, x + y == 2 ? 254 : 255}; }));
    REQUIRE(opaque);
    REQUIRE(clear);
    CHECK_FALSE(opaque->has_alpha);
    CHECK(clear->has_alpha);
}

TEST_CASE("A picture over the size limit is refused before it is decoded") {
    Limits limits;
    limits.image_edge = 8;
    const auto pixels = decode(pictures::png(9, 1, [](int, int) { return Rgba{0, 0, 0, 255}; }), limits);
    REQUIRE_FALSE(pixels);
    CHECK(pixels.error().kind == ErrorKind::malformed);
    CHECK(pixels.error().message.find("9 x 1") != std::string::npos);
}

TEST_CASE("Damaged pictures are malformed, whatever is cut off") {
    for (const char* name : {"interlaced.png", "lossless.webp"}) {
        const Bytes whole = pictures::fixture(name);
        for (std::size_t length = 0; length + 16 < whole.size(); length += 7) {
            const auto pixels = decode(ByteView(whole).first(length));
            INFO(name << " cut to " << length);
            REQUIRE_FALSE(pixels);
            CHECK(pixels.error().kind == ErrorKind::malformed);
        }
    }
    Bytes jpeg = pictures::fixture("progressive.jpg");
    jpeg.resize(60);
    CHECK_FALSE(decode(jpeg));
}

TEST_CASE("A PNG chunk that lies about its length is told before room is made for it") {
    Bytes png = pictures::png(4, 4, [](int, int) { return Rgba{1, 2, 3, 255}; });
    const std::string type = "IDAT";
    const auto at = std::search(png.begin(), png.end(), type.begin(), type.end());
    REQUIRE(at != png.end());
    *(at - 4) = 0x3F;  // a gigabyte
    const auto pixels = decode(png);
    REQUIRE_FALSE(pixels);
    CHECK(pixels.error().message.find("lies about its length") != std::string::npos);
}
