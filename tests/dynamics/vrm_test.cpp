// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <cmath>

#include <helixavatar/dynamics/check.hpp>
#include <helixavatar/dynamics/manifest.hpp>
#include <helixavatar/dynamics/vrm.hpp>

#include "avatar_fixture.hpp"

namespace helixavatar::dynamics {
namespace {

using avatar::Avatar;
using gltf::Json;

bool noted(const VrmDynamics& out, const std::string& part) {
    for (const std::string& line : out.notes)
        if (line.find(part) != std::string::npos) return true;
    return false;
}

/// A conformed avatar with a tail of `length` joints behind the pelvis and triangles on each of them.
Avatar tailed_avatar(int length, const std::string& name = "tail") {
    Avatar avatar = canonical_avatar();
    std::string parent = "pelvis";
    const Vec3 start = joint(avatar, "pelvis").rest.translation + Vec3(0, 0, -0.12);
    for (int i = 0; i < length; ++i) {
        const std::string bone = name + std::to_string(i);
        const Vec3 place = start + Vec3(0, -0.06 * i, -0.08 * i);
        add_joint(avatar, bone, parent, place);
        avatar::Surface& surface = avatar.levels[0].surfaces[0];
        const auto first = static_cast<std::uint32_t>(surface.positions.size());
        for (const Vec3& corner : {Vec3(0, 0, 0), Vec3(0.02, -0.03, -0.04), Vec3(0, -0.06, -0.08)})
            add_vertex(avatar, bone, place + corner);
        surface.body.insert(surface.body.end(), {first, first + 1, first + 2});
        parent = bone;
    }
    return avatar;
}

/// The same character before it was conformed: turned about +Y, scaled, every frame unrotated as VRM 0 has it.
VrmSpring source_of(const Avatar& avatar, int version, double yaw, double scale) {
    VrmSpring input;
    input.version = version;
    input.yaw_degrees = yaw;
    input.scale = scale;
    const Quat back(Eigen::AngleAxisd(radians(-yaw), Vec3::UnitY()));
    for (std::size_t i = 0; i < avatar.joints.size(); ++i) {
        avatar::Joint joint = avatar.joints[i];
        joint.rest.translation = back * joint.rest.translation / scale;
        joint.rest.rotation = Quat::Identity();
        input.joints.push_back(joint);
        input.node_to_joint.push_back(static_cast<int>(i));
        input.bones[static_cast<int>(i)] = joint.name;
    }
    return input;
}

/// Conforming carries an auxiliary joint's frame along with the body's turn.
void turn_auxiliary(Avatar& avatar, double yaw) {
    for (avatar::Joint& joint : avatar.joints)
        if (skeleton::helix_humanoid().find(joint.name) < 0)
            joint.rest.rotation = Quat(Eigen::AngleAxisd(radians(yaw), Vec3::UnitY()));
}

TEST_CASE("a VRM 0 bone group becomes a chain with its colliders where they were") {
    Avatar avatar = tailed_avatar(3);
    turn_auxiliary(avatar, 180);
    VrmSpring input = source_of(avatar, 0, 180, 2);
    const int root = avatar.find_joint("tail0"), pelvis = avatar.find_joint("pelvis");
    input.extension["secondaryAnimation"] = {
        {"boneGroups",
         {{{"stiffiness", 1.5},
           {"dragForce", 0.4},
           {"gravityPower", 0.2},
           {"gravityDir", {{"x", 0}, {"y", -1}, {"z", 0}}},
           {"center", -1},
           {"hitRadius", 0.01},
           {"bones", {root}},
           {"colliderGroups", {0}}}}},
        {"colliderGroups",
         {{{"node", pelvis}, {"colliders", {{{"offset", {{"x", 0.1}, {"y", 0.2}, {"z", 0.3}}}, {"radius", 0.05}}}}}}}};
    const VrmDynamics out = dynamics_from_vrm(input, avatar);
    REQUIRE(out.manifest);
    CHECK(out.notes.empty());
    CHECK(check_manifest(*out.manifest, "").empty());
    CHECK_FALSE(has_error(check_against(*out.manifest, avatar, "")));
    const Manifest manifest = *read_manifest(*out.manifest);
    REQUIRE(manifest.chains.size() == 1);
    const Chain& chain = manifest.chains[0];
    CHECK(chain.root == "tail0");
    CHECK(walk(avatar, chain).joints.size() == 3);
    CHECK(chain.inertia.stops == std::vector<double>{0});
    CHECK(chain.radius->stops == std::vector<double>{0.02});
    CHECK(chain.colliders == std::vector<std::string>{"pelvis"});

    // The leaf reaches 7 cm of the source on in its own direction, 14 cm here.
    const Vec3 tip = rest_tails(avatar, chain, walk(avatar, chain)).back();
    const Vec3 leaf = joint(avatar, "tail2").rest.translation;
    CHECK((tip - leaf).norm() == Approx(0.14).margin(1e-5));
    CHECK(angle_degrees(tip - leaf, leaf - joint(avatar, "tail1").rest.translation) < 0.01);

    // The collider's offset is left-handed in the file; the body was turned by 180 degrees and doubled.
    const Collider& collider = manifest.colliders[0];
    const Pose& rest = joint(avatar, "pelvis").rest;
    CHECK((rest * collider.offset - (rest.translation + Vec3(-0.2, 0.4, 0.6))).norm() < 1e-5);
    CHECK(collider.radius == Approx(0.1));

    // The springs match the bones' own lengths in the source, and gravity sags alike: length·power/stiffness
    // = 9.81·g/ω².
    const SpringFeel first = match_spring(1.5, 0.4, 0.05);
    CHECK(chain.stiffness.stops[0] == Approx(first.stiffness).margin(1e-5));
    CHECK(chain.damping.stops[0] == Approx(first.damping).margin(1e-5));
    CHECK(chain.gravity > 0);
    CHECK(chain.gravity_dir == Vec3(0, -1, 0));
}

TEST_CASE("a fork makes a chain of each branch, entries that point nowhere are noted") {
    Avatar avatar = tailed_avatar(2);
    Avatar other = tailed_avatar(0);
    for (const char* side : {"fluff_a", "fluff_b"}) {
        const int at =
            add_joint(avatar, side, "tail1",
                      joint(avatar, "tail1").rest.translation + Vec3(side[6] == 'a' ? 0.05 : -0.05, -0.05, 0));
        avatar::Surface& surface = avatar.levels[0].surfaces[0];
        const auto first = static_cast<std::uint32_t>(surface.positions.size());
        for (const Vec3& corner : {Vec3(0, 0, 0), Vec3(0.02, 0, 0), Vec3(0, -0.02, 0)})
            add_vertex(avatar, side, avatar.joints[static_cast<std::size_t>(at)].rest.translation + corner);
        surface.body.insert(surface.body.end(), {first, first + 1, first + 2});
    }
    VrmSpring input = source_of(avatar, 0, 0, 1);
    input.extension["secondaryAnimation"] = {{"boneGroups",
                                              {{{"stiffiness", 1},
                                                {"dragForce", 0.5},
                                                {"bones", {avatar.find_joint("tail0"), -1, 9999}},
                                                {"colliderGroups", {3, -1}},
                                                {"center", 2}}}},
                                             {"colliderGroups", {{{"node", -1}, {"colliders", {{{"radius", 1}}}}}}}};
    turn_auxiliary(avatar, 0);
    const VrmDynamics out = dynamics_from_vrm(input, avatar);
    REQUIRE(out.manifest);
    const Manifest manifest = *read_manifest(*out.manifest);
    REQUIRE(manifest.chains.size() == 3);
    CHECK(manifest.chains[0].root == "tail0");
    CHECK(manifest.chains[0].exclude == std::vector<std::string>{"fluff_a", "fluff_b"});
    CHECK(walk(avatar, manifest.chains[0]).joints.size() == 2);
    CHECK(manifest.chains[1].root == "fluff_a");
    CHECK(manifest.chains[0].inertia.stops == std::vector<double>{0.9});
    CHECK(noted(out, "a bone that is not there"));
    CHECK(noted(out, "collider group 0 hangs on no joint"));
    for (const Finding& finding : check_against(*out.manifest, avatar, ""))
        CHECK(finding.message.find("branches") == std::string::npos);
    CHECK(spring_joints(input).size() == 4);
}

TEST_CASE("a VRM 1 spring ends at its last joint, has its own values a joint, and shapes of every kind") {
    Avatar avatar = tailed_avatar(4);
    turn_auxiliary(avatar, 0);
    VrmSpring input = source_of(avatar, 1, 0, 1);
    const int first = avatar.find_joint("tail0"), head = avatar.find_joint("head");
    Json joints = Json::array();
    for (int i = 0; i < 4; ++i)
        joints.push_back({{"node", first + i},
                          {"stiffness", 2.0 - 0.5 * i},
                          {"dragForce", 0.3 + 0.1 * i},
                          {"hitRadius", 0.01 * (i + 1)},
                          {"gravityPower", 0}});
    input.extension = {
        {"springs",
         {{{"name", "tail"}, {"joints", joints}, {"colliderGroups", {0}}, {"center", avatar.find_joint("pelvis")}}}},
        {"colliders",
         {{{"node", head}, {"shape", {{"sphere", {{"offset", {0, 0.1, 0}}, {"radius", 0.1}}}}}},
          {{"node", head},
           {"shape", {{"capsule", {{"offset", {0, 0.1, 0}}, {"tail", {0.2, 0.1, 0}}, {"radius", 0.1}}}}}},
          {{"node", head},
           {"shape", {{"sphere", {{"radius", 9}}}}},
           {"extensions",
            {{"VRMC_springBone_extended_collider",
              {{"shape", {{"plane", {{"offset", {0, 0, 0}}, {"normal", {0, 1, 0}}}}}}}}}}}}},
        {"colliderGroups", {{{"colliders", {0, 1, 2}}}}}};
    const VrmDynamics out = dynamics_from_vrm(input, avatar);
    REQUIRE(out.manifest);
    CHECK_FALSE(has_error(check_manifest(*out.manifest, "")));
    CHECK_FALSE(has_error(check_against(*out.manifest, avatar, "")));
    const Manifest manifest = *read_manifest(*out.manifest);
    REQUIRE(manifest.chains.size() == 1);
    const Chain& chain = manifest.chains[0];
    CHECK(walk(avatar, chain).joints.size() == 3);
    CHECK(chain.exclude == std::vector<std::string>{"tail3"});
    CHECK((rest_tails(avatar, chain, walk(avatar, chain)).back() - joint(avatar, "tail3").rest.translation).norm() <
          1e-5);
    CHECK(chain.inertia.stops == std::vector<double>{1});
    CHECK(chain.radius->stops == std::vector<double>{0.01, 0.02, 0.03});
    REQUIRE(chain.stiffness.stops.size() == 3);
    CHECK(chain.stiffness.stops[0] > chain.stiffness.stops[2]);
    CHECK(chain.gravity == 0);
    REQUIRE(manifest.colliders.size() == 3);
    const Pose& rest = joint(avatar, "head").rest;
    CHECK((rest * manifest.colliders[1].tail - (rest.translation + Vec3(0.2, 0.1, 0))).norm() < 1e-5);
    CHECK(manifest.colliders[2].shape == Shape::plane);
    CHECK((rest.rotation * manifest.colliders[2].normal - Vec3(0, 1, 0)).norm() < 1e-5);
    CHECK(spring_joints(input).size() == 4);
}

TEST_CASE("springs on body joints, on joints that are gone, or without surface are dropped with the reason") {
    Avatar avatar = tailed_avatar(1);
    add_joint(avatar, "bare", "head", joint(avatar, "head").rest.translation);
    VrmSpring input = source_of(avatar, 0, 0, 1);
    input.bones.erase(avatar.find_joint("tail0"));
    input.extension["secondaryAnimation"]["boneGroups"] = {
        {{"bones", {avatar.find_joint("ball_l"), avatar.find_joint("tail0"), avatar.find_joint("bare")}}}};
    const VrmDynamics out = dynamics_from_vrm(input, avatar);
    CHECK_FALSE(out.manifest);
    CHECK(noted(out, "ball_l was dropped: it is a joint of the body"));
    CHECK(noted(out, "tail0 was dropped: the joint is not in the avatar"));
    CHECK(noted(out, "bare was dropped: no surface"));
}

TEST_CASE("over the caps the chains that move the least surface go, with a line for each") {
    Avatar avatar = canonical_avatar();
    Json bones = Json::array();
    for (int i = 0; i < 70; ++i) {
        const std::string bone = std::string("lock").append(std::to_string(i));
        const Vec3 place = joint(avatar, "head").rest.translation + Vec3(0.002 * i, 0.1, 0);
        const int at = add_joint(avatar, bone, "head", place);
        bones.push_back(at);
        avatar::Surface& surface = avatar.levels[0].surfaces[0];
        const auto first = static_cast<std::uint32_t>(surface.positions.size());
        const double size = 0.01 + 0.001 * i;
        for (const Vec3& corner : {Vec3(0, 0, 0), Vec3(size, 0, 0), Vec3(0, -size, 0)})
            add_vertex(avatar, bone, place + corner);
        surface.body.insert(surface.body.end(), {first, first + 1, first + 2});
    }
    VrmSpring input = source_of(avatar, 0, 0, 1);
    turn_auxiliary(avatar, 0);
    Json spheres = Json::array();
    for (int i = 0; i < 12; ++i)
        spheres.push_back({{"offset", {{"x", 0.1 * i}, {"y", 0}, {"z", 0}}}, {"radius", 0.02}});
    input.extension["secondaryAnimation"] = {
        {"boneGroups", {{{"bones", bones}, {"hitRadius", 0.01}, {"colliderGroups", {0}}}}},
        {"colliderGroups", {{{"node", avatar.find_joint("head")}, {"colliders", spheres}}}}};
    const VrmDynamics out = dynamics_from_vrm(input, avatar);
    REQUIRE(out.manifest);
    CHECK_FALSE(has_error(check_manifest(*out.manifest, "")));
    CHECK_FALSE(has_error(check_against(*out.manifest, avatar, "")));
    const Manifest manifest = *read_manifest(*out.manifest);
    CHECK(manifest.chains.size() == 64);
    CHECK(manifest.chains.front().root == "lock6");
    CHECK(manifest.chains.back().colliders.size() == 8);
    CHECK(noted(out, "chain lock5 was dropped"));
}

TEST_CASE("an id that the contract cannot hold is rewritten, and stays unique") {
    Avatar avatar = tailed_avatar(1, "髪 ");
    const int a = avatar.find_joint("髪 0");
    VrmSpring input = source_of(avatar, 0, 0, 1);
    input.extension["secondaryAnimation"]["boneGroups"] = {{{"bones", {a}}}};
    const VrmDynamics out = dynamics_from_vrm(input, avatar);
    REQUIRE(out.manifest);
    CHECK((*out.manifest)["chains"][0]["id"] == "__0");
    CHECK((*out.manifest)["chains"][0]["root"] == "髪 0");
}

TEST_CASE("any value in any place of a VRM extension converts without a crash") {
    Avatar avatar = tailed_avatar(3);
    VrmSpring input = source_of(avatar, 0, 0, 1);
    const int root = avatar.find_joint("tail0");
    const Json good = {
        {"secondaryAnimation",
         {{"boneGroups",
           {{{"stiffiness", 1},
             {"dragForce", 0.4},
             {"gravityPower", 1},
             {"gravityDir", {{"x", 0}, {"y", -1}, {"z", 0}}},
             {"center", 2},
             {"hitRadius", 0.02},
             {"bones", {root}},
             {"colliderGroups", {0}}}}},
          {"colliderGroups",
           {{{"node", 1}, {"colliders", {{{"offset", {{"x", 0}, {"y", 0}, {"z", 0}}}, {"radius", 0.1}}}}}}}}}};
    const std::vector<Json> values{Json(),         Json(-1),  Json(1e300), Json("x"), Json::array({1, "x", nullptr}),
                                   Json::object(), Json(true)};
    const Json flat = good.flatten();
    for (const auto& [pointer, unused] : flat.items()) {
        for (const Json& value : values) {
            for (Json::json_pointer at(pointer); !at.empty(); at.pop_back()) {
                input.extension = good;
                input.extension[at] = value;
                const VrmDynamics out = dynamics_from_vrm(input, avatar);
                if (out.manifest) CHECK_FALSE(has_error(check_manifest(*out.manifest, "")));
            }
        }
    }
}

// --- the match of the two springs ---

/// The angle of a VRM joint after its parent turned by `start` degrees at once, a value a frame of 60 Hz. Written from
/// the specification.
std::vector<double> vrm_answer(double stiffness, double drag, double length, double start, int frames) {
    const double dt = 1.0 / 60;
    Vec3 axis(1, 0, 0);
    Vec3 tail = length * Vec3(std::cos(radians(start)), std::sin(radians(start)), 0), before = tail;
    std::vector<double> angles;
    for (int i = 0; i < frames; ++i) {
        Vec3 next = tail + (tail - before) * (1 - drag) + axis * stiffness * dt;
        next = next.normalized() * length;
        before = tail;
        tail = next;
        angles.push_back(degrees(std::atan2(tail.y(), tail.x())));
    }
    return angles;
}

double answer(const SpringFeel& feel, double start, double t) {
    const double w = angular_frequency(feel.stiffness), z = feel.damping;
    if (z >= 1) return start * (1 + w * t) * std::exp(-w * t);
    const double wd = w * std::sqrt(1 - z * z);
    return start * std::exp(-z * w * t) * (std::cos(wd * t) + z * w / wd * std::sin(wd * t));
}

TEST_CASE("the matched spring swings like VRM's within 15 percent after a step") {
    for (const double stiffness : {0.5, 1.0, 1.5, 2.5, 4.0}) {
        for (const double drag : {0.2, 0.4, 0.7, 1.0}) {
            for (const double length : {0.05, 0.1, 0.2}) {
                INFO("stiffness " << stiffness << " drag " << drag << " length " << length);
                const SpringFeel feel = match_spring(stiffness, drag, length);
                CHECK((feel.stiffness >= 0 && feel.stiffness <= 1 && feel.damping >= 0 && feel.damping <= 1));
                const double saturated = angular_frequency(feel.stiffness);
                if (saturated > 39.9 || saturated < 2.1) continue;  // beyond what the contract can hold
                constexpr int kFrames = 240;
                const auto wanted = vrm_answer(stiffness, drag, length, 30, kFrames);
                double theirs = 0, ours = 0;
                for (int i = 0; i < kFrames; ++i) {
                    theirs += std::abs(wanted[static_cast<std::size_t>(i)]);
                    // The solver moves its target over the frame, so what it shows is the frame's mean.
                    ours += std::abs(answer(feel, 30, i / 60.0) + 4 * answer(feel, 30, (i + 0.5) / 60.0) +
                                     answer(feel, 30, (i + 1) / 60.0)) /
                            6;
                }
                CHECK(ours == Approx(theirs).epsilon(0.15));
            }
        }
    }
}

TEST_CASE("a spring without pull is the contract's softest, stiffness and frequency invert each other") {
    CHECK(match_spring(0, 0.5, 0.1).stiffness == 0);
    CHECK(match_spring(1, 0.5, 0).stiffness == 0);
    CHECK(match_spring(std::nan(""), std::nan(""), 0.1).stiffness == 0);
    CHECK(angular_frequency(0) == Approx(2));
    CHECK(angular_frequency(1) == Approx(40));
    for (const double t : {0.0, 0.3, 0.7, 1.0}) CHECK(stiffness_of(angular_frequency(t)) == Approx(t));
    CHECK(stiffness_of(100) == 1);
    CHECK(stiffness_of(0) == 0);
}

}  // namespace
}  // namespace helixavatar::dynamics
