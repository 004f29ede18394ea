// SPDX-License-Identifier: MIT
// Which way the character faces, and how it stands at rest.
#include <cmath>

#include "preflight/checks.hpp"
#include "preflight/frame_measure.hpp"
#include "preflight/wording.hpp"

namespace helixavatar::preflight {
namespace {

// Reference text, "Frame, units and rest pose" and "Feet and toes".
constexpr double kMaxYaw = 15;
constexpr double kLeastArm = 17;
constexpr double kMaxToes = 75;

/// How to turn what is off, given where its other half (the skeleton of a mesh, the mesh of a skeleton) faces.
std::string turning_fix(const Facing& facing, const char* of, const Facing& other) {
    const std::string turn = fixed(-facing.yaw, 1) + " degrees about the vertical (+Y; Z in Blender)";
    if (other.known() && std::abs(other.yaw) <= kMaxYaw) {
        const char* rest = std::string_view(of) == "skeleton" ? "mesh" : "skeleton";
        return std::string("Turn the ") + of + " alone by " + turn +
               " in the modelling tool (in Blender in Edit Mode, which leaves the mesh), keeping the weights: the " +
               rest + " faces +Z already.";
    }
    return "Turn it by " + turn +
           ", skeleton and geometry together: `helixavatar import AVATAR -o NAME.web.glb --yaw " +
           fixed(-facing.yaw, 0) + "`.";
}

void judge_facing(const Facing& facing, const char* of, const Facing& other, const Where& where, Outcome& outcome) {
    if (facing.witnesses.empty()) {
        outcome.not_measured(std::string("no joint or vertex shows which way the ") + of + " faces", where);
        return;
    }
    if (!facing.known()) {
        Finding& finding =
            outcome.fail(where, std::string("The witnesses of where the ") + of +
                                    " faces contradict each other: " + facing.text() + ". It must face +Z.");
        finding.limit = "15";
        finding.unit = "degrees";
        return;
    }
    if (std::abs(facing.yaw) <= kMaxYaw) return;
    Finding& finding =
        outcome.fail(where, std::string("The ") + of + " faces " + vector_text(facing.forward) + ", " +
                                fixed(std::abs(facing.yaw), 1) + " degrees off forward (+Z) toward the character's " +
                                (facing.yaw > 0 ? "left" : "right") + " (at most 15 pass). Measured on " +
                                facing.text() + ". The upload is refused.");
    finding.measured = fixed(facing.yaw, 1);
    finding.limit = "15";
    finding.unit = "degrees";
    finding.fix = turning_fix(facing, of, other);
}

}  // namespace

void check_orientation_skeleton(const RuleContext& context, Outcome& outcome) {
    if (!skeleton_known(context, outcome)) return;
    judge_facing(skeleton_facing(context.facts, 0), "skeleton", geometry_facing(context.facts, 0),
                 at_scene(context.facts, 0), outcome);
}

void check_orientation_geometry(const RuleContext& context, Outcome& outcome) {
    if (!skeleton_known(context, outcome)) return;
    judge_facing(geometry_facing(context.facts, 0), "skinned geometry", skeleton_facing(context.facts, 0),
                 at_scene(context.facts, 0), outcome);
}

void check_bind_pose(const RuleContext& context, Outcome& outcome) {
    std::vector<int> joints;
    if (!joints_known(context, outcome, {"upperarm_l", "lowerarm_l", "upperarm_r", "lowerarm_r"}, joints)) return;
    for (const char* side : {"_l", "_r"}) {
        const bool left = side[1] == 'l';
        const Where where = at_node(context.facts, joints[left ? 0 : 2], 0);
        Vec3 direction = Vec3::Zero();
        const double angle = arm_degrees(context.facts, 0, side, direction);
        if (!std::isfinite(angle)) {
            outcome.not_measured(std::string("the ") + (left ? "left" : "right") + " upper arm has no length at bind",
                                 where);
            continue;
        }
        if (angle >= kLeastArm) continue;
        Finding& finding = outcome.fail(
            where, std::string("The ") + (left ? "left" : "right") + " upper arm (upperarm" + side + " to lowerarm" +
                       side + ") is bound " + fixed(angle, 1) + " degrees from straight down, along " +
                       vector_text(direction) +
                       "; at least 17 are needed, or the walk swings the arms into the body (a T-pose, 90, passes).");
        finding.measured = fixed(angle, 1);
        finding.limit = "17";
        finding.unit = "degrees";
        finding.fix = "Raise the arm by " + fixed(kLeastArm - angle, 1) + " degrees or more in the bind pose; " +
                      "`helixavatar conform AVATAR -o OUT` brings both to the canonical A-pose.";
    }
}

void check_feet_forward(const RuleContext& context, Outcome& outcome) {
    if (!skeleton_known(context, outcome)) return;
    for (const char* side : {"_l", "_r"}) {
        const int foot = context.facts.joint(0, std::string("foot") + side);
        const int ball = context.facts.joint(0, std::string("ball") + side);
        if (foot < 0 || ball < 0) continue;  // the ball is an optional joint: without it there is no toe to judge
        Vec3 toes = context.facts.position(ball) - context.facts.position(foot);
        toes.y() = 0;
        if (!toes.allFinite() || toes.norm() < 1e-4) {
            outcome.not_measured(
                std::string("foot") + side + " and ball" + side + " lie above each other: the toes have no direction",
                at_node(context.facts, foot, 0));
            continue;
        }
        const double off = angle_degrees(toes, Vec3::UnitZ());
        if (off <= kMaxToes) continue;
        Finding& finding =
            outcome.fail(at_node(context.facts, foot, 0),
                         std::string("The toes of the ") + (side[1] == 'l' ? "left" : "right") + " foot (foot" + side +
                             " to ball" + side + ") point " + fixed(off, 0) + " degrees off forward, along " +
                             vector_text(toes.normalized()) + "; more than 75 looks wrong in every walk.");
        finding.measured = fixed(off, 1);
        finding.limit = "75";
        finding.unit = "degrees";
    }
}

}  // namespace helixavatar::preflight
