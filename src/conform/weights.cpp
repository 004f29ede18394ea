// SPDX-License-Identifier: MIT
#include "weights.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace helixavatar::conform {

namespace {

std::size_t index(int joint) {
    return static_cast<std::size_t>(joint);
}

/// Twist and volume joints sit inside the limb, within this share of its length from the bone.
constexpr double kInsideLimb = 0.1;

bool inside_limb(const avatar::Avatar& source, const Body& body, std::size_t joint, int canonical) {
    for (const Arm& arm : body.roles.arms)
        for (const Finger& finger : arm.fingers)
            if (std::count(finger.phalanges.begin(), finger.phalanges.end(), canonical) > 0)
                return true;  // a finger tip
    const Limb* limb = limb_of(body.roles, canonical);
    if (limb == nullptr) return false;
    const Vec3 &start = body.from[index(limb->joint)], &end = body.from[index(limb->child)];
    const Vec3 offset = source.joints[joint].rest.translation - start, bone = end - start;
    const double t = std::clamp(offset.dot(bone) / bone.squaredNorm(), 0.0, 1.0);
    return (offset - t * bone).norm() < kInsideLimb * bone.norm();
}

std::string free_name(const std::string& wanted, const std::set<std::string>& taken) {
    const std::string base = wanted.empty() ? "auxiliary" : wanted;
    if (taken.count(base) == 0) return base;
    for (int i = 2;; ++i) {
        const std::string name = base + "_aux" + std::to_string(i);
        if (taken.count(name) == 0) return name;
    }
}

std::vector<double> weight_shares(const avatar::Avatar& source) {
    std::vector<double> share(source.joints.size(), 0);
    double total = 0;
    if (!source.levels.empty())
        for (const avatar::Surface& surface : source.levels.front().surfaces)
            for (const avatar::Influences& influences : surface.influences)
                for (const avatar::Influence& influence : influences) {
                    if (influence.weight <= 0 || influence.joint >= share.size()) continue;
                    share[influence.joint] += influence.weight;
                    total += influence.weight;
                }
    if (total > 0)
        for (double& s : share) s /= total;
    return share;
}

/// Influences under collection: any number of joints.
class Collected {
public:
    void add(int joint, double weight) {
        if (weight <= 0) return;
        for (auto& [held, sum] : entries_)
            if (held == joint) {
                sum += weight;
                return;
            }
        entries_.push_back({joint, weight});
    }

    avatar::Influences heaviest() {
        std::sort(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
            return a.second != b.second ? a.second > b.second : a.first < b.first;
        });
        avatar::Influences result{};
        for (std::size_t i = 0; i < std::min(entries_.size(), result.size()); ++i)
            result[i] = {static_cast<std::uint16_t>(entries_[i].first), static_cast<float>(entries_[i].second)};
        avatar::limit_influences(result, avatar::kWrittenInfluences);
        return result;
    }

    void clear() { entries_.clear(); }

private:
    std::vector<std::pair<int, double>> entries_;
};

/// The arm bones whose weight is to be shared onto their twist joints, by canonical joint.
std::vector<const Limb*> shared_limbs(const Body& body, bool share_twist) {
    std::vector<const Limb*> shared(body.from.size(), nullptr);
    if (!share_twist) return shared;
    for (const Arm& arm : body.roles.arms)
        for (const Limb* limb : {&arm.upper, &arm.lower})
            if (std::none_of(limb->twists.begin(), limb->twists.end(),
                             [&](const TwistJoint& twist) { return body.mapped(twist.joint); }))
                shared[index(limb->joint)] = limb;
    return shared;
}

/// Linear between the joints on either side of `fraction`; beyond the last twist joint all of it.
void share_along(const Limb& limb, double fraction, double weight, Collected& into) {
    int near = limb.joint;
    double near_fraction = 0;
    for (const TwistJoint& twist : limb.twists) {
        if (fraction < twist.fraction) {
            const double far_share = (fraction - near_fraction) / (twist.fraction - near_fraction);
            into.add(near, weight * (1 - far_share));
            into.add(twist.joint, weight * far_share);
            return;
        }
        near = twist.joint;
        near_fraction = twist.fraction;
    }
    into.add(near, weight);
}

}  // namespace

WeightPlan plan_weights(const avatar::Avatar& source, const Body& body, const std::vector<Follow>& follow,
                        const ConformOptions& options) {
    WeightPlan plan;
    plan.share = weight_shares(source);
    std::set<std::string> taken;
    for (const auto& joint : body.canonical->joints) taken.insert(joint.name);
    const std::set<int> always(options.always_keep.begin(), options.always_keep.end());
    constexpr std::size_t kMostJoints = 65536;  // what a joint index of a vertex can say
    for (std::size_t j = 0; j < source.joints.size(); ++j) {
        plan.target.push_back(follow[j].joint);
        if (follow[j].mapped) continue;
        const int parent = source.joints[j].parent;
        // A joint hangs from its kept parent, or from the canonical joint that it follows.
        const int above = parent >= 0 && !follow[index(parent)].mapped &&
                                  plan.target[index(parent)] >= static_cast<int>(body.from.size())
                              ? plan.target[index(parent)]
                              : follow[j].joint;
        const bool asked = options.keep_aux && plan.share[j] > 0 && !follow[j].between &&
                           !inside_limb(source, body, j, follow[j].joint);
        const std::size_t next = body.from.size() + plan.auxiliary.size();
        if ((always.count(static_cast<int>(j)) == 0 && !asked) || next >= kMostJoints) {
            plan.target[j] = above;
            continue;
        }
        const std::string name = free_name(source.joints[j].name, taken);
        taken.insert(name);
        plan.auxiliary.push_back({static_cast<int>(j), above, name});
        plan.target[j] = static_cast<int>(next);
    }
    return plan;
}

std::vector<std::vector<avatar::Influences>> fold_weights(const avatar::Level& level, const RigidParts& parts,
                                                          const Motions& motions, const Body& body,
                                                          const std::vector<Follow>& follow, const WeightPlan& plan,
                                                          bool share_twist) {
    const std::vector<const Limb*> shared = shared_limbs(body, share_twist);
    std::vector<std::vector<avatar::Influences>> result(level.surfaces.size());
    Collected collected;
    for (std::size_t s = 0; s < level.surfaces.size(); ++s) {
        const avatar::Surface& surface = level.surfaces[s];
        result[s].reserve(surface.positions.size());
        for (std::size_t v = 0; v < surface.positions.size(); ++v) {
            collected.clear();
            for (const avatar::Influence& influence : surface.influences[v]) {
                if (influence.weight <= 0) continue;
                const Follow& own = follow[influence.joint];
                const int target = plan.target[influence.joint];
                const Limb* limb = index(target) < shared.size() ? shared[index(target)] : nullptr;
                if (limb != nullptr && parts.part[s][v] < 0) {
                    share_along(*limb, motions.fraction(*limb, surface.positions[v].cast<double>()), influence.weight,
                                collected);
                } else if (own.upper >= 0 && target == own.joint) {
                    collected.add(own.upper, influence.weight * own.upper_share);
                    collected.add(own.joint, influence.weight * (1 - own.upper_share));
                } else {
                    collected.add(target, influence.weight);
                }
            }
            result[s].push_back(collected.heaviest());
        }
    }
    return result;
}

void list_unmapped(const avatar::Avatar& source, const Body& body, const std::vector<Follow>& follow,
                   const WeightPlan& plan, int root, ConformReport& report) {
    for (std::size_t j = 0; j < source.joints.size(); ++j) {
        if (follow[j].mapped || (!source.joints[j].skin && plan.share[j] <= 0)) continue;
        const std::size_t target = index(plan.target[j]);
        const bool kept = target >= body.from.size();
        if (plan.share[j] <= 0 && !kept) {
            if (static_cast<int>(j) != root) report.controls.push_back(source.joints[j].name);
            continue;
        }
        UnmappedJoint entry{source.joints[j].name, plan.share[j], {}};
        entry.merged_into = kept ? plan.auxiliary[target - body.from.size()].name : body.name(plan.target[j]);
        if (follow[j].upper >= 0 && !kept) entry.merged_into += ", " + body.name(follow[j].upper);
        report.unmapped.push_back(entry);
    }
}

}  // namespace helixavatar::conform
