// SPDX-License-Identifier: MIT
// Wrong rigs, odd heights, short bodies, hostile values.
#include <limits>

#include <catch2/catch.hpp>

#include "test_body.hpp"

using namespace helixavatar;
using namespace helixavatar::testing;

namespace {

Quat about_x(double degrees) {
    return Quat(Eigen::AngleAxisd(radians(degrees), Vec3::UnitX()));
}

Result<conform::ConformOutput> attempt(const TestBody& body, const conform::ConformOptions& options = {}) {
    return conform::conform(body.avatar, body.map, body.frame, skeleton::helix_humanoid(), options);
}

Vec3& place(TestBody& body, const std::string& name) {
    return body.avatar.joints[static_cast<std::size_t>(body.avatar.find_joint(name))].rest.translation;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a rest pose that no standing person has is refused with the joints named") {
    TestBody body = canonical_body();
    std::string named;
    SECTION("knee at the ankle") {
        body = posed(body, {{"calf_l", about_x(100)}, {"foot_l", about_x(0)}});
        named = "calf_l";
    }
    SECTION("sitting") {
        body = posed(body, {{"thigh_l", about_x(-80)}, {"thigh_r", about_x(-80)}});
        named = "calf_r";
    }
    SECTION("toes to the side") {
        body = posed(body, {{"foot_r", Quat(Eigen::AngleAxisd(radians(-70), Vec3::UnitY()))}});
        named = "ball_r";
    }
    const auto refused = attempt(body);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::unconvertible);
    CHECK(contains(refused.error().message, named));
    CHECK(contains(refused.error().hint, "--bone-map"));
    CHECK(contains(refused.error().hint, "--accept-pose"));
    conform::ConformOptions options;
    options.accept_pose = true;
    const auto accepted = attempt(body, options);
    REQUIRE(accepted);
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"thigh_l", "calf_l"}, {"calf_l", "foot_l"}, {"thigh_r", "calf_r"}, {"calf_r", "foot_r"}}) {
        const auto bone = [&from = from, &to = to](const avatar::Avatar& avatar) -> Vec3 {
            return joint(avatar, to).rest.translation - joint(avatar, from).rest.translation;
        };
        CHECK(angle_degrees(bone(accepted.value().avatar), bone(canonical_body().avatar)) < 0.01);
    }
}

TEST_CASE("joints at one place, at no place or not there are refused by name") {
    TestBody body = canonical_body();
    std::string named;
    SECTION("at one place") {
        place(body, "calf_l") = place(body, "thigh_l");
        named = "calf_l";
    }
    SECTION("at no place") {
        place(body, "head").x() = std::numeric_limits<double>::quiet_NaN();
        named = "head";
    }
    SECTION("not mapped") {
        for (auto& match : body.map.matches)
            if (match.canonical == "hand_r") match.source = -1;
        named = "hand_r";
    }
    SECTION("mapped to a joint that does not exist") {
        for (auto& match : body.map.matches)
            if (match.canonical == "thigh_r") match.source = 1 << 20;
        named = "thigh_r";
    }
    const auto refused = attempt(body);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::unconvertible);
    CHECK(contains(refused.error().message, named));
}

TEST_CASE("a vertex that is nowhere is refused with its mesh named") {
    TestBody body = canonical_body();
    body.avatar.levels.front().surfaces.front().positions[7].y() = std::numeric_limits<float>::infinity();
    const auto refused = attempt(body);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::malformed);
    CHECK(refused.error().where == "tubes");
}

TEST_CASE("a vertex far outside the body is refused with its mesh named, a long cape is not") {
    TestBody body = canonical_body();
    const float far = GENERATE(1e6F, 100.0F, 4.0F);
    body.avatar.levels[0].surfaces[0].positions[7] = Vec3f(0, 0, -far);
    const auto output = conform::conform(body.avatar, body.map, body.frame, skeleton::helix_humanoid());
    CHECK(static_cast<bool>(output) == (far < 10));
    if (output) return;
    CHECK(output.error().kind == ErrorKind::unconvertible);
    CHECK(output.error().where == body.avatar.levels[0].surfaces[0].name);
    CHECK(output.error().message.starts_with("1 of the vertices lies far outside the body"));
}

TEST_CASE("fingers and toes at one place do no harm") {
    TestBody body = canonical_body();
    for (const std::string& finger : finger_names())
        if (body.avatar.find_joint(finger) >= 0) place(body, finger) = place(body, "hand_l");
    place(body, "ball_l") = place(body, "foot_l");
    const auto output = attempt(body);
    REQUIRE(output);
    for (const avatar::Joint& joint : output.value().avatar.joints) CHECK(joint.rest.translation.allFinite());
    for (const Vec3f& p : output.value().avatar.levels.front().surfaces.front().positions) CHECK(p.allFinite());
}

TEST_CASE("an avatar without a mesh still gets its skeleton") {
    TestBody body = canonical_body();
    body.avatar.levels.clear();
    const auto output = attempt(body);
    REQUIRE(output);
    CHECK(output.value().avatar.joints.size() == 76);
}

TEST_CASE("heights that no person has are resolved by unit first, then scaled") {
    const double tall = avatar::bounds(canonical_body().avatar.levels.front()).height();
    const auto height = [&](double drawn, const conform::ConformOptions& options = {}) {
        return conformed(moved(canonical_body(), Quat::Identity(), drawn / tall, Vec3::Zero()), options);
    };
    for (const double drawn : {170.0, 17.0, 0.17, 1700.0, 67.0}) {
        CAPTURE(drawn);
        const auto output = height(drawn);
        CHECK(output.report.height == Approx(1.7).margin(0.003));
        CHECK(output.report.warnings.size() == 1);
        CHECK(output.report.scale * drawn == Approx(output.report.height).epsilon(1e-3));
    }
    for (const double drawn : {0.9, 1.7, 2.4}) {
        CHECK(height(drawn).report.height == Approx(drawn).margin(1e-3));
        CHECK(height(drawn).report.scale == 1);
    }
    CHECK(height(4.46).report.height == Approx(1.7).margin(1e-4));
    CHECK(height(4.46).report.warnings.size() == 1);
    conform::ConformOptions options;
    options.height = 1.55;
    for (const double drawn : {170.0, 4.46, 1.7})
        CHECK(height(drawn, options).report.height == Approx(1.55).margin(1e-4));
}

TEST_CASE("a short body with long legs gets a lower pelvis joint and nothing else") {
    const TestBody body = moved(canonical_body(), Quat::Identity(), 0.72, Vec3::Zero());
    conform::ConformOptions leave;
    leave.short_body_fix = false;
    const auto fixed = conformed(body), left = conformed(body, leave);
    REQUIRE(left.report.leg_ratio > 0.65);
    REQUIRE(left.report.height < 1.35);
    CHECK(fixed.report.short_body_fixed);
    CHECK_FALSE(left.report.short_body_fixed);
    CHECK(fixed.report.leg_ratio == Approx(0.62).margin(1e-6));
    for (const auto& canonical : skeleton::helix_humanoid().joints)
        if (canonical.name != "pelvis")
            CHECK((joint(fixed.avatar, canonical.name).rest.translation -
                   joint(left.avatar, canonical.name).rest.translation)
                      .norm() < 1e-12);
    CHECK(vertex_distance(fixed.avatar, left.avatar).max == 0);
    CHECK_FALSE(conformed(canonical_body()).report.short_body_fixed);
}

TEST_CASE("the same input gives the same bits") {
    const TestBody body = posed(canonical_body(), arms_at(77, true));
    const auto once = conformed(body), again = conformed(body);
    CHECK(avatar::digest(once.avatar.levels.front()) == avatar::digest(again.avatar.levels.front()));
}
