// SPDX-License-Identifier: MIT
#include "place.hpp"

#include <cmath>

#include "source_tree.hpp"

namespace helixavatar::conform {

namespace {

// The pelvis joint may lie this far below and above the hip line, in leg lengths, and still be the source's own.
constexpr double kPelvisBelow = 0.05, kPelvisAbove = 0.15;
// Bones shorter than this share of the canonical one have no direction.
constexpr double kShortestBone = 0.01;

std::size_t index(int joint) {
    return static_cast<std::size_t>(joint);
}

Error unplaced(const std::string& message) {
    return {ErrorKind::unconvertible, message, {}, "name the right joints with --bone-map"};
}

Result<void> take_mapped(const avatar::Avatar& source, Body& body) {
    for (std::size_t c = 0; c < body.source.size(); ++c) {
        if (body.source[c] < 0) continue;
        const avatar::Joint& joint = source.joints[index(body.source[c])];
        if (!joint.rest.translation.allFinite())
            return unplaced("joint " + joint.name + ", taken for " + body.name(static_cast<int>(c)) +
                            ", is not at a finite place");
        body.from[c] = joint.rest.translation;
        body.has_from[c] = 1;
    }
    std::vector<int> required{body.roles.pelvis(), body.roles.head()};
    for (std::size_t side = 0; side < kSides; ++side) {
        const Arm& arm = body.roles.arms[side];
        const Leg& leg = body.roles.legs[side];
        for (const int joint : {arm.upper.joint, arm.lower.joint, arm.hand, leg.thigh.joint, leg.calf.joint, leg.foot})
            required.push_back(joint);
    }
    for (const int joint : required)
        if (!body.has_from[index(joint)]) return unplaced("no source joint is mapped to " + body.name(joint));
    return {};
}

Result<double> length_ratio(const Body& body, const Limb& limb) {
    const double canonical = (body.rest(limb.child) - body.rest(limb.joint)).norm();
    const double own = (body.from[index(limb.child)] - body.from[index(limb.joint)]).norm();
    if (canonical <= 0 || own > kShortestBone * canonical) return canonical > 0 ? own / canonical : 1.0;
    return unplaced("the joints taken for " + body.name(limb.joint) + " and " + body.name(limb.child) +
                    " are at one place");
}

Result<void> measure_limbs(Body& body) {
    double leg_own = 0, leg_canonical = 0;
    for (std::size_t side = 0; side < kSides; ++side) {
        for (const Limb* limb : {&body.roles.legs[side].thigh, &body.roles.legs[side].calf}) {
            const auto ratio = length_ratio(body, *limb);
            if (!ratio) return ratio.error();
            const double canonical = (body.rest(limb->child) - body.rest(limb->joint)).norm();
            leg_own += *ratio * canonical;
            leg_canonical += canonical;
        }
        const auto upper = length_ratio(body, body.roles.arms[side].upper);
        if (!upper) return upper.error();
        const auto lower = length_ratio(body, body.roles.arms[side].lower);
        if (!lower) return lower.error();
        body.arm_ratio[side] = *lower;
    }
    body.leg_ratio = leg_canonical > 0 ? leg_own / leg_canonical : 1;
    return {};
}

void place_pelvis(Body& body) {
    const int left = body.roles.legs[0].thigh.joint, right = body.roles.legs[1].thigh.joint;
    const Vec3 hips = 0.5 * (body.from[index(left)] + body.from[index(right)]);
    const Vec3 canonical_hips = 0.5 * (body.rest(left) + body.rest(right));
    double leg = 0;
    for (const Leg& side : body.roles.legs)
        leg += 0.5 * ((body.from[index(side.calf.joint)] - body.from[index(side.thigh.joint)]).norm() +
                      (body.from[index(side.foot)] - body.from[index(side.calf.joint)]).norm());
    Vec3& pelvis = body.from[index(body.roles.pelvis())];
    const double above = (pelvis.y() - hips.y()) / leg;
    if (above < -kPelvisBelow || above > kPelvisAbove)
        pelvis = hips + body.leg_ratio * (body.rest(body.roles.pelvis()) - canonical_hips);
}

/// Derived axis joints between their placed neighbours, by canonical arc length.
void place_axis(Body& body) {
    const std::vector<int>& axis = body.roles.axis;
    for (std::size_t low = 0; low + 1 < axis.size();) {
        std::size_t high = low + 1;
        double whole = (body.rest(axis[high]) - body.rest(axis[low])).norm();
        while (high + 1 < axis.size() && !body.has_from[index(axis[high])]) {
            ++high;
            whole += (body.rest(axis[high]) - body.rest(axis[high - 1])).norm();
        }
        double part = 0;
        for (std::size_t i = low + 1; i < high; ++i) {
            part += (body.rest(axis[i]) - body.rest(axis[i - 1])).norm();
            const Vec3 &a = body.from[index(axis[low])], &b = body.from[index(axis[high])];
            body.from[index(axis[i])] = a + (whole > 0 ? part / whole : 0.5) * (b - a);
            body.has_from[index(axis[i])] = 1;
        }
        low = high;
    }
}

}  // namespace

void place_twists(std::vector<Vec3>& positions, const Limb& limb) {
    const Vec3 &start = positions[index(limb.joint)], &end = positions[index(limb.child)];
    for (const TwistJoint& twist : limb.twists) positions[index(twist.joint)] = start + twist.fraction * (end - start);
}

Vec3 clavicle_position(const Body& body, int side, const Vec3& shoulder, double middle_x) {
    const Arm& arm = body.roles.arms[index(side)];
    const Vec3 ray = body.rest(arm.upper.joint) - body.rest(arm.clavicle);
    const double canonical_x = body.rest(arm.upper.joint).x();
    const double behind = canonical_x != 0 && ray.x() != 0 ? ray.x() / canonical_x : 0.0;
    // `behind` of the shoulder's own distance from the middle, walked back along the ray.
    const double steps = ray.x() != 0 ? behind * (shoulder.x() - middle_x) / ray.x() : 1.0;
    return shoulder - steps * ray;
}

Result<Body> place(const avatar::Avatar& source, const avatar::BoneMap& map, const skeleton::Skeleton& canonical) {
    Body body;
    body.canonical = &canonical;
    body.roles = roles_of(canonical);
    body.source = source_joints(source, map, canonical);
    const std::size_t count = canonical.joints.size();
    body.from.assign(count, Vec3::Zero());
    body.has_from.assign(count, 0);
    body.turn.assign(count, Quat::Identity());
    body.to.assign(count, Vec3::Zero());
    if (const auto taken = take_mapped(source, body); !taken) return taken.error();
    if (const auto measured = measure_limbs(body); !measured) return measured.error();

    place_pelvis(body);
    place_axis(body);
    const auto shoulder = [&](std::size_t side) { return body.from[index(body.roles.arms[side].upper.joint)]; };
    const double middle = 0.5 * (shoulder(0).x() + shoulder(1).x());
    for (std::size_t side = 0; side < kSides; ++side) {
        const Arm& arm = body.roles.arms[side];
        const Leg& leg = body.roles.legs[side];
        body.from[index(arm.clavicle)] = clavicle_position(body, static_cast<int>(side), shoulder(side), middle);
        body.has_from[index(arm.clavicle)] = 1;
        for (const Limb* limb : {&arm.upper, &arm.lower, &leg.thigh, &leg.calf}) {
            place_twists(body.from, *limb);
            for (const TwistJoint& twist : limb->twists) body.has_from[index(twist.joint)] = 1;
        }
    }
    body.has_from[index(body.roles.root)] = 1;
    return body;
}

}  // namespace helixavatar::conform
