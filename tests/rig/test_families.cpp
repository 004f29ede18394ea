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
        if (family != "kenney_blocky") out.push_back(family);
    }
    return out;
}

}  // namespace

TEST_CASE("every family is recognised by name, in every pose") {
    for (const std::string& family : skinned_families()) {
        for (const BodyPose pose : {BodyPose::t, BodyPose::a30, BodyPose::a45, BodyPose::a60, BodyPose::arms_down, BodyPose::canonical}) {
            INFO(family << ", pose " << static_cast<int>(pose));
            const JointTree tree = family_tree(family, pose);
            const auto found = rig::recognise(tree.avatar, skeleton::helix_humanoid());
            if (!found) {
                FAIL_CHECK(found.error().message);
                continue;
            }
            const auto wrong = faults(tree, *found, false);
            if (!wrong.empty()) FAIL_CHECK(text(wrong));
            CHECK(angle_degrees(found->frame.forward, Vec3::UnitZ()) < 0.01);
        }
    }
}

TEST_CASE("every family is recognised without names, in every pose, as far as its shape tells") {
    for (const std::string& family : skinned_families()) {
        for (const BodyPose pose : {BodyPose::t, BodyPose::a30, BodyPose::a45, BodyPose::a60, BodyPose::arms_down, BodyPose::canonical}) {
            INFO(family << ", pose " << static_cast<int>(pose));
            JointTree tree = family_tree(family, pose);
            make_opaque(tree);
            const auto found = rig::recognise(tree.avatar, skeleton::helix_humanoid());
            if (!found) {
                FAIL_CHECK(found.error().message);
                continue;
            }
            const auto wrong = faults(tree, *found, true);
            if (!wrong.empty()) FAIL_CHECK(text(wrong));
        }
    }
}
