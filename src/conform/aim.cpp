// SPDX-License-Identifier: MIT
#include "aim.hpp"

#include <algorithm>
#include <cmath>

#include "bone_frames.hpp"
#include "place.hpp"

namespace helixavatar::conform {

namespace {

std::size_t index(int joint) {
    return static_cast<std::size_t>(joint);
}

/// Knuckles that span a hand: a finger's direction and the palm's normal from any two of them.
struct HandFrame {
    bool known = false;
    Vec3 direction = Vec3::Zero();
    Vec3 normal = Vec3::Zero();  ///< out of the back of the hand; zero when one knuckle is all there is

    bool spanned() const { return known && !perpendicular(normal, direction).isZero(); }
};

template <class Position, class Known>
HandFrame hand_frame(const Arm& arm, std::size_t side, const Position& at, const Known& known) {
    const auto knuckle = [&](int finger) { return arm.fingers[index(finger)].phalanges[0]; };
    const auto offset = [&](int finger) -> Vec3 { return at(knuckle(finger)) - at(arm.hand); };
    const auto has = [&](int finger) { return known(knuckle(finger)); };
    HandFrame result;
    for (const int finger : {kMiddle, kRing, kIndex, kPinky})
        if (has(finger) && offset(finger).norm() > 0) {
            result.known = true;
            result.direction = offset(finger);
            break;
        }
    const int near = has(kIndex) ? kIndex : kMiddle;
    const int far = has(kPinky) ? kPinky : kRing;
    if (has(near) && has(far)) result.normal = side_sign(static_cast<int>(side)) * offset(near).cross(offset(far));
    return result;
}

class Aimer {
public:
    Aimer(Body& body, const Extremities& mesh) : body_(body), mesh_(mesh) {}

    void run() {
        for (std::size_t side = 0; side < kSides; ++side) {
            body_.to[index(body_.roles.arms[side].clavicle)] = from(body_.roles.arms[side].clavicle);
            aim_arm(side);
            aim_leg(side);
        }
        for (const int joint : body_.roles.axis) body_.to[index(joint)] = from(joint);
    }

private:
    const Vec3& from(int joint) const { return body_.from[index(joint)]; }
    Vec3 source_bone(int joint, int child) const { return from(child) - from(joint); }
    Vec3 canonical_bone(int joint, int child) const { return body_.rest(child) - body_.rest(joint); }

    /// The child of a turned joint goes where the turn takes it; along an aimed bone exactly so.
    void carry(const Limb& limb) {
        const double length = source_bone(limb.joint, limb.child).norm();
        body_.to[index(limb.child)] =
            body_.to[index(limb.joint)] + length * canonical_bone(limb.joint, limb.child).normalized();
        place_twists(body_.to, limb);
        for (const TwistJoint& twist : limb.twists) body_.turn[index(twist.joint)] = body_.turn[index(limb.joint)];
    }

    void aim_arm(std::size_t side) {
        const Arm& arm = body_.roles.arms[side];
        const Vec3 upper = source_bone(arm.upper.joint, arm.lower.joint),
                   lower = source_bone(arm.lower.joint, arm.hand);
        const Vec3 upper_c = canonical_bone(arm.upper.joint, arm.lower.joint);
        const Vec3 lower_c = canonical_bone(arm.lower.joint, arm.hand);
        const ElbowPlane elbow_c = elbow_plane(upper_c, lower_c);
        const ElbowPlane elbow = rolled_by_palm(side, elbow_plane(upper, lower));

        const Quat turn_upper = turn_between(frame(upper, elbow.flexion), frame(upper_c, elbow_c.flexion));
        const Quat turn_lower = turn_between(frame(lower, elbow.hinge), frame(lower_c, elbow_c.hinge));
        const Quat turn_hand = hand_turn(side, elbow, elbow_c);
        body_.turn[index(arm.upper.joint)] = turn_upper;
        body_.turn[index(arm.lower.joint)] = turn_lower;
        body_.turn[index(arm.hand)] = turn_hand;

        // The roll that the elbow's hinge asks of the upper arm fades out toward the shoulder, whose clavicle does not
        // turn.
        Roll& upper_roll = body_.rolls[side].upper;
        upper_roll.axis = upper_c.normalized();
        upper_roll.at_joint = smallest_turn(upper, upper_c);
        upper_roll.radians = twist_about(turn_upper * upper_roll.at_joint.conjugate(), upper_roll.axis);
        Roll& lower_roll = body_.rolls[side].lower;
        lower_roll.axis = lower_c.normalized();
        lower_roll.at_joint = turn_lower;
        lower_roll.radians = twist_about(turn_hand * turn_lower.conjugate(), lower_roll.axis);

        body_.to[index(arm.upper.joint)] = from(arm.upper.joint);
        carry(arm.upper);
        carry(arm.lower);
        for (const Finger& finger : arm.fingers) aim_finger(arm, side, finger);
    }

    /// A straight elbow does not say which way it would bend. A palm that faces far from where the front would have it
    /// (forward in a T-pose) is the whole arm's roll, beyond what a fore-arm at rest is twisted by.
    ElbowPlane rolled_by_palm(std::size_t side, const ElbowPlane& elbow) const {
        constexpr double kForearmTwist = 45;
        const Arm& arm = body_.roles.arms[side];
        const HandFrame own = own_hand(side);
        if (!own.spanned()) return elbow;
        const Vec3 upper = source_bone(arm.upper.joint, arm.lower.joint).normalized();
        const Vec3 lower = source_bone(arm.lower.joint, arm.hand).normalized();
        const Vec3 back = -side_sign(static_cast<int>(side)) * elbow.hinge;
        const double twist =
            degrees(twist_about(turn_between(frame(lower, back), frame(own.direction, own.normal)), lower));
        const double beyond = std::abs(twist) - kForearmTwist;
        if (beyond <= 0) return elbow;
        const double roll = radians(std::copysign(beyond * (1 - elbow.own), twist));
        return {Quat(Eigen::AngleAxisd(roll, upper)) * elbow.flexion,
                Quat(Eigen::AngleAxisd(roll, lower)) * elbow.hinge, elbow.own};
    }

    HandFrame own_hand(std::size_t side) const {
        return hand_frame(
            body_.roles.arms[side], side, [&](int joint) { return from(joint); },
            [&](int joint) { return body_.mapped(joint); });
    }

    /// How far the canonical palm is twisted about its fore-arm from where the elbow's hinge alone would put it.
    double canonical_palm_twist(std::size_t side, const Vec3& lower_c, const ElbowPlane& elbow_c) const {
        const Arm& arm = body_.roles.arms[side];
        const HandFrame whole = hand_frame(
            arm, side, [&](int joint) { return body_.rest(joint); }, [](int) { return true; });
        const Vec3 back = -side_sign(static_cast<int>(side)) * elbow_c.hinge;
        return twist_about(turn_between(frame(lower_c, back), frame(whole.direction, whole.normal)),
                           lower_c.normalized());
    }

    Quat hand_turn(std::size_t side, const ElbowPlane& elbow, const ElbowPlane& elbow_c) const {
        const Arm& arm = body_.roles.arms[side];
        const HandFrame own = own_hand(side);
        const HandFrame canonical = hand_frame(
            arm, side, [&](int joint) { return body_.rest(joint); },
            [&](int joint) { return !own.known || body_.mapped(joint); });
        if (own.spanned())
            return turn_between(frame(own.direction, own.normal), frame(canonical.direction, canonical.normal));

        // Without knuckles the palm is not seen. On a straight arm it faces along the elbow's hinge, as in a T-pose; on
        // one bent like the canonical arm it is taken for the canonical one, and it goes with the fore-arm.
        const Vec3 forearm = source_bone(arm.lower.joint, arm.hand);
        const Vec3 upper_c = canonical_bone(arm.upper.joint, arm.lower.joint);
        const Vec3 lower_c = canonical_bone(arm.lower.joint, arm.hand);
        const double relaxed = smoothstep(kElbowBent, angle_degrees(upper_c, lower_c),
                                          angle_degrees(source_bone(arm.upper.joint, arm.lower.joint), forearm));
        const double twist = (1 - relaxed) * canonical_palm_twist(side, lower_c, elbow_c);
        const Quat with_forearm = Quat(Eigen::AngleAxisd(twist, lower_c.normalized())) *
                                  turn_between(frame(forearm, elbow.hinge), frame(lower_c, elbow_c.hinge));
        // One knuckle may be a fist's or a held thing's, and a mesh tip a held thing's: neither bends a wrist at rest
        // this far.
        constexpr double kWristBend = 60;
        const auto plausible = [&](const Vec3& direction) {
            return direction.norm() > 0.05 * forearm.norm() && angle_degrees(direction, forearm) < kWristBend;
        };
        if (own.known && plausible(own.direction))
            return (smallest_turn(with_forearm * own.direction, canonical.direction) * with_forearm).normalized();
        if (!mesh_.hands[side] || !plausible(mesh_.hands[side]->tip - from(arm.hand))) return with_forearm;
        // How far the fingers are curled is not seen either: of all curls from straight to canonical, the one that
        // bends the wrist least.
        const Vec3 tip = with_forearm * (mesh_.hands[side]->tip - from(arm.hand));
        const Vec3 curled = canonical_tip(arm) - body_.rest(arm.hand);
        return (smallest_turn(tip, nearest_between(tip, canonical.direction, curled)) * with_forearm).normalized();
    }

    /// The skin's end of the middle finger: its last phalanx is about as long as the one before it.
    Vec3 canonical_tip(const Arm& arm) const {
        const auto& middle = arm.fingers[kMiddle].phalanges;
        return body_.rest(middle[2]) + canonical_bone(middle[1], middle[2]);
    }

    /// Canonical lengths to this hand's: by its own fingers, else by its mesh, else by its fore-arm.
    double hand_ratio(std::size_t side) const {
        const Arm& arm = body_.roles.arms[side];
        double own = 0, canonical = 0;
        for (const Finger& finger : arm.fingers)
            if (body_.mapped(finger.phalanges[0])) {
                own += source_bone(arm.hand, finger.phalanges[0]).norm();
                canonical += canonical_bone(arm.hand, finger.phalanges[0]).norm();
            }
        if (own > 0 && canonical > 0) return own / canonical;
        const double reach = (canonical_tip(arm) - body_.rest(arm.hand)).norm();
        if (mesh_.hands[side] && reach > 0) return (mesh_.hands[side]->tip - from(arm.hand)).norm() / reach;
        return body_.arm_ratio[side];
    }

    void aim_finger(const Arm& arm, std::size_t side, const Finger& finger) {
        const auto& joints = finger.phalanges;
        Quat turn = body_.turn[index(arm.hand)];
        double ratio = hand_ratio(side);
        int parent = arm.hand;
        for (std::size_t i = 0; i < joints.size(); ++i) {
            const int joint = joints[i];
            const Vec3 ray = canonical_bone(parent, joint);
            Vec3& to = body_.to[index(joint)];
            if (body_.mapped(joint) && body_.mapped(parent)) {
                const Vec3 bone = source_bone(parent, joint);
                // Knuckles keep their own place on the hand; the phalanges lie on the canonical rays.
                to = body_.to[index(parent)] + (i == 0 ? Vec3(turn * bone) : Vec3(bone.norm() * ray.normalized()));
                if (ray.norm() > 0 && bone.norm() > 0) ratio = bone.norm() / ray.norm();
            } else {
                to = body_.to[index(parent)] + ratio * ray;
            }
            const int next = i + 1 < joints.size() ? joints[i + 1] : -1;
            if (next >= 0 && body_.mapped(joint) && body_.mapped(next))
                turn =
                    (smallest_turn(turn * source_bone(joint, next), canonical_bone(joint, next)) * turn).normalized();
            body_.turn[index(joint)] = turn;
            parent = joint;
        }
    }

    void aim_leg(std::size_t side) {
        const Leg& leg = body_.roles.legs[side];
        const Vec3 toes = toe_line(body_, mesh_, side), toes_c = canonical_toe_line(body_, side);
        const Vec3 thigh = source_bone(leg.thigh.joint, leg.calf.joint), calf = source_bone(leg.calf.joint, leg.foot);
        const Vec3 thigh_c = canonical_bone(leg.thigh.joint, leg.calf.joint);
        const Vec3 calf_c = canonical_bone(leg.calf.joint, leg.foot);
        const Vec3 hinge = knee_hinge(thigh, calf, toes), hinge_c = knee_hinge(thigh_c, calf_c, toes_c);
        body_.turn[index(leg.thigh.joint)] = turn_between(frame(thigh, hinge), frame(thigh_c, hinge_c));
        body_.turn[index(leg.calf.joint)] = turn_between(frame(calf, hinge), frame(calf_c, hinge_c));

        const double yaw = std::atan2(toes_c.x(), toes_c.z()) - std::atan2(toes.x(), toes.z());
        const Quat turn_foot(Eigen::AngleAxisd(yaw, Vec3::UnitY()));
        body_.turn[index(leg.foot)] = turn_foot;
        body_.turn[index(leg.ball)] = turn_foot;

        body_.to[index(leg.thigh.joint)] = from(leg.thigh.joint);
        carry(leg.thigh);
        carry(leg.calf);
        place_ball(side, turn_foot);
    }

    void place_ball(std::size_t side, const Quat& turn_foot) {
        const Leg& leg = body_.roles.legs[side];
        Vec3 offset = body_.leg_ratio * canonical_bone(leg.foot, leg.ball);
        if (body_.mapped(leg.ball)) {
            offset = turn_foot * source_bone(leg.foot, leg.ball);
        } else if (mesh_.feet[side]) {
            // On a foot shorter than a person's the toes begin before its end.
            constexpr double kBallBehindToeEnd = 0.75;
            Vec3 reach = mesh_.feet[side]->tip - from(leg.foot);
            reach.y() = 0;
            const double ahead = std::hypot(offset.x(), offset.z());
            const double allowed = kBallBehindToeEnd * reach.norm();
            if (ahead > allowed) offset = Vec3(offset.x() * allowed / ahead, offset.y(), offset.z() * allowed / ahead);
            // Above the sole by as much as the canonical ball, in this foot's own height.
            const double sole = mesh_.feet[side]->lowest - from(leg.foot).y();
            const double canonical_ankle = body_.rest(leg.foot).y();
            if (canonical_ankle > 0) offset.y() = sole * (1 - body_.rest(leg.ball).y() / canonical_ankle);
        }
        body_.to[index(leg.ball)] = body_.to[index(leg.foot)] + offset;
    }

    Body& body_;
    const Extremities& mesh_;
};

}  // namespace

void aim(Body& body, const Extremities& mesh) {
    Aimer(body, mesh).run();
}

Vec3 canonical_toe_line(const Body& body, std::size_t side) {
    const Leg& leg = body.roles.legs[side];
    Vec3 line = body.rest(leg.ball) - body.rest(leg.foot);
    line.y() = 0;
    return line.norm() > 0 ? Vec3(line.normalized()) : Vec3(Vec3::UnitZ());
}

Vec3 toe_line(const Body& body, const Extremities& mesh, std::size_t side) {
    const Leg& leg = body.roles.legs[side];
    const Vec3& ankle = body.from[index(leg.foot)];
    if (body.mapped(leg.ball)) {
        Vec3 line = body.from[index(leg.ball)] - ankle;
        const double length = line.norm();
        line.y() = 0;
        if (line.norm() > 0.05 * length) return line.normalized();
    }
    if (mesh.feet[side]) {
        // A skinned foot without toes is round enough to point anywhere: only a direction that feet have counts. Where
        // toe joints say better, a sole's outline is this far from them on average (0 to 7 degrees on 14 characters):
        // less says nothing.
        constexpr double kFeetPointWithin = 45, kSoleIsOff = 3;
        const Vec3 &line = mesh.feet[side]->ahead, canonical = canonical_toe_line(body, side);
        const double off = angle_degrees(line, canonical);
        if (!line.isZero() && off > kSoleIsOff && off < kFeetPointWithin)
            return Quat::Identity().slerp(1 - kSoleIsOff / off, smallest_turn(canonical, line)) * canonical;
    }
    return canonical_toe_line(body, side);
}

namespace {

void place_metacarpals(Body& body) {
    for (const Arm& arm : body.roles.arms)
        for (const Finger& finger : arm.fingers) {
            if (finger.metacarpal < 0) continue;
            const Vec3& hand = body.to[index(arm.hand)];
            const double canonical = (body.rest(finger.phalanges[0]) - body.rest(arm.hand)).norm();
            const double own = (body.to[index(finger.phalanges[0])] - hand).norm();
            const double ratio = canonical > 0 ? own / canonical : 1.0;
            body.to[index(finger.metacarpal)] = hand + ratio * (body.rest(finger.metacarpal) - body.rest(arm.hand));
            body.turn[index(finger.metacarpal)] = body.turn[index(arm.hand)];
        }
}

}  // namespace

void settle_hands(Body& body) {
    for (std::size_t side = 0; side < kSides; ++side) {
        const Arm& arm = body.roles.arms[side];
        const auto all = [](int) { return true; };
        const HandFrame canonical = hand_frame(
            arm, side, [&](int joint) { return body.rest(joint); }, all);
        const HandFrame own = hand_frame(
            arm, side, [&](int joint) { return body.to[index(joint)]; }, all);
        if (!own.spanned()) continue;
        const Quat residue =
            turn_between(frame(own.direction, own.normal), frame(canonical.direction, canonical.normal));
        const Vec3 hand = body.to[index(arm.hand)];
        for (const Finger& finger : arm.fingers) {
            std::array<Vec3, 3> settled;
            int parent = arm.hand;
            for (std::size_t i = 0; i < 3; ++i) {
                const int joint = finger.phalanges[i];
                const Vec3 bone = body.to[index(joint)] - body.to[index(parent)];
                const Vec3 ray = body.rest(joint) - body.rest(parent);
                settled[i] =
                    i == 0 ? Vec3(hand + residue * bone) : Vec3(settled[i - 1] + bone.norm() * ray.normalized());
                parent = joint;
            }
            for (std::size_t i = 0; i < 3; ++i) body.to[index(finger.phalanges[i])] = settled[i];
        }
    }
    place_metacarpals(body);
}

}  // namespace helixavatar::conform
