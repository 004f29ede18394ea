// SPDX-License-Identifier: MIT
// Joint trees as avatars: families in poses, turned, scaled, shuffled, renamed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/rig/recognise.hpp>

#include "support/rig.hpp"

namespace helixavatar::test {

/// A tree of joints and what each of them is.
struct JointTree {
    avatar::Avatar avatar;
    std::vector<std::string> canonical;  ///< of each joint, or empty

    int find(const std::string& canonical_name) const;
    avatar::Joint& at(const std::string& canonical_name);
    int add(const std::string& name, int parent, const Vec3& place, const std::string& canonical_name = "");
    void remove(const std::string& canonical_name);  ///< its children go to its parent
};

/// A family's joints without a mesh.
JointTree family_tree(const std::string& family, BodyPose pose);

/// Every place turned, then scaled.
void transform(JointTree& tree, const Quat& turn, double scale);

/// A few vertices on every joint that stands for a canonical one, most of them on the head; ends and helpers get none.
void add_skin(JointTree& tree);

/// bone_0, bone_1, ... with the siblings in another order than before.
void make_opaque(JointTree& tree);

/// The same without another order.
void make_names_opaque(JointTree& tree);

Quat about_up(double degrees);

/// Left names on the right joints and the other way round.
void swap_sides(JointTree& tree);

/// Canonical joint → the joint that plays it by the tree's own word. Spine joints by the spine rule.
std::map<std::string, int> truth(const JointTree& tree);

/// Differences in words between what was recognised and the truth: every joint, or the core only.
std::vector<std::string> faults(const JointTree& tree, const rig::Recognition& found, bool core_only);

}  // namespace helixavatar::test
