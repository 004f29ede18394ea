// SPDX-License-Identifier: MIT
// What lies between the limbs: the pelvis above both halves, the spine in the order of the hierarchy, neck, head,
// clavicles, and the ball behind each ankle.
#include <algorithm>
#include <cmath>

#include "rig/body.hpp"

namespace helixavatar::rig {
namespace {

struct Trunk {
    const Tree& tree;
    Body& body;
    int legs = -1, arms = -1, both = -1;  ///< common ancestors
    std::vector<int> path;                ///< from the legs' owner over the common one to the arms' owner

    double h(int j) const { return (tree.height(j, body.up) - body.size.floor) / body.size.height; }
    double far(int a, int b) const { return tree.distance(a, b) / body.size.height; }
    double weight(int j) const { return tree.weight[static_cast<std::size_t>(j)]; }
    bool auxiliary(int j) const { return tree.name[static_cast<std::size_t>(j)].auxiliary; }
    Vec3 at(int j) const { return tree.position[static_cast<std::size_t>(j)]; }
    Vec3 flat(const Vec3& v) const { return v - body.up * v.dot(body.up); }

    double hips() const { return (h(body.thigh(0)) + h(body.thigh(1))) / 2; }
    double shoulders() const { return (h(body.upperarm(0)) + h(body.upperarm(1))) / 2; }

    double spine_vote(int j) const {
        double best = 0;
        for (const char* role : {"spine_01", "spine_02", "spine_03", "spine_04", "spine_05"})
            best = std::max(best, tree.vote(j, role));
        return best;
    }
    double neck_vote(int j) const { return std::max(tree.vote(j, "neck_01"), tree.vote(j, "neck_02")); }

    bool in_limb(int j) const {
        for (const int s : {0, 1}) {
            if (tree.is_above(body.thigh(s), j) || tree.is_above(body.upperarm(s), j)) return true;
        }
        return false;
    }

    void find_path();
    void use_skinned_centre();
    std::vector<int> twins(int j) const;
    void find_pelvis();
    void find_spine();
    std::vector<int> centre_chain() const;
    void find_head();
    void find_clavicles();
    void find_balls();
};

void Trunk::find_path() {
    legs = tree.common_ancestor(body.thigh(0), body.thigh(1));
    arms = tree.common_ancestor(body.upperarm(0), body.upperarm(1));
    both = legs < 0 || arms < 0 ? -1 : tree.common_ancestor(legs, arms);
    for (int j = legs; j >= 0 && j != both; j = tree.parent[static_cast<std::size_t>(j)]) path.push_back(j);
    if (both >= 0) path.push_back(both);
    if (arms >= 0 && arms != both) {
        for (const int j : tree.between(both, arms)) path.push_back(j);
        path.push_back(arms);
    }
}

/// Where controls own the limbs and carry no skin, the trunk is what carries skin in the middle, from the hips up.
void Trunk::use_skinned_centre() {
    const auto bare = [&](int j) { return tree.subtree_weight[static_cast<std::size_t>(j)] <= 0 || weight(j) <= 0; };
    if (!tree.weighted || path.empty() || !std::all_of(path.begin(), path.end(), bare)) return;
    const Vec3 across = flat(at(body.thigh(0)) - at(body.thigh(1))).normalized();
    const Vec3 middle = (at(body.thigh(0)) + at(body.thigh(1))) / 2;
    std::vector<int> centre;
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const int j = static_cast<int>(i);
        if (!tree.kept[i] || tree.weight[i] <= 0 || in_limb(j) || auxiliary(j) || tree.name[i].side != Side::none)
            continue;
        const double aside = std::abs((at(j) - middle).dot(across)) / body.size.height;
        if (aside < 0.03 && h(j) > hips() - 0.15 && h(j) < shoulders() + 0.02) centre.push_back(j);
    }
    if (centre.size() < 2) return;
    std::stable_sort(centre.begin(), centre.end(), [&](int a, int b) { return h(a) < h(b); });
    body.notes.push_back(
        "the limbs hang from control joints without skin; the trunk was taken from the joints that carry skin in the "
        "middle");
    path = centre;
}

/// Weighted joints in the same place as a joint that carries no weight: the deforming twin of a control joint.
std::vector<int> Trunk::twins(int j) const {
    std::vector<int> out;
    if (!tree.weighted || weight(j) > 0) return out;
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const int k = static_cast<int>(i);
        if (k != j && tree.kept[i] && tree.weight[i] > 0 && far(j, k) < 0.008 && !in_limb(k)) out.push_back(k);
    }
    return out;
}

void Trunk::find_pelvis() {
    std::vector<int> candidates = path;
    for (const int j : path) {
        for (const int k : twins(j)) candidates.push_back(k);
    }
    int top = both >= 0 ? both : legs;
    for (int steps = 0; top >= 0 && steps < 8; ++steps) {
        candidates.push_back(top);
        top = tree.parent[static_cast<std::size_t>(top)];
    }
    const Vec3 middle = (at(body.thigh(0)) + at(body.thigh(1))) / 2;
    double best = -1e9, second = -1e9;
    std::vector<int> seen;
    for (const int j : candidates) {
        if (std::find(seen.begin(), seen.end(), j) != seen.end()) continue;
        seen.push_back(j);
        const double rise = h(j) - hips(), aside = flat(at(j) - middle).norm() / body.size.height;
        const double said = tree.vote(j, "pelvis");
        if (std::abs(rise) > 0.2 && said < 0.6) continue;
        double score = 1.2 * said - std::pow(rise / 0.08, 2) - std::pow(aside / 0.08, 2);
        if (tree.is_above(j, legs)) score += 0.3;
        if (tree.is_above(j, legs) && tree.is_above(j, arms)) score += 0.8;
        if (tree.weighted && weight(j) > 0) score += 0.6;
        if (auxiliary(j)) score -= 1;
        for (const int c : tree.children[static_cast<std::size_t>(j)]) {
            if (std::find(path.begin(), path.end(), c) != path.end()) score += 0.2;
        }
        if (tree.locked[static_cast<std::size_t>(j)] && said <= 0) score -= 20;
        if (score > best + 1e-9) {
            body.other_pelvis = body.pelvis;
            second = best;
            body.pelvis = j;
            best = score;
        } else if (score > second) {
            body.other_pelvis = j;
            second = score;
        }
    }
}

void Trunk::find_spine() {
    const int pelvis = body.pelvis;
    if (pelvis < 0 || arms < 0) return;
    auto start = std::find(path.begin(), path.end(), pelvis);
    if (start == path.end()) {
        start = std::find_if(path.begin(), path.end(), [&](int j) { return far(j, pelvis) < 0.008; });
        if (start == path.end())
            start = path.begin();
        else
            ++start;
    } else {
        ++start;
    }
    const bool ordered = both < 0 || legs == both || tree.is_above(pelvis, arms);
    std::vector<int> places;  // one joint for each place along the trunk
    for (auto it = start; it != path.end(); ++it) {
        int j = *it;
        const double said = spine_vote(j);
        // Only the way up belongs to the spine; what is no higher than the pelvis is folded into it, unless it is
        // named.
        if (h(j) < h(pelvis) - 0.01 || (h(j) < h(pelvis) + 0.015 && said < 0.6)) continue;
        if (tree.is_above(j, pelvis) && j != pelvis && said < 0.6) continue;
        double value = said + (weight(j) > 0) - auxiliary(j);
        for (const int k : twins(j)) {
            const double other = spine_vote(k) + 1 - auxiliary(k);
            if (k != pelvis && other > value) {
                j = k;
                value = other;
            }
        }
        const auto same =
            std::find_if(places.begin(), places.end(), [&](int k) { return k == j || far(k, j) < 0.008; });
        if (same == places.end()) {
            places.push_back(j);
        } else if (*same != j && value > spine_vote(*same) + (weight(*same) > 0) - auxiliary(*same)) {
            *same = j;
        }
    }
    if (!ordered) {
        const Vec3 way = (at(body.upperarm(0)) + at(body.upperarm(1))) / 2 - at(pelvis);
        std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return at(a).dot(way) < at(b).dot(way); });
    }
    const auto weighty = std::count_if(places.begin(), places.end(), [&](int j) { return weight(j) > 0; });
    for (const int j : places) {
        if (tree.weighted && weighty >= 2 && weight(j) <= 0 && spine_vote(j) < 0.5) continue;
        // A joint that goes back down the spine (folded chains) adds nothing.
        if (!body.spine.empty() && h(j) < h(body.spine.back()) - 0.01) continue;
        body.spine.push_back(j);
    }
}

/// The joints that go up the middle from the arms' owner.
std::vector<int> Trunk::centre_chain() const {
    std::vector<int> chain;
    const Vec3 across = flat(at(body.upperarm(0)) - at(body.upperarm(1))).normalized();
    const Vec3 middle = (at(body.upperarm(0)) + at(body.upperarm(1))) / 2;
    int now = arms >= 0 ? arms : both;
    if (now < 0) return chain;
    for (int steps = 0; steps < 24; ++steps) {
        int best = -1;
        double best_value = 0;
        for (const int c : tree.children[static_cast<std::size_t>(now)]) {
            if (!tree.kept[static_cast<std::size_t>(c)] || in_limb(c)) continue;
            if (tree.is_above(c, body.upperarm(0)) || tree.is_above(c, body.upperarm(1))) continue;
            const double said = std::max(tree.vote(c, "head"), neck_vote(c));
            const double aside = std::abs((at(c) - middle).dot(across)) / body.size.height;
            const double rise = h(c) - h(now);
            if (said < 0.6 && (aside > 0.06 || rise < -0.02)) continue;
            double value = 3 * said + 0.5 + rise + 4 * tree.subtree_weight[static_cast<std::size_t>(c)] - auxiliary(c);
            // Breast, ribbon and backpack joints stay below the shoulders.
            if (h(c) < shoulders() - 0.02 && tree.children[static_cast<std::size_t>(c)].empty()) value -= 1;
            if (best < 0 || value > best_value) {
                best = c;
                best_value = value;
            }
        }
        if (best < 0) break;
        chain.push_back(best);
        now = best;
    }
    return chain;
}

void Trunk::find_head() {
    std::vector<int> chain = centre_chain();
    const auto below = [&](int j) { return tree.subtree_weight[static_cast<std::size_t>(j)]; };
    while (chain.size() > 1 && tree.vote(chain.back(), "head") < 0.6 &&
           (tree.name[static_cast<std::size_t>(chain.back())].end || (tree.weighted && below(chain.back()) <= 0)))
        chain.pop_back();
    const auto last = chain.size();
    // Without weights a long last piece behind two others is the top of the skull.
    if (!tree.weighted && last >= 3 && far(chain[last - 2], chain[last - 1]) > 0.06 &&
        tree.vote(chain.back(), "head") < 0.6)
        chain.pop_back();
    double best = -1e9;
    std::size_t at_head = 0;
    for (std::size_t i = 0; i < chain.size(); ++i) {
        double score = 2 * tree.vote(chain[i], "head") - 2 * neck_vote(chain[i]) - auxiliary(chain[i]);
        if (tree.weighted) {
            const double own = below(chain[i]) - (i + 1 < chain.size() ? below(chain[i + 1]) : 0);
            score += own / std::max(1e-9, below(chain.front()));
        } else {
            std::size_t branches = 0;
            for (const int c : tree.children[static_cast<std::size_t>(chain[i])])
                branches += tree.kept[static_cast<std::size_t>(c)] ? 1 : 0;
            score += branches >= 2 ? 1.0 : i + 1 == chain.size() ? 0.8 : 0.0;
        }
        if (score > best + 1e-9) {
            best = score;
            body.other_head = body.head;
            body.head = chain[i];
            at_head = i;
        } else if (body.other_head < 0) {
            body.other_head = chain[i];
        }
    }
    if (body.head < 0) return;
    bool neck = false;
    for (std::size_t i = 0; i < at_head; ++i) {
        const int j = chain[i];
        const double spine = spine_vote(j), throat = neck_vote(j);
        const bool named_spine = spine >= 0.5 && spine > throat, named_neck = throat >= 0.5;
        const bool low = h(j) < shoulders() - 0.03 && at_head - i >= 2;
        if (!neck && !named_neck && (named_spine || low))
            body.spine.push_back(j);
        else
            neck = true;
        if (neck && !(auxiliary(j) && !named_neck)) body.neck.push_back(j);
    }
    // Clavicles on the neck (Biped): the arms' owner is no spine then.
    if (body.neck.empty() && body.spine.size() >= 2 && body.spine.back() == arms) {
        const bool named = neck_vote(arms) >= 0.5 && neck_vote(arms) > spine_vote(arms);
        if (named || (spine_vote(arms) < 0.5 && h(arms) > shoulders() + 0.01)) {
            body.neck.push_back(arms);
            body.spine.pop_back();
        }
    }
}

void Trunk::find_clavicles() {
    if (arms < 0) return;
    for (const int s : {0, 1}) {
        double best = -0.5;
        for (const int j : tree.between(arms, body.upperarm(s))) {
            if (j == body.head || std::find(body.spine.begin(), body.spine.end(), j) != body.spine.end()) continue;
            const double said = tree.vote(j, "clavicle");
            const double score = 2 * said + (weight(j) > 0 ? 0.5 : 0.0) +
                                 (far(j, body.upperarm(s)) > 0.02 ? 0.5 : 0.0) - auxiliary(j) -
                                 (tree.locked[static_cast<std::size_t>(j)] && said <= 0 ? 20 : 0);
            if (score > best + 1e-9) {
                best = score;
                body.clavicle[static_cast<std::size_t>(s)] = j;
            }
        }
    }
    const int a = body.clavicle[0], b = body.clavicle[1];
    // Two joints in one place in the middle are chest helpers.
    if (a >= 0 && b >= 0 && far(a, b) < 0.004 && tree.vote(a, "clavicle") < 0.5) body.clavicle = {-1, -1};
}

void Trunk::find_balls() {
    for (const int s : {0, 1}) {
        const int foot = body.foot(s);
        const double shin = tree.distance(body.calf(s), foot);
        double best = -2;
        for (std::size_t i = 0; i < tree.size(); ++i) {
            const int j = static_cast<int>(i);
            if (!tree.kept[i] || j == foot || !tree.is_above(foot, j)) continue;
            const double said = tree.vote(j, "ball");
            if (tree.weighted && tree.subtree_weight[i] <= 0 && said < 0.6) continue;
            if (far(foot, j) < 0.007 && said < 0.6) continue;
            // 0.4 shins from ankle to ball on the canonical body.
            const double length =
                std::abs(std::log(std::max(1e-9, tree.distance(foot, j)) / std::max(1e-9, 0.4 * shin)));
            const double score = 2 * said + (weight(j) > 0 ? 0.4 : 0.0) - 0.5 * std::min(4.0, length) - auxiliary(j) -
                                 0.05 * (tree.depth(j) - tree.depth(foot)) - (tree.locked[i] && said <= 0 ? 20 : 0);
            if (score > best + 1e-9) {
                best = score;
                body.ball[static_cast<std::size_t>(s)] = j;
            }
        }
    }
}

}  // namespace

void find_trunk(const Tree& tree, Body& body) {
    Trunk trunk{tree, body, -1, -1, -1, {}};
    trunk.find_path();
    trunk.use_skinned_centre();
    trunk.find_pelvis();
    trunk.find_spine();
    trunk.find_head();
    trunk.find_clavicles();
    trunk.find_balls();
}

}  // namespace helixavatar::rig
