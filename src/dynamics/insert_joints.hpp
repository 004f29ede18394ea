// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <helixavatar/dynamics/apply.hpp>

namespace helixavatar::dynamics {

/// A joint to add under another one, in its bind orientation.
struct NewJoint {
    std::string name, parent;   ///< the parent may be an earlier new joint
    Vec3 place = Vec3::Zero();  ///< world at bind, metres
    Quat rotation = Quat::Identity();
    Vec3 local = Vec3::Zero();  ///< in the parent's frame
    std::string mark;           ///< digest of what made its chain; empty but on a root
};

/// Adds the joints to every skin of the document, at the end of its list, with nodes in each skeleton copy and inverse
/// bind matrices inserted behind the skin's own. Errors: unconvertible.
Result<void> insert_joints(gltf::Document& document, const std::vector<NewJoint>& joints);

/// `[skin][avatar joint]`: the place of the joint in the skin's list, or -1. New joints of `names` behind the avatar's.
std::vector<std::vector<int>> joints_in_skins(const gltf::Document& document, const avatar::Avatar& avatar,
                                              const std::vector<std::string>& names);

/// The mark of a joint that is there already in every skin; nothing when no skin has it. Errors: unconvertible when
/// only some have it.
Result<std::optional<std::string>> mark_of(const gltf::Document& document, const std::string& name);

}  // namespace helixavatar::dynamics
