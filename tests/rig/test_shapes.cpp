// SPDX-License-Identifier: MIT
// What geometry and topology must sort out, whatever the names.
#include <catch2/catch.hpp>

#include "rig_trees.hpp"

using namespace helixavatar;
using namespace helixavatar::test;

namespace {

Quat about(const Vec3& axis, double degrees) {
    return Quat(Eigen::AngleAxisd(radians(degrees), axis));
}

std::string text(const std::vector<std::string>& lines) {
    std::string out;
    for (const std::string& line : lines) out += "\n  " + line;
    return out;
}

rig::Recognition recognised(const JointTree& tree) {
    auto found = rig::recognise(tree.avatar, skeleton::helix_humanoid());
    if (!found) FAIL(found.error().message << "\n" << found.error().hint);
    return found.take();
}

void check_core(const JointTree& tree, const rig::Recognition& found) {
    const auto wrong = faults(tree, found, true);
    INFO(text(wrong));
    CHECK(wrong.empty());
}

bool mentions(const std::vector<std::string>& notes, const std::string& word) {
    for (const std::string& note : notes) {
        if (note.find(word) != std::string::npos) return true;
    }
    return false;
}

struct Axes {
    const char* what;
    Quat turn;
    double scale;
};

std::vector<Axes> all_axes() {
    return {{"as drawn", Quat::Identity(), 1},
            {"Z up", about(Vec3::UnitX(), 90), 1},
            {"Z up, centimetres", about(Vec3::UnitX(), 90), 100},
            {"yaw 90", about(Vec3::UnitY(), 90), 1},
            {"yaw 37", about(Vec3::UnitY(), 37), 1},
            {"facing -Z", about(Vec3::UnitY(), 180), 1},
            {"Z up and turned", about(Vec3::UnitZ(), 135) * about(Vec3::UnitX(), 90), 1},
            {"upside down", about(Vec3::UnitX(), 180), 1},
            {"centimetres", Quat::Identity(), 100},
            {"a tenth", Quat::Identity(), 0.1}};
}

}  // namespace

TEST_CASE("opaque names, other axes, units and facing: the same joints and the right frame") {
    for (const BodyPose pose : {BodyPose::t, BodyPose::a45, BodyPose::arms_down, BodyPose::lopsided}) {
        for (const bool skin : {false, true}) {
            for (const Axes& axes : all_axes()) {
                INFO(axes.what << ", pose " << static_cast<int>(pose) << (skin ? ", skinned" : ", joints only"));
                JointTree tree = family_tree("helix", pose);
                make_opaque(tree);
                transform(tree, axes.turn, axes.scale);
                if (skin) add_skin(tree);
                const auto found = recognised(tree);
                check_core(tree, found);
                CHECK(found.map.family == "unknown");
                CHECK(angle_degrees(found.frame.up, axes.turn * Vec3::UnitY()) < 0.01);
                CHECK(angle_degrees(found.frame.forward, axes.turn * Vec3::UnitZ()) <
                      (pose == BodyPose::lopsided ? 5 : 0.01));
                CHECK(angle_degrees(found.frame.left, axes.turn * Vec3::UnitX()) <
                      (pose == BodyPose::lopsided ? 5 : 0.01));
                CHECK(found.frame.witnesses.size() >= 2);
            }
        }
    }
}

TEST_CASE("opaque fingers are told by their place across the palm") {
    for (const BodyPose pose : {BodyPose::t, BodyPose::a45, BodyPose::arms_down}) {
        INFO(static_cast<int>(pose));
        JointTree tree = family_tree("mixamo", pose);
        make_opaque(tree);
        add_skin(tree);
        const auto wrong = faults(tree, recognised(tree), false);
        INFO(text(wrong));
        CHECK(wrong.empty());
    }
}

TEST_CASE("joints named left on the right are mapped by side, and the user is told") {
    JointTree tree = family_tree("mixamo", BodyPose::a45);
    swap_sides(tree);
    const auto found = recognised(tree);
    check_core(tree, found);
    CHECK(angle_degrees(found.frame.forward, Vec3::UnitZ()) < 0.01);
    CHECK(mentions(found.map.notes, "named left lie on the character's right"));
    CHECK(mentions(found.map.notes, "toes"));
}

TEST_CASE("a character that faces -Z is no mirrored rig") {
    JointTree tree = family_tree("mixamo", BodyPose::t);
    transform(tree, about(Vec3::UnitY(), 180), 1);
    const auto found = recognised(tree);
    check_core(tree, found);
    CHECK(angle_degrees(found.frame.forward, -Vec3::UnitZ()) < 0.01);
    CHECK_FALSE(mentions(found.map.notes, "named left"));
}

TEST_CASE("feet that hang from the root are hung below their shins") {
    JointTree tree = family_tree("mixamo", BodyPose::t);
    const int root = 0;
    for (const char* foot : {"foot_l", "foot_r"}) tree.at(foot).parent = root;
    // The hips are the top of a Mixamo rig: give it a root on the ground, as exporters of IK rigs do.
    JointTree rooted;
    rooted.add("Root", -1, Vec3::Zero());
    for (std::size_t i = 0; i < tree.avatar.joints.size(); ++i) {
        const avatar::Joint& j = tree.avatar.joints[i];
        const bool foot = tree.canonical[i].rfind("foot", 0) == 0;
        rooted.add(j.name, foot ? 0 : j.parent + 1, j.rest.translation, tree.canonical[i]);
    }
    SECTION("with names") {
        const auto found = recognised(rooted);
        check_core(rooted, found);
        CHECK(mentions(found.map.notes, "it is the foot below"));
    }
    SECTION("without names") {
        make_opaque(rooted);
        add_skin(rooted);
        check_core(rooted, recognised(rooted));
    }
}

TEST_CASE("controls at the root in the places of hands and feet are no limbs") {
    JointTree tree = family_tree("ue5_mannequin", BodyPose::a45);
    const int root = tree.find("root");
    for (const char* limb : {"hand_l", "hand_r", "foot_l", "foot_r", "lowerarm_l", "calf_l"})
        tree.add(std::string("ctl_") + limb, root, tree.at(limb).rest.translation);
    check_core(tree, recognised(tree));
    make_opaque(tree);
    add_skin(tree);
    check_core(tree, recognised(tree));
}

TEST_CASE("what a rig lacks is left out, not invented") {
    JointTree tree = family_tree("unity_humanoid", BodyPose::t);
    for (const char* gone : {"clavicle_l", "clavicle_r", "neck_01", "ball_l", "ball_r", "spine_03"}) tree.remove(gone);
    std::vector<std::string> fingers;
    for (const std::string& role : tree.canonical) {
        for (const char* f : {"thumb", "index", "middle", "ring", "pinky"}) {
            if (role.rfind(f, 0) == 0) fingers.push_back(role);
        }
    }
    for (const std::string& finger : fingers) tree.remove(finger);
    const auto found = recognised(tree);
    const auto wrong = faults(tree, found, false);
    INFO(text(wrong));
    CHECK(wrong.empty());
    CHECK(found.map.source("clavicle_l") == -1);
    CHECK(found.map.find("clavicle_l")->how == avatar::MappedBy::derived);
}

TEST_CASE("clavicles in the shoulder's own place keep their part") {
    JointTree tree = family_tree("mixamo", BodyPose::t);
    for (const char* side : {"l", "r"})
        tree.at(std::string("clavicle_") + side).rest.translation =
            tree.at(std::string("upperarm_") + side).rest.translation;
    check_core(tree, recognised(tree));
}

TEST_CASE("every match says how it was found and how sure it is") {
    const JointTree tree = family_tree("mixamo", BodyPose::t);
    const auto found = recognised(tree);
    CHECK(found.map.matches.size() == 68);
    for (const avatar::BoneMatch& match : found.map.matches) {
        INFO(match.canonical);
        CHECK(!match.evidence.empty());
        CHECK(match.confidence <= 1);
        if (match.source >= 0)
            CHECK(match.confidence >= 0.5);
        else
            CHECK(match.how == avatar::MappedBy::derived);
    }
    CHECK(found.map.find("hand_l")->how == avatar::MappedBy::name);
    CHECK(found.map.find("hand_l")->runner_up >= 0);
    CHECK(found.map.family_confidence > 0.9);
}

TEST_CASE("recognising twice gives the same map") {
    JointTree tree = family_tree("mmd", BodyPose::a45);
    const auto one = recognised(tree), two = recognised(tree);
    for (std::size_t i = 0; i < one.map.matches.size(); ++i) {
        CHECK(one.map.matches[i].source == two.map.matches[i].source);
        CHECK(one.map.matches[i].evidence == two.map.matches[i].evidence);
    }
    CHECK(one.map.notes == two.map.notes);
}

TEST_CASE("a second joint called Hips on the ground is the root") {
    JointTree tree = family_tree("vroid", BodyPose::t);
    tree.at("root").name = "Hips";
    check_core(tree, recognised(tree));
}

TEST_CASE("hips beside the spine, not above it, are the pelvis all the same") {
    JointTree tree = family_tree("unity_humanoid", BodyPose::t);
    JointTree split;
    split.add("J_root", -1, Vec3::Zero());
    for (std::size_t i = 0; i < tree.avatar.joints.size(); ++i) {
        const avatar::Joint& joint = tree.avatar.joints[i];
        const bool beside = tree.canonical[i] == "spine_01" || tree.canonical[i] == "pelvis";
        split.add(joint.name, beside ? 0 : joint.parent + 1, joint.rest.translation, tree.canonical[i]);
    }
    check_core(split, recognised(split));
    make_opaque(split);
    add_skin(split);
    check_core(split, recognised(split));
}

TEST_CASE("a thumb that hangs from the index finger's palm bone is a thumb") {
    const BodyPose pose = GENERATE(BodyPose::t, BodyPose::a45, BodyPose::canonical);
    JointTree tree = family_tree("ue5_mannequin", pose);
    for (const std::string side : {"l", "r"}) {
        // Parents come before children: the palm bone takes the thumb's place in the list and the other way round.
        const int palm = tree.find("index_metacarpal_" + side), thumb = tree.find("thumb_01_" + side);
        REQUIRE(palm >= 0);
        if (palm < thumb) tree.at("thumb_01_" + side).parent = palm;
    }
    make_opaque(tree);
    add_skin(tree);
    const auto found = recognised(tree);
    for (const char* role : {"thumb_01_l", "thumb_02_l", "index_01_l", "index_03_l", "middle_01_l", "ring_01_l",
                             "pinky_01_l", "thumb_01_r", "pinky_03_r"}) {
        INFO(role);
        CHECK(found.map.source(role) == tree.find(role));
    }
}

TEST_CASE("hands that carry no skin are hands") {
    for (const bool opaque : {false, true}) {
        JointTree tree = family_tree("mixamo", BodyPose::a45);
        if (opaque) make_opaque(tree);
        const auto canonical = tree.canonical;
        for (std::string& role : tree.canonical) {
            for (const char* part : {"hand", "thumb", "index", "middle", "ring", "pinky"}) {
                if (role.rfind(part, 0) == 0) role.clear();
            }
        }
        add_skin(tree);
        tree.canonical = canonical;
        check_core(tree, recognised(tree));
    }
}

TEST_CASE("a strap on the breast, a ponytail and a skirt are no part of the body") {
    JointTree tree = family_tree("mixamo", BodyPose::t);
    const int chest = tree.find("spine_05"), head = tree.find("head"), hips = tree.find("pelvis");
    const Vec3 breast = tree.at("spine_05").rest.translation, skull = tree.at("head").rest.translation,
               waist = tree.at("pelvis").rest.translation;
    tree.add("ChestStrapsBack", chest, breast + Vec3(0, 0.02, -0.1));
    int tail = head;
    for (int i = 0; i < 6; ++i)
        tail = tree.add("bone_tail" + std::to_string(i), tail, skull + Vec3(0, 0.1 - 0.08 * i, -0.12 - 0.01 * i));
    for (const double x : {0.15, -0.15, 0.05, -0.05}) {
        int hem = hips;
        for (int i = 0; i < 4; ++i)
            hem = tree.add("cloth" + std::to_string(x) + std::to_string(i), hem,
                           waist + Vec3(x * (1 + 0.1 * i), -0.1 - 0.15 * i, -0.1));
    }
    SECTION("with names") {
        check_core(tree, recognised(tree));
    }
    SECTION("without names") {
        make_opaque(tree);
        add_skin(tree);
        check_core(tree, recognised(tree));
    }
}

TEST_CASE("a spine that is folded back on itself counts each place once") {
    JointTree tree = family_tree("second_life_bento", BodyPose::t);
    const auto put = [&](const std::string& name, const char* place) {
        for (avatar::Joint& joint : tree.avatar.joints) {
            if (joint.name == name) joint.rest.translation = tree.at(place).rest.translation;
        }
    };
    // Bento's extra joints return to where they came from.
    put("mSpine1", "spine_03");
    put("mSpine2", "pelvis");
    put("mSpine3", "spine_05");
    put("mSpine4", "spine_03");
    const auto found = recognised(tree);
    const auto place = [&](const char* role) {
        const int joint = found.map.source(role);
        REQUIRE(joint >= 0);
        return tree.avatar.joints[static_cast<std::size_t>(joint)].rest.translation;
    };
    CHECK((place("spine_01") - tree.at("spine_03").rest.translation).norm() < 1e-9);
    CHECK((place("spine_05") - tree.at("spine_05").rest.translation).norm() < 1e-9);
    CHECK(found.map.source("spine_03") == -1);
    CHECK(found.map.source("pelvis") == tree.find("pelvis"));
}
