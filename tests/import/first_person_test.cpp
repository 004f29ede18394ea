// SPDX-License-Identifier: MIT
// What a VRM hides from its wearer is hidden by the avatar's FaceMesh; what only the wearer should see is left out.
#include <catch2/catch.hpp>

#include <algorithm>

#include <helixavatar/avatar/document_io.hpp>
#include <helixavatar/import/import.hpp>

#include "support/humanoid.hpp"

using namespace helixavatar;
using gltf::Json;

namespace {

struct Imported {
    std::size_t body = 0, face = 0;  ///< triangles of the nearest level
    float lowest = 0;                ///< metres: where the FaceMesh ends
    std::size_t materials = 0;
    std::vector<std::string> warnings;
};

Imported imported(const gltf::Document& document, import::ImportOptions options = {}) {
    options.lod_triangles = {100000, 1000, 500};
    options.textures.ktx2 = false;
    const Result<import::ImportOutput> out = import::import_avatar(document, {"a.vrm", 1, "", {}}, "a.glb", options);
    REQUIRE(out);
    const Result<gltf::Document> file = gltf::parse_document(out->glb, "");
    REQUIRE(file);
    const Result<avatar::Avatar> avatar = avatar::read_avatar(*file);
    REQUIRE(avatar);
    Imported result;
    result.lowest = 10;
    for (const avatar::Surface& surface : avatar->levels[0].surfaces) {
        result.body += surface.body.size() / 3;
        result.face += surface.face.size() / 3;
        for (const std::uint32_t v : surface.face) result.lowest = std::min(result.lowest, surface.positions[v].y());
    }
    result.materials = file->json["materials"].size();
    result.warnings = out->warnings;
    return result;
}

/// A VRM of three meshes, the given one of which is annotated.
gltf::Document vrm(int version, std::size_t mesh, const char* flag) {
    test::HumanoidOptions options;
    options.family = version == 0 ? "vrm0" : "vrm1";
    options.triangles = 2000;
    options.skins = 3;
    options.texture_size = 16;
    gltf::Document document = test::build_humanoid(options);
    Json& extension = document.json["extensions"][version == 0 ? "VRM" : "VRMC_vrm"];
    const Json& nodes = document.json["nodes"];
    std::size_t node = 0;
    while (!nodes[node].contains("mesh") || nodes[node]["mesh"] != mesh) ++node;
    Json annotation = {{"mesh", mesh}, {"firstPersonFlag", flag}};
    if (version == 1) annotation = {{"node", node}, {"type", flag}};
    extension["firstPerson"]["meshAnnotations"] = Json::array({annotation});
    return document;
}

bool said(const Imported& result, const std::string& part) {
    return std::any_of(result.warnings.begin(), result.warnings.end(),
                       [&](const std::string& w) { return w.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("meshes that a VRM hides from its wearer become part of FaceMesh, in their own material") {
    const int version = GENERATE(0, 1);
    const Imported plain = imported(vrm(version, 1, version == 0 ? "Auto" : "auto"));
    const Imported hidden = imported(vrm(version, 1, version == 0 ? "ThirdPersonOnly" : "thirdPersonOnly"));
    CHECK(hidden.face + hidden.body == plain.face + plain.body);
    CHECK(hidden.face > plain.face + 100);
    CHECK(hidden.lowest < plain.lowest - 0.1F);
    CHECK(hidden.materials == plain.materials);
    CHECK(said(hidden, "became part of FaceMesh"));
    CHECK_FALSE(said(plain, "FaceMesh"));
}

TEST_CASE("without a FaceMesh, or with everything hidden, annotations are said and not followed") {
    import::ImportOptions options;
    options.split_face = false;
    CHECK(said(imported(vrm(0, 1, "ThirdPersonOnly"), options), "without a FaceMesh"));
    gltf::Document all = vrm(0, 0, "ThirdPersonOnly");
    for (const int mesh : {1, 2})
        all.json["extensions"]["VRM"]["firstPerson"]["meshAnnotations"].push_back(
            {{"mesh", mesh}, {"firstPersonFlag", "ThirdPersonOnly"}});
    const Imported result = imported(all);
    CHECK(said(result, "were not followed"));
    CHECK(result.body > result.face);
}

TEST_CASE("meshes that only the wearer should see are left out") {
    const Imported plain = imported(vrm(0, 2, "Auto"));
    const Imported less = imported(vrm(0, 2, "FirstPersonOnly"));
    CHECK(less.body + less.face < plain.body + plain.face);
    CHECK(said(less, "only the wearer should see"));
}
