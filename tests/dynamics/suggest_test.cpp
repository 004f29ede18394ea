// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <cmath>

#include <helixavatar/dynamics/apply.hpp>

#include "avatar_fixture.hpp"
#include "dynamics/loose_pieces.hpp"
#include "dynamics/shell.hpp"

namespace helixavatar::dynamics {
namespace {

/// A sheet of `across` by `down` squares through a function of two numbers 0..1, weighted to one joint.
template <class Place>
void add_sheet(avatar::Avatar& avatar, const std::string& bone, int across, int down, Place place) {
    avatar::Surface& surface = avatar.levels[0].surfaces[0];
    const auto first = static_cast<std::uint32_t>(surface.positions.size());
    avatar::Influences influences{};
    influences[0] = {static_cast<std::uint16_t>(avatar.find_joint(bone)), 1.0F};
    for (int j = 0; j <= down; ++j)
        for (int i = 0; i <= across; ++i) {
            surface.positions.push_back(Vec3(place(double(i) / across, double(j) / down)).template cast<float>());
            surface.influences.push_back(influences);
        }
    const auto at = [&](int i, int j) { return first + static_cast<std::uint32_t>(j * (across + 1) + i); };
    for (int j = 0; j < down; ++j)
        for (int i = 0; i < across; ++i)
            for (const std::uint32_t v :
                 {at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j), at(i + 1, j + 1), at(i, j + 1)})
                surface.body.push_back(v);
}

/// A tube round a vertical axis.
void add_tube(avatar::Avatar& avatar, const std::string& bone, const Vec3& top, double length, double radius,
              double hem) {
    add_sheet(avatar, bone, 24, 12, [&](double turn, double down) {
        const double a = 2 * kPi * turn, r = radius + (hem - radius) * down;
        return Vec3(top.x() + r * std::sin(a), top.y() - length * down, top.z() + r * std::cos(a));
    });
}

avatar::Avatar body() {
    avatar::Avatar avatar = canonical_avatar();
    add_tube(avatar, "upperarm_l", joint(avatar, "spine_05").rest.translation, 0.5, 0.16, 0.14);
    return avatar;
}

TEST_CASE("loose hair behind a head is proposed in columns, on the head where it hangs free") {
    avatar::Avatar avatar = body();
    const Vec3 head = joint(avatar, "head").rest.translation;
    add_sheet(avatar, "head", 16, 16, [&](double x, double down) {
        return Vec3(0.2 * (x - 0.5), head.y() + 0.1 - 0.35 * down, head.z() - 0.35);
    });
    const auto falls = loose_falls(avatar);
    REQUIRE(falls.size() == 1);
    CHECK(falls[0].kind == LooseFall::Kind::hair);
    CHECK(falls[0].anchor == "head");
    REQUIRE(falls[0].columns.size() == 3);
    for (const auto& column : falls[0].columns) {
        REQUIRE(column.size() == 3);
        CHECK(column[0].y() == Approx(head.y()).margin(0.01));
        CHECK(column[2].y() == Approx(head.y() - 0.25).margin(0.03));
        CHECK(column[2].z() == Approx(head.z() - 0.35).margin(0.01));
    }
    const Suggestion suggestion = suggest(avatar);
    CHECK(suggestion.spec["chains"].size() == 3);
    CHECK_FALSE(has_error(parse_spec(suggestion.spec).findings));
}

TEST_CASE("a skirt is proposed panel by panel, trousers are not") {
    avatar::Avatar avatar = body();
    const Vec3 pelvis = joint(avatar, "pelvis").rest.translation;
    add_tube(avatar, "pelvis", pelvis + Vec3(0, 0.1, 0), 0.45, 0.16, 0.3);
    const auto falls = loose_falls(avatar);
    REQUIRE(falls.size() == 1);
    CHECK(falls[0].kind == LooseFall::Kind::skirt);
    CHECK(falls[0].columns.size() == 8);
    for (const auto& column : falls[0].columns) CHECK(column.size() == 4);

    avatar::Avatar trousers = body();
    add_tube(trousers, "thigh_l", pelvis + Vec3(0.09, 0.05, 0), 0.6, 0.09, 0.08);
    add_tube(trousers, "thigh_r", pelvis + Vec3(-0.09, 0.05, 0), 0.6, 0.09, 0.08);
    CHECK(loose_falls(trousers).empty());
    CHECK(suggest(trousers).spec["chains"].empty());
}

TEST_CASE("what is held or worn is not proposed, what its name says swings is") {
    avatar::Avatar avatar = body();
    const Vec3 head = joint(avatar, "head").rest.translation, hand = joint(avatar, "hand_l").rest.translation;
    const auto hang = [&](const std::string& name, const std::string& parent, const Vec3& place) {
        add_joint(avatar, name, parent, place);
        add_vertex(avatar, name, place + Vec3(0, 0.05, 0));
    };
    hang("Helmet", "head", head);
    hang("ribbon_sword", "hand_l", hand);
    hang("Ear_L", "head", head + Vec3(0.06, 0.15, 0));
    const Suggestion suggestion = suggest(avatar);
    REQUIRE(suggestion.spec["chains"].size() == 1);
    CHECK(suggestion.spec["chains"][0]["id"] == "Ear_L");
    CHECK(suggestion.spec["chains"][0]["preset"] == "short-ear");
    // A bone that the face turns has its writer.
    avatar.face = Json{{"channels", {{{"name", "jawOpen"}, {"bone", {{"joint", "Ear_L"}}}}}}};
    CHECK(suggest(avatar).spec["chains"].empty());
}

LevelMesh sheet(double x, double step, int count, LevelMesh mesh = {}) {
    std::vector<std::array<int, 3>> triangles;
    // Welding anew keeps what was there: old triangles come back as a fan of each piece's points.
    const auto old = static_cast<int>(mesh.positions.size());
    for (int i = 0; i + 2 < old; ++i) triangles.push_back({i, i + 1, i + 2});
    for (int i = 0; i < count; ++i) {
        mesh.positions.emplace_back(x, step * i, 0.0);
        mesh.positions.emplace_back(x + 0.01, step * i, 0.0);
    }
    for (int i = old; i + 2 < static_cast<int>(mesh.positions.size()); ++i) triangles.push_back({i, i + 1, i + 2});
    mesh.welded.clear();
    mesh.neighbours.clear();
    mesh.vertices_of.clear();
    mesh.piece.clear();
    weld(mesh, triangles);
    return mesh;
}

TEST_CASE("a shell is found again on coarser levels by where it lies, and not where it was left out") {
    const LevelMesh first = sheet(0.3, 0.01, 30, sheet(0, 0.01, 30));
    const auto count = [](const std::vector<bool>& in) { return std::count(in.begin(), in.end(), true); };
    CHECK(count(shell_points(first, first, Vec3(0, 0.1, 0))) == 60);
    const LevelMesh coarse = sheet(0.3, 0.05, 6, sheet(0.002, 0.05, 6));
    CHECK(count(shell_points(coarse, first, Vec3(0, 0.1, 0))) == 12);
    const LevelMesh without = sheet(0.3, 0.05, 6);
    CHECK(count(shell_points(without, first, Vec3(0, 0.1, 0))) == 0);
    CHECK(count(shell_points(without, first, Vec3(0.3, 0.1, 0))) == 12);
}

}  // namespace
}  // namespace helixavatar::dynamics
