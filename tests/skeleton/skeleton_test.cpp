// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <algorithm>

#include <helixavatar/avatar/document_io.hpp>
#include <helixavatar/skeleton/skeleton.hpp>

using namespace helixavatar;
using skeleton::Skeleton;

TEST_CASE("the built-in skeleton has 68 skin joints, 8 helpers, and parents before children") {
    const Skeleton& built_in = skeleton::helix_humanoid();
    CHECK(built_in.joints.size() == 76);
    CHECK(std::count_if(built_in.joints.begin(), built_in.joints.end(), [](const auto& j) { return j.skin; }) == 68);
    for (std::size_t i = 0; i < built_in.joints.size(); ++i) CHECK(built_in.joints[i].parent < static_cast<int>(i));
}

TEST_CASE("world rests are the composition of local rests, and match the published measurements") {
    const Skeleton& built_in = skeleton::helix_humanoid();
    CHECK(built_in.joint("pelvis").world.translation.y() - built_in.joint("foot_l").world.translation.y() == Approx(0.877).margin(1e-3));
    const Quat pelvis = built_in.joint("pelvis").world.rotation;
    CHECK((pelvis * Vec3::UnitX()).y() > 0.99);   // local +X up
    CHECK((pelvis * Vec3::UnitY()).x() < -0.99);  // local +Y the character's right
    CHECK((pelvis * Vec3::UnitZ()).z() > 0.99);   // local +Z forward
    for (const char* side : {"_l", "_r"}) {
        const auto& arm = built_in.joint(std::string("upperarm") + side).world;
        const auto& elbow = built_in.joint(std::string("lowerarm") + side).world;
        CHECK(angle_degrees(arm.rotation * Vec3::UnitX(), elbow.translation - arm.translation) < 0.1);
    }
}

TEST_CASE("a skeleton written as JSON reads back the same") {
    const auto read = skeleton::parse_skeleton(skeleton::to_json_text(skeleton::helix_humanoid()));
    REQUIRE(read);
    CHECK(skeleton::differences(skeleton::helix_humanoid(), *read).empty());
}

TEST_CASE("a skeleton file with a fault is refused with the joint named") {
    auto json = gltf::Json::parse(skeleton::to_json_text(skeleton::helix_humanoid()));
    SECTION("a missing joint") {
        json["joints"].erase(json["joints"].end() - 1);
        const auto read = skeleton::parse_skeleton(json.dump());
        REQUIRE(!read);
        CHECK(read.error().message.find("ball_r") != std::string::npos);
    }
    SECTION("another parent") {
        for (auto& joint : json["joints"])
            if (joint["name"] == "head") joint["parent"] = "spine_05";
        const auto read = skeleton::parse_skeleton(json.dump());
        REQUIRE(!read);
        CHECK(read.error().message.find("head") != std::string::npos);
    }
    SECTION("a rotation that is none") {
        json["joints"][3]["rotation"] = {0, 0, 0, 0};
        const auto read = skeleton::parse_skeleton(json.dump());
        REQUIRE(!read);
        CHECK(read.error().where == "/joints/3/rotation");
    }
    SECTION("a joint twice") {
        json["joints"].push_back(json["joints"][5]);
        CHECK(!skeleton::parse_skeleton(json.dump()));
    }
    SECTION("no JSON") { CHECK(skeleton::parse_skeleton("[").error().kind == ErrorKind::usage); }
}

TEST_CASE("the skeleton of an avatar's first scene is the one it was written with") {
    avatar::Avatar body;
    for (const auto& joint : skeleton::helix_humanoid().joints) body.joints.push_back({joint.name, joint.parent, joint.skin, joint.world});
    avatar::Surface triangle;
    triangle.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    avatar::Influences on_pelvis{};
    on_pelvis[0] = {1, 1.0F};
    triangle.influences.assign(3, on_pelvis);
    triangle.body = {0, 1, 2};
    body.levels.push_back({"lod1", {triangle}, std::nullopt});
    SECTION("whole") {
        const auto read = skeleton::skeleton_from_document(avatar::write_avatar(body));
        REQUIRE(read);
        CHECK(skeleton::differences(skeleton::helix_humanoid(), *read).empty());
    }
    SECTION("a joint renamed is refused by name") {
        body.joints[body.find_joint("neck_02")].name = "neck_2";
        const auto read = skeleton::skeleton_from_document(avatar::write_avatar(body));
        REQUIRE(!read);
        CHECK(read.error().kind == ErrorKind::unconvertible);
        CHECK(read.error().message.find("neck_02") != std::string::npos);
    }
    SECTION("one joint moved and turned is reported") {
        Pose& hand = body.joints[body.find_joint("hand_l")].rest;
        hand.translation.x() += 0.01;
        const auto read = skeleton::skeleton_from_document(avatar::write_avatar(body));
        REQUIRE(read);
        const auto list = skeleton::differences(skeleton::helix_humanoid(), *read);
        REQUIRE(!list.empty());
        CHECK(list[0].name == "hand_l");
        CHECK(list[0].metres == Approx(0.01).margin(1e-4));
    }
}

TEST_CASE("names mirror to the other side") {
    CHECK(skeleton::mirrored("hand_l") == "hand_r");
    CHECK(skeleton::mirrored("thumb_01_r") == "thumb_01_l");
    CHECK(skeleton::mirrored("pelvis") == "pelvis");
}
