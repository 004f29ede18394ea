// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include <helixavatar/gltf/image_header.hpp>

using namespace helixavatar;
using namespace helixavatar::gltf;

namespace {

void put(Bytes& bytes, std::size_t at, std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

Bytes png(std::uint32_t width, std::uint32_t height) {
    Bytes b = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R'};
    for (const std::uint32_t edge : {width, height})
        for (int shift = 24; shift >= 0; shift -= 8) b.push_back(static_cast<std::uint8_t>(edge >> shift));
    b.insert(b.end(), {8, 6, 0, 0, 0, 0, 0, 0, 0});
    return b;
}

Bytes jpeg(std::uint8_t start_of_frame) {
    return {0xFF, 0xD8,           0xFF, 0xE0, 0, 4,    1,    2,    0xFF, 0xFF, 0xC4, 0,    3, 0,
            0xFF, start_of_frame, 0,    11,   8, 0x01, 0x02, 0x03, 0x04, 1,    1,    0x11, 0};
}

Bytes webp(std::string_view kind, const Bytes& payload) {
    Bytes b;
    for (const char c : std::string_view("RIFF____WEBP")) b.push_back(static_cast<std::uint8_t>(c));
    b.insert(b.end(), kind.begin(), kind.end());
    b.insert(b.end(), {10, 0, 0, 0});
    b.insert(b.end(), payload.begin(), payload.end());
    return b;
}

/// 64 x 32, one level of 16 bytes, a descriptor of one sample of `channel`.
Bytes ktx2(int color_model, int channel) {
    static constexpr std::uint8_t kSignature[] = {0xAB, 'K', 'T', 'X', ' ', '2', '0', 0xBB, '\r', '\n', 0x1A, '\n'};
    Bytes b(104 + 44 + 16, 0);
    std::copy(std::begin(kSignature), std::end(kSignature), b.begin());
    put(b, 16, 1, 4);
    put(b, 20, 64, 4);
    put(b, 24, 32, 4);
    put(b, 36, 1, 4);
    put(b, 40, 1, 4);
    put(b, 44, 2, 4);
    put(b, 48, 104, 4);
    put(b, 52, 44, 4);
    put(b, 80, 148, 8);
    put(b, 88, 16, 8);
    put(b, 96, 16, 8);
    put(b, 104, 44, 4);
    b[104 + 12] = static_cast<std::uint8_t>(color_model);
    b[104 + 14] = 2;
    b[104 + 28 + 3] = static_cast<std::uint8_t>(channel);
    return b;
}

void check_size(const Bytes& bytes, ImageFormat format, int width, int height) {
    const auto header = read_image_header(bytes);
    REQUIRE(header);
    CHECK(header->format == format);
    CHECK(header->width == width);
    CHECK(header->height == height);
}

}  // namespace

TEST_CASE("sizes are read from PNG, JPEG, WebP and KTX2 headers") {
    check_size(png(300, 200), ImageFormat::png, 300, 200);
    for (const int marker : {0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC9, 0xCF})
        check_size(jpeg(static_cast<std::uint8_t>(marker)), ImageFormat::jpeg, 0x304, 0x102);
    check_size(webp("VP8 ", {0x10, 0, 0, 0x9D, 0x01, 0x2A, 0x2C, 0x41, 0xC8, 0x80}), ImageFormat::webp, 300, 200);
    check_size(webp("VP8L", {0x2F, 0x2B, 0xC1, 0x31, 0x00}), ImageFormat::webp, 300, 200);
    check_size(webp("VP8X", {0, 0, 0, 0, 0x2B, 0x01, 0, 0xC7, 0, 0}), ImageFormat::webp, 300, 200);
    check_size(ktx2(166, 3), ImageFormat::ktx2, 64, 32);
}

TEST_CASE("a KTX2 header tells codec, transfer and alpha") {
    const auto uastc = read_image_header(ktx2(166, 3));
    REQUIRE(uastc->ktx2);
    CHECK(uastc->ktx2->levels == 1);
    CHECK(uastc->ktx2->supercompression == 2);
    CHECK(uastc->ktx2->color_model == 166);
    CHECK(uastc->ktx2->transfer == 2);
    CHECK(uastc->ktx2->has_alpha);
    CHECK_FALSE(read_image_header(ktx2(166, 0))->ktx2->has_alpha);
    CHECK(read_image_header(ktx2(163, 15))->ktx2->has_alpha);
    CHECK_FALSE(read_image_header(ktx2(163, 0))->ktx2->has_alpha);
}

TEST_CASE("a KTX2 whose numbers reach outside the file is refused") {
    const auto broken = [](std::size_t at, std::uint64_t value, int size) {
        Bytes b = ktx2(166, 0);
        put(b, at, value, size);
        return !read_image_header(b);
    };
    CHECK(broken(20, 0, 4));                      // width
    CHECK(broken(24, 0xFFFFFFFFU, 4));            // height
    CHECK(broken(28, 2, 4));                      // depth
    CHECK(broken(36, 6, 4));                      // faces
    CHECK(broken(40, 200, 4));                    // levels
    CHECK(broken(40, 3, 4));                      // levels whose index runs into other bytes
    CHECK(broken(48, 4000, 4));                   // descriptor offset
    CHECK(broken(52, 0xFFFFFFFFU, 4));            // descriptor length
    CHECK(broken(80, 0xFFFFFFFFFFFFFFF0ULL, 8));  // level offset
    CHECK(broken(88, 17, 8));                     // level length
    CHECK_FALSE(broken(88, 16, 8));
}

TEST_CASE("headers that end early or hold nonsense are refused, at every length") {
    const std::vector<Bytes> whole = {png(300, 200), jpeg(0xC2), webp("VP8L", {0x2F, 0x2B, 0xC1, 0x31, 0x00}),
                                      ktx2(163, 0)};
    for (const Bytes& bytes : whole) {
        const std::size_t needed = bytes[0] == 0xFF ? 23 : bytes.size();
        for (std::size_t size = 0; size < needed; ++size) {
            INFO(int(bytes[0]) << " cut at " << size);
            CHECK_FALSE(read_image_header(ByteView(bytes).first(size)));
        }
    }
    CHECK_FALSE(read_image_header(png(0, 200)));
    CHECK_FALSE(read_image_header(png(300, 0x80000000U)));
    Bytes depth = png(300, 200);
    depth[24] = 5;
    CHECK_FALSE(read_image_header(depth));
    CHECK_FALSE(read_image_header(webp("VP8 ", {0x10, 0, 0, 0, 0, 0, 0x2C, 0x41, 0xC8, 0x80})));
    CHECK_FALSE(read_image_header(webp("ALPH", {0, 0, 0, 0, 0, 0, 0, 0, 0, 0})));
    const Bytes gif = {'G', 'I', 'F', '8'};
    const auto unknown = read_image_header(gif);
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().message.find("47 49 46 38") != std::string::npos);
}
