// SPDX-License-Identifier: MIT
// conform.md §1.2 and §1.3: one body, however it was exported, is one avatar.
#include <catch2/catch.hpp>

#include "test_body.hpp"

using namespace helixavatar;
using namespace helixavatar::testing;

namespace {

Quat about(const Vec3& axis, double degrees) {
    return Quat(Eigen::AngleAxisd(radians(degrees), axis));
}

}  // namespace

TEST_CASE("the canonical body comes out as it went in") {
    const TestBody body = canonical_body();
    const auto output = conformed(body);
    CHECK(output.report.aimed.empty());
    CHECK(output.report.max_rest_deviation_degrees < 0.01);
    CHECK(output.report.joints_rebuilt == 68);
    CHECK(joint_distance(output.avatar, body.avatar) < 1e-4);
    CHECK(vertex_distance(output.avatar, body.avatar).max < 1e-4);
    CHECK(output.report.edges_kept_share == 1);
    CHECK(output.report.flipped_share == 0);
}

TEST_CASE("units, axes, facing and place in the file change nothing of the avatar") {
    const TestBody body = posed(canonical_body(), arms_at(80, true));
    const auto reference = conformed(body);
    const auto agree = [&](const TestBody& other) {
        const auto output = conformed(other);
        CHECK(joint_distance(output.avatar, reference.avatar) < 1e-4);
        CHECK(vertex_distance(output.avatar, reference.avatar).max < 1e-4);
    };
    SECTION("centimetres") {
        agree(moved(body, Quat::Identity(), 100, Vec3::Zero()));
    }
    SECTION("millimetres") {
        agree(moved(body, Quat::Identity(), 1000, Vec3::Zero()));
    }
    SECTION("Z up") {
        agree(moved(body, about(Vec3::UnitX(), 90), 1, Vec3::Zero()));
    }
    SECTION("Z up the other way round") {
        agree(moved(body, about(Vec3::UnitX(), -90), 1, Vec3::Zero()));
    }
    SECTION("facing -Z") {
        agree(moved(body, about(Vec3::UnitY(), 180), 1, Vec3::Zero()));
    }
    SECTION("facing +X") {
        agree(moved(body, about(Vec3::UnitY(), 90), 1, Vec3::Zero()));
    }
    SECTION("facing between the axes") {
        agree(moved(body, about(Vec3::UnitY(), 37), 1, Vec3::Zero()));
    }
    SECTION("X up and far away") {
        agree(moved(body, about(Vec3::UnitZ(), -90), 1, Vec3(3, -2, 5)));
    }
}

TEST_CASE("a facing that the frame gives a little wrong is put right by hips and shoulders") {
    TestBody body = moved(canonical_body(), about(Vec3::UnitY(), 37), 1, Vec3::Zero());
    body.frame.forward = about(Vec3::UnitY(), 40) * Vec3::UnitZ();
    CHECK(conformed(body).report.yaw_degrees == Approx(-37).margin(1e-3));
}

TEST_CASE("a yaw asked for replaces the measured one") {
    conform::ConformOptions options;
    options.yaw_degrees = 90;
    const auto output = conformed(moved(canonical_body(), about(Vec3::UnitY(), -90), 1, Vec3::Zero()), options);
    CHECK(joint_distance(output.avatar, canonical_body().avatar) < 1e-4);
}

TEST_CASE("from any arm pose the joints are the same and the skin nearly so") {
    const auto reference = conformed(canonical_body());
    const double angle = GENERATE(90.0, 60.0, 45.0, 30.0);
    CAPTURE(angle);
    const auto output = conformed(posed(canonical_body(), arms_at(angle, true)));
    CHECK(joint_distance(output.avatar, reference.avatar) < 1e-3);
    CHECK(output.report.max_rest_deviation_degrees < 0.01);
    CHECK(vertex_distance(output.avatar, reference.avatar).p99 < 3e-3);
    CHECK(output.report.edges_kept_share > 0.985);
    CHECK(output.report.flipped_share < 0.001);
    CHECK(output.report.source_pose == (angle > 70 ? "T" : "A"));
    CHECK(output.report.source_arm_degrees[0] == Approx(angle).margin(2));
}

TEST_CASE("palms that face forward in a T-pose are the whole arm's roll, not the fore-arm's alone") {
    Turns turns = arms_at(90, true);
    for (auto& [joint, turn] : turns) {
        const Quat roll = about(Vec3::UnitX(), -90);
        turn = joint.starts_with("upperarm") ? roll * turn : roll * turn * roll.conjugate();
    }
    const auto output = conformed(posed(canonical_body(), turns));
    const auto reference = conformed(canonical_body());
    CHECK(joint_distance(output.avatar, reference.avatar) < 1e-3);
    // 0.050 when the fore-arm alone is wound up by 90 degrees.
    CHECK(vertex_distance(output.avatar, reference.avatar).p99 < 0.045);
    CHECK(output.report.edges_kept_share > 0.985);
}

TEST_CASE("arms that hang straight down open to the canonical pose") {
    const auto output = conformed(posed(canonical_body(), arms_at(5, true)));
    const auto reference = conformed(canonical_body());
    CHECK(joint_distance(output.avatar, reference.avatar) < 1e-3);
    CHECK(vertex_distance(output.avatar, reference.avatar).p99 < 0.04);
    CHECK(output.report.source_pose == "other");
}

TEST_CASE("a conformed avatar conforms to itself") {
    TestBody body = posed(canonical_body(), arms_at(85, true));
    SECTION("symmetric") {}
    SECTION("almost symmetric") {
        body = stretched(body, "lowerarm_l", "hand_l", 1.02);
    }
    SECTION("one arm much longer") {
        body = stretched(body, "lowerarm_l", "hand_l", 1.2);
    }
    SECTION("no fingers") {
        body = without(body, finger_names());
    }
    SECTION("no little finger") {
        body = without(body, {"pinky_01_l", "pinky_02_l", "pinky_03_l"});
    }
    SECTION("no toes") {
        body = without(body, {"ball_l", "ball_r"});
    }
    SECTION("few spine joints") {
        body = without(body, {"spine_02", "spine_04", "neck_02", "clavicle_l", "clavicle_r"});
    }
    SECTION("half the size") {
        body = moved(body, Quat::Identity(), 0.62, Vec3::Zero());
    }
    const auto once = conformed(body);
    const auto twice = conformed(as_source(once, body));
    CHECK(twice.report.aimed.empty());
    CHECK(joint_distance(once.avatar, twice.avatar) < 1e-5);
    CHECK(vertex_distance(once.avatar, twice.avatar).max < 1e-5);
    CHECK(twice.report.short_body_fixed == once.report.short_body_fixed);
}

TEST_CASE("a mirrored character becomes the mirrored avatar") {
    TestBody body = posed(canonical_body(), arms_at(85, true));
    SECTION("almost symmetric") {
        body = stretched(body, "lowerarm_l", "hand_l", 1.02);
    }
    SECTION("one leg and one arm longer") {
        body = stretched(stretched(body, "lowerarm_l", "hand_l", 1.2), "thigh_r", "calf_r", 1.1);
    }
    const auto straight = conformed(body);
    const auto mirror = conformed(mirrored(body));
    const TestBody back = mirrored(as_source(mirror, body));
    for (const auto& canonical : skeleton::helix_humanoid().joints)
        CHECK((joint(straight.avatar, canonical.name).rest.translation -
               joint(back.avatar, canonical.name).rest.translation)
                  .norm() < 1e-5);
    CHECK(vertex_distance(straight.avatar, back.avatar).max < 1e-5);
}

TEST_CASE("joints a hair from symmetric become symmetric, others stay as they are") {
    const auto nearly = conformed(stretched(canonical_body(), "lowerarm_l", "hand_l", 1.02));
    const Vec3 left = joint(nearly.avatar, "hand_l").rest.translation,
               right = joint(nearly.avatar, "hand_r").rest.translation;
    CHECK((left - Vec3(-right.x(), right.y(), right.z())).norm() < 1e-9);
    const auto far = conformed(stretched(canonical_body(), "lowerarm_l", "hand_l", 1.2));
    const auto length = [&](const std::string& side) {
        return (joint(far.avatar, "hand" + side).rest.translation -
                joint(far.avatar, "lowerarm" + side).rest.translation)
            .norm();
    };
    CHECK(length("_l") == Approx(1.2 * length("_r")).epsilon(1e-6));
}
