// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <helixavatar/dynamics/check.hpp>
#include <helixavatar/dynamics/manifest.hpp>

#include "avatar_fixture.hpp"
#include "reference_manifest.hpp"

namespace helixavatar::dynamics {
namespace {

using avatar::Avatar;
using gltf::Json;

Json& chain(Json& m) {
    return m["chains"][0];
}

Json add_chain(Json& m, const std::string& id, const std::string& root) {
    Json added = chain(m);
    added["id"] = id;
    added["root"] = root;
    m["chains"].push_back(added);
    return added;
}

/// The one finding of a severity, whose absence or company fails the test.
Finding only(const Findings& findings, Severity severity) {
    Findings of;
    for (const Finding& finding : findings)
        if (finding.severity == severity) of.push_back(finding);
    for (const Finding& finding : of) UNSCOPED_INFO(finding.where.pointer << " " << finding.message);
    REQUIRE(of.size() == 1);
    return of.front();
}

bool says(const Finding& finding, const std::string& part) {
    return finding.message.find(part) != std::string::npos;
}

TEST_CASE("the reference manifest on a character that has its lock has nothing to say") {
    const Findings findings = check_against(reference_manifest(), long_lock_avatar(3), "");
    for (const Finding& finding : findings) UNSCOPED_INFO(finding.where.pointer << " " << finding.message);
    CHECK(findings.empty());
}

TEST_CASE("a sideways endpoint is told with the corrected vector") {
    Json manifest = reference_manifest();
    chain(manifest)["endpoint"] = {0, -0.085, 0};
    const Avatar avatar = long_lock_avatar();
    const Finding finding = only(check_against(manifest, avatar, "/m"), Severity::warning);
    CHECK(finding.where.pointer == "/m/chains/0/endpoint");
    CHECK(says(finding, "it is [0,-0.085,0], and should be [-0.085,0,0]"));
    CHECK(finding.measured == "90");
    CHECK(finding.limit == "60");

    const Corrected corrected = correct(manifest, avatar);
    CHECK(corrected.changes == std::vector<std::string>{"/chains/0/endpoint: [0,-0.085,0] → [-0.085,0,0]"});
    CHECK(check_against(corrected.manifest, avatar, "").empty());
    CHECK(correct(corrected.manifest, avatar).changes.empty());
}

TEST_CASE("an endpoint is measured against its vertices, so that an ear may point up") {
    Avatar avatar = canonical_avatar();
    const Vec3 top = joint(avatar, "head").rest.translation + Vec3(0.08, 0.2, 0);
    add_joint(avatar, "hair_long_l_1", "head", top);
    add_vertex(avatar, "hair_long_l_1", top + Vec3(0, 0.05, 0));
    Json manifest = reference_manifest();
    chain(manifest)["inertia"] = 0.97;
    chain(manifest)["colliders"] = Json::array();
    chain(manifest)["endpoint"] = {0.085, 0, 0};
    CHECK(check_against(manifest, avatar, "").empty());
    chain(manifest)["endpoint"] = {-0.085, 0, 0};
    CHECK(only(check_against(manifest, avatar, ""), Severity::warning).measured == "180");
}

TEST_CASE("an endpoint without vertices is measured against the last segment, without either it is not measured") {
    Avatar avatar = canonical_avatar();
    const Vec3 top = joint(avatar, "head").rest.translation + Vec3(0.19, 0.02, 0);
    add_joint(avatar, "hair_long_l_1", "head", top);
    Json manifest = reference_manifest();
    chain(manifest)["inertia"] = 0.95;
    add_vertex(avatar, "head", top);
    const Findings lone = check_against(manifest, avatar, "");
    CHECK(only(lone, Severity::not_measured).where.pointer == "/chains/0/endpoint");
    CHECK(says(only(lone, Severity::warning), "no vertex"));

    add_joint(avatar, "hair_long_l_2", "hair_long_l_1", top - Vec3(0, 0.085, 0));
    add_vertex(avatar, "hair_long_l_1", top);
    CHECK(check_against(manifest, avatar, "").empty());
    chain(manifest)["endpoint"] = {0, 0, 0.085};
    CHECK(says(only(check_against(manifest, avatar, ""), Severity::warning), "the chain's last segment"));
}

TEST_CASE("bones that no skin has are errors with the nearest names") {
    Json manifest = reference_manifest();
    chain(manifest)["root"] = "hair_long_1_1";
    const Finding root = only(check_against(manifest, long_lock_avatar(), ""), Severity::error);
    CHECK(root.where.pointer == "/chains/0/root");
    CHECK(root.fix.find("hair_long_l_1") != std::string::npos);

    manifest = reference_manifest();
    manifest["colliders"][1]["bone"] = "spine_4";
    CHECK(only(check_against(manifest, long_lock_avatar(), ""), Severity::error).where.pointer == "/colliders/1/bone");

    manifest = reference_manifest();
    chain(manifest)["exclude"] = {"nobody"};
    CHECK(only(check_against(manifest, long_lock_avatar(), ""), Severity::error).where.pointer ==
          "/chains/0/exclude/0");

    manifest = reference_manifest();
    manifest["colliders"][0]["bone"] = "index_metacarpal_l";  // a helper node is no bone of the skin
    CHECK(only(check_against(manifest, long_lock_avatar(), ""), Severity::error).where.pointer == "/colliders/0/bone");
}

TEST_CASE("body joints may not be roots, other canonical joints had better not be") {
    const auto severity = [](const std::string& root) {
        Json manifest = reference_manifest();
        chain(manifest)["root"] = root;
        for (const Finding& finding : check_against(manifest, long_lock_avatar(), ""))
            if (finding.where.pointer == "/chains/0/root") return finding.severity;
        return Severity::info;
    };
    for (const char* root : {"root", "pelvis", "spine_01", "spine_05", "head", "upperarm_l", "lowerarm_r", "hand_l",
                             "thigh_l", "calf_r", "foot_l", "upperarm_twist_01_l", "calf_twist_01_r"}) {
        INFO(root);
        CHECK(severity(root) == Severity::error);
    }
    for (const char* root : {"neck_01", "clavicle_l", "ball_r", "thumb_01_l", "index_03_r"}) {
        INFO(root);
        CHECK(severity(root) == Severity::warning);
    }
}

TEST_CASE("a bone that the face turns is in no chain") {
    Avatar avatar = long_lock_avatar();
    avatar.face = Json::parse(
        R"({"channels":[{"name":"jawOpen","bone":{"joint":"hair_long_l_2","axis":[0,1,0],"maxDegrees":20}},7,{"bone":{}}]})");
    const Finding inner = only(check_against(reference_manifest(), avatar, ""), Severity::error);
    CHECK(says(inner, "hair_long_l_2"));
    CHECK(says(inner, "jawOpen"));
    (*avatar.face)["channels"][0]["bone"]["joint"] = "hair_long_l_1";
    CHECK(only(check_against(reference_manifest(), avatar, ""), Severity::error).where.pointer == "/chains/0/root");
}

TEST_CASE("two chains that share a bone are an error") {
    Json manifest = reference_manifest();
    add_chain(manifest, "tip", "hair_long_l_2");
    const Finding finding = only(check_against(manifest, long_lock_avatar(), ""), Severity::error);
    CHECK(finding.where.pointer == "/chains/1");
    CHECK(says(finding, "hair_long_l_2"));
    chain(manifest)["exclude"] = {"hair_long_l_2"};
    CHECK_FALSE(has_error(check_against(manifest, long_lock_avatar(), "")));
}

TEST_CASE("a branch ends the chain and is named, unless exclude leaves one child") {
    Avatar avatar = long_lock_avatar();
    add_joint(avatar, "hair_side", "hair_long_l_1", joint(avatar, "hair_long_l_1").rest.translation);
    Json manifest = reference_manifest();
    chain(manifest)["inertia"] = 0.95;
    const Finding finding = only(check_against(manifest, avatar, ""), Severity::warning);
    CHECK(says(finding, "ends at hair_long_l_1, which branches into hair_long_l_2, hair_side"));
    CHECK(summarise(manifest, &avatar).joints == 1);
    chain(manifest)["exclude"] = {"hair_side"};
    CHECK(check_against(manifest, avatar, "").empty());
    CHECK(summarise(manifest, &avatar).joints == 2);
}

TEST_CASE("levels on which nothing hangs on the chain are named") {
    Avatar avatar = long_lock_avatar(1);
    avatar.levels.resize(2);
    avatar.levels[1].surfaces.resize(1);
    const Finding finding = only(check_against(reference_manifest(), avatar, ""), Severity::warning);
    CHECK(says(finding, "LOD 1"));
    const Summary summary = summarise(reference_manifest(), &avatar);
    REQUIRE(summary.per_chain.size() == 1);
    CHECK(summary.per_chain[0].vertices == std::vector<std::size_t>{4, 0});
}

TEST_CASE("a collider that already holds a joint or the tip at rest is named") {
    Json manifest = reference_manifest();
    manifest["colliders"][0]["radius"] = 0.3;
    const Finding ball = only(check_against(manifest, long_lock_avatar(), ""), Severity::warning);
    CHECK(ball.where.pointer == "/chains/0/colliders/0");
    CHECK(says(ball, "hair_long_l_2"));
    manifest = reference_manifest();
    manifest["colliders"][1]["inside"] = true;
    CHECK(says(only(check_against(manifest, long_lock_avatar(), ""), Severity::warning), "leaves out"));
    manifest = reference_manifest();
    manifest["colliders"][1] = {
        {"id", "shoulders"}, {"bone", "head"}, {"shape", "plane"}, {"offset", {0, 0, 0}}, {"normal", {1, 0, 0}}};
    CHECK(says(only(check_against(manifest, long_lock_avatar(), ""), Severity::warning), "already holds"));
    manifest["colliders"][1]["normal"] = {-1, 0, 0};
    manifest["colliders"][1]["offset"] = {0.5, 0, 0};
    CHECK(check_against(manifest, long_lock_avatar(), "").empty());
}

TEST_CASE("a short chain wants inertia and a limit") {
    Json manifest = reference_manifest();
    chain(manifest)["endpoint"] = {-0.03, 0, 0};
    CHECK(only(check_against(manifest, long_lock_avatar(), ""), Severity::warning).measured == "0.65");
    chain(manifest)["inertia"] = 0.9;
    CHECK(check_against(manifest, long_lock_avatar(), "").empty());
    chain(manifest).erase("limit");
    CHECK(says(only(check_against(manifest, long_lock_avatar(), ""), Severity::warning), "without a limit"));
    chain(manifest)["endpoint"] = {-0.085, 0, 0};
    CHECK(check_against(manifest, long_lock_avatar(), "").empty());
}

TEST_CASE("hair that already hangs wants almost no gravity, a ribbon that rests sideways may have it") {
    Json manifest = reference_manifest();
    chain(manifest)["gravity"] = 0.9;
    CHECK(only(check_against(manifest, long_lock_avatar(), ""), Severity::warning).where.pointer ==
          "/chains/0/gravity");
    chain(manifest)["gravityDir"] = {1, 0, 0};
    CHECK(check_against(manifest, long_lock_avatar(), "").empty());
}

TEST_CASE("joints over the caps are errors, with the counts") {
    Avatar avatar = canonical_avatar();
    const Vec3 top = joint(avatar, "head").rest.translation + Vec3(0.4, 0, 0);
    Json manifest = reference_manifest();
    manifest["chains"] = Json::array();
    Json one = reference_manifest()["chains"][0];
    one["gravity"] = 0;
    const auto grow = [&](int index, int joints) {
        const std::string id = std::string("c").append(std::to_string(index));
        std::string parent = "head";
        for (int i = 0; i < joints; ++i) {
            const std::string name = id + "_" + std::to_string(i);
            add_joint(avatar, name, parent, top - Vec3(0, 0.01 * i, 0));
            parent = name;
        }
        add_vertex(avatar, parent, top - Vec3(0, 0.01 * joints, 0));
        one["id"] = id;
        one["root"] = id + "_0";
        manifest["chains"].push_back(one);
    };
    for (int i = 0; i < 6; ++i) grow(i, 32);
    CHECK_FALSE(has_error(check_against(manifest, avatar, "")));
    CHECK(summarise(manifest, &avatar).joints == 192);
    CHECK(summarise(manifest, &avatar).collision_checks == 384);

    grow(6, 33);
    Findings errors;
    for (const Finding& finding : check_against(manifest, avatar, ""))
        if (finding.severity == Severity::error) errors.push_back(finding);
    REQUIRE(errors.size() == 2);
    CHECK(errors[0].measured == "33");
    CHECK(errors[0].limit == "32");
    CHECK(errors[1].measured == "225");
    CHECK(errors[1].limit == "192");

    // Six colliders on each of six chains of 32 joints are 1152 checks.
    manifest["chains"].erase(6);
    for (int i = 0; i < 4; ++i) {
        Json collider = manifest["colliders"][0];
        collider["id"] = std::string("x").append(std::to_string(i));
        manifest["colliders"].push_back(collider);
        for (Json& each : manifest["chains"]) each["colliders"].push_back(collider["id"]);
    }
    const Finding checks = only(check_against(manifest, avatar, ""), Severity::error);
    CHECK(checks.measured == "1152");
    CHECK(checks.limit == "1024");
}

TEST_CASE("the summary has lengths, checks and totals") {
    const Avatar avatar = long_lock_avatar(2);
    const Summary summary = summarise(reference_manifest(), &avatar);
    REQUIRE(summary.per_chain.size() == 1);
    CHECK(summary.per_chain[0].id == "hair-long-l");
    CHECK(summary.per_chain[0].length == Approx(0.17));
    CHECK(summary.per_chain[0].checks == 4);
    CHECK(summary.collision_checks == 4);
    CHECK(summary.colliders == 2);
    CHECK(summarise(reference_manifest(), nullptr).joints == 1);
    CHECK(summarise(Json("broken"), &avatar).chains == 0);
}

Json document(const std::vector<Json>& manifests) {
    Json json = {{"scenes", Json::array()}, {"nodes", Json::array()}, {"skins", Json::array()}};
    for (const Json& manifest : manifests) {
        Json scene = Json::object();
        if (!manifest.is_null()) scene["extras"]["helixDynamics"] = manifest;
        json["scenes"].push_back(scene);
        Json joints = Json::array();
        for (const char* bone : {"head", "spine_04", "hair_long_l_1"}) {
            joints.push_back(json["nodes"].size());
            json["nodes"].push_back({{"name", bone}});
        }
        json["skins"].push_back({{"joints", joints}});
    }
    return json;
}

TEST_CASE("every scene has to carry the first one's manifest") {
    const Json good = reference_manifest();
    CHECK(check_scenes(document({good, good, good})).empty());
    CHECK(check_scenes(document({Json(), Json()})).empty());

    const Finding missing = only(check_scenes(document({good, good, Json()})), Severity::error);
    CHECK(missing.where.pointer == "/scenes/2");
    CHECK(missing.where.scene == 2);
    CHECK(only(check_scenes(document({Json(), good})), Severity::error).where.pointer == "/scenes/0");

    Json other = good;
    other["chains"][0]["gravity"] = 0.05;
    CHECK(only(check_scenes(document({good, other})), Severity::error).where.pointer ==
          "/scenes/1/extras/helixDynamics");

    Json reordered = {{"lod", good["lod"]},
                      {"contract", good["contract"]},
                      {"chains", good["chains"]},
                      {"colliders", good["colliders"]}};
    CHECK(says(only(check_scenes(document({good, reordered})), Severity::warning), "key order"));
}

TEST_CASE("a fault that all scenes share is said once, each different manifest's own faults once") {
    Json bad = reference_manifest();
    bad["chains"][0]["stiffness"] = 2;
    CHECK(check_scenes(document({bad, bad, bad})).size() == 1);
    Json worse = bad;
    worse["chains"][0]["damping"] = 2;
    CHECK(check_scenes(document({bad, worse})).size() == 4);  // one, two, and that they differ
}

TEST_CASE("a bone that one level's skin lacks is an error there") {
    Json json = document({reference_manifest(), reference_manifest()});
    json["skins"][1]["joints"].erase(2);
    const Finding finding = only(check_scenes(json), Severity::error);
    CHECK(finding.where.pointer == "/skins/1");
    CHECK(finding.where.name == "hair_long_l_1");
}

}  // namespace
}  // namespace helixavatar::dynamics
