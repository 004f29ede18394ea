// SPDX-License-Identifier: MIT
#include "rig/assign.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

namespace helixavatar::rig {
namespace {

using avatar::BoneMatch;
using avatar::MappedBy;

std::string two_digits(int n) {
    return (n < 10 ? "0" : "") + std::to_string(n);
}

struct Twist {
    int joint;
    double share;  ///< of the way along the bone
};

struct Assigner {
    const Found& found;
    const Tree& tree;
    const Body& body;
    std::map<std::string, BoneMatch> match;
    std::set<int> used;
    std::vector<std::string> notes;

    Side side(int s) const { return s == found.left ? Side::left : Side::right; }
    Side named_side(Side s) const {
        if (!found.names_swapped) return s;
        return s == Side::left ? Side::right : Side::left;
    }
    double said(int joint, const std::string& base, Side s) const { return tree.vote(joint, base, named_side(s)); }

    /// The joint that names would give the role, whatever the geometry says; -1: none.
    int by_name(const std::string& base, Side s) const {
        int best = -1;
        double most = 0.5;
        for (std::size_t i = 0; i < tree.size(); ++i) {
            if (!tree.kept[i] || tree.name[i].auxiliary) continue;
            const double v = said(static_cast<int>(i), base, s) + (tree.weight[i] > 0 ? 0.01 : 0);
            if (v > most) {
                best = static_cast<int>(i);
                most = v;
            }
        }
        return best;
    }

    void put(const std::string& base, Side s, int joint, MappedBy otherwise, const std::string& why, double sure,
             int next = -1, const std::string& next_why = "");
    void limbs();
    void trunk();
    void fingers();
    void twists(const std::string& base, int s, int a, int b, const std::vector<std::pair<std::string, double>>& slots);
    void root();
    void known();
    int next_reading(const std::vector<LimbPair>& near, int s, std::size_t place, int joint, bool legs) const;
};

void Assigner::put(const std::string& base, Side s, int joint, MappedBy otherwise, const std::string& why, double sure,
                   int next, const std::string& next_why) {
    if (joint < 0 || used.count(joint)) return;
    const std::string role = with_side(base, s);
    BoneMatch m;
    m.canonical = role;
    m.source = joint;
    const double name = std::min(1.0, said(joint, base, s));
    m.how = name >= 0.5 ? MappedBy::name : otherwise;
    m.confidence = name >= 0.5 ? std::max(sure, 0.9 + 0.09 * name) : sure;
    m.evidence = name >= 0.5 ? "named " + tree.label(joint) +
                                   (found.family == "unknown" ? "" : " as in " + found.family) + "; " + why
                             : why;
    if (tree.weighted && tree.weight[static_cast<std::size_t>(joint)] > 0) m.evidence += "; carries skin weight";
    m.runner_up = next;
    m.runner_up_evidence = next_why;
    const int rival = by_name(base, s);
    const bool spine = base.rfind("spine", 0) == 0;
    if (rival >= 0 && rival != joint && name < 0.5 && !spine) {
        notes.push_back("the name says that " + tree.label(rival) + " is " + role + ", but " + why + ": " +
                        tree.label(joint) + " was taken");
        m.runner_up = rival;
        m.runner_up_evidence = "by name";
        m.confidence = std::min(m.confidence, 0.6);
    }
    used.insert(joint);
    match[role] = m;
}

/// Another joint that nearly as good a reading of the limbs would put in the place.
int Assigner::next_reading(const std::vector<LimbPair>& near, int s, std::size_t place, int joint, bool legs) const {
    const int top = legs ? body.thigh(s) : body.upperarm(s);
    for (const LimbPair& pair : near) {
        for (const Limb& limb : pair.side) {
            const bool same = tree.is_above(top, limb.joint[2]) || tree.is_above(limb.joint[0], top);
            if (same && limb.joint[place] != joint) return limb.joint[place];
        }
    }
    return -1;
}

void Assigner::limbs() {
    const std::array<const char*, 3> leg = {"thigh", "calf", "foot"}, arm = {"upperarm", "lowerarm", "hand"};
    for (const int s : {0, 1}) {
        const double thigh = tree.distance(body.thigh(s), body.calf(s)),
                     shin = tree.distance(body.calf(s), body.foot(s));
        const double upper = tree.distance(body.upperarm(s), body.lowerarm(s)),
                     fore = tree.distance(body.lowerarm(s), body.hand(s));
        char legs[96], arms[96];
        std::snprintf(legs, sizeof legs, "a leg down to the ground, thigh : shin = %.2f", shin > 0 ? thigh / shin : 0);
        std::snprintf(arms, sizeof arms, "an arm above the legs, upper : fore-arm = %.2f", fore > 0 ? upper / fore : 0);
        for (std::size_t i = 0; i < 3; ++i) {
            const int l = body.legs.side[static_cast<std::size_t>(s)].joint[i],
                      a = body.arms.side[static_cast<std::size_t>(s)].joint[i];
            put(leg[i], side(s), l, MappedBy::geometry, legs, 0.75, next_reading(body.near_legs, s, i, l, true),
                "another reading of the leg");
            put(arm[i], side(s), a, MappedBy::geometry, arms, 0.75, next_reading(body.near_arms, s, i, a, false),
                "another reading of the arm");
        }
    }
}

void Assigner::trunk() {
    put("pelvis", Side::none, body.pelvis, MappedBy::topology, "the joint at the hips that legs and spine hang from",
        0.75, body.other_pelvis, "also near the hips");
    put("head", Side::none, body.head, MappedBy::topology, "the end of the middle chain above the arms", 0.7,
        body.other_head, "on the same chain");
    std::vector<double> along;
    double length = 0;
    for (std::size_t i = 0; i < body.spine.size(); ++i) {
        length += i > 0 ? tree.distance(body.spine[i - 1], body.spine[i]) : 0;
        along.push_back(length);
    }
    const auto slots = spine_slots(along);
    for (std::size_t i = 0; i < slots.size(); ++i) {
        if (slots[i] == 0) continue;
        const std::string text = i + 1 == slots.size()
                                     ? "the last joint between pelvis and neck, which carries the arms"
                                     : "number " + std::to_string(i + 1) + " of " + std::to_string(slots.size()) +
                                           " joints from pelvis to chest";
        // The hierarchy gives the order whatever number the name has; a spine's name still speaks for it being one.
        const int j = body.spine[i];
        double spine = 0;
        for (int n = 1; n <= 5; ++n) spine = std::max(spine, tree.vote(j, "spine_" + two_digits(n)));
        put("spine_" + two_digits(slots[i]), Side::none, j, MappedBy::topology, text, spine >= 0.5 ? 0.95 : 0.75);
    }
    if (!body.neck.empty()) {
        put("neck_01", Side::none, body.neck.front(), MappedBy::topology, "between the arms' owner and the head", 0.75);
        const std::size_t n = body.neck.size();
        if (n >= 2)
            put("neck_02", Side::none, body.neck[n / 2], MappedBy::topology, "between the arms' owner and the head",
                0.7);
    }
    for (const int s : {0, 1}) {
        put("clavicle", side(s), body.clavicle[static_cast<std::size_t>(s)], MappedBy::topology,
            "the joint before the upper arm", 0.75);
        put("ball", side(s), body.ball[static_cast<std::size_t>(s)], MappedBy::geometry,
            "below the ankle, toward the toes", 0.7);
    }
}

void Assigner::fingers() {
    for (const int s : {0, 1}) {
        const Hand& hand = found.hands[static_cast<std::size_t>(s)];
        for (std::size_t f = 0; f < 5; ++f) {
            for (std::size_t n = 0; n < 3; ++n) {
                put(std::string(kFingers[f]) + "_" + two_digits(static_cast<int>(n) + 1), side(s),
                    hand.finger[f].joint[n], hand.finger[f].by_name ? MappedBy::name : MappedBy::geometry,
                    hand.finger[f].by_name ? "its finger's name, and its place in the chain"
                                           : "its place across the palm and in the chain",
                    hand.finger[f].by_name ? 0.85 : 0.65);
            }
        }
        for (const std::string& note : hand.notes) notes.push_back(note);
    }
}

void Assigner::twists(const std::string& base, int s, int a, int b,
                      const std::vector<std::pair<std::string, double>>& slots) {
    if (a < 0 || b < 0) return;
    const Vec3 from = tree.position[static_cast<std::size_t>(a)],
               way = tree.position[static_cast<std::size_t>(b)] - from;
    const double length = way.norm();
    if (!(length > 0)) return;
    std::vector<Twist> candidates;
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const int j = static_cast<int>(i);
        if (!tree.kept[i] || used.count(j) || j == a || !tree.is_above(a, j)) continue;
        const bool in_chain = tree.is_above(j, b);
        const bool leaf = !tree.is_above(b, j) && tree.depth(j) - tree.depth(a) <= 3;
        if (!in_chain && !leaf) continue;
        const bool weighty = tree.weighted && tree.weight[i] > 0;
        if (!tree.name[i].twist && !in_chain && !(weighty && tree.children[i].empty())) continue;
        const Vec3 off = tree.position[i] - from;
        const double share = off.dot(way) / (length * length);
        if (share < -0.02 || share > 0.9 || (off - way * share).norm() > 0.1 * length) continue;
        candidates.push_back({j, share});
    }
    std::set<int> taken;
    for (const auto& [role, where] : slots) {
        const Twist* best = nullptr;
        double best_cost = 0;
        for (const Twist& t : candidates) {
            // The slot must be the nearest one, so that one twist at the elbow does not fill the slot at the shoulder.
            // Half way belongs to the far end, where the twist is larger.
            bool nearest = true;
            for (const auto& [other, place] : slots)
                nearest =
                    nearest && (other == role || std::abs(t.share - place - 0.01) >= std::abs(t.share - where - 0.01));
            const double cost = std::abs(t.share - where - 0.01) - 0.3 * (said(t.joint, role, side(s)) >= 0.5);
            if (!nearest && candidates.size() <= slots.size() && slots.size() > 1 && candidates.size() < 2) continue;
            if (taken.count(t.joint) || (best && cost >= best_cost)) continue;
            best = &t;
            best_cost = cost;
        }
        if (!best) continue;
        taken.insert(best->joint);
        put(role, side(s), best->joint, MappedBy::geometry,
            "on the line of the " + base + ", " + std::to_string(static_cast<int>(std::lround(100 * best->share))) +
                " % along",
            0.7);
    }
}

void Assigner::root() {
    const int named = by_name("root", Side::none);
    int best = named >= 0 && !used.count(named) ? named : -1;
    if (best < 0 && body.pelvis >= 0) {
        for (const int j : tree.path_up(body.pelvis)) {
            if (j != body.pelvis && tree.source->joints[static_cast<std::size_t>(j)].skin && !used.count(j)) best = j;
        }
    }
    put("root", Side::none, best, MappedBy::topology, "above the pelvis", 0.7);
}

/// The user's map, and the file's own, over everything that was found.
void Assigner::known() {
    const auto force = [&](const std::string& role, int joint, MappedBy how, double sure, const std::string& why) {
        for (auto it = match.begin(); it != match.end();)
            it = it->second.source == joint ? match.erase(it) : std::next(it);
        BoneMatch m;
        m.canonical = role;
        if (const auto old = match.find(role); old != match.end() && old->second.source != joint) {
            m.runner_up = old->second.source;
            m.runner_up_evidence = old->second.evidence;
            if (how == MappedBy::name)
                notes.push_back("the file's humanoid map gives " + tree.label(joint) + " as " + role +
                                "; by its place " + tree.label(old->second.source) + " would fit better");
        }
        m.source = joint;
        m.how = how;
        m.confidence = sure;
        m.evidence = why;
        match[role] = m;
    };
    for (const auto& [role, joint] : found.vrm) {
        if (role.rfind("spine", 0) != 0) force(role, joint, MappedBy::name, 0.99, "the file's own humanoid map");
    }
    for (const auto& [role, joint] : found.fixed)
        force(role, joint, MappedBy::override_file, 1, "the bone map says so");
}

}  // namespace

std::vector<int> spine_slots(const std::vector<double>& at) {
    const auto n = at.size();
    std::vector<int> out(n, 0);
    if (n == 0) return out;
    if (n <= 5) {
        for (std::size_t i = 0; i < n; ++i)
            out[i] = n == 1
                         ? 5
                         : static_cast<int>(std::lround(1 + 4.0 * static_cast<double>(i) / static_cast<double>(n - 1)));
        return out;
    }
    out.front() = 1;
    out.back() = 5;
    std::size_t next = 1;
    for (int slot = 2; slot <= 4; ++slot) {
        const double wanted = at.front() + (at.back() - at.front()) * (slot - 1) / 4;
        const std::size_t last = n - 1 - static_cast<std::size_t>(5 - slot);  // leaves a joint for each later slot
        std::size_t best = next;
        for (std::size_t i = next; i <= last; ++i) {
            if (std::abs(at[i] - wanted) < std::abs(at[best] - wanted)) best = i;
        }
        out[best] = slot;
        next = best + 1;
    }
    return out;
}

namespace {

/// True when every joint stands to the one above it as at the canonical rest: the file is an avatar already, and not
/// the rig whose names it bears.
bool at_canonical_rest(const Tree& tree, const skeleton::Skeleton& canonical, const std::map<std::string, int>& at) {
    constexpr double kSame = 0.5;  // degrees
    for (const skeleton::CanonicalJoint& joint : canonical.joints) {
        if (!joint.skin || joint.parent < 0) continue;
        Quat local = joint.local.rotation;
        int above = joint.parent;
        for (; !canonical.joints[static_cast<std::size_t>(above)].skin;
             above = canonical.joints[static_cast<std::size_t>(above)].parent)
            local = canonical.joints[static_cast<std::size_t>(above)].local.rotation * local;
        const auto turn = [&](const std::string& name) {
            return tree.source->joints[static_cast<std::size_t>(at.at(name))].rest.rotation;
        };
        const Quat own = turn(canonical.joints[static_cast<std::size_t>(above)].name).conjugate() * turn(joint.name);
        if (angle_degrees(own, local) > kSame) return false;
    }
    return true;
}

/// The joints of a source that carries the whole canonical skeleton, name by name and in its hierarchy; otherwise
/// empty.
std::map<std::string, int> canonical_joints(const Tree& tree, const skeleton::Skeleton& canonical) {
    std::map<std::string, int> at;
    for (std::size_t j = 0; j < tree.size(); ++j) {
        const int role = canonical.find(tree.label(static_cast<int>(j)));
        if (role < 0 || !canonical.joints[static_cast<std::size_t>(role)].skin) continue;
        if (!at.emplace(tree.label(static_cast<int>(j)), static_cast<int>(j)).second) return {};
    }
    const auto owner = [](int joint, const auto& parent_of, const auto& counts) {
        for (joint = parent_of(joint); joint >= 0 && !counts(joint);) joint = parent_of(joint);
        return joint;
    };
    for (std::size_t c = 0; c < canonical.joints.size(); ++c) {
        if (!canonical.joints[c].skin) continue;
        const auto mine = at.find(canonical.joints[c].name);
        if (mine == at.end()) return {};
        const int above = owner(
            static_cast<int>(c), [&](int j) { return canonical.joints[static_cast<std::size_t>(j)].parent; },
            [&](int j) { return canonical.joints[static_cast<std::size_t>(j)].skin; });
        const int there = owner(
            mine->second, [&](int j) { return tree.parent[static_cast<std::size_t>(j)]; },
            [&](int j) { return at.count(tree.label(j)) > 0; });
        const std::string wanted = above < 0 ? "" : canonical.joints[static_cast<std::size_t>(above)].name;
        if ((there < 0 ? "" : tree.label(there)) != wanted) return {};
    }
    return at;
}

}  // namespace

avatar::BoneMap assign(const Found& found, const skeleton::Skeleton& canonical) {
    Assigner a{found, found.tree, found.body, {}, {}, {}};
    a.limbs();
    a.trunk();
    a.fingers();
    for (const int s : {0, 1}) {
        a.twists("upper arm", s, found.body.upperarm(s), found.body.lowerarm(s),
                 {{"upperarm_twist_01", 1.0 / 3}, {"upperarm_twist_02", 2.0 / 3}});
        a.twists("fore-arm", s, found.body.lowerarm(s), found.body.hand(s),
                 {{"lowerarm_twist_02", 1.0 / 3}, {"lowerarm_twist_01", 2.0 / 3}});
        a.twists("thigh", s, found.body.thigh(s), found.body.calf(s), {{"thigh_twist_01", 1.0 / 3}});
        a.twists("shin", s, found.body.calf(s), found.body.foot(s), {{"calf_twist_01", 2.0 / 3}});
    }
    a.root();
    a.known();
    avatar::BoneMap out;
    out.family = found.family;
    // What already is an avatar is read back joint by joint, however oddly its spine is spaced. A user's map wins.
    if (found.fixed.empty() && found.vrm.empty() && !found.names_swapped) {
        const std::map<std::string, int> whole = canonical_joints(found.tree, canonical);
        if (!whole.empty() && at_canonical_rest(found.tree, canonical, whole)) out.family = canonical.id;
        for (const auto& [role, joint] : whole) {
            BoneMatch m;
            m.canonical = role;
            m.source = joint;
            m.how = MappedBy::name;
            m.confidence = 1;
            m.evidence = "the file carries the canonical skeleton whole";
            a.match[role] = m;
        }
    }
    for (const auto& joint : canonical.joints) {
        if (!joint.skin) continue;
        const auto hit = a.match.find(joint.name);
        BoneMatch m;
        m.canonical = joint.name;
        m.evidence = "no such joint in the file; placed from its neighbours";
        out.matches.push_back(hit == a.match.end() ? m : hit->second);
    }
    out.notes = a.notes;
    return out;
}

}  // namespace helixavatar::rig
