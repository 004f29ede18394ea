// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <helixavatar/lod/levels.hpp>
#include <helixavatar/lod/measure.hpp>

#include "shapes.hpp"

using namespace helixavatar;

namespace {

avatar::Surface flat(float z) {
    avatar::Surface s = shapes::grid(2, 2, [&](float u, float v) { return Vec3f(u, v, z); });
    s.normals.assign(s.positions.size(), Vec3f::UnitZ());
    s.material = 0;
    return s;
}

/// A head joint with an eye below it, and a strip of grid rows whose upper half is on the head.
avatar::Avatar with_head() {
    avatar::Surface s = shapes::grid(4, 10, [](float u, float v) { return Vec3f(u, v, 0); });
    for (const Vec3f& p : s.positions) {
        avatar::Influences two{};
        const float on_head = p.y();
        two[0] = {static_cast<std::uint16_t>(p.x() > 0.5F ? 2 : 1), on_head};
        two[1] = {0, 1 - on_head};
        s.influences.push_back(two);
    }
    avatar::Avatar a = shapes::character({s});
    a.joints = {{"neck_01", -1, true, {}}, {"head", 0, true, {}}, {"eye_l", 1, true, {}}};
    return a;
}

}  // namespace

TEST_CASE("welding joins equal vertices and keeps those that differ in anything") {
    avatar::Surface s = flat(0);
    const std::size_t count = s.positions.size();
    avatar::Surface doubled = s;
    for (std::size_t v = 0; v < count; ++v) {
        doubled.positions.push_back(s.positions[v]);
        doubled.normals.push_back(s.normals[v]);
        doubled.uvs[0].push_back(s.uvs[0][v]);
    }
    for (std::size_t i = 0; i < doubled.body.size(); i += 2) doubled.body[i] += static_cast<std::uint32_t>(count);
    CHECK(lod::weld(doubled).positions.size() == count);
    CHECK(lod::weld(doubled).body == s.body);
    doubled.uvs[0][doubled.body[0]] += Vec2f(0.1F, 0);
    CHECK(lod::weld(doubled).positions.size() == count + 1);
    avatar::Surface morphed = doubled;
    morphed.morphs.push_back({"smile", std::vector<Vec3f>(2 * count, Vec3f::Zero()), {}});
    morphed.morphs[0].positions[doubled.body[2]] = Vec3f::UnitX();
    CHECK(lod::weld(morphed).positions.size() == count + 2);
}

TEST_CASE(
    "welding drops unused vertices, triangles without area and indices that point nowhere, and then changes nothing") {
    avatar::Surface s = flat(0);
    s.positions.push_back(Vec3f(9, 9, 9));
    s.normals.push_back(Vec3f::UnitX());
    s.uvs[0].emplace_back(0, 0);
    const std::size_t triangles = s.body.size();
    s.body.insert(s.body.end(), {0, 0, 1, 0, 1, 4000});
    s.face = {1, 1, 1};
    const avatar::Surface once = lod::weld(s), twice = lod::weld(once);
    CHECK(once.body.size() == triangles);
    CHECK(once.face.empty());
    CHECK(once.positions.size() == s.positions.size() - 1);
    CHECK(twice.positions == once.positions);
    CHECK(twice.body == once.body);
}

TEST_CASE("surfaces of one material become one and keep every triangle, others stay apart") {
    avatar::Surface a = flat(0), b = flat(1), c = flat(2);
    a.name = "Shirt";
    b.name = "Hat";
    b.face.swap(b.body);
    c.material = 1;
    const avatar::Avatar merged = lod::merge_surfaces(shapes::character({a, c, b}));
    REQUIRE(merged.levels[0].surfaces.size() == 2);
    const avatar::Surface& both = merged.levels[0].surfaces[0];
    CHECK(both.name == "Shirt, Hat");
    CHECK(both.material == 0);
    CHECK(both.positions.size() == a.positions.size() + b.positions.size());
    CHECK(both.body == a.body);
    REQUIRE(both.face.size() == b.face.size());
    for (const std::uint32_t v : both.face) CHECK(both.positions[v].z() == 1);
    CHECK(merged.levels[0].surfaces[1].material == 1);
}

TEST_CASE("attributes that one of two merged surfaces lacks are filled with neutral values") {
    avatar::Surface a = flat(0), b = flat(1);
    const std::size_t n = a.positions.size();
    a.colors.assign(n, Vec4f(0.5F, 0, 0, 1));
    a.tangents.assign(n, Vec4f(1, 0, 0, -1));
    a.morphs.push_back({"jawOpen", std::vector<Vec3f>(n, Vec3f::UnitY()), std::vector<Vec3f>(n, Vec3f::UnitX())});
    b.morphs.push_back({"blink", std::vector<Vec3f>(n, Vec3f::UnitZ()), {}});
    b.normals.clear();
    b.uvs.clear();
    const avatar::Avatar merged = lod::merge_surfaces(shapes::character({a, b}));
    const avatar::Surface& both = merged.levels[0].surfaces.at(0);
    CHECK(both.colors.at(2 * n - 1) == Vec4f(1, 1, 1, 1));
    CHECK(both.tangents.empty());
    CHECK(both.uvs.at(0).at(2 * n - 1) == Vec2f(0, 0));
    CHECK((both.normals.at(2 * n - 1) - Vec3f::UnitZ()).norm() < 1e-6F);
    REQUIRE(both.morphs.size() == 2);
    CHECK(both.morphs[0].name == "jawOpen");
    CHECK(both.morphs[0].positions.at(0) == Vec3f(0, 1, 0));
    CHECK(both.morphs[0].positions.at(2 * n - 1) == Vec3f(0, 0, 0));
    CHECK(both.morphs[0].normals.size() == 2 * n);
    CHECK(both.morphs[1].positions.at(0) == Vec3f(0, 0, 0));
    CHECK(both.morphs[1].positions.at(2 * n - 1) == Vec3f(0, 0, 1));
    CHECK(both.morphs[1].normals.empty());
}

TEST_CASE(
    "a triangle is of the face when all its vertices have more than half their weight on the head and what hangs from "
    "it") {
    const avatar::Avatar source = with_head();
    const std::size_t all = source.levels[0].triangles();
    const lod::FaceSplitOutput out = lod::split_face(source);
    const avatar::Surface& s = out.avatar.levels[0].surfaces[0];
    REQUIRE(out.triangles ==
            std::vector<std::size_t>{32});  // four of ten rows of four quads lie above the vertices at one half
    CHECK(s.face.size() / 3 == 32);
    CHECK(s.triangles() == all);
    CHECK(s.positions == source.levels[0].surfaces[0].positions);
    for (const std::uint32_t v : s.face) CHECK(s.positions[v].y() > 0.55F);
    CHECK(out.warnings.empty());
}

TEST_CASE("splitting again changes nothing, also after the slices were swapped") {
    const avatar::Avatar once = lod::split_face(with_head()).avatar;
    CHECK(avatar::digest(lod::split_face(once).avatar.levels[0]) == avatar::digest(once.levels[0]));
    avatar::Avatar swapped = once;
    swapped.levels[0].surfaces[0].body.swap(swapped.levels[0].surfaces[0].face);
    const avatar::Avatar again = lod::split_face(swapped).avatar;
    CHECK(again.levels[0].surfaces[0].face == once.levels[0].surfaces[0].face);
}

TEST_CASE("without a head, or without geometry on it, no face is invented and it is said") {
    avatar::Avatar headless = with_head();
    headless.joints[1].name = "HEAD_JNT";
    const lod::FaceSplitOutput none = lod::split_face(headless);
    CHECK(none.triangles == std::vector<std::size_t>{0});
    REQUIRE(none.warnings.size() == 1);
    CHECK(none.warnings[0].find("no joint named head") != std::string::npos);
    avatar::Avatar bald = with_head();
    for (avatar::Influences& i : bald.levels[0].surfaces[0].influences) i[0].joint = 0;
    const lod::FaceSplitOutput empty = lod::split_face(bald);
    REQUIRE(empty.warnings.size() == 1);
    CHECK(empty.warnings[0].find("no FaceMesh") != std::string::npos);
}

TEST_CASE("the measured distance between two spheres is the difference of their radii") {
    avatar::Level small, large;
    small.surfaces = {shapes::ball(96, 64, 0.5F)};
    large.surfaces = {shapes::ball(96, 64, 0.51F)};
    const avatar::LevelError error = lod::DistanceMeter(large).to(small);
    CHECK(error.rms_mm == Approx(10).epsilon(0.02));
    CHECK(error.max_mm == Approx(10).epsilon(0.03));
    CHECK(lod::DistanceMeter(small).to(small).max_mm < 1e-3);
}

TEST_CASE("a part that is missing on one side is measured from the other") {
    avatar::Level whole, half;
    whole.surfaces = {flat(0), flat(0.25F)};
    half.surfaces = {flat(0)};
    CHECK(lod::DistanceMeter(whole).to(half).max_mm == Approx(250));
    CHECK(lod::DistanceMeter(half).to(whole).max_mm == Approx(250));
}
