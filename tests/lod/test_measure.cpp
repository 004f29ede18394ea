// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <helixavatar/lod/levels.hpp>
#include <helixavatar/lod/measure.hpp>

#include "shapes.hpp"

using namespace helixavatar;

namespace {

/// A straight arm along +Y whose upper half follows `lowerarm_l`.
avatar::Avatar arm(std::uint32_t rings) {
    avatar::Surface s = shapes::tube(24, rings, 0.05F, 0.6F);
    for (const Vec3f& p : s.positions) {
        const float fore = std::clamp((p.y() - 0.27F) / 0.06F, 0.0F, 1.0F);
        avatar::Influences two{};
        two[0] = {0, 1 - fore};
        two[1] = {1, fore};
        s.influences.push_back(two);
    }
    avatar::Avatar a = shapes::character({s});
    a.joints.push_back({"lowerarm_l", 0, true, {Vec3(0, 0.3, 0), Quat::Identity()}});
    return a;
}

const lod::PoseError* pose(const lod::LevelMeasure& m, const std::string& name) {
    for (const lod::PoseError& p : m.poses)
        if (p.pose == name) return &p;
    return nullptr;
}

}  // namespace

TEST_CASE("a level that is its source measures nothing at all") {
    const avatar::Avatar a = arm(20);
    const auto measured = lod::measure_levels(a, a);
    REQUIRE(measured.size() == 1);
    CHECK(measured[0].triangles == a.levels[0].triangles());
    CHECK(measured[0].rest.max_mm < 1e-3);
    CHECK(measured[0].normal_degrees < 0.1);
    CHECK(measured[0].silhouette == 0);
    CHECK(measured[0].turned_over == 0);
    for (const lod::PoseError& p : measured[0].poses) CHECK(p.error.max_mm < 1e-3);
}

TEST_CASE("distances are measured in the pose and not only at rest") {
    const avatar::Avatar source = arm(60);
    avatar::Avatar straight = arm(60);
    // Only two rings: at rest a straight tube is the same surface, bent it has no elbow.
    avatar::Avatar coarse = arm(1);
    const auto fine = lod::measure_levels(straight, source), two_rings = lod::measure_levels(coarse, source);
    REQUIRE(pose(two_rings[0], "elbows") != nullptr);
    CHECK(two_rings[0].rest.rms_mm < 0.01);
    CHECK(pose(two_rings[0], "elbows")->error.rms_mm > 3);
    CHECK(pose(fine[0], "elbows")->error.rms_mm < 0.01);
    CHECK(pose(two_rings[0], "knees") == nullptr);  // a skeleton without knees
}

TEST_CASE("the jaw is opened by the shape that the face manifest names") {
    avatar::Avatar source = arm(20);
    avatar::MorphTarget open{
        "mouth", std::vector<Vec3f>(source.levels[0].surfaces[0].positions.size(), Vec3f::Zero()), {}};
    avatar::Avatar deaf = source;
    for (Vec3f& delta : open.positions) delta.x() = 0.01F;
    source.levels[0].surfaces[0].morphs = {open};
    source.face = avatar::Json::parse(
        R"({"channels":[{"name":"jawOpen","morphs":[{"mesh":"Body","target":"mouth","weight":1}]}]})");
    deaf.face = source.face;
    const auto measured = lod::measure_levels(deaf, source);
    REQUIRE(pose(measured[0], "jaw-open") != nullptr);
    CHECK(pose(measured[0], "jaw-open")->error.max_mm == Approx(10).margin(0.5));
    CHECK(measured[0].rest.max_mm < 1e-3);
}

TEST_CASE("normals, UVs and the outline are measured apart from distance") {
    const avatar::Avatar source = shapes::character({shapes::ball(64, 40)});
    avatar::Avatar tilted = source, slid = source, wide = source;
    const Eigen::AngleAxisf tilt(0.1F, Vec3f::UnitY());
    for (Vec3f& n : tilted.levels[0].surfaces[0].normals) n = tilt * n;
    for (Vec2f& uv : slid.levels[0].surfaces[0].uvs[0]) uv.x() += 0.001F;
    for (Vec3f& p : wide.levels[0].surfaces[0].positions) p.x() *= 1.1F;
    CHECK(lod::measure_levels(tilted, source)[0].normal_degrees == Approx(4.5).margin(0.5));  // none at the poles
    CHECK(lod::measure_levels(tilted, source)[0].rest.max_mm < 1e-3);
    CHECK(lod::measure_levels(slid, source)[0].uv_mm > 1);
    CHECK(lod::measure_levels(slid, source)[0].normal_degrees < 0.1);
    CHECK(lod::measure_levels(wide, source)[0].silhouette > 0.04);
    CHECK(lod::measure_levels(wide, source)[0].silhouette < 0.1);
}

TEST_CASE("holes and triangles that were turned over are counted") {
    const avatar::Avatar source = shapes::character({shapes::ball(32, 20)});
    avatar::Avatar torn = source, turned = source;
    std::vector<std::uint32_t>& kept = torn.levels[0].surfaces[0].body;
    kept.erase(kept.begin() + 300, kept.begin() + 303);
    std::vector<std::uint32_t>& over = turned.levels[0].surfaces[0].body;
    std::swap(over[300], over[301]);
    CHECK(lod::measure_levels(source, source)[0].open_edges == 0);
    CHECK(lod::measure_levels(torn, source)[0].open_edges == 3);
    CHECK(lod::measure_levels(turned, source)[0].turned_over == 1);
    CHECK(lod::measure_levels(turned, turned)[0].turned_over == 0);  // made so
}

TEST_CASE("a measurement is the same twice, and values that are not finite do not break it") {
    const avatar::Avatar source = shapes::character({shapes::ball(64, 40)});
    avatar::Avatar level = shapes::character({shapes::ball(24, 12)});
    const auto first = lod::measure_levels(level, source), second = lod::measure_levels(level, source);
    CHECK(first[0].rest.rms_mm == second[0].rest.rms_mm);
    CHECK(first[0].normal_degrees == second[0].normal_degrees);
    level.levels[0].surfaces[0].positions[30] = Vec3f::Constant(std::numeric_limits<float>::quiet_NaN());
    level.levels[0].surfaces[0].normals[31] = Vec3f::Constant(std::numeric_limits<float>::infinity());
    level.joints[0].rest.translation = Vec3::Constant(std::numeric_limits<double>::infinity());
    const auto broken = lod::measure_levels(level, source);
    REQUIRE(broken.size() == 1);
    CHECK(std::isfinite(broken[0].rest.rms_mm));
    CHECK(std::isfinite(broken[0].silhouette));
}
