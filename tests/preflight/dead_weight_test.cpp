// SPDX-License-Identifier: MIT
// What a file carries for nothing stands in the explainer, with its size.
#include <catch2/catch.hpp>

#include "rule_cases.hpp"

using namespace helixavatar;
using namespace helixavatar::test;

namespace {

const preflight::Measured::Saving* saving_that_says(const preflight::Report& report, const std::string& words) {
    for (const auto& saving : report.measured.savings) {
        if (saving.of == "file-size" && saving.action.find(words) != std::string::npos) return &saving;
    }
    return nullptr;
}

preflight::Report judged(std::function<void(FixtureAvatar&)> edit, std::function<void(gltf::Document&)> edit_document) {
    return judge_case({"", "", std::move(edit), std::move(edit_document), {}, {}, true});
}

}  // namespace

TEST_CASE("geometry that a level repeats is named with its size") {
    std::size_t vertices = 0;
    const preflight::Report report = judged(
        [&](FixtureAvatar& avatar) {
            avatar.levels[2] = avatar.levels[1] = avatar.levels[0];
            vertices = avatar.levels[0].vertices();
        },
        {});
    // Positions, normals, texture coordinates, joints and weights of each farther level.
    for (const char* level : {"LOD1", "LOD2"}) {
        const auto* saving = saving_that_says(report, std::string("of ") + level);
        REQUIRE(saving);
        INFO(saving->action);
        CHECK(saving->action.find("repeat others byte for byte: -") != std::string::npos);
        CHECK(saving->amount >= vertices * (12 + 12 + 8));
    }
    CHECK_FALSE(saving_that_says(report, "of LOD0"));
}

TEST_CASE("unused accessors, images and bytes are named with their size") {
    const preflight::Report good = judge_good();
    CHECK_FALSE(saving_that_says(good, "accessor that no mesh"));
    CHECK_FALSE(saving_that_says(good, "nothing refers to"));
    const preflight::Report report = judged({}, [](gltf::Document& document) {
        Json spare = document.json["accessors"][0];
        document.json["accessors"].push_back(spare);
        Json image = document.json["images"][0];
        image["name"] = "Spare";
        document.json["images"].push_back(image);
        document.image_files.emplace_back();
        document.buffers[0].resize(document.buffers[0].size() + 4096, 7);
        document.json["buffers"][0]["byteLength"] = document.buffers[0].size();
    });
    const auto* bytes = saving_that_says(report, "cut out the bytes that nothing refers to");
    REQUIRE(bytes);
    CHECK(bytes->amount >= 4096);
    CHECK(bytes->action.find("outside every bufferView") != std::string::npos);
    const auto* accessor = saving_that_says(report, "drop 1 accessor that no mesh, skin or animation uses");
    REQUIRE(accessor);
    CHECK(accessor->amount > 0);
    CHECK(saving_that_says(report, "drop Spare, which no material uses"));
}
