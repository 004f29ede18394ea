// SPDX-License-Identifier: MIT
#include <algorithm>

#include <catch2/catch.hpp>

#include <functional>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

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

namespace {

void append_chunk(Bytes& png, const std::string& type, const Bytes& data) {
    const auto big32 = [&](std::size_t value) {
        for (const int shift : {24, 16, 8, 0}) png.push_back(static_cast<std::uint8_t>(value >> shift));
    };
    big32(data.size());
    const std::size_t from = png.size();
    png.insert(png.end(), type.begin(), type.end());
    png.insert(png.end(), data.begin(), data.end());
    big32(crc32(0, png.data() + from, static_cast<uInt>(png.size() - from)));
}

/// A square 8-bit RGBA picture of zeros; its data come to `mebibytes`, whatever its size would need.
Bytes zeros(int edge, std::size_t mebibytes, std::size_t pieces = 1) {
    const Bytes mebibyte(std::size_t{1} << 20);
    Bytes data(compressBound(mebibyte.size()) * (mebibytes + 1));
    z_stream stream{};
    deflateInit(&stream, 9);
    stream.next_out = data.data();
    stream.avail_out = static_cast<uInt>(data.size());
    for (std::size_t i = 0; i < mebibytes; ++i) {
        stream.next_in = const_cast<Bytef*>(mebibyte.data());
        stream.avail_in = static_cast<uInt>(mebibyte.size());
        deflate(&stream, i + 1 == mebibytes ? Z_FINISH : Z_NO_FLUSH);
    }
    data.resize(stream.total_out);
    deflateEnd(&stream);
    Bytes png = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    const auto high = static_cast<std::uint8_t>(edge >> 8), low = static_cast<std::uint8_t>(edge);
    append_chunk(png, "IHDR", {0, 0, high, low, 0, 0, high, low, 8, 6, 0, 0, 0});
    for (std::size_t i = 0; i < pieces; ++i)
        append_chunk(png, "IDAT",
                     {data.begin() + static_cast<std::ptrdiff_t>(data.size() * i / pieces),
                      data.begin() + static_cast<std::ptrdiff_t>(data.size() * (i + 1) / pieces)});
    append_chunk(png, "IEND", {});
    return png;
}

/// An 8-bit picture of these scanlines, each with its filter byte.
Bytes png_of_lines(int width, int height, std::uint8_t color_type, const Bytes& lines) {
    uLongf size = compressBound(lines.size());
    Bytes data(size);
    compress2(data.data(), &size, lines.data(), lines.size(), 9);
    data.resize(size);
    Bytes png = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    const auto wide = static_cast<std::uint8_t>(width), high = static_cast<std::uint8_t>(height);
    append_chunk(png, "IHDR", {0, 0, 0, wide, 0, 0, 0, high, 8, color_type, 0, 0, 0});
    append_chunk(png, "IDAT", data);
    append_chunk(png, "IEND", {});
    return png;
}

/// Highest resident memory of a process of its own that does the work; KiB.
long peak_kib(const std::function<void()>& work) {
    const pid_t child = ::fork();
    if (child == 0) {
        work();
        ::_exit(0);
    }
    int status = 0;
    rusage usage{};
    ::wait4(child, &status, 0, &usage);
    CHECK(status == 0);
    return usage.ru_maxrss;
}

}  // namespace

TEST_CASE("A PNG whose data inflate without end is decoded in the memory that its size needs") {
    const Bytes bomb = zeros(1, 400, 3);
    REQUIRE(bomb.size() < 500'000);
    const auto pixels = decode(bomb);
    REQUIRE(pixels);
    CHECK(pixels->rgba == std::vector<std::uint8_t>{0, 0, 0, 0});
    const long idle = peak_kib([] {});
    CHECK(peak_kib([&] { static_cast<void>(decode(bomb)); }) < idle + 16 * 1024);
}

TEST_CASE("A small PNG that claims to be large is refused before room is made for it") {
    const Bytes liar = zeros(16384, 1);
    REQUIRE(liar.size() < 2000);
    const auto pixels = decode(liar);
    REQUIRE_FALSE(pixels);
    CHECK(pixels.error().kind == ErrorKind::malformed);
    CHECK_THAT(pixels.error().message, Catch::Contains("end before its last row"));
    const long idle = peak_kib([] {});
    CHECK(peak_kib([&] { static_cast<void>(decode(liar)); }) < idle + 16 * 1024);
    // One that is as large as it says is decoded all the same.
    const auto honest = decode(zeros(500, 1, 7));
    REQUIRE(honest);
    CHECK(honest->width == 500);
    CHECK_THAT(decode(zeros(520, 1)).error().message, Catch::Contains("end before its last row"));
}

TEST_CASE("An 8-bit PNG of one pass decodes to its pixels whatever filters its lines have") {
    // Every filter on lines that depend on each other, for RGB and RGBA; 70 lines are more than are inflated at once.
    for (const std::size_t channels : {std::size_t{3}, std::size_t{4}}) {
        constexpr int kWidth = 23, kHeight = 70;
        const auto sample = [&](int x, int y, std::size_t c) {
            return static_cast<int>((x * 37 + y * 91 + static_cast<int>(c) * 53 + x * y * (7 + static_cast<int>(c))) &
                                    255);
        };
        const auto at_or_zero = [&](int x, int y, std::size_t c) { return x < 0 || y < 0 ? 0 : sample(x, y, c); };
        Bytes lines;
        for (int y = 0; y < kHeight; ++y) {
            const int filter = y % 5;
            lines.push_back(static_cast<std::uint8_t>(filter));
            for (int x = 0; x < kWidth; ++x)
                for (std::size_t c = 0; c < channels; ++c) {
                    const int a = at_or_zero(x - 1, y, c), b = at_or_zero(x, y - 1, c), d = at_or_zero(x - 1, y - 1, c);
                    const int p = a + b - d;  // PNG, third edition, 9.4
                    const int pa = std::abs(p - a), pb = std::abs(p - b), pd = std::abs(p - d);
                    const int guess = filter == 1   ? a
                                      : filter == 2 ? b
                                      : filter == 3 ? (a + b) / 2
                                      : filter == 4 ? (pa <= pb && pa <= pd ? a
                                                       : pb <= pd           ? b
                                                                            : d)
                                                    : 0;
                    lines.push_back(static_cast<std::uint8_t>(sample(x, y, c) - guess));
                }
        }
        const auto pixels = decode(png_of_lines(kWidth, kHeight, channels == 3 ? 2 : 6, lines));
        REQUIRE(pixels);
        CHECK(pixels->has_alpha == (channels == 4));
        std::size_t wrong = 0;
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x)
                for (std::size_t c = 0; c < 4; ++c) {
                    const int wanted = c < channels ? sample(x, y, c) : 255;
                    wrong += at(*pixels, x, y)[c] != wanted;
                }
        CHECK(wrong == 0);

        Bytes unknown = lines;
        unknown[0] = 5;  // no filter of PNG
        const auto refused = decode(png_of_lines(kWidth, kHeight, channels == 3 ? 2 : 6, unknown));
        REQUIRE_FALSE(refused);
        CHECK(refused.error().kind == ErrorKind::malformed);
    }
}
