// SPDX-License-Identifier: MIT
#include <helixavatar/conform/conform.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "aim.hpp"
#include "extremities.hpp"
#include "fidelity.hpp"
#include "normalise.hpp"
#include "place.hpp"
#include "rebuild.hpp"
#include "relax.hpp"
#include "repose.hpp"
#include "symmetry.hpp"
#include "weights.hpp"

namespace helixavatar::conform {

namespace {

constexpr double kAimedFrom = 0.01;         // degrees a joint turns before it counts as aimed
constexpr double kFewEdgesKept = 0.99;      // conform.md §1.4
constexpr double kManyFlips = 0.001;        // the same
constexpr double kTPose = 70, kAPose = 17;  // upper arms from straight down, degrees
constexpr double kBentElbow = 60, kUnevenArms = 15;

std::size_t index(int joint) {
    return static_cast<std::size_t>(joint);
}

Result<void> check_finite(const avatar::Avatar& source) {
    for (const avatar::Level& level : source.levels)
        for (const avatar::Surface& surface : level.surfaces)
            for (const Vec3f& p : surface.positions)
                if (!p.allFinite())
                    return Error{ErrorKind::malformed, "a vertex position is no finite number", surface.name,
                                 "export the mesh again"};
    return {};
}

/// A vertex this many body sizes from the joints belongs to no body, and would make the height and all that follows
/// from it meaningless.
constexpr double kStray = 20;

Result<void> check_strays(const avatar::Avatar& source, const avatar::BoneMap& map) {
    Eigen::AlignedBox3d body;
    for (const avatar::BoneMatch& match : map.matches)
        if (match.source >= 0 && index(match.source) < source.joints.size() &&
            source.joints[index(match.source)].rest.translation.allFinite())
            body.extend(source.joints[index(match.source)].rest.translation);
    if (body.isEmpty() || !(body.diagonal().norm() > 0)) return {};
    std::size_t strays = 0;
    double farthest = 0;
    std::string mesh;
    for (const avatar::Level& level : source.levels)
        for (const avatar::Surface& surface : level.surfaces)
            for (const Vec3f& p : surface.positions) {
                const double off = body.exteriorDistance(p.cast<double>());
                if (off <= kStray * body.diagonal().norm()) continue;
                if (strays++ == 0) mesh = surface.name;
                farthest = std::max(farthest, off);
            }
    if (strays == 0) return {};
    char text[160];
    std::snprintf(
        text, sizeof text,
        "%zu of the vertices %s far outside the body, the farthest %.3g units away, where the joints span %.3g", strays,
        strays == 1 ? "lies" : "lie", farthest, body.diagonal().norm());
    return Error{
        ErrorKind::unconvertible, text, mesh,
        "delete the stray vertices (in Blender: edit mode, show all, look for what is far off), then export again"};
}

std::string percent(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f %%", 100 * share);
    return text;
}

void report_pose(const Body& body, ConformReport& report) {
    bool bent = false;
    for (std::size_t side = 0; side < kSides; ++side) {
        const Arm& arm = body.roles.arms[side];
        const auto at = [&](int joint) -> const Vec3& { return body.from[index(joint)]; };
        const Vec3 upper = at(arm.lower.joint) - at(arm.upper.joint), lower = at(arm.hand) - at(arm.lower.joint);
        report.source_arm_degrees[side] = angle_degrees(upper, -Vec3::UnitY());
        bent = bent || angle_degrees(upper, lower) > kBentElbow;
    }
    const double low = std::min(report.source_arm_degrees[0], report.source_arm_degrees[1]);
    const double high = std::max(report.source_arm_degrees[0], report.source_arm_degrees[1]);
    const bool other = bent || high - low > kUnevenArms || low < kAPose || high > 180 - kTPose;
    const char* const pose = other ? "other" : low >= kTPose ? "T" : "A";
    report.source_pose.assign(pose);
}

void report_aim(const Body& body, ConformReport& report) {
    for (std::size_t j = 0; j < body.turn.size(); ++j) {
        if (!body.canonical->joints[j].skin || !body.mapped(static_cast<int>(j))) continue;
        const double turned = angle_degrees(body.turn[j], Quat::Identity());
        if (turned <= kAimedFrom) continue;
        report.aimed.push_back({body.canonical->joints[j].name, turned});
        report.max_aim_degrees = std::max(report.max_aim_degrees, turned);
    }
}

void report_rest(const avatar::Avatar& avatar, const Body& body, ConformReport& report) {
    for (std::size_t j = 0; j < body.canonical->joints.size(); ++j) {
        const skeleton::CanonicalJoint& canonical = body.canonical->joints[j];
        Quat local = avatar.joints[j].rest.rotation;
        if (canonical.parent >= 0) local = avatar.joints[index(canonical.parent)].rest.rotation.conjugate() * local;
        report.max_rest_deviation_degrees =
            std::max(report.max_rest_deviation_degrees, angle_degrees(local, canonical.local.rotation));
        report.joints_rebuilt += canonical.skin ? 1 : 0;
    }
}

void report_fidelity(const Fidelity& fidelity, ConformReport& report) {
    report.edges_kept_share = fidelity.edges_kept_share;
    report.flipped_share = fidelity.flipped_share;
    report.stretched_joints = fidelity.stretched_joints;
    if (fidelity.edges_kept_share < kFewEdgesKept) {
        std::string joints;
        for (const std::string& name : fidelity.stretched_joints) joints += (joints.empty() ? "" : ", ") + name;
        report.warnings.push_back(percent(1 - fidelity.edges_kept_share) +
                                  " of the edges changed their length by more than a fifth when the body was "
                                  "re-posed, most of them at " +
                                  joints);
    }
    if (fidelity.flipped_share >= kManyFlips)
        report.warnings.push_back(percent(fidelity.flipped_share) +
                                  " of the triangles turned over when the body was re-posed");
}

/// Moves the skin of every level and gives it its new influences; measures the first level.
Fidelity reskin(avatar::Avatar& avatar, const Body& body, const Motions& motions, const std::vector<Follow>& follow,
                const WeightPlan& plan, bool share_twist) {
    std::vector<std::string> names;
    for (const auto& joint : body.canonical->joints) names.push_back(joint.name);
    for (const AuxiliaryJoint& kept : plan.auxiliary) names.push_back(kept.name);

    Fidelity fidelity;
    for (std::size_t l = 0; l < avatar.levels.size(); ++l) {
        avatar::Level& level = avatar.levels[l];
        const RigidParts parts = find_rigid_parts(level);
        auto folded = fold_weights(level, parts, motions, body, follow, plan, share_twist);
        std::vector<std::vector<Vec3f>> before;
        for (const avatar::Surface& surface : level.surfaces) before.push_back(surface.positions);
        const VertexTurns turns = repose(level, parts, motions, follow);
        relax(level, before, turns, parts, follow);
        for (std::size_t s = 0; s < level.surfaces.size(); ++s) level.surfaces[s].influences = std::move(folded[s]);
        if (l == 0) fidelity = measure_fidelity(before, level, turns, names);
    }
    return fidelity;
}

}  // namespace

Result<ConformOutput> conform(avatar::Avatar source, const avatar::BoneMap& map, const SourceFrame& frame,
                              const skeleton::Skeleton& canonical, const ConformOptions& options) {
    if (const auto finite = check_finite(source); !finite) return finite.error();
    if (const auto near = check_strays(source, map); !near) return near.error();
    ConformReport report;
    const Normalised normalised = normalise(source, map, frame, options);
    report.yaw_degrees = normalised.yaw_degrees;
    report.warnings = normalised.warnings;

    auto placed = place(source, map, canonical);
    if (!placed) return placed.error();
    Body body = placed.take();
    std::size_t loose = 0;
    for (avatar::Level& level : source.levels) loose += bind_loose_vertices(level, body, source.joints.size());
    if (loose > 0)
        report.warnings.push_back(std::to_string(loose) + " vertices had no weight and were bound to the nearest bone");

    const std::vector<Follow> follow = follow_joints(source, body);
    const Extremities mesh = measure_extremities(source, body, follow);
    if (!options.accept_pose)
        if (const auto possible = check_pose(source, body, mesh); !possible) return possible.error();
    aim(body, mesh);
    report_pose(body, report);
    report_aim(body, report);

    const Settled settled = settle_joints(body);
    const Motions motions(body);
    const WeightPlan plan = plan_weights(source, body, follow, options);
    list_unmapped(source, body, follow, plan, map.source(canonical.joints[index(body.roles.root)].name), report);
    report_fidelity(reskin(source, body, motions, follow, plan, options.share_twist), report);
    source.joints = rebuild_joints(source, settled, motions, follow, plan);
    Passage passage;
    passage.upright = normalised.rotation;
    for (std::size_t j = 0; j < body.from.size(); ++j)
        passage.turns.push_back(motions.at(static_cast<int>(j), body.from[j]).rotation);
    for (const AuxiliaryJoint& kept : plan.auxiliary) {
        report.kept_aux[kept.source] = kept.name;
        passage.follows[kept.source] = follow[index(kept.source)].joint;
    }

    const double height = normalised.exact_height ? normalised.height : 0;
    const Standing standing = stand(source, settled, height, report.warnings);
    report.scale = normalised.scale * standing.scale;
    report.translation = standing.translation;
    measure_body(source, body, report);
    if (options.short_body_fix && fix_short_body(source, body, report)) {
        report.short_body_fixed = true;
        measure_body(source, body, report);
    }
    report_rest(source, body, report);
    passage.scale = report.scale;
    return ConformOutput{std::move(source), std::move(report), std::move(passage)};
}

}  // namespace helixavatar::conform
