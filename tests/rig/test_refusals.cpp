// SPDX-License-Identifier: MIT
// What is no humanoid is refused with help; what the user says is done; what is broken does no harm.
#include <catch2/catch.hpp>

#include <limits>

#include <nlohmann/json.hpp>

#include "rig_trees.hpp"

using namespace helixavatar;
using namespace helixavatar::test;

namespace {

Result<rig::Recognition> recognise(const JointTree& tree, std::map<std::string, std::string> overrides = {}) {
    rig::RecogniseOptions options;
    options.overrides = std::move(overrides);
    return rig::recognise(tree.avatar, skeleton::helix_humanoid(), options);
}

/// A dog: four legs on the ground, a level back, a neck that goes up and forward.
JointTree dog() {
    JointTree tree;
    const int hips = tree.add("hips", -1, {0, 0.6, -0.4});
    const int spine = tree.add("spine", hips, {0, 0.62, -0.1});
    const int chest = tree.add("chest", spine, {0, 0.62, 0.2});
    const int neck = tree.add("neck", chest, {0, 0.75, 0.35});
    tree.add("head", neck, {0, 0.9, 0.45});
    for (const double x : {0.12, -0.12}) {
        const std::string side = x > 0 ? ".L" : ".R";
        const int thigh = tree.add("thigh" + side, hips, {x, 0.55, -0.4});
        const int shin = tree.add("shin" + side, thigh, {x, 0.3, -0.36});
        const int foot = tree.add("foot" + side, shin, {x, 0.05, -0.42});
        tree.add("toe" + side, foot, {x, 0.0, -0.35});
        const int arm = tree.add("upper_arm" + side, chest, {x, 0.55, 0.2});
        const int fore = tree.add("forearm" + side, arm, {x, 0.3, 0.15});
        const int hand = tree.add("hand" + side, fore, {x, 0.05, 0.2});
        tree.add("fingers" + side, hand, {x, 0.0, 0.25});
    }
    return tree;
}

}  // namespace

TEST_CASE("animals and props are refused") {
    const auto animal = recognise(dog());
    REQUIRE_FALSE(animal);
    CHECK(animal.error().kind == ErrorKind::unconvertible);
    CHECK(animal.error().message.find("animal") != std::string::npos);
    JointTree opaque = dog();
    make_opaque(opaque);
    CHECK_FALSE(recognise(opaque));

    JointTree crane;
    int last = -1;
    for (int i = 0; i < 12; ++i) last = crane.add("link" + std::to_string(i), last, {0, 0.2 * i, 0});
    const auto prop = recognise(crane);
    REQUIRE_FALSE(prop);
    CHECK(prop.error().message.find("legs") != std::string::npos);
    CHECK(prop.error().hint.find("--bone-map") != std::string::npos);
    CHECK_FALSE(recognise(JointTree{}));
}

TEST_CASE("a body without hands is refused with the joints named and a bone map to fill") {
    JointTree tree = family_tree("meshy", BodyPose::t);
    tree.remove("hand_l");
    tree.remove("hand_r");
    const auto found = recognise(tree);
    REQUIRE_FALSE(found);
    CHECK(found.error().kind == ErrorKind::unconvertible);
    CHECK(found.error().hint.find("\"hand_l\"") != std::string::npos);
    CHECK(found.error().hint.find("LeftForeArm") != std::string::npos);
    CHECK(found.error().hint.size() < 20000);
}

TEST_CASE("the template of a refusal is a bone map that can be read back") {
    JointTree tree = family_tree("meshy", BodyPose::t);
    tree.remove("head");
    tree.remove("neck_01");
    for (avatar::Joint& joint : tree.avatar.joints) {
        if (joint.name.rfind("head", 0) == 0) joint.rest.translation.y() = 1.2;  // markers on the breast
    }
    const auto found = recognise(tree);
    REQUIRE_FALSE(found);
    CHECK(found.error().message.find("head") != std::string::npos);
    const std::string& hint = found.error().hint;
    const auto open = hint.find('{'), close = hint.find('}');
    REQUIRE(open != std::string::npos);
    const auto map = rig::parse_bone_map(hint.substr(open, close - open + 1), skeleton::helix_humanoid());
    REQUIRE(map);
    CHECK(map->count("head") == 0);
    CHECK(map->at("pelvis") == "Hips");
    CHECK(map->at("hand_l") == "LeftHand");
}

TEST_CASE("two pairs of arms that fit equally well are refused, and a bone map decides") {
    JointTree tree = family_tree("meshy", BodyPose::t);
    const int chest = tree.find("spine_05");
    for (const char* side : {"l", "r"}) {
        int parent = chest;
        for (const char* base : {"clavicle_", "upperarm_", "lowerarm_", "hand_"}) {
            const Vec3 place = tree.at(base + std::string(side)).rest.translation - Vec3(0, 0.02, 0);
            parent = tree.add("second_" + std::string(base) + side, parent, place);
        }
    }
    make_opaque(tree);
    const auto found = recognise(tree);
    REQUIRE_FALSE(found);
    CHECK(found.error().message.find("ambiguous") != std::string::npos);
    std::map<std::string, std::string> overrides;
    for (const char* role : {"upperarm_l", "lowerarm_l", "hand_l", "upperarm_r", "lowerarm_r", "hand_r"})
        overrides[role] = tree.at(role).name;
    const auto decided = recognise(tree, overrides);
    REQUIRE(decided);
    CHECK(faults(tree, *decided, true).empty());
    CHECK(decided->map.find("hand_l")->how == avatar::MappedBy::override_file);
    CHECK(decided->map.find("hand_l")->confidence == 1);
}

TEST_CASE("an arm that can be read in two ways is refused without names, what is sure is filled in, names decide") {
    // A twist half way down the upper arm and a fore-arm of half its length: shoulder, twist, elbow are spaced as
    // shoulder, elbow, hand would be.
    JointTree tree = family_tree("rigify_deform", BodyPose::t);
    for (std::size_t j = 0; j < tree.canonical.size(); ++j) {
        const std::string side = tree.canonical[j].ends_with("_r") ? "_r" : "_l";
        const Vec3 shoulder = tree.at("upperarm" + side).rest.translation;
        const Vec3 elbow = tree.at("lowerarm" + side).rest.translation;
        Vec3& place = tree.avatar.joints[j].rest.translation;
        if (tree.canonical[j].starts_with("upperarm_twist")) place = (shoulder + elbow) / 2;
        if (tree.canonical[j].starts_with("lowerarm_twist")) place = elbow + (elbow - shoulder) / 4;
        if (tree.canonical[j].starts_with("hand")) place = elbow + (elbow - shoulder) / 2;
    }
    for (const char* finger : {"thumb", "index", "middle", "ring", "pinky"})
        for (const char* part : {"_metacarpal", "_03", "_02", "_01"})
            for (const char* side : {"_l", "_r"})
                if (tree.find(finger + std::string(part) + side) >= 0) tree.remove(finger + std::string(part) + side);
    const auto named = recognise(tree);
    REQUIRE(named);
    for (const std::string& fault : faults(tree, *named, true)) CHECK(fault == "");

    make_names_opaque(tree);
    const auto found = recognise(tree);
    REQUIRE_FALSE(found);
    INFO(found.error().message);
    CHECK(found.error().kind == ErrorKind::unconvertible);
    CHECK(found.error().message.find("lowerarm_l") != std::string::npos);
    const std::string hint = found.error().hint;
    const auto open = hint.find('{'), close = hint.find('}');
    REQUIRE(close != std::string::npos);
    auto map = rig::parse_bone_map(hint.substr(open, close - open + 1), skeleton::helix_humanoid());
    REQUIRE(map);
    CHECK(map->count("lowerarm_l") + map->count("hand_r") == 0);
    const std::map<std::string, int> right = truth(tree);
    for (const auto& [role, joint] : *map) CHECK(joint == tree.avatar.joints[right.at(role)].name);
    CHECK(map->at("thigh_l") == tree.at("thigh_l").name);
    for (const char* role : {"upperarm_l", "lowerarm_l", "hand_l", "upperarm_r", "lowerarm_r", "hand_r"})
        (*map)[role] = tree.at(role).name;
    const auto decided = recognise(tree, *map);
    REQUIRE(decided);
    CHECK(faults(tree, *decided, true).empty());
}

TEST_CASE("a bone map overrides anything, by name or by path") {
    JointTree tree = family_tree("mixamo", BodyPose::t);
    const int hand = tree.find("hand_l");
    const int wrist = tree.add("Extra", hand, tree.at("hand_l").rest.translation + Vec3(0.02, 0, 0));
    const auto plain = recognise(tree, {{"hand_l", "Extra"}});
    REQUIRE(plain);
    CHECK(plain->map.source("hand_l") == wrist);
    CHECK(plain->map.find("hand_l")->how == avatar::MappedBy::override_file);

    tree.at("hand_l").name = "Paw";
    tree.at("hand_r").name = "Paw";
    const auto twice = recognise(tree, {{"hand_l", "Paw"}});
    REQUIRE_FALSE(twice);
    CHECK(twice.error().kind == ErrorKind::usage);
    CHECK(twice.error().hint.find("LeftForeArm/Paw") != std::string::npos);
    const auto path = recognise(tree, {{"hand_l", "mixamorig:LeftForeArm/Paw"}});
    REQUIRE(path);
    CHECK(path->map.source("hand_l") == hand);
}

TEST_CASE("a bone map that is wrong names the key") {
    const auto& canonical = skeleton::helix_humanoid();
    CHECK_FALSE(rig::parse_bone_map("[]", canonical));
    CHECK_FALSE(rig::parse_bone_map("{", canonical));
    const auto unknown = rig::parse_bone_map(R"({"hand_left": "x"})", canonical);
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().where.find("hand_left") != std::string::npos);
    CHECK(unknown.error().hint.find("hand_l") != std::string::npos);
    CHECK_FALSE(rig::parse_bone_map(R"({"hand_l": 3})", canonical));
    CHECK_FALSE(rig::parse_bone_map(R"({"index_metacarpal_l": "x"})", canonical));
    const auto good = rig::parse_bone_map(R"({"hand_l": "L_Hand", "hand_r": ""})", canonical);
    REQUIRE(good);
    CHECK(good->size() == 1);

    const JointTree tree = family_tree("mixamo", BodyPose::t);
    const auto absent = recognise(tree, {{"hand_l", "mixamorig:LeftHnad"}});
    REQUIRE_FALSE(absent);
    CHECK(absent.error().kind == ErrorKind::usage);
    CHECK(absent.error().hint.find("mixamorig:LeftHand") != std::string::npos);
    CHECK_FALSE(recognise(tree, {{"hand_l", "mixamorig:LeftHand"}, {"hand_r", "mixamorig:LeftHand"}}));
}

TEST_CASE("nobody can tell left from right: refused, and a bone map tells") {
    JointTree tree = family_tree("roblox_r15", BodyPose::t);
    for (avatar::Joint& joint : tree.avatar.joints) joint.rest.translation.z() = 0;  // flat: no knees, no elbows
    make_opaque(tree);
    const auto found = recognise(tree);
    REQUIRE_FALSE(found);
    CHECK(found.error().message.find("left from its right") != std::string::npos);
    const auto told = recognise(tree, {{"hand_l", tree.at("hand_l").name}});
    REQUIRE(told);
    CHECK(told->map.source("hand_l") == tree.find("hand_l"));
    CHECK(told->map.source("foot_r") == tree.find("foot_r"));
}

TEST_CASE("the file's own humanoid map decides, in either VRM's words") {
    JointTree tree = family_tree("mixamo", BodyPose::t);
    rig::RecogniseOptions options;
    options.vrm_version = 0;
    options.vrm_humanoid = {{"hips", tree.find("pelvis")},
                            {"leftHand", tree.find("hand_l")},
                            {"leftThumbProximal", tree.find("thumb_01_l")},
                            {"leftThumbIntermediate", tree.find("thumb_02_l")},
                            {"rightUpperLeg", tree.find("thigh_r")}};
    transform(tree, about_up(180), 1);
    make_names_opaque(tree);
    const auto found = rig::recognise(tree.avatar, skeleton::helix_humanoid(), options);
    REQUIRE(found);
    CHECK(found->map.family == "vrm0");
    CHECK(found->map.source("thumb_01_l") == tree.find("thumb_01_l"));
    CHECK(found->map.source("thumb_02_l") == tree.find("thumb_02_l"));
    CHECK(found->map.source("thigh_r") == tree.find("thigh_r"));
    CHECK(angle_degrees(found->frame.forward, -Vec3::UnitZ()) < 0.01);
}

TEST_CASE("broken joints do no harm") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    JointTree tree = family_tree("mixamo", BodyPose::t);
    tree.at("index_02_l").rest.translation = Vec3(nan, nan, nan);
    tree.at("spine_03").rest.translation = Vec3(1e300, 0, 0);
    CHECK_NOTHROW(recognise(tree));
    for (avatar::Joint& joint : tree.avatar.joints) joint.rest.translation = Vec3::Zero();
    CHECK_FALSE(recognise(tree));
    for (avatar::Joint& joint : tree.avatar.joints) joint.rest.translation = Vec3(nan, 0, nan);
    CHECK_FALSE(recognise(tree));

    JointTree deep;
    int last = -1;
    for (int i = 0; i < 20000; ++i) last = deep.add("b", last, {0, -0.001 * i, 0.0005 * (i % 7)});
    CHECK_FALSE(recognise(deep));
    JointTree wide;
    const int top = wide.add("top", -1, {0, 1, 0});
    for (int i = 0; i < 20000; ++i) wide.add("b", top, {0.001 * i, 0, 0});
    CHECK_FALSE(recognise(wide));
    JointTree looped = family_tree("mixamo", BodyPose::t);
    looped.avatar.joints[3].parent = 3;
    looped.avatar.joints[5].parent = 900;
    CHECK_NOTHROW(recognise(looped));
}
