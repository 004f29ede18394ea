// SPDX-License-Identifier: MIT
// The figures that stand in the messages.
#include <sstream>

#include <catch2/catch.hpp>

#include "rule_cases.hpp"

using namespace helixavatar;
using namespace helixavatar::test;

namespace {

Finding only_finding(const std::string& rule, const std::function<void(FixtureAvatar&)>& edit) {
    const preflight::Report report = judge_case({rule, "", edit, {}, {}, {}, true});
    for (const Finding& finding : report.findings) {
        if (finding.rule == rule) return finding;
    }
    FAIL("no finding of " << rule);
    return {};
}

bool says(const Finding& finding, const std::string& words) {
    return finding.message.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a turned skeleton's message has the vector, the joints, the angle and the limit") {
    const Finding finding = only_finding("orientation-skeleton", [](FixtureAvatar& a) { turn_joints(a, 30); });
    INFO(finding.message);
    CHECK(finding.measured == "30.0");
    CHECK(finding.limit == "15");
    CHECK(says(finding, "[0.50, 0.00, 0.87]"));
    CHECK(says(finding, "hips (thigh_l, thigh_r)"));
    CHECK(says(finding, "shoulders (upperarm_l, upperarm_r)"));
    CHECK(says(finding, "toes"));
    CHECK(finding.fix.find("Turn the skeleton alone by -30.0 degrees") != std::string::npos);
    const Finding both = only_finding("orientation-skeleton", [](FixtureAvatar& a) {
        turn_joints(a, 30);
        turn_vertices(a, 30);
    });
    CHECK(both.fix.find("--yaw -30") != std::string::npos);
}

TEST_CASE("14 degrees of yaw pass and 16 do not") {
    for (const double yaw : {-14.0, 14.0}) {
        const preflight::Report report = judge_case({"",
                                                     "",
                                                     [&](FixtureAvatar& a) {
                                                         turn_joints(a, yaw);
                                                         turn_vertices(a, yaw);
                                                     },
                                                     {},
                                                     {},
                                                     {},
                                                     true});
        for (const Finding& finding : report.findings) CHECK(finding.rule.rfind("orientation", 0) != 0);
    }
    for (const double yaw : {-16.0, 16.0, 180.0}) {
        const preflight::Report report = judge_case({"",
                                                     "",
                                                     [&](FixtureAvatar& a) {
                                                         turn_joints(a, yaw);
                                                         turn_vertices(a, yaw);
                                                     },
                                                     {},
                                                     {},
                                                     {},
                                                     true});
        std::size_t count = 0;
        for (const Finding& finding : report.findings) count += finding.rule.rfind("orientation", 0) == 0;
        CHECK(count == 2);
    }
}

TEST_CASE("a short body's fix names a pelvis height that passes") {
    const Finding finding = only_finding("short-body", [](FixtureAvatar& a) { transform_all(a, 0.7, Vec3::Zero()); });
    INFO(finding.fix);
    // 0.7 of the canonical foot at 0.082 m plus 0.65 of 0.877 m, rounded down.
    CHECK(finding.measured == "0.700");
    CHECK(finding.fix.find("to 0.62 m") != std::string::npos);
}

TEST_CASE("the two joint sets are told apart") {
    const auto without = [](const char* joint) {
        return [joint](FixtureAvatar& a) {
            for (FixtureLevel& level : a.levels) remove_joint(level, joint);
        };
    };
    const Finding backend = only_finding("skeleton", without("clavicle_l"));
    CHECK(says(backend, "backend"));
    CHECK(says(backend, "clavicle_l"));
    const preflight::Report both = judge_case({"skeleton", "", without("hand_r"), {}, {}, {}, true});
    std::size_t gates = 0;
    for (const Finding& finding : both.findings) gates += finding.rule == "skeleton";
    CHECK(gates == 2);
}

TEST_CASE("a raw Mixamo rig gets one sentence with the command that fixes it") {
    const Finding finding = only_finding("skeleton", [](FixtureAvatar& a) {
        const std::vector<std::pair<std::string, std::string>> names = {{"pelvis", "mixamorig:Hips"},
                                                                        {"spine_01", "mixamorig:Spine"},
                                                                        {"spine_02", "mixamorig:Spine1"},
                                                                        {"spine_03", "mixamorig:Spine2"},
                                                                        {"neck_01", "mixamorig:Neck"},
                                                                        {"head", "mixamorig:Head"},
                                                                        {"clavicle_l", "mixamorig:LeftShoulder"},
                                                                        {"upperarm_l", "mixamorig:LeftArm"},
                                                                        {"lowerarm_l", "mixamorig:LeftForeArm"},
                                                                        {"hand_l", "mixamorig:LeftHand"},
                                                                        {"clavicle_r", "mixamorig:RightShoulder"},
                                                                        {"upperarm_r", "mixamorig:RightArm"},
                                                                        {"lowerarm_r", "mixamorig:RightForeArm"},
                                                                        {"hand_r", "mixamorig:RightHand"},
                                                                        {"thigh_l", "mixamorig:LeftUpLeg"},
                                                                        {"calf_l", "mixamorig:LeftLeg"},
                                                                        {"foot_l", "mixamorig:LeftFoot"},
                                                                        {"ball_l", "mixamorig:LeftToeBase"},
                                                                        {"thigh_r", "mixamorig:RightUpLeg"},
                                                                        {"calf_r", "mixamorig:RightLeg"},
                                                                        {"foot_r", "mixamorig:RightFoot"},
                                                                        {"ball_r", "mixamorig:RightToeBase"}};
        for (FixtureLevel& level : a.levels) {
            std::vector<std::string> extra;
            for (const FixtureJoint& joint : level.joints) {
                bool kept = joint.parent < 0;
                for (const auto& [canonical, mixamo] : names) kept |= joint.name == canonical;
                if (!kept) extra.push_back(joint.name);
            }
            for (const std::string& name : extra) remove_joint(level, name);
            for (const auto& [canonical, mixamo] : names) level.joints[level.joint(canonical)].name = mixamo;
        }
        a.dynamics = a.face = Json();
    });
    CHECK(finding.message == "This is a Mixamo rig: run `helixavatar import avatar.glb -o avatar.web.glb` first.");
}

TEST_CASE("the budget explainer says where triangles go and the smallest change that passes") {
    preflight::PreflightOptions options;
    const std::size_t triangles = judge_good().measured.triangles;
    options.budgets.triangles = triangles - 10;
    const preflight::Report report = judge_good(options);
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].measured == std::to_string(triangles));
    CHECK(report.findings[0].message.find("LOD0 ") != std::string::npos);
    CHECK(report.findings[0].fix.find("Take 10 triangles off LOD0") != std::string::npos);
    std::size_t of_levels = 0;
    for (const auto& share : report.measured.shares)
        of_levels += share.of == "triangles" && share.what.rfind("LOD", 0) == 0 ? share.amount : 0;
    CHECK(of_levels == triangles);
    bool enough = false;
    for (const auto& saving : report.measured.savings) enough |= saving.of == "triangles" && saving.enough;
    CHECK(enough);
}

TEST_CASE("the example of parts to join says that the head's part of the material is another draw") {
    const auto fix = [](bool head_has_it) {
        const preflight::Report report =
            judge_case({"",
                        "",
                        {},
                        [&](gltf::Document& d) {
                            gltf::Json& body = d.json["meshes"][0]["primitives"];
                            for (int i = 0; i < 9; ++i) body.push_back(gltf::Json(body[0]));
                            if (head_has_it) return;
                            d.json["materials"].push_back(gltf::Json(d.json["materials"][0]));
                            for (gltf::Json& mesh : d.json["meshes"])
                                if (mesh["name"].get<std::string>().find("Face") != std::string::npos)
                                    mesh["primitives"][0]["material"] = d.json["materials"].size() - 1;
                        },
                        {},
                        {},
                        true});
        for (const Finding& finding : report.findings)
            if (finding.rule == "draw-calls") return finding.fix;
        FAIL("no finding of draw-calls");
        return std::string();
    };
    CHECK(fix(true).find("and once more in FaceMesh, which stays apart. Join") != std::string::npos);
    CHECK(fix(false).find("). Join parts of one material") != std::string::npos);
}

TEST_CASE("triangle targets that a fix names fit the limit, fall, and ask no level for more than it has") {
    const std::size_t triangles = judge_good().measured.triangles;
    preflight::PreflightOptions options;
    for (const std::size_t limit : {triangles - 1, triangles / 2, triangles / 5}) {
        options.budgets.triangles = limit;
        const preflight::Report report = judge_good(options);
        REQUIRE(report.findings.size() == 1);
        const std::string& fix = report.findings[0].fix;
        INFO(fix);
        const std::size_t at = fix.find("--lod-tris ");
        REQUIRE(at != std::string::npos);
        std::istringstream targets(fix.substr(at + 11));
        std::size_t sum = 0, before = triangles;
        for (const auto& level : report.measured.levels) {
            std::size_t target = 0;
            char comma = 0;
            targets >> target >> comma;
            CHECK(target > 0);
            CHECK(target < before);
            CHECK(target <= level.triangles);
            sum += before = target;
        }
        CHECK(sum <= limit);
        CHECK(fix.find("lod avatar.glb -o avatar.fixed.web.glb") != std::string::npos);
    }
}

/// Of an avatar with too many triangles under this file name.
static std::string first_fix(const std::string& name) {
    preflight::PreflightOptions options;
    options.budgets.triangles = 500;
    const Result<preflight::Report> report =
        preflight::judge(gltf::write_glb(to_document(good_avatar())), name, options);
    REQUIRE(report);
    return report->findings[0].fix;
}

TEST_CASE("the fix of a fix does not name its input as its output") {
    CHECK_THAT(first_fix("knight.fixed.web.glb"),
               Catch::Contains("lod knight.fixed.web.glb -o knight.fixed-again.web.glb"));
}

TEST_CASE("commands of a fix quote a file name that a shell would cut") {
    CHECK_THAT(first_fix("my knight's.glb"),
               Catch::Contains("'my knight'\\''s.glb' -o 'my knight'\\''s.fixed.web.glb'"));
}

TEST_CASE("the shares of the file's bytes add up to the file") {
    const preflight::Report report = judge_good();
    std::size_t total = 0;
    for (const auto& share : report.measured.shares) total += share.of == "file-size" ? share.amount : 0;
    CHECK(total == report.measured.file_bytes);
}

TEST_CASE("the body is measured") {
    const preflight::Measured measured = judge_good().measured;
    CHECK(measured.height == Approx(1.826).margin(0.05));
    CHECK(measured.pelvis_height == Approx(0.959).margin(1e-3));
    CHECK(measured.leg_ratio == Approx(1.0).margin(1e-3));
    CHECK(measured.arm_degrees[0] == Approx(36).margin(1));
    CHECK(measured.arm_degrees[1] == Approx(36).margin(1));
    CHECK(measured.skeleton_yaw == Approx(0).margin(0.5));
    CHECK(measured.geometry_yaw == Approx(0).margin(0.5));
    CHECK(measured.levels.size() == 3);
    CHECK(measured.levels[0].draw_calls == 2);
}
