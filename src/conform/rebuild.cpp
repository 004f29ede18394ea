// SPDX-License-Identifier: MIT
#include "rebuild.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "normalise.hpp"

namespace helixavatar::conform {

namespace {

std::size_t index(int joint) {
    return static_cast<std::size_t>(joint);
}

constexpr double kSoleOffFoot = 0.03;  // metres

// contract.md §4 and conform.md §2 "Short bodies".
constexpr double kShortBody = 1.35, kLongLegs = 0.65, kLoweredRatio = 0.62;

/// Pelvis above the ankles.
double pelvis_above_feet(const Vec3& pelvis, const Vec3& left_foot, const Vec3& right_foot) {
    return pelvis.y() - 0.5 * (left_foot.y() + right_foot.y());
}

double canonical_pelvis_above_feet(const Body& body) {
    return pelvis_above_feet(body.rest(body.roles.pelvis()), body.rest(body.roles.legs[0].foot),
                             body.rest(body.roles.legs[1].foot));
}

}  // namespace

std::vector<avatar::Joint> rebuild_joints(const avatar::Avatar& source, const Settled& settled, const Motions& motions,
                                          const std::vector<Follow>& follow, const WeightPlan& plan) {
    std::vector<avatar::Joint> joints;
    for (std::size_t j = 0; j < settled.body.canonical->joints.size(); ++j) {
        const skeleton::CanonicalJoint& canonical = settled.body.canonical->joints[j];
        Quat rotation = canonical.local.rotation.normalized();
        if (canonical.parent >= 0) rotation = (joints[index(canonical.parent)].rest.rotation * rotation).normalized();
        joints.push_back({canonical.name, canonical.parent, canonical.skin, {settled.body.to[j], rotation}});
    }
    for (const AuxiliaryJoint& kept : plan.auxiliary) {
        const Pose& rest = source.joints[index(kept.source)].rest;
        const Pose motion = motions.at(follow[index(kept.source)].joint, rest.translation);
        joints.push_back({kept.name, kept.parent, true, motion * rest});
    }
    return joints;
}

double sole_height(const avatar::Avatar& avatar, const Roles& roles, std::vector<std::string>& warnings) {
    constexpr double kNone = std::numeric_limits<double>::max();
    double feet = kNone, all = kNone;
    if (!avatar.levels.empty())
        for (const avatar::Surface& surface : avatar.levels.front().surfaces)
            for (std::size_t v = 0; v < surface.positions.size(); ++v) {
                const double y = static_cast<double>(surface.positions[v].y());
                all = std::min(all, y);
                double held = 0;
                for (const avatar::Influence& influence : surface.influences[v])
                    for (const Leg& leg : roles.legs)
                        if (influence.weight > 0 && (influence.joint == leg.foot || influence.joint == leg.ball))
                            held += static_cast<double>(influence.weight);
                if (held > 0.5) feet = std::min(feet, y);
            }
    if (all == kNone) return 0;
    if (feet == kNone || feet - all < kSoleOffFoot) return all;
    char text[96];
    std::snprintf(text, sizeof text, "the mesh reaches %.0f cm below the soles, which stand on the ground",
                  100 * (feet - all));
    warnings.push_back(text);
    return feet;
}

Standing stand(avatar::Avatar& avatar, const Settled& settled, double height, std::vector<std::string>& warnings) {
    const Body& body = settled.body;
    const int pelvis = body.roles.pelvis();
    Standing result;
    const double drawn = avatar.levels.empty() ? 0 : avatar::bounds(avatar.levels.front()).height();
    if (height > 0 && drawn > 0) result.scale = height / drawn;
    const double pelvis_z = body.rest(pelvis).z() * body.leg_ratio;
    result.translation = {-settled.middle_x, -sole_height(avatar, body.roles, warnings),
                          pelvis_z - body.to[index(pelvis)].z()};
    result.translation *= result.scale;
    transform(avatar, Quat::Identity(), result.scale, result.translation);
    avatar.joints[index(body.roles.root)].rest.translation = Vec3::Zero();
    return result;
}

void measure_body(const avatar::Avatar& avatar, const Body& body, ConformReport& report) {
    const auto at = [&](int joint) -> const Vec3& { return avatar.joints[index(joint)].rest.translation; };
    const Vec3 &left = at(body.roles.legs[0].foot), &right = at(body.roles.legs[1].foot);
    const Vec3& pelvis = at(body.roles.pelvis());
    report.height = avatar.levels.empty() ? 0 : avatar::bounds(avatar.levels.front()).height();
    report.pelvis_height = pelvis.y();
    report.foot_height = 0.5 * (left.y() + right.y());
    report.shoulder_width = (at(body.roles.arms[0].upper.joint) - at(body.roles.arms[1].upper.joint)).norm();
    report.leg_ratio = pelvis_above_feet(pelvis, left, right) / canonical_pelvis_above_feet(body);
}

bool fix_short_body(avatar::Avatar& avatar, const Body& body, const ConformReport& report) {
    if (report.height >= kShortBody || report.leg_ratio < kLongLegs) return false;
    avatar.joints[index(body.roles.pelvis())].rest.translation.y() =
        report.foot_height + kLoweredRatio * canonical_pelvis_above_feet(body);
    return true;
}

}  // namespace helixavatar::conform
