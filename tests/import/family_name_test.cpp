// SPDX-License-Identifier: MIT
// A rig has one name, whoever is asked.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>

#include <helixavatar/avatar/document_io.hpp>
#include <helixavatar/import/import.hpp>
#include <helixavatar/preflight/preflight.hpp>

#include "support/humanoid.hpp"
#include "support/real_avatars.hpp"

using namespace helixavatar;
using namespace helixavatar::test;

namespace {

std::string plain(std::string name) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return c == '_' ? ' ' : static_cast<char>(std::tolower(c)); });
    return name;
}

/// What preflight calls the rig; empty when it does not say.
std::string said_by_preflight(const gltf::Document& document) {
    const Result<preflight::Report> report = preflight::judge(gltf::write_glb(document), "a.glb");
    REQUIRE(report);
    for (const Finding& finding : report->findings)
        if (finding.rule == "skeleton" && finding.unit == "rig") return plain(finding.measured);
    return {};
}

}  // namespace

TEST_CASE("preflight and import call a rig by one name") {
    std::size_t named = 0;
    for (const std::string& family : rig_families()) {
        HumanoidOptions options;
        options.family = family;
        options.triangles = 1000;
        options.texture_size = 0;
        const gltf::Document document = build_humanoid(options);
        const Result<import::Understood> understood = import::understand(document, {});
        if (!understood) continue;  // a family without a skin
        const std::string said = said_by_preflight(document);
        if (said.empty()) continue;  // names that are the canonical ones or none
        CHECK(said == plain(understood->recognition.map.family));
        ++named;
    }
    CHECK(named > 35);
}

TEST_CASE("preflight and import call a real character's rig by one name", "[real]") {
    const auto folder = folder_from("HELIXAVATAR_REAL_AVATARS");
    if (!folder) return;
    for (const char* file : {"vrm0-godette.vrm", "valid-humanik-casual.glb", "robot-expressive.glb", "ue-sintel.glb"}) {
        CAPTURE(file);
        const Result<import::Readable> readable = import::read_for_conversion(*folder / file, Limits{});
        REQUIRE(readable);
        const Result<import::Understood> understood = import::understand(readable->document, {});
        REQUIRE(understood);
        CHECK(said_by_preflight(readable->document) == plain(understood->recognition.map.family));
    }
}

TEST_CASE("an avatar is recognised as what it is, a rig with its names only is not") {
    HumanoidOptions options;
    options.triangles = 1000;
    options.texture_size = 0;
    const Result<import::Conformed> made = import::conform_only(build_humanoid(options), {});
    REQUIRE(made);
    const Result<gltf::Document> file =
        gltf::parse_document(gltf::write_glb(avatar::write_avatar(made->avatar, {"test"})), "");
    REQUIRE(file);
    const Result<import::Understood> avatar = import::understand(*file, {});
    REQUIRE(avatar);
    CHECK(avatar->recognition.map.family == "helix-humanoid@1");
    CHECK(avatar->recognition.map.family_confidence == 1);

    options.family = "ue5_mannequin";
    const Result<import::Understood> mannequin = import::understand(build_humanoid(options), {});
    REQUIRE(mannequin);
    CHECK(mannequin->recognition.map.family == "ue5_mannequin");
}
