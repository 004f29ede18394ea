// SPDX-License-Identifier: MIT
#include "roles.hpp"

#include <algorithm>
#include <string>

namespace helixavatar::conform {

namespace {

Limb limb(const skeleton::Skeleton& canonical, const std::string& joint, const std::string& child,
          const std::vector<std::string>& twists) {
    Limb result{canonical.find(joint), canonical.find(child), {}};
    const Vec3 start = canonical.joint(joint).world.translation;
    const Vec3 bone = canonical.joint(child).world.translation - start;
    for (const std::string& name : twists) {
        const double along = (canonical.joint(name).world.translation - start).dot(bone);
        result.twists.push_back({canonical.find(name), along / std::max(bone.squaredNorm(), 1e-12)});
    }
    std::sort(result.twists.begin(), result.twists.end(),
              [](const TwistJoint& a, const TwistJoint& b) { return a.fraction < b.fraction; });
    return result;
}

Arm arm(const skeleton::Skeleton& canonical, const std::string& side) {
    static constexpr const char* kNames[kFingers] = {"thumb", "index", "middle", "ring", "pinky"};
    Arm result;
    result.clavicle = canonical.find("clavicle" + side);
    result.upper =
        limb(canonical, "upperarm" + side, "lowerarm" + side, {"upperarm_twist_01" + side, "upperarm_twist_02" + side});
    result.lower =
        limb(canonical, "lowerarm" + side, "hand" + side, {"lowerarm_twist_01" + side, "lowerarm_twist_02" + side});
    result.hand = canonical.find("hand" + side);
    for (int finger = 0; finger < kFingers; ++finger) {
        const std::string name = kNames[finger];
        Finger& out = result.fingers[static_cast<std::size_t>(finger)];
        if (finger != kThumb) out.metacarpal = canonical.find(name + "_metacarpal" + side);
        for (std::size_t i = 0; i < 3; ++i)
            out.phalanges[i] = canonical.find(name + "_0" + std::to_string(i + 1) + side);
    }
    return result;
}

Leg leg(const skeleton::Skeleton& canonical, const std::string& side) {
    return {limb(canonical, "thigh" + side, "calf" + side, {"thigh_twist_01" + side}),
            limb(canonical, "calf" + side, "foot" + side, {"calf_twist_01" + side}), canonical.find("foot" + side),
            canonical.find("ball" + side)};
}

}  // namespace

Roles roles_of(const skeleton::Skeleton& canonical) {
    Roles roles;
    roles.root = canonical.find("root");
    for (const char* name :
         {"pelvis", "spine_01", "spine_02", "spine_03", "spine_04", "spine_05", "neck_01", "neck_02", "head"})
        roles.axis.push_back(canonical.find(name));
    roles.arms = {arm(canonical, "_l"), arm(canonical, "_r")};
    roles.legs = {leg(canonical, "_l"), leg(canonical, "_r")};
    for (const auto& joint : canonical.joints)
        roles.mirror.push_back(std::max(0, canonical.find(skeleton::mirrored(joint.name))));
    return roles;
}

const Limb* limb_of(const Roles& roles, int joint) {
    for (std::size_t side = 0; side < kSides; ++side)
        for (const Limb* limb :
             {&roles.arms[side].upper, &roles.arms[side].lower, &roles.legs[side].thigh, &roles.legs[side].calf})
            if (limb->joint == joint || std::any_of(limb->twists.begin(), limb->twists.end(),
                                                    [&](const TwistJoint& t) { return t.joint == joint; }))
                return limb;
    return nullptr;
}

}  // namespace helixavatar::conform
