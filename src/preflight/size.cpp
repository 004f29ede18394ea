// SPDX-License-Identifier: MIT
// How tall the character is drawn, and what the clips make of it.
#include <cmath>

#include "preflight/checks.hpp"
#include "preflight/size_measure.hpp"
#include "preflight/wording.hpp"

namespace helixavatar::preflight {
namespace {

// Reference text, "Height and the short-body locomotion gate".
constexpr double kLeastHeight = 0.5;
constexpr double kMostHeight = 3.5;
constexpr double kLeastDeclaredShare = 0.8;
constexpr double kMostDeclaredShare = 1.25;
constexpr double kShortBody = 1.35;
constexpr double kShortRatio = 0.65;
/// contract.md §4, `feet-ground`.
constexpr double kGroundTolerance = 0.02;

bool height_known(const RuleContext& context, Outcome& outcome) {
    if (!geometry_known(context, outcome)) return false;
    if (!context.facts.scenes.empty() && !context.facts.scenes[0].bounds.empty()) return true;
    outcome.not_measured("LOD0 draws no vertex");
    return false;
}

}  // namespace

BodySize body_size(const Facts& facts, const skeleton::Skeleton& skeleton) {
    BodySize size;
    if (facts.scenes.empty()) return size;
    const SceneFacts& scene = facts.scenes[0];
    if (!scene.bounds.empty()) size.height = scene.bounds.high.y() - scene.bounds.low.y();
    const int pelvis = facts.joint(0, "pelvis");
    const int left = facts.joint(0, "foot_l");
    const int right = facts.joint(0, "foot_r");
    if (pelvis < 0 || (left < 0 && right < 0)) return size;
    size.has_legs = true;
    size.pelvis = facts.position(pelvis).y();
    double feet = 0;
    for (const int foot : {left, right}) feet += foot < 0 ? 0 : facts.position(foot).y();
    size.foot = feet / ((left >= 0) + (right >= 0));
    size.canonical_legs =
        skeleton.joint("pelvis").world.translation.y() - skeleton.joint("foot_l").world.translation.y();
    if (size.canonical_legs > 0) size.ratio = (size.pelvis - size.foot) / size.canonical_legs;
    return size;
}

void check_units(const RuleContext& context, Outcome& outcome) {
    if (!height_known(context, outcome)) return;
    const double height = body_size(context.facts, context.skeleton).height;
    if (height >= kLeastHeight && height <= kMostHeight) return;
    const char* guess = height > 30 && height < 350 ? " It is probably in centimetres: scale by 0.01."
                        : height > 0.005 && height < 0.035
                            ? " It is probably scaled by 0.01 once too often: scale by 100."
                            : "";
    Finding& finding = outcome.fail(at_scene(context.facts, 0),
                                    "The character is drawn " + fixed(height, 3) +
                                        " m tall (LOD0, skinned at rest); 0.5 to 3.5 m is accepted." + guess);
    finding.measured = fixed(height, 3);
    finding.limit = height < kLeastHeight ? "0.5" : "3.5";
    finding.unit = "m";
    finding.fix = "Scale skeleton and geometry together: `helixavatar import AVATAR -o OUT --height 1.7`.";
}

void check_declared_height(const RuleContext& context, Outcome& outcome) {
    if (!context.options.declared_height) return;
    if (!height_known(context, outcome)) return;
    const double declared = *context.options.declared_height;
    const double height = body_size(context.facts, context.skeleton).height;
    if (height >= kLeastDeclaredShare * declared && height <= kMostDeclaredShare * declared) return;
    Finding& finding = outcome.fail(at_scene(context.facts, 0),
                                    "The character is drawn " + fixed(height, 2) + " m tall but declared " +
                                        fixed(declared, 2) + " m; " + fixed(kLeastDeclaredShare * declared, 2) +
                                        " to " + fixed(kMostDeclaredShare * declared, 2) + " m would agree.");
    finding.measured = fixed(height, 3);
    finding.limit = fixed(declared, 3);
    finding.unit = "m";
}

void check_short_body(const RuleContext& context, Outcome& outcome) {
    if (!height_known(context, outcome)) return;
    std::vector<int> joints;
    const BodySize size = body_size(context.facts, context.skeleton);
    if (size.height >= kShortBody) return;
    if (!joints_known(context, outcome, {"pelvis", "foot_l", "foot_r"}, joints)) return;
    if (size.ratio < kShortRatio) return;
    // Rounded down to a whole centimetre, so that the advice passes.
    const double passing = std::floor((size.foot + kShortRatio * size.canonical_legs) * 100 - 1e-6) / 100;
    Finding& finding = outcome.fail(at_node(context.facts, joints[0], 0),
                                    "The character is " + fixed(size.height, 2) + " m tall with a leg ratio of " +
                                        fixed(size.ratio, 2) + " (pelvis " + fixed(size.pelvis, 3) + " m, feet " +
                                        fixed(size.foot, 3) +
                                        " m). Under 1.35 m the human clips are only retargeted "
                                        "below 0.65; here they play unscaled and the feet sink into the ground.");
    finding.measured = fixed(size.ratio, 3);
    finding.limit = "0.65";
    finding.unit = "ratio";
    finding.fix = "Lower the pelvis joint from " + fixed(size.pelvis, 2) + " m to " + fixed(passing, 2) +
                  " m or less on every LOD.";
}

void check_feet_ground(const RuleContext& context, Outcome& outcome) {
    if (!height_known(context, outcome)) return;
    const double low = context.facts.scenes[0].bounds.low.y();
    if (std::abs(low) <= kGroundTolerance) return;
    Finding& finding =
        outcome.fail(at_scene(context.facts, 0), "The lowest vertex is " + fixed(std::abs(low) * 100, 1) + " cm " +
                                                     (low > 0 ? "above" : "below") +
                                                     " the ground (Y = 0); up to 2 cm passes. The character will " +
                                                     (low > 0 ? "float." : "stand in the floor."));
    finding.measured = fixed(low, 3);
    finding.limit = "0.02";
    finding.unit = "m";
    finding.fix = "Move the character by " + fixed(-low, 3) + " m along Y, skeleton and geometry together.";
}

}  // namespace helixavatar::preflight
