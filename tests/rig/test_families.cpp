// SPDX-License-Identifier: MIT
// Every family's tree is recognised by its names, and by its shape alone.
#include <catch2/catch.hpp>

#include <set>

#include "rig_trees.hpp"

using namespace helixavatar;
using namespace helixavatar::test;

namespace {

std::string text(const std::vector<std::string>& lines) {
    std::string out;
    for (const std::string& line : lines) out += "\n  " + line;
    return out;
}

/// Families of skinned joints that bear names; kenney_blocky has one node a limb.
std::vector<std::string> skinned_families() {
    std::vector<std::string> out;
    for (const std::string& family : rig_families()) {
        if (family != "kenney_blocky" && family[0] != '_') out.push_back(family);
    }
    return out;
}

}  // namespace

TEST_CASE("every family is recognised by name, in every pose") {
    for (const std::string& family : skinned_families()) {
        for (const BodyPose pose :
             {BodyPose::t, BodyPose::a30, BodyPose::a45, BodyPose::a60, BodyPose::arms_down, BodyPose::canonical}) {
            INFO(family << ", pose " << static_cast<int>(pose));
            const JointTree tree = family_tree(family, pose);
            const auto found = rig::recognise(tree.avatar, skeleton::helix_humanoid());
            if (!found) {
                FAIL_CHECK(found.error().message);
                continue;
            }
            const auto wrong = faults(tree, *found, false);
            INFO(text(wrong));
            CHECK(wrong.empty());
            CHECK(angle_degrees(found->frame.forward, Vec3::UnitZ()) < 0.01);
        }
    }
}

TEST_CASE("every family is recognised without names, in every pose, as far as its shape tells") {
    for (const std::string& family : skinned_families()) {
        for (const BodyPose pose :
             {BodyPose::t, BodyPose::a30, BodyPose::a45, BodyPose::a60, BodyPose::arms_down, BodyPose::canonical}) {
            INFO(family << ", pose " << static_cast<int>(pose));
            JointTree tree = family_tree(family, pose);
            make_opaque(tree);
            add_skin(tree);
            const auto found = rig::recognise(tree.avatar, skeleton::helix_humanoid());
            if (!found) {
                FAIL_CHECK(found.error().message);
                continue;
            }
            const auto wrong = faults(tree, *found, true);
            INFO(text(wrong));
            CHECK(wrong.empty());
        }
    }
}

TEST_CASE("a family finds itself by its names, or one whose table says the same of them") {
    for (const std::string& family : skinned_families()) {
        if (family == "helix" || family == "vrm0" || family == "vrm1") continue;  // no names of their own
        const JointTree tree = family_tree(family, BodyPose::t);
        std::vector<rig::NodeName> names;
        for (const avatar::Joint& joint : tree.avatar.joints) names.push_back({joint.name, true});
        const auto [key, confidence] = rig::guess_family(names);
        INFO(family << " was taken for " << key << " at " << confidence);
        CHECK(confidence > 0.6);
        // What counts is that every name means the same joint.
        static const std::map<std::string, std::set<std::string>> kSame = {
            {"avaturn", {"ready_player_me", "mixamo"}},
            {"metahuman", {"ue5_mannequin"}},
            {"quaternius_universal", {"makehuman_game_engine", "ue4_mannequin"}},
            {"accurig_actorcore", {"character_creator"}},
            {"perception_neuron", {"maya_humanik"}},
            {"godot_humanoid", {"unity_humanoid"}}};
        const auto same = kSame.find(family);
        CHECK((key == family || (same != kSame.end() && same->second.count(key) > 0)));
    }
}

TEST_CASE("lists, props and animals are no family") {
    const auto family = [](const std::vector<std::string>& names) {
        std::vector<rig::NodeName> nodes;
        for (const std::string& name : names) nodes.push_back({name, true});
        return rig::guess_family(nodes).first;
    };
    CHECK(family({}) == "unknown");
    CHECK(family({"bone_0", "bone_1", "bone_2", "bone_3"}) == "unknown");
    CHECK(family({"wheel_fl", "wheel_fr", "wheel_bl", "wheel_br", "body", "steering"}) == "unknown");
    CHECK(family({"Tail1", "Tail2", "FrontLeg_L", "FrontLeg_R", "BackLeg_L", "BackLeg_R", "Head"}) == "unknown");
}

TEST_CASE("every family of the data file is listed, with its evidence") {
    CHECK(rig::families().size() == 44);
    for (const rig::FamilyInfo& info : rig::families()) {
        INFO(info.key);
        CHECK(info.joints > 0);
        CHECK(!info.evidence.empty());
    }
}
