// SPDX-License-Identifier: MIT
#include "source_tree.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace helixavatar::conform {

namespace {

/// Weighted centre of what each source joint moves, at the first level; its own position when it moves nothing.
std::vector<Vec3> centres_of_weight(const avatar::Avatar& source) {
    std::vector<Vec3> sum(source.joints.size(), Vec3::Zero());
    std::vector<double> weight(source.joints.size(), 0);
    if (!source.levels.empty())
        for (const avatar::Surface& surface : source.levels.front().surfaces)
            for (std::size_t v = 0; v < surface.influences.size(); ++v)
                for (const avatar::Influence& influence : surface.influences[v]) {
                    if (influence.weight <= 0 || influence.joint >= sum.size()) continue;
                    sum[influence.joint] += influence.weight * surface.positions[v].cast<double>();
                    weight[influence.joint] += influence.weight;
                }
    for (std::size_t j = 0; j < sum.size(); ++j)
        sum[j] = weight[j] > 0 ? Vec3(sum[j] / weight[j]) : source.joints[j].rest.translation;
    return sum;
}

double distance_to_segment(const Vec3& point, const Vec3& a, const Vec3& b) {
    const Vec3 bone = b - a;
    const double length2 = bone.squaredNorm();
    const double t = length2 > 0 ? std::clamp((point - a).dot(bone) / length2, 0.0, 1.0) : 0.0;
    return (point - a - t * bone).norm();
}

/// Marks the unmapped joints between two mapped axis joints and gives them shares by arc length.
void share_between_axis_joints(const avatar::Avatar& source, const Body& body, std::vector<Follow>& follow) {
    std::set<int> lower_axis;
    for (const int upper : body.roles.axis) {
        if (!body.mapped(upper)) continue;
        const std::set<int> lower = lower_axis;
        lower_axis.insert(upper);
        std::vector<int> chain;  // from the upper joint down to the mapped one below it
        std::vector<double> arc{0};
        int joint = body.source[static_cast<std::size_t>(upper)];
        do {
            const auto& at = source.joints[static_cast<std::size_t>(joint)];
            chain.push_back(joint);
            joint = at.parent;
            if (joint < 0) break;
            const auto& below = source.joints[static_cast<std::size_t>(joint)].rest.translation;
            arc.push_back(arc.back() + (at.rest.translation - below).norm());
        } while (!follow[static_cast<std::size_t>(joint)].mapped);
        if (joint < 0 || lower.count(follow[static_cast<std::size_t>(joint)].joint) == 0) continue;
        for (std::size_t i = 1; i < chain.size(); ++i) {
            Follow& between = follow[static_cast<std::size_t>(chain[i])];
            between.upper = upper;
            between.upper_share = arc.back() > 0 ? 1 - arc[i] / arc.back() : 0.5;
        }
    }
}

/// A joint at the end of a fore-arm or shin that moves only what lies beyond is part of the hand or foot: palm bones
/// beside the one that was taken for the hand.
int beyond_bone(const Body& body, int follows, const Vec3& joint, const Vec3& centre) {
    constexpr double kAtEnd = 0.9;  // of the bone
    const Limb* limb = limb_of(body.roles, follows);
    if (limb == nullptr) return follows;
    const Vec3& start = body.from[static_cast<std::size_t>(limb->joint)];
    const Vec3 bone = body.from[static_cast<std::size_t>(limb->child)] - start;
    const auto along = [&](const Vec3& point) { return (point - start).dot(bone) / bone.squaredNorm(); };
    return along(joint) > kAtEnd && along(centre) > 1 ? limb->child : follows;
}

int common_ancestor(const skeleton::Skeleton& canonical, int a, int b) {
    // Parents come before their children in the canonical order.
    while (a != b && a >= 0 && b >= 0)
        (a > b ? a : b) = canonical.joints[static_cast<std::size_t>(std::max(a, b))].parent;
    return a == b ? a : -1;
}

/// For each source joint with mapped joints below it: the mapped canonical joint that those hang from. A control joint
/// that limbs hang from, and what else hangs there, moves with it. -1 for the others.
std::vector<int> carried(const avatar::Avatar& source, const Body& body, const std::vector<Follow>& follow) {
    const auto& joints = body.canonical->joints;
    constexpr int kNone = -2;
    std::vector<int> owner(source.joints.size(), kNone);
    for (std::size_t j = owner.size(); j-- > 0;) {
        const int parent = source.joints[j].parent;
        const int above = follow[j].mapped ? joints[static_cast<std::size_t>(follow[j].joint)].parent : owner[j];
        if (parent < 0 || above == kNone) continue;
        int& theirs = owner[static_cast<std::size_t>(parent)];
        theirs = theirs == kNone ? above : common_ancestor(*body.canonical, theirs, above);
    }
    for (int& joint : owner) {
        while (joint >= 0 && !body.mapped(joint)) joint = joints[static_cast<std::size_t>(joint)].parent;
        if (joint == -1) joint = body.roles.pelvis();
        if (joint == kNone) joint = -1;
    }
    return owner;
}

void mark_between(const avatar::Avatar& source, std::vector<Follow>& follow) {
    std::vector<char> leads_to_mapped(follow.size(), 0);
    for (std::size_t j = follow.size(); j-- > 0;) {
        follow[j].between = !follow[j].mapped && leads_to_mapped[j];
        const int parent = source.joints[j].parent;
        if (parent >= 0 && (follow[j].mapped || leads_to_mapped[j]))
            leads_to_mapped[static_cast<std::size_t>(parent)] = 1;
    }
}

}  // namespace

std::vector<int> source_joints(const avatar::Avatar& source, const avatar::BoneMap& map,
                               const skeleton::Skeleton& canonical) {
    std::vector<int> joints;
    std::set<int> taken;
    for (const auto& joint : canonical.joints) {
        // The root stays at the origin whatever moves: what it holds in a source follows the body instead.
        const int at = joint.skin && joint.parent >= 0 ? map.source(joint.name) : -1;
        const bool usable = at >= 0 && static_cast<std::size_t>(at) < source.joints.size() && taken.insert(at).second;
        joints.push_back(usable ? at : -1);
    }
    return joints;
}

int nearest_bone(const Body& body, const Vec3& point) {
    int best = body.roles.pelvis();
    double best_distance = std::numeric_limits<double>::max();
    const auto& joints = body.canonical->joints;
    for (std::size_t child = 0; child < joints.size(); ++child) {
        if (!body.has_from[child]) continue;
        int parent = joints[child].parent;
        while (parent >= 0 && !body.mapped(parent)) parent = joints[static_cast<std::size_t>(parent)].parent;
        const bool own = body.mapped(static_cast<int>(child));
        if (parent < 0 && !own) continue;
        // Leaf joints count as points, every other one as the bone from its mapped parent, which the parent moves.
        const Vec3& end = body.from[child];
        const double to_bone = parent < 0
                                   ? std::numeric_limits<double>::max()
                                   : distance_to_segment(point, body.from[static_cast<std::size_t>(parent)], end);
        const double to_joint = own ? (point - end).norm() : std::numeric_limits<double>::max();
        if (to_joint <= to_bone && to_joint < best_distance) {
            best_distance = to_joint;
            best = static_cast<int>(child);
        } else if (to_bone < best_distance) {
            best_distance = to_bone;
            best = parent;
        }
    }
    return best;
}

std::vector<Follow> follow_joints(const avatar::Avatar& source, const Body& body) {
    std::vector<Follow> follow(source.joints.size());
    for (std::size_t c = 0; c < body.source.size(); ++c)
        if (body.source[c] >= 0) {
            Follow& own = follow[static_cast<std::size_t>(body.source[c])];
            own.joint = static_cast<int>(c);
            own.mapped = true;
        }
    const int pelvis = body.source[static_cast<std::size_t>(body.roles.pelvis())];
    std::vector<char> above_pelvis(source.joints.size(), 0);
    for (int j = pelvis; j >= 0; j = source.joints[static_cast<std::size_t>(j)].parent)
        above_pelvis[static_cast<std::size_t>(j)] = 1;

    const std::vector<Vec3> centres = centres_of_weight(source);
    const std::vector<int> carries = carried(source, body, follow);
    std::vector<char> beside(source.joints.size(), 0);  // control joints that hang from no mapped one
    for (std::size_t j = 0; j < follow.size(); ++j) {
        if (follow[j].mapped) continue;
        const int parent = source.joints[j].parent;
        const bool loose = parent < 0 || above_pelvis[static_cast<std::size_t>(parent)];
        if (above_pelvis[j] || (parent >= 0 && parent == pelvis && carries[j] < 0)) {
            follow[j].joint = body.roles.pelvis();
        } else if (carries[j] >= 0 && (loose || beside[static_cast<std::size_t>(parent)])) {
            follow[j].joint = carries[j];
            beside[j] = 1;
        } else if (loose) {
            follow[j].joint = nearest_bone(body, centres[j]);
        } else {
            follow[j].joint = beyond_bone(body, follow[static_cast<std::size_t>(parent)].joint,
                                          source.joints[j].rest.translation, centres[j]);
        }
    }
    mark_between(source, follow);
    share_between_axis_joints(source, body, follow);
    return follow;
}

}  // namespace helixavatar::conform
