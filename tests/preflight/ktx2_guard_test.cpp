// SPDX-License-Identifier: MIT
// The material guards on KTX2: one middle mip level, cut out of the file, goes through the basisu program.
#include <iostream>

#include <catch2/catch.hpp>
#include <helixavatar/base/child_process.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/texture/process.hpp>

#include "rule_cases.hpp"

using namespace helixavatar;
using namespace helixavatar::test;

namespace {

Bytes ktx2(const std::vector<std::uint8_t>& rgb, int edge, const std::vector<std::string>& mode) {
    const TemporaryFolder folder;
    REQUIRE(write_file_atomically(folder.path() / "in.png", png(edge, rgb)));
    std::vector<std::string> arguments = {"-ktx2", "-mipmap", "-file", "in.png", "-output_file", "out.ktx2"};
    arguments.insert(arguments.end(), mode.begin(), mode.end());
    const auto run = run_child(texture::find_encoder({}), arguments, folder.path(), std::chrono::seconds(60));
    REQUIRE(run);
    REQUIRE(run->exit_code == 0);
    return *read_file(folder.path() / "out.ktx2");
}

preflight::Report judge_ktx2(const Bytes& color, const Bytes& normal) {
    const auto textures = [](gltf::Document& document) {
        for (Json& texture : document.json["textures"]) {
            texture = {{"extensions", {{"KHR_texture_basisu", {{"source", texture["source"]}}}}}};
        }
        document.json["extensionsUsed"] = document.json["extensionsRequired"] = Json::array({"KHR_texture_basisu"});
    };
    const auto images = [&](FixtureAvatar& avatar) {
        avatar.color = color;
        avatar.normal = normal;
        avatar.mime = "image/ktx2";
    };
    return judge_case({"", "", images, textures, {}, {}, true});
}

std::string fired(const preflight::Report& report) {
    std::string out;
    for (const Finding& finding : report.findings)
        out += finding.rule + (finding.severity == Severity::not_measured ? "? " : " ");
    return out;
}

}  // namespace

TEST_CASE("KTX2 textures are looked at through one middle level, in both codecs") {
    if (texture::find_encoder({}).empty()) {
        std::cout << "skipped: no basisu program\n";
        return;
    }
    const int edge = 512;
    const Bytes color = ktx2(color_picture(edge), edge, {"-q", "64"});
    const Bytes normal = ktx2(normal_picture(edge), edge, {"-uastc", "-uastc_level", "0", "-linear"});
    const Bytes normal_etc1s = ktx2(normal_picture(edge), edge, {"-q", "128", "-linear"});
    CHECK(fired(judge_ktx2(color, normal)) == "");
    CHECK(fired(judge_ktx2(normal, normal)) == "base-color-normal-map ");
    CHECK(fired(judge_ktx2(color, color)) == "normal-map ");
    CHECK(fired(judge_ktx2(normal_etc1s, normal_etc1s)) == "base-color-normal-map ");
}

TEST_CASE("a KTX2 that cannot be looked at is not measured and fails under strict") {
    Bytes broken(120, 0);
    const std::uint8_t magic[] = {0xAB, 'K', 'T', 'X', ' ', '2', '0', 0xBB, '\r', '\n', 0x1A, '\n'};
    std::copy(std::begin(magic), std::end(magic), broken.begin());
    broken[20] = broken[24] = 64;
    broken[36] = broken[40] = 1;
    const preflight::Report report = judge_ktx2(broken, broken);
    std::size_t unmeasured = 0;
    for (const Finding& finding : report.findings) {
        unmeasured +=
            finding.severity == Severity::not_measured && finding.rule != "texture-edge" && finding.message.size() > 10;
    }
    CHECK(unmeasured >= 3);
    CHECK(report.failed(true));
}
