// SPDX-License-Identifier: MIT
// The search for legs and arms. Every descending triple of joints is a candidate; its score is made of proportions,
// straightness between the three, what continues behind the last, weight and names. Lengths count in heights of the
// joints, so that units do not matter; the reference values are those of the canonical body and of chibi characters.
#include <algorithm>
#include <cmath>
#include <set>

#include "rig/body.hpp"

namespace helixavatar::rig {
namespace {

constexpr int kMaxSteps = 24;          ///< joints on one limb; more are no limb
constexpr std::size_t kKeep = 160;     ///< best candidates of each kind
constexpr std::size_t kMost = 200000;  ///< candidates looked at; a body has some thousands
constexpr std::size_t kNear = 200;     ///< other readings kept
constexpr double kName = 0.6;          ///< what a fitting name is worth
constexpr double kOther = 0.4;         ///< what a name costs that says another joint
constexpr double kAuxiliary = 1.2;     ///< what a helper's name costs
constexpr double kBeginsEarlier = 0.25;
constexpr double kLocked = 12;  ///< what taking a joint costs that is known to be another

double square(double x) {
    return x * x;
}
double log_square(double ratio, double wanted) {
    return ratio > 1e-9 ? square(std::log(ratio / wanted)) : 25;
}

enum class Kind { leg, arm };

struct Search {
    const Tree& tree;
    Vec3 up;
    Extent size;
    Kind kind;
    std::array<const char*, 3> bases;

    double height(int j) const { return (tree.height(j, up) - size.floor) / size.height; }
    const Vec3& at(int j) const { return tree.position[static_cast<std::size_t>(j)]; }

    /// Turns along the path from a down to b, in units of 45 degrees; a straight chain with twists in it has none.
    double turns(int a, int b) const {
        std::vector<int> path = tree.between(a, b);
        path.push_back(b);
        double sum = 0;
        Vec3 from = at(a);
        Vec3 direction = Vec3::Zero();
        for (const int j : path) {
            const Vec3 step = at(j) - from;
            if (step.norm() < 0.007 * size.height) continue;
            if (direction.norm() > 0) sum += angle_degrees(direction, step) / 45;
            direction = step;
            from = at(j);
        }
        return sum;
    }

    double said(const std::array<int, 3>& t) const {
        double sum = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const auto j = static_cast<std::size_t>(t[i]);
            const double fits = tree.vote(t[i], bases[i]);
            sum += kName * fits - kOther * std::max(0.0, tree.best_vote(t[i]) - fits);
            if (tree.name[j].auxiliary) sum -= kAuxiliary;
            if (tree.weighted && tree.subtree_weight[j] <= 0) sum -= 1.0;
            if (tree.weighted && tree.weight[j] > 0) sum += 0.15;
            if (tree.locked[j] && tree.vote(t[i], bases[i]) <= 0) sum -= kLocked;
        }
        return sum;
    }

    /// All three names agree, so that odd proportions do not rule it out.
    bool named(const std::array<int, 3>& t) const {
        for (std::size_t i = 0; i < 3; ++i) {
            if (tree.vote(t[i], bases[i]) < 0.6) return false;
        }
        return true;
    }

    std::optional<double> leg(const std::array<int, 3>& t) const {
        const double upper = tree.distance(t[0], t[1]) / size.height, lower = tree.distance(t[1], t[2]) / size.height;
        const double drop = height(t[0]) - height(t[2]);
        const bool possible = upper > 0.03 && lower > 0.03 && drop > 0.12 && height(t[2]) < 0.22 &&
                              height(t[0]) > height(t[1]) && height(t[1]) > height(t[2]) && upper < 2.5 * lower &&
                              lower < 2.5 * upper;
        if (!possible && !named(t)) return std::nullopt;
        double score = 2 * std::min(drop, 0.6) - 2 * std::min(2.0, log_square(upper / std::max(lower, 1e-9), 1));
        score -= turns(t[0], t[1]) + turns(t[1], t[2]);
        double toe = 0;
        const Vec3 shin = at(t[2]) - at(t[1]);
        for (const int c : tree.children[static_cast<std::size_t>(t[2])]) {
            if (!tree.kept[static_cast<std::size_t>(c)] || tree.distance(c, t[2]) < 0.007 * size.height) continue;
            const double turn = angle_degrees(shin, at(c) - at(t[2]));
            if (turn > 20 && turn < 130) toe = std::max(toe, std::min(1.0, turn / 50));
        }
        if (!possible) score -= 2;
        return score + 0.5 * toe + said(t);
    }

    std::optional<double> arm(const std::array<int, 3>& t) const {
        const double upper = tree.distance(t[0], t[1]) / size.height, lower = tree.distance(t[1], t[2]) / size.height;
        const double length = upper + lower;
        const double bend = angle_degrees(at(t[1]) - at(t[0]), at(t[2]) - at(t[1]));
        const bool possible = upper > 0.03 && lower > 0.03 && length > 0.12 && length < 1 && bend < 110 &&
                              height(t[0]) > 0.3 && upper < 2.8 * lower && lower < 2.8 * upper;
        if (!possible && !named(t)) return std::nullopt;
        double score = -1.5 * std::min(2.0, log_square(upper / std::max(lower, 1e-9), 1));
        score -= turns(t[0], t[1]) + turns(t[1], t[2]) + 0.6 * std::min(4.0, log_square(length, 0.34));
        if (!possible) score -= 2;
        if (begins_earlier(t)) score -= kBeginsEarlier;
        return score + said(t);
    }

    /// The joint before the upper arm lies on the arm's own line: the arm begins there, unless that is a clavicle.
    bool begins_earlier(const std::array<int, 3>& t) const {
        constexpr double kOneLine = 5;
        for (int p = tree.parent[static_cast<std::size_t>(t[0])]; p >= 0;
             p = tree.parent[static_cast<std::size_t>(p)]) {
            if (tree.distance(p, t[0]) < 0.007 * size.height) continue;
            return angle_degrees(at(t[0]) - at(p), at(t[1]) - at(t[0])) < kOneLine;
        }
        return false;
    }

    std::size_t branches(int joint) const {
        std::size_t count = 0;
        for (const int c : tree.children[static_cast<std::size_t>(joint)])
            count +=
                tree.kept[static_cast<std::size_t>(c)] && !tree.name[static_cast<std::size_t>(c)].auxiliary ? 1 : 0;
        return count;
    }

    /// What hangs from a hand: fingers speak for it, half an arm more speaks against it.
    double behind(const std::array<int, 3>& t) const {
        const auto chains = finger_chains(tree, t[2]);
        double reach = 0;
        for (const auto& chain : chains) reach = std::max(reach, tree.distance(chain.back(), t[2]));
        const double arm = tree.distance(t[0], t[1]) + tree.distance(t[1], t[2]);
        const double beyond = arm > 0 ? std::max(0.0, reach / arm - 0.5) : 0;
        // Where three chains part is a hand, and what lies beyond it a finger.
        bool finger = false;
        for (const int j : tree.between(t[1], t[2])) finger = finger || branches(j) >= 3;
        return (chains.size() >= 3   ? 1.0
                : chains.size() == 2 ? 0.4
                                     : 0.0) -
               (finger ? 1.0 : 0.0) - 2 * std::min(1.0, beyond) +
               std::min(0.5, 3 * tree.subtree_weight[static_cast<std::size_t>(t[0])]);
    }

    std::vector<Limb> candidates() const;
    std::optional<double> pair(const Limb& a, const Limb& b) const;
    std::vector<LimbPair> pairs() const;
};

std::vector<Limb> Search::candidates() const {
    std::vector<Limb> out;
    for (std::size_t i = 0; i < tree.size(); ++i) {
        if (!tree.kept[i]) continue;
        const auto path = tree.path_up(static_cast<int>(i));
        const int top = std::min<int>(static_cast<int>(path.size()), kMaxSteps);
        for (int m = 1; m < top; ++m) {
            for (int a = m + 1; a < top; ++a) {
                const std::array<int, 3> t = {path[static_cast<std::size_t>(a)], path[static_cast<std::size_t>(m)],
                                              path[0]};
                const auto score = kind == Kind::leg ? leg(t) : arm(t);
                if (score) out.push_back({t, *score});
            }
        }
        if (out.size() > kMost) break;
    }
    const auto better = [](const Limb& a, const Limb& b) {
        return a.score > b.score || (a.score == b.score && a.joint < b.joint);
    };
    std::sort(out.begin(), out.end(), better);
    if (out.size() > kKeep) out.resize(kKeep);
    if (kind == Kind::arm) {
        for (Limb& limb : out) limb.score += behind(limb.joint);
        std::sort(out.begin(), out.end(), better);
    }
    return out;
}

std::optional<double> Search::pair(const Limb& a, const Limb& b) const {
    for (const int j : a.joint) {
        for (const int k : b.joint) {
            if (tree.is_above(j, k) || tree.is_above(k, j)) return std::nullopt;
        }
    }
    const auto flat = [&](const Vec3& v) { return Vec3(v - up * v.dot(up)); };
    const Vec3 roots = flat(at(a.joint[0]) - at(b.joint[0])), ends = flat(at(a.joint[2]) - at(b.joint[2]));
    const double apart = roots.norm() / size.height;
    double score = a.score + b.score;
    const double usual = kind == Kind::leg ? 0.12 : 0.22;
    score -= (kind == Kind::leg ? 0.3 : 0.5) * std::min(6.0, log_square(apart, usual));
    if (apart < 0.01) score -= 2;
    if (roots.dot(ends) <= 0) score -= 1;
    for (std::size_t i = 0; i + 1 < 3; ++i) {
        const double here = tree.distance(a.joint[i], a.joint[i + 1]),
                     there = tree.distance(b.joint[i], b.joint[i + 1]);
        score -= 2 * std::min(1.0, std::abs(std::log(std::max(here, 1e-9) / std::max(there, 1e-9))));
        if (tree.depth(a.joint[i + 1]) - tree.depth(a.joint[i]) != tree.depth(b.joint[i + 1]) - tree.depth(b.joint[i]))
            score -= 0.4;
    }
    score -= 3 * std::abs(height(a.joint[0]) - height(b.joint[0]));
    for (std::size_t i = 0; i < 3; ++i) {
        const Side one = tree.name[static_cast<std::size_t>(a.joint[i])].side;
        const Side two = tree.name[static_cast<std::size_t>(b.joint[i])].side;
        if (one != Side::none && one == two) score -= 0.5;
        if (one != Side::none && two != Side::none && one != two) score += 0.1;
    }
    return score;
}

std::vector<LimbPair> Search::pairs() const {
    const auto limbs = candidates();
    std::vector<LimbPair> out;
    for (std::size_t i = 0; i < limbs.size(); ++i) {
        for (std::size_t k = i + 1; k < limbs.size(); ++k) {
            if (const auto score = pair(limbs[i], limbs[k])) out.push_back({{limbs[i], limbs[k]}, *score});
        }
    }
    std::sort(out.begin(), out.end(), [](const LimbPair& a, const LimbPair& b) {
        if (a.score != b.score) return a.score > b.score;
        return std::pair(a.side[0].joint, a.side[1].joint) < std::pair(b.side[0].joint, b.side[1].joint);
    });
    return out;
}

bool share_a_joint(const Tree& tree, const LimbPair& a, const LimbPair& b) {
    for (const Limb& x : a.side) {
        for (const Limb& y : b.side) {
            if (tree.is_above(x.joint[0], y.joint[2]) || tree.is_above(y.joint[0], x.joint[2])) return true;
        }
    }
    return false;
}

/// The best pair, the best one elsewhere, and the next readings of the same limbs.
void take(const Tree& tree, const std::vector<LimbPair>& all, LimbPair& best, LimbPair& other,
          std::vector<LimbPair>& near) {
    if (all.empty()) return;
    best = all.front();
    for (std::size_t i = 1; i < all.size(); ++i) {
        if (!share_a_joint(tree, best, all[i])) {
            if (!other.found()) other = all[i];
        } else if (near.size() < kNear) {
            near.push_back(all[i]);
        }
        if (other.found() && near.size() >= kNear) break;
    }
}

std::vector<LimbPair> arms_for(const Search& search, const Body& body) {
    const Tree& tree = search.tree;
    const int hips = tree.common_ancestor(body.thigh(0), body.thigh(1));
    const double hip_height = (search.height(body.thigh(0)) + search.height(body.thigh(1))) / 2;
    std::vector<LimbPair> out;
    for (const LimbPair& p : search.pairs()) {
        if (share_a_joint(tree, p, body.legs)) continue;
        bool above = true;
        for (const Limb& limb : p.side) {
            above = above && (search.height(limb.joint[0]) > hip_height + 0.08 || search.named(limb.joint));
            above = above && !tree.is_above(limb.joint[0], hips < 0 ? body.thigh(0) : hips);
        }
        if (above) out.push_back(p);
    }
    return out;
}

struct Axis {
    Vec3 up;
    double prior;
};

/// glTF says +Y; exporters that forget to turn leave Z.
const std::array<Axis, 6>& axes() {
    static const std::array<Axis, 6> kAxes = {{{Vec3::UnitY(), 0.8},
                                               {Vec3::UnitZ(), 0.4},
                                               {-Vec3::UnitZ(), 0.1},
                                               {-Vec3::UnitY(), 0},
                                               {Vec3::UnitX(), 0},
                                               {-Vec3::UnitX(), 0}}};
    return kAxes;
}

}  // namespace

std::optional<Body> find_limbs(const Tree& tree, NoBody& why) {
    std::optional<Body> best;
    double best_score = 0;
    bool legs_seen = false;
    for (const Axis& axis : axes()) {
        Body body;
        body.up = axis.up;
        body.size = extent(tree, axis.up);
        if (!(body.size.height > 1e-9)) continue;
        const Search legs{tree, axis.up, body.size, Kind::leg, {"thigh", "calf", "foot"}};
        take(tree, legs.pairs(), body.legs, body.other_legs, body.near_legs);
        if (!body.legs.found()) continue;
        legs_seen = true;
        const Search arms{tree, axis.up, body.size, Kind::arm, {"upperarm", "lowerarm", "hand"}};
        take(tree, arms_for(arms, body), body.arms, body.other_arms, body.near_arms);
        if (!body.arms.found()) continue;
        const double score = body.score() + axis.prior;
        if (!best || score > best_score) {
            best = body;
            best_score = score;
        }
    }
    if (!best) {
        why.reason = legs_seen ? "two legs were found, but no pair of arms above them"
                               : "no pair of chains of three joints goes down to the ground, as legs do";
        why.missing = legs_seen ? std::vector<std::string>{"upperarm", "lowerarm", "hand"}
                                : std::vector<std::string>{"thigh", "calf", "foot"};
    }
    return best;
}

namespace {

std::vector<int> kept_children(const Tree& tree, int joint) {
    std::vector<int> out;
    for (const int c : tree.children[static_cast<std::size_t>(joint)]) {
        if (tree.kept[static_cast<std::size_t>(c)]) out.push_back(c);
    }
    return out;
}

/// One chain for each tip below `top`, up to the last joint that has this chain alone below it; `top` itself is left
/// out.
void chains_below(const Tree& tree, int top, std::vector<std::vector<int>>& out) {
    std::vector<int> open{top};
    while (!open.empty() && out.size() < 64) {
        const int j = open.back();
        open.pop_back();
        const auto next = kept_children(tree, j);
        if (next.empty() && j != top) {
            std::vector<int> chain{j};
            for (int p = tree.parent[static_cast<std::size_t>(j)]; p != top && p >= 0;
                 p = tree.parent[static_cast<std::size_t>(p)]) {
                if (kept_children(tree, p).size() != 1) break;
                chain.push_back(p);
            }
            std::reverse(chain.begin(), chain.end());
            out.push_back(chain);
        }
        for (auto it = next.rbegin(); it != next.rend(); ++it) open.push_back(*it);
    }
}

}  // namespace

std::vector<std::vector<int>> finger_chains(const Tree& tree, int hand) {
    std::vector<std::vector<int>> out;
    chains_below(tree, hand, out);
    const int forearm = tree.parent[static_cast<std::size_t>(hand)];
    if (forearm < 0) return out;
    const double length = tree.distance(forearm, hand);
    for (const int sibling : kept_children(tree, forearm)) {
        if (sibling == hand || tree.name[static_cast<std::size_t>(sibling)].auxiliary || length <= 0) continue;
        const double apart = tree.distance(sibling, hand);
        if (apart < 0.02 * length) {
            chains_below(tree, sibling, out);
        } else if (apart < 0.3 * length && kept_children(tree, sibling).size() == 1) {
            std::vector<int> chain{sibling};
            for (auto next = kept_children(tree, sibling); next.size() == 1; next = kept_children(tree, next.front()))
                chain.push_back(next.front());
            out.push_back(chain);
        }
    }
    return out;
}

}  // namespace helixavatar::rig
