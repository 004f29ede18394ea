// SPDX-License-Identifier: MIT
// import --fit: every file that it writes passes preflight, whatever went in.
#include <catch2/catch.hpp>

#include <helixavatar/import/import.hpp>
#include <helixavatar/lod/levels.hpp>

#include "support/humanoid.hpp"
#include "support/real_avatars.hpp"

using namespace helixavatar;
using namespace helixavatar::test;

namespace {

import::ImportOptions fitting(){import::ImportOptions options;
options.fit = true;
options.textures.ktx2 = false;
return options;
}  // namespace

Result<import::ImportOutput> fit(const gltf::Document& document, const import::ImportOptions& options = fitting()) {
    import::SourceFile file;
    file.file = "source.glb";
    file.bytes = gltf::write_glb(document).size();
    return import::import_avatar(document, file, "avatar.web.glb", options);
}

const gltf::Json& budget(const gltf::Json& receipt, const std::string& id) {
    for (const gltf::Json& entry : receipt["fit"]["budgets"])
        if (entry["id"] == id) return entry;
    throw std::out_of_range(id);
}

HumanoidOptions overweight() {
    HumanoidOptions options;
    options.triangles = 70000;
    options.materials = 12;
    options.texture_size = 512;
    options.face = "arkit";
    return options;
}

}  // namespace

TEST_CASE("A source over every count comes inside every budget, which it spends, and passes preflight") {
    const auto out = fit(build_humanoid(overweight()));
    REQUIRE(out);
    CHECK(out->report.count(Severity::error) == 0);
    CHECK(out->receipt["preflight"]["verdict"] == "pass");
    for (const gltf::Json& entry : out->receipt["fit"]["budgets"]) {
        INFO(entry.dump());
        CHECK(entry["after"] <= entry["limit"]);
    }
    CHECK(budget(out->receipt, "materials")["before"] == 12);
    CHECK(budget(out->receipt, "triangles")["before"] > 60000);
    CHECK(budget(out->receipt, "triangles")["after"] > 58000);  // spent, not the least
    REQUIRE_FALSE(out->receipt["fit"]["gaveUp"].empty());
    CHECK(out->receipt["fit"]["considered"][0]["triangles"].size() == 3);
}

TEST_CASE("A source that is inside every budget gives nothing up") {
    HumanoidOptions options;
    options.texture_size = 64;
    const auto out = fit(build_humanoid(options));
    REQUIRE(out);
    CHECK(out->receipt["fit"]["gaveUp"].empty());
    CHECK(out->receipt["lods"][0]["triangles"] == out->receipt["source"]["triangles"]);
}

TEST_CASE("A fit spends the triangle budget as `lod --auto` does") {
    HumanoidOptions options;
    options.triangles = 70000;
    options.texture_size = 16;
    const auto out = fit(build_humanoid(options));
    REQUIRE(out);
    const std::size_t source = out->receipt["source"]["triangles"].get<std::size_t>();
    CHECK(out->receipt["fit"]["considered"][0]["triangles"] == gltf::Json(lod::automatic_targets(source, 60000)));
}

TEST_CASE("Levels that are asked for are a wish that a fit does not go over") {
    import::ImportOptions options = fitting();
    options.lod_triangles = {3000, 1500, 500};
    options.lod_triangles_given = true;
    const auto out = fit(build_humanoid({}), options);
    REQUIRE(out);
    CHECK(out->receipt["lods"][0]["triangles"] <= 3000);
    CHECK(out->receipt["lods"][0]["triangles"] >= 2900);
}

TEST_CASE("Draw calls that no atlas lowers take levels away before the file is refused") {
    HumanoidOptions options;
    options.materials = 7;
    options.texture_size = 16;
    gltf::Document document = build_humanoid(options);
    double roughness = 0.1;
    for (gltf::Json& material : document.json["materials"]) {
        material["extensions"]["KHR_materials_transmission"]["transmissionFactor"] = 0.1;
        material["pbrMetallicRoughness"]["roughnessFactor"] = roughness += 0.1;  // or they would be one
    }
    const auto out = fit(document);
    REQUIRE(out);
    CHECK(out->report.measured.draw_calls <= 12);
    CHECK(out->receipt["lods"].size() == 1);
    const std::string gave_up = out->receipt["fit"]["gaveUp"].dump();
    CHECK(gave_up.find("2 of 3 levels") != std::string::npos);
}

TEST_CASE("A budget out of reach is named with its distance, and there is no file") {
    HumanoidOptions options;
    options.materials = 14;
    options.texture_size = 16;
    gltf::Document document = build_humanoid(options);
    for (gltf::Json& material : document.json["materials"])
        material["extensions"]["KHR_materials_transmission"]["transmissionFactor"] = 0.1;
    const auto out = fit(document);
    REQUIRE_FALSE(out);
    CHECK(out.error().kind == ErrorKind::unconvertible);
    INFO(out.error().message);
    CHECK(out.error().message.find("over the limit of 8") != std::string::npos);
    CHECK(out.error().message.find("materials is ") != std::string::npos);
    CHECK_FALSE(out.error().hint.empty());
}

TEST_CASE("A rule that no budget helps against refuses the file by its name") {
    HumanoidOptions options;
    options.faults = {Fault::swapped_textures};
    const auto out = fit(build_humanoid(options));
    REQUIRE_FALSE(out);
    CHECK(out.error().kind == ErrorKind::unconvertible);
    CHECK(out.error().message.find("base-color-normal-map") != std::string::npos);
}

TEST_CASE("A fit is the same bytes every time") {
    const gltf::Document document = build_humanoid(overweight());
    const auto once = fit(document);
    const auto again = fit(document);
    REQUIRE(once);
    REQUIRE(again);
    CHECK(once->glb == again->glb);
    CHECK(once->receipt == again->receipt);
}

TEST_CASE("Every real character that can be imported at all fits every budget", "[real]") {
    const auto folder = folder_from("HELIXAVATAR_REAL_AVATARS");
    if (!folder) return;
    std::size_t fitted = 0;
    for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
        const std::string extension = entry.path().extension().string();
        if (extension != ".glb" && extension != ".vrm" && extension != ".fbx") continue;
        INFO(entry.path().filename());
        const auto readable = import::read_for_conversion(entry.path(), {});
        if (!readable) continue;
        import::ImportOptions plain = fitting();
        plain.fit = false;
        if (!import::import_avatar(readable->document, {}, "a.web.glb", plain)) continue;
        const auto out = import::import_avatar(readable->document, {}, "a.web.glb", fitting());
        CHECK(out);
        if (out) CHECK(out->report.count(Severity::error) == 0);
        ++fitted;
    }
    CHECK(fitted >= 10);
}
