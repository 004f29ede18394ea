// SPDX-License-Identifier: MIT
#include "motion.hpp"

#include <algorithm>

namespace helixavatar::conform {

namespace {

std::size_t index(int joint) {
    return static_cast<std::size_t>(joint);
}

Pose about(const Quat& turn, const Vec3& from, const Vec3& to) {
    return {to - turn * from, turn};
}

}  // namespace

Motions::Motions(const Body& body) : body_(body), rolled_(body.from.size()) {
    for (std::size_t j = 0; j < body.from.size(); ++j) rigid_.push_back(about(body.turn[j], body.from[j], body.to[j]));
    rigid_[index(body.roles.root)] = Pose{};
    for (std::size_t side = 0; side < kSides; ++side) {
        const Arm& arm = body.roles.arms[side];
        const auto assign = [&](const Limb& limb, const Roll& roll) {
            rolled_[index(limb.joint)] = {&limb, &roll};
            for (const TwistJoint& twist : limb.twists) rolled_[index(twist.joint)] = {&limb, &roll};
        };
        assign(arm.upper, body.rolls[side].upper);
        assign(arm.lower, body.rolls[side].lower);
    }
}

double Motions::fraction(const Limb& limb, const Vec3& point) const {
    const Vec3& start = body_.from[index(limb.joint)];
    const Vec3 bone = body_.from[index(limb.child)] - start;
    const double length2 = bone.squaredNorm();
    return length2 > 0 ? std::clamp((point - start).dot(bone) / length2, 0.0, 1.0) : 0.0;
}

Pose Motions::at(int joint, const Vec3& point) const {
    const Rolled& rolled = rolled_[index(joint)];
    if (rolled.limb == nullptr) return rigid_[index(joint)];
    const Roll& roll = *rolled.roll;
    const double angle = roll.radians * fraction(*rolled.limb, point);
    const Quat turn = (Quat(Eigen::AngleAxisd(angle, roll.axis)) * roll.at_joint).normalized();
    return about(turn, body_.from[index(rolled.limb->joint)], body_.to[index(rolled.limb->joint)]);
}

}  // namespace helixavatar::conform
