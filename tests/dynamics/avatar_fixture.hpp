// SPDX-License-Identifier: MIT
// A canonical skeleton with whatever hangs on it, without a body.
#pragma once

#include <string>

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/skeleton/skeleton.hpp>

namespace helixavatar::dynamics {

inline avatar::Avatar canonical_avatar(std::size_t levels = 1) {
    avatar::Avatar avatar;
    for (const skeleton::CanonicalJoint& joint : skeleton::helix_humanoid().joints)
        avatar.joints.push_back({joint.name, joint.parent, joint.skin, joint.world});
    avatar.levels.resize(levels);
    for (avatar::Level& level : avatar.levels) level.surfaces.resize(1);
    return avatar;
}

inline const avatar::Joint& joint(const avatar::Avatar& avatar, const std::string& name) {
    return avatar.joints[static_cast<std::size_t>(avatar.find_joint(name))];
}

/// An auxiliary joint at a world place, in its parent's bind orientation, as the reference asks.
inline int add_joint(avatar::Avatar& avatar, const std::string& name, const std::string& parent, const Vec3& place) {
    const int at = avatar.find_joint(parent);
    avatar.joints.push_back({name, at, true, {place, avatar.joints[static_cast<std::size_t>(at)].rest.rotation}});
    return static_cast<int>(avatar.joints.size()) - 1;
}

/// One vertex of full weight on a joint, on every level or on one.
inline void add_vertex(avatar::Avatar& avatar, const std::string& bone, const Vec3& place, int only_level = -1) {
    for (std::size_t i = 0; i < avatar.levels.size(); ++i) {
        if (only_level >= 0 && static_cast<int>(i) != only_level) continue;
        avatar::Surface& surface = avatar.levels[i].surfaces[0];
        surface.positions.push_back(place.cast<float>());
        avatar::Influences influences{};
        influences[0] = {static_cast<std::uint16_t>(avatar.find_joint(bone)), 1.0F};
        surface.influences.push_back(influences);
    }
}

/// The reference manifest's character: a two-joint lock hanging beside the head, 8.5 cm a segment, with its vertices.
inline avatar::Avatar long_lock_avatar(std::size_t levels = 1) {
    avatar::Avatar avatar = canonical_avatar(levels);
    const Vec3 top = joint(avatar, "head").rest.translation + Vec3(0.19, 0.02, 0);
    add_joint(avatar, "hair_long_l_1", "head", top);
    add_joint(avatar, "hair_long_l_2", "hair_long_l_1", top - Vec3(0, 0.085, 0));
    for (const double down : {0.02, 0.06}) add_vertex(avatar, "hair_long_l_1", top - Vec3(0, down, 0));
    for (const double down : {0.1, 0.16}) add_vertex(avatar, "hair_long_l_2", top - Vec3(0, down, 0));
    return avatar;
}

}  // namespace helixavatar::dynamics
