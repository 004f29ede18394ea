// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <helixavatar/avatar/document_io.hpp>
#include <helixavatar/import/before_eyes.hpp>
#include <helixavatar/import/import.hpp>

#include "support/humanoid.hpp"

namespace helixavatar::import {
namespace {

/// A plate before the face, `metres` in front of the foremost point at the eyes' height, weighted to one joint.
void add_plate(avatar::Avatar& avatar, const std::string& name, const std::string& joint, double metres) {
    const Vec3 head = avatar.joints[static_cast<std::size_t>(avatar.find_joint("head"))].rest.translation;
    const double y = head.y() + 0.1;
    double front = -1;
    for (const avatar::Surface& surface : avatar.levels[0].surfaces)
        for (const Vec3f& p : surface.positions)
            if (std::abs(static_cast<double>(p.y()) - y) < 0.02 && std::abs(p.x()) < 0.04F)
                front = std::max(front, static_cast<double>(p.z()));
    avatar::Surface plate;
    plate.name = name;
    for (const auto& [dx, dy] : {std::pair{-0.2, -0.2}, {0.2, -0.2}, {0.2, 0.2}, {-0.2, 0.2}}) {
        plate.positions.push_back(Vec3(dx, y + dy, front + metres).cast<float>());
        avatar::Influences influences{};
        influences[0] = {static_cast<std::uint16_t>(avatar.find_joint(joint)), 1.0F};
        plate.influences.push_back(influences);
    }
    plate.body = {0, 1, 2, 0, 2, 3};
    avatar.levels[0].surfaces.push_back(std::move(plate));
}

avatar::Avatar character() {
    test::HumanoidOptions options;
    options.family = "helix";
    options.pose = test::BodyPose::canonical;
    options.triangles = 6000;
    return test::humanoid_avatar(options);
}

std::vector<BeforeEyes> seen_by(const avatar::Avatar& avatar) {
    return before_eyes(avatar, avatar.find_joint("head"), Vec3::UnitY(), Vec3::UnitZ());
}

TEST_CASE("a bare face sees nothing of its own") {
    CHECK(seen_by(character()).empty());
    test::HumanoidOptions haired;
    haired.family = "helix";
    haired.pose = test::BodyPose::canonical;
    haired.long_hair = true;
    haired.triangles = 6000;
    CHECK(seen_by(test::humanoid_avatar(haired)).empty());
    CHECK(before_eyes(character(), -1, Vec3::UnitY(), Vec3::UnitZ()).empty());
    CHECK(before_eyes({}, 0, Vec3::UnitY(), Vec3::UnitZ()).empty());
}

TEST_CASE("a visor and a hood before the eyes are named, with what they hang from and how far they are") {
    avatar::Avatar avatar = character();
    add_plate(avatar, "Visor", "head", 0.03);
    add_plate(avatar, "Hood", "spine_05", 0.10);
    const auto seen = seen_by(avatar);
    REQUIRE(seen.size() == 2);
    for (const BeforeEyes& thing : seen) {
        CHECK(thing.on_head == (thing.mesh == "Visor"));
        CHECK(thing.rays > 30);
        // From each eye's own skin, which lies behind the foremost point.
        CHECK(thing.distance > (thing.mesh == "Visor" ? 0.025 : 0.095));
        CHECK(thing.distance < (thing.mesh == "Visor" ? 0.06 : 0.13));
    }
}

TEST_CASE("what is far off, behind, or as near as lashes does not stand before the eyes") {
    avatar::Avatar avatar = character();
    add_plate(avatar, "Lashes", "head", 0.0);
    add_plate(avatar, "Banner", "spine_05", 0.6);
    add_plate(avatar, "Cape", "spine_05", -0.3);
    for (const BeforeEyes& thing : seen_by(avatar)) {
        INFO(thing.mesh << " " << thing.rays << " " << thing.distance);
        CHECK(thing.mesh == "Lashes");  // a plate touches the nose only; beside it the skin falls back
    }
}

TEST_CASE("importing a hood that does not hang from the head warns with its name") {
    avatar::Avatar avatar = character();
    add_plate(avatar, "Hood", "spine_05", 0.10);
    ImportOptions options;
    options.textures.ktx2 = false;
    const auto warned = [&](const avatar::Avatar& source) {
        const Result<ImportOutput> out = import_avatar(avatar::write_avatar(source), {}, "a.web.glb", options);
        REQUIRE(out);
        return std::any_of(out->warnings.begin(), out->warnings.end(), [](const std::string& warning) {
            return warning.find("before the eyes") != std::string::npos &&
                   warning.find("--drop-node") != std::string::npos;
        });
    };
    CHECK(warned(avatar));
    CHECK_FALSE(warned(character()));
}

}  // namespace
}  // namespace helixavatar::import
