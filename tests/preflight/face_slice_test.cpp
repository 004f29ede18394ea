// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "rule_cases.hpp"

using namespace helixavatar;
using namespace helixavatar::test;

namespace {

/// LOD0's FaceMesh reads a copy of POSITION of its own; `material`: its material.
bool face_mesh_fires(bool copy_all, int material) {
    const auto edit = [&](gltf::Document& document) {
        document.json["materials"].push_back(Json(document.json["materials"][0]));
        Json& primitive = document.json["meshes"][1]["primitives"][0];
        primitive["material"] = material;
        for (auto& attribute : primitive["attributes"].items()) {
            if (!copy_all && attribute.key() != "WEIGHTS_0") continue;
            document.json["accessors"].push_back(
                Json(document.json["accessors"][attribute.value().get<std::size_t>()]));
            attribute.value() = document.json["accessors"].size() - 1;
        }
    };
    for (const Finding& finding : judge_case({"", "", {}, edit, {}, {}, true}).findings) {
        if (finding.rule == "face-mesh") return true;
    }
    return false;
}

}  // namespace

TEST_CASE("a face slice with vertices of its own is told, one that is a whole part of its own is not") {
    CHECK(face_mesh_fires(true, 0));
    CHECK(face_mesh_fires(false, 0));
    CHECK(face_mesh_fires(false, 1));
    CHECK_FALSE(face_mesh_fires(true, 1));
}
