// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <helixavatar/dynamics/check.hpp>

#include "avatar_fixture.hpp"
#include "reference_manifest.hpp"

namespace helixavatar::dynamics {
namespace {

using gltf::Json;

Json scenes_with(const std::vector<Json>& manifests) {
    Json document = {{"asset", {{"version", "2.0"}}}, {"scenes", Json::array()}};
    for (const Json& manifest : manifests) {
        Json scene = {{"name", "lod"}, {"nodes", Json::array()}};
        if (!manifest.is_null()) scene["extras"]["helixDynamics"] = manifest;
        document["scenes"].push_back(std::move(scene));
    }
    return document;
}

TEST_CASE("every level gets the first scene's corrected manifest, with a line for each change") {
    Json sideways = reference_manifest();
    sideways["chains"][0]["endpoint"] = {0, -0.085, 0};
    sideways["lod"]["minPixels"] = 20;
    Json other = reference_manifest();
    other["chains"][0]["gravity"] = 1;
    const Json document = scenes_with({sideways, Json(), other});
    const avatar::Avatar avatar = long_lock_avatar();
    const CorrectedScenes out = correct_scenes(document, &avatar);
    CHECK(out.changes ==
          std::vector<std::string>{"/scenes/0/extras/helixDynamics/chains/0/endpoint: [0,-0.085,0] → [-0.085,0,0]",
                                   "/scenes/0/extras/helixDynamics/lod/minPixels: 20 → 14",
                                   "/scenes/1/extras/helixDynamics: added, a copy of scene 0's",
                                   "/scenes/2/extras/helixDynamics: replaced by a copy of scene 0's"});
    for (const Json& scene : out.document["scenes"]) CHECK(scene["extras"]["helixDynamics"] == reference_manifest());
    const CorrectedScenes again = correct_scenes(out.document, &avatar);
    CHECK(again.changes.empty());
    CHECK(again.document == out.document);
}

TEST_CASE("a manifest without an avatar, and one that does not parse, keep what nobody can judge") {
    Json sideways = reference_manifest();
    sideways["chains"][0]["endpoint"] = {0, -0.085, 0};
    CHECK(correct(sideways).changes.empty());
    sideways["lod"]["minPixels"] = 3;
    CHECK(correct(sideways).changes == std::vector<std::string>{"/lod/minPixels: 3 → 14"});
    Json faulty = reference_manifest();
    faulty["chains"][0]["bounce"] = 1;
    faulty["lod"]["minPixels"] = 3;
    const avatar::Avatar avatar = long_lock_avatar();
    CHECK(correct(faulty, avatar).manifest == faulty);
    const CorrectedScenes copied = correct_scenes(scenes_with({faulty, Json()}), &avatar);
    CHECK(copied.changes.size() == 1);  // the copy; its fault is left for its author
    CHECK(correct_scenes(scenes_with({Json(), Json()}), &avatar).changes.empty());
    CHECK(correct_scenes(Json(), nullptr).changes.empty());
}

TEST_CASE("a summary says null for what no avatar was there to count on") {
    const Json without = to_json(summarise(reference_manifest(), nullptr));
    CHECK(without["chains"] == Json({{"used", 1}, {"cap", 64}}));
    CHECK(without["joints"]["used"].is_null());
    CHECK(without["perChain"][0]["lengthMetres"].is_null());
    const avatar::Avatar avatar = long_lock_avatar();
    const Json with = to_json(summarise(reference_manifest(), &avatar));
    CHECK(with["joints"]["used"] == 2);
    CHECK(with["collisionChecks"]["used"] == 4);
    CHECK(with["perChain"][0]["lengthMetres"] == 0.17);
    CHECK(with["perChain"][0]["vertices"] == Json({4}));
}

}  // namespace
}  // namespace helixavatar::dynamics
