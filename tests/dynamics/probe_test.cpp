// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <cmath>

#include <helixavatar/avatar/document_io.hpp>
#include <helixavatar/dynamics/presets.hpp>
#include <helixavatar/dynamics/probe.hpp>
#include <helixavatar/gltf/structure_check.hpp>

#include "avatar_fixture.hpp"
#include "reference_manifest.hpp"
#include "support/playback.hpp"
#include "worked_hair.hpp"

namespace helixavatar::dynamics {
namespace {

const Applied& worn() {
    static const Applied made = apply(long_haired().document, long_haired().avatar, parse_spec(worked_hair_spec()).spec,
                                      pictures_of(long_haired().avatar))
                                    .take();
    return made;
}

const avatar::Avatar& wearer() {
    static const avatar::Avatar avatar = avatar::read_avatar(worn().document).take();
    return avatar;
}

TEST_CASE("the worked hair swings within its cone, less walking than running, near the reference's 8 and 9 degrees") {
    const auto manifest = read_manifest(worn().manifest);
    REQUIRE(manifest);
    const auto swing = [&](Gait gait) { return probe(wearer(), *manifest, synthetic_motion(wearer(), gait)); };
    const auto walk = swing(Gait::walk), run = swing(Gait::run), sprint = swing(Gait::sprint);
    for (std::size_t c = 0; c < 3; ++c) {
        INFO(walk[c].chain << ": " << walk[c].p95 << " " << run[c].p95 << " " << sprint[c].p95);
        CHECK(walk[c].p95 == Approx(8).margin(1));
        CHECK(run[c].p95 == Approx(9).margin(0.2));
        CHECK(walk[c].p95 < run[c].p95);
        CHECK(run[c].p95 <= sprint[c].p95 + 1e-9);
        CHECK(sprint[c].max <= 9 + 1e-6);
    }
}

TEST_CASE("a clip moves the body by absolute local rotations and by its pelvis, and goes on from loop to loop") {
    const avatar::Avatar avatar = canonical_avatar();
    const Pose pelvis = joint(avatar, "pelvis").rest;
    const Pose up = avatar.joints[static_cast<std::size_t>(joint(avatar, "pelvis").parent)].rest;
    const Vec3 rest = up.inverse() * pelvis.translation;
    const Pose head = joint(avatar, "head").rest;
    const Pose neck = avatar.joints[static_cast<std::size_t>(joint(avatar, "head").parent)].rest;
    const Quat turned = (neck.rotation.conjugate() * head.rotation) * Quat(Eigen::AngleAxisd(0.5, Vec3::UnitX()));
    const auto numbers = [](const Quat& q) {
        return std::vector<float>{float(q.x()), float(q.y()), float(q.z()), float(q.w())};
    };
    gltf::Clip clip{"clip", 1, {}};
    std::vector<float> keys = numbers(neck.rotation.conjugate() * head.rotation), end = numbers(turned);
    keys.insert(keys.end(), end.begin(), end.end());
    clip.tracks.push_back({0, "head", gltf::TrackPath::rotation, gltf::Interpolation::linear, {0, 1}, keys, 4});
    // One metre along world +Z a loop, in the frame of the pelvis' parent.
    const Vec3 step = up.rotation.conjugate() * Vec3(0, 0, 1);
    std::vector<float> travel;
    for (const Vec3& p : {rest, Vec3(rest + step)})
        for (int i = 0; i < 3; ++i) travel.push_back(float(p[i]));
    clip.tracks.push_back({0, "pelvis", gltf::TrackPath::translation, gltf::Interpolation::linear, {0, 1}, travel, 3});
    clip.tracks.push_back({0, "nobody", gltf::TrackPath::rotation, gltf::Interpolation::linear, {0, 1}, keys, 4});
    const Motion motion = clip_motion(avatar, clip, rest, 0);
    const auto at = [&](double t, const char* name) {
        return motion(t)[static_cast<std::size_t>(avatar.find_joint(name))];
    };
    CHECK(angle_degrees(at(0, "head").rotation, head.rotation) < 0.05);
    CHECK(angle_degrees(at(0.5, "head").rotation, head.rotation) == Approx(degrees(0.25)).margin(0.1));
    CHECK((at(0.5, "pelvis").translation - pelvis.translation - Vec3(0, 0, 0.5)).norm() < 1e-4);
    CHECK((at(2.5, "pelvis").translation - pelvis.translation - Vec3(0, 0, 2.5)).norm() < 1e-4);
    CHECK(clip_motion(avatar, clip, rest, 2)(1.0)[0].translation.z() == Approx(2).margin(1e-6));
}

TEST_CASE("a baked preview is a sound file whose animation holds the chains' motion") {
    const auto manifest = read_manifest(worn().manifest);
    gltf::Document document = worn().document;
    const Motion motion = synthetic_motion(wearer(), Gait::run);
    bake_animation(document, wearer(), *manifest, motion, "run", 2, 1, 30);
    CHECK_FALSE(has_error(gltf::check_structure(document)));
    const auto clips = gltf::read_clips(document);
    REQUIRE(clips.size() == 1);
    CHECK(clips[0].seconds == Approx(1));
    std::size_t hair = 0;
    for (const gltf::Track& track : clips[0].tracks) {
        if (track.node_name.starts_with("hair_back")) ++hair;
        CHECK(track.times.size() == 31);
    }
    CHECK(hair == 6);
    if (const auto seen = test::played(document)) {
        CHECK((*seen)["seconds"].get<double>() == Approx(1).margin(0.01));
        CHECK((*seen)["bones"]["hair_back_c_1"].get<double>() > 0.2);
        CHECK((*seen)["bones"]["thigh_l"].get<double>() > 20);
    }
    // Played back without a solver, the tip lags as the solver said.
    Solver solver(wearer(), *manifest);
    solver.reset(motion(0));
    for (int i = 1; i <= 60; ++i) solver.step(motion(i / 30.0), 1 / 30.0);
    const int bone = wearer().find_joint("hair_back_c_1");
    const int anchor = wearer().joints[static_cast<std::size_t>(bone)].parent;
    const Quat wanted = solver.poses()[static_cast<std::size_t>(anchor)].rotation.conjugate() *
                        solver.poses()[static_cast<std::size_t>(bone)].rotation;
    for (const gltf::Track& track : clips[0].tracks) {
        if (track.node_name != "hair_back_c_1" || track.path != gltf::TrackPath::rotation) continue;
        const auto q = track.at(0);
        CHECK(angle_degrees(Quat(q[3], q[0], q[1], q[2]), wanted) < 0.05);
    }
}

TEST_CASE("rates may differ by five percent or half a degree, by fifteen where a stiff spring is hardly damped") {
    Chain chain = find_preset("side-lock")->feel;
    CHECK(allowed_difference(chain, 4) == 0.5);
    CHECK(allowed_difference(chain, 20) == Approx(1));
    chain.stiffness.stops = {0.9};
    chain.damping.stops = {0.1};
    CHECK(allowed_difference(chain, 20) == Approx(3));
    ChainSwing a, b;
    a.p50 = b.p50 = 20;
    a.p95 = 30;
    b.p95 = 36;
    CHECK_FALSE(rates_agree(chain, a, b));
    b.p95 = 34;
    CHECK(rates_agree(chain, a, b));
}

TEST_CASE("a plot has a panel a motion, a line a chain and its limit") {
    PlotPanel panel{"run & jump", 4, {}, {9, 180}};
    panel.swings.resize(2);
    panel.swings[0].chain = "hair";
    panel.swings[1].chain = "tail";
    for (ChainSwing& swing : panel.swings) {
        swing.samples = {0, 4, 8, 4};
        swing.max = 8;
    }
    const std::string svg = plot_svg({panel, panel});
    const auto count = [&](const std::string& part) {
        std::size_t found = 0;
        for (std::size_t at = svg.find(part); at != std::string::npos; at = svg.find(part, at + 1)) ++found;
        return found;
    };
    CHECK(count("<polyline") == 4);
    CHECK(count("stroke-dasharray") == 2);
    CHECK(count("run &amp; jump") == 2);
    CHECK(count("nan") == 0);
}

}  // namespace
}  // namespace helixavatar::dynamics
