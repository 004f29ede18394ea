// SPDX-License-Identifier: MIT
// The hard cases of the material guards.
#include <cmath>

#include <catch2/catch.hpp>

#include "rule_cases.hpp"

using namespace helixavatar;
using namespace helixavatar::test;

namespace {

std::vector<std::uint8_t> picture(const std::function<Vec3(int, int)>& color) {
    std::vector<std::uint8_t> rgb;
    for (int y = 0; y < 64; ++y) {
        for (int x = 0; x < 64; ++x) {
            const Vec3 value = color(x, y);
            for (int c = 0; c < 3; ++c) rgb.push_back(static_cast<std::uint8_t>(std::lround(value[c])));
        }
    }
    return rgb;
}

bool fires(const char* rule, const std::vector<std::uint8_t>& color, const std::vector<std::uint8_t>& normal) {
    const preflight::Report report = judge_case({rule,
                                                 "",
                                                 [&](FixtureAvatar& a) {
                                                     a.color = png(64, color);
                                                     a.normal = png(64, normal);
                                                 },
                                                 {},
                                                 {},
                                                 {},
                                                 true});
    for (const Finding& finding : report.findings) {
        if (finding.rule == rule) return true;
    }
    return false;
}

bool color_refused(const std::vector<std::uint8_t>& color) {
    return fires("base-color-normal-map", color, normal_picture(64));
}
bool normal_refused(const std::vector<std::uint8_t>& normal) {
    return fires("normal-map", color_picture(64), normal);
}

}  // namespace

TEST_CASE("blue clothes are no normal map") {
    CHECK_FALSE(color_refused(picture(
        [](int x, int y) { return Vec3(20 + (x * 7 + y) % 30, 40 + (x + y * 5) % 40, 150 + (x * 3 + y * 7) % 60); })));
    CHECK_FALSE(
        color_refused(picture([](int x, int y) { return Vec3(90 + (x + y) % 20, 110 + (x * 3) % 20, 220 + y % 20); })));
    CHECK_FALSE(color_refused(picture([](int, int) { return Vec3(60, 90, 230); })));
}

TEST_CASE("white, black and grey colours are no normal map") {
    for (const double grey : {0.0, 30.0, 128.0, 200.0, 255.0}) {
        CHECK_FALSE(color_refused(picture([&](int, int) { return Vec3::Constant(grey); })));
    }
}

TEST_CASE("a flat normal map is a good normal map and a bad colour") {
    const auto flat = picture([](int, int) { return Vec3(128, 128, 255); });
    CHECK_FALSE(normal_refused(flat));
    CHECK(color_refused(flat));
}

TEST_CASE("a normal map with black around its islands is a good one") {
    const auto bumps = normal_picture(64);
    CHECK_FALSE(normal_refused(picture([&](int x, int y) {
        const std::size_t at = 3 * static_cast<std::size_t>(64 * y + x);
        return x < 40 ? Vec3(bumps[at], bumps[at + 1], bumps[at + 2]) : Vec3(Vec3::Zero());
    })));
}

TEST_CASE("a grey height map is no normal map") {
    CHECK(normal_refused(picture([](int x, int y) { return Vec3::Constant(40 + (x * 5 + y * 3) % 180); })));
    CHECK(normal_refused(picture([](int, int) { return Vec3::Constant(128); })));
    CHECK(normal_refused(picture([](int, int) { return Vec3::Constant(201); })));
}

TEST_CASE("a two-channel normal map without blue is refused") {
    const auto bumps = normal_picture(64);
    CHECK(normal_refused(picture([&](int x, int y) {
        const std::size_t at = 3 * static_cast<std::size_t>(64 * y + x);
        return Vec3(bumps[at], bumps[at + 1], 0);
    })));
}

TEST_CASE("a normal map that went through sRGB encoding is refused") {
    const auto bumps = normal_picture(64);
    const auto encode = [](double level) { return 255 * (1.055 * std::pow(level / 255, 1 / 2.4) - 0.055); };
    CHECK(normal_refused(picture([&](int x, int y) {
        const std::size_t at = 3 * static_cast<std::size_t>(64 * y + x);
        return Vec3(encode(bumps[at]), encode(bumps[at + 1]), encode(bumps[at + 2]));
    })));
}

TEST_CASE("a map whose green points down is a warning, one without relief is not") {
    CHECK(fires("normal-map-green", color_picture(64), normal_picture(64, -1)));
    CHECK_FALSE(fires("normal-map-green", color_picture(64), normal_picture(64, 1)));
    CHECK_FALSE(fires("normal-map-green", color_picture(64), picture([](int x, int y) {
                          return Vec3(127 + (x * 7 + y * 13) % 3, 127 + (x * 5 + y * 3) % 3, 255);
                      })));
}
