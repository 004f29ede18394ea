// SPDX-License-Identifier: MIT
#include <helixavatar/rig/recognise.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "rig/ambiguity.hpp"
#include "rig/assign.hpp"
#include "rig/body.hpp"
#include "rig/facing.hpp"
#include "rig/hands.hpp"
#include "rig/overrides.hpp"
#include "rig/refusal.hpp"
#include "rig/tree.hpp"

namespace helixavatar::rig {
namespace {

constexpr double kKnownByFile = 8, kKnownByUser = 20;
/// Below these no pair of limbs looks like a person's.
constexpr double kLeastLegs = 0.3, kLeastArms = -2.5;

std::vector<Doubt> both_sides(const std::vector<std::string>& bases, const std::string& reason) {
    std::vector<Doubt> out;
    for (const std::string& base : bases) {
        out.push_back({base + "_l", reason, {}});
        out.push_back({base + "_r", reason, {}});
    }
    return out;
}

/// The file's humanoid map in canonical terms. VRM 0 and 1 call the thumb's joints by each other's words.
std::map<std::string, int> from_vrm(const RecogniseOptions& options, std::size_t joints) {
    std::map<std::string, int> out;
    if (options.vrm_humanoid.empty()) return out;
    const std::string key = options.vrm_version == 0 ? "vrm0" : "vrm1";
    for (const Family& family : family_tables()) {
        if (family.key != key) continue;
        for (const FamilyName& entry : family.names) {
            for (const auto& [bone, joint] : options.vrm_humanoid) {
                const JointName name = read_name(bone);
                const bool same = name.key == entry.name.key && name.side == entry.name.side;
                if (same && joint >= 0 && static_cast<std::size_t>(joint) < joints) out[entry.role] = joint;
            }
        }
    }
    return out;
}

/// Limbs, with feet hung below their shins where an IK rig left them under its root.
std::optional<Body> limbs(Tree& tree, NoBody& why) {
    std::optional<Body> best = find_limbs(tree, why);
    for (const Vec3& up : {Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ()), Vec3(-Vec3::UnitZ()), Vec3(-Vec3::UnitY()),
                           Vec3(Vec3::UnitX()), Vec3(-Vec3::UnitX())}) {
        Tree mended = tree;
        adopt_feet(mended, up);
        if (mended.notes.size() == tree.notes.size()) continue;
        NoBody also;
        const std::optional<Body> other = find_limbs(mended, also);
        if (!other || (best && other->score() <= best->score())) continue;
        best = other;
        tree = std::move(mended);
        break;
    }
    return best;
}

/// Where chains are broken, names alone may still tell every limb.
std::optional<Body> limbs_by_name(const Tree& tree) {
    Body body;
    const std::array<const char*, 3> leg = {"thigh", "calf", "foot"}, arm = {"upperarm", "lowerarm", "hand"};
    for (const std::size_t s : {std::size_t{0}, std::size_t{1}}) {
        for (std::size_t i = 0; i < 3; ++i) {
            const auto find = [&](const char* base) {
                int best = -1;
                double most = 0.6;
                for (std::size_t j = 0; j < tree.size(); ++j) {
                    if (!tree.kept[j] || tree.name[j].auxiliary) continue;
                    const double v = tree.vote(static_cast<int>(j), base, s == 0 ? Side::left : Side::right) +
                                     (tree.weight[j] > 0 ? 0.01 : 0);
                    if (v > most) {
                        most = v;
                        best = static_cast<int>(j);
                    }
                }
                return best;
            };
            body.legs.side[s].joint[i] = find(leg[i]);
            body.arms.side[s].joint[i] = find(arm[i]);
            if (body.legs.side[s].joint[i] < 0 || body.arms.side[s].joint[i] < 0) return std::nullopt;
        }
    }
    body.legs.score = body.arms.score = 1;
    double best = 0;
    for (const Vec3& up : {Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ()), Vec3(-Vec3::UnitY()), Vec3(-Vec3::UnitZ()),
                           Vec3(Vec3::UnitX()), Vec3(-Vec3::UnitX())}) {
        const double rise = tree.height(body.upperarm(0), up) + tree.height(body.upperarm(1), up) -
                            tree.height(body.foot(0), up) - tree.height(body.foot(1), up);
        if (rise > best * 1.05) {
            best = rise;
            body.up = up;
        }
    }
    body.size = extent(tree, body.up);
    if (!(best > 0) || !(body.size.height > 0)) return std::nullopt;
    body.notes.push_back("the joints do not form a body's chains; arms and legs were taken by their names alone");
    return body;
}

/// Why the body is no person's, or nothing.
std::string not_a_person(const Tree& tree, const Body& body) {
    const auto at = [&](int j) { return tree.position[static_cast<std::size_t>(j)]; };
    const Vec3 hips = (at(body.thigh(0)) + at(body.thigh(1))) / 2,
               shoulders = (at(body.upperarm(0)) + at(body.upperarm(1))) / 2;
    const double lean = angle_degrees(shoulders - hips, body.up);
    const auto height = [&](int j) { return (tree.height(j, body.up) - body.size.floor) / body.size.height; };
    const bool on_ground = height(body.hand(0)) < 0.15 && height(body.hand(1)) < 0.15;
    if (lean > 55 && on_ground) return "four legs on the ground and a level back: an animal, not a person";
    if (lean > 65) return "the shoulders lie beside the hips, not above them";
    if (on_ground && height(body.upperarm(0)) < 1.3 * height(body.thigh(0)))
        return "both pairs of limbs reach the ground from one height, as an animal's do";
    if (body.legs.score < kLeastLegs || body.arms.score < kLeastArms)
        return "the chains that come nearest do not have the proportions of arms and legs";
    return "";
}

std::vector<Doubt> missing(const avatar::BoneMap& map) {
    std::vector<Doubt> out;
    for (const std::string& role : required_joints()) {
        const avatar::BoneMatch* match = map.find(role);
        if (match && match->source >= 0) continue;
        Doubt doubt{role, "no joint of the file fits", {}};
        if (match && match->runner_up >= 0) doubt.nearest.push_back(match->runner_up);
        out.push_back(doubt);
    }
    return out;
}

/// The guess without what is in doubt, for a template that holds only what is sure.
avatar::BoneMap without(avatar::BoneMap map, const std::vector<Doubt>& doubts) {
    for (const Doubt& doubt : doubts)
        for (avatar::BoneMatch& match : map.matches)
            if (match.canonical == doubt.canonical) match.source = -1;
    return map;
}

/// Sides 0 and 1 as left and right when nobody can tell, so that a template can show the limbs.
Found as_found(const Tree& tree, const Body& body, const std::string& family) {
    return Found{tree, body, {}, 0, false, family, {}, {}};
}

}  // namespace

Result<Recognition> recognise(const avatar::Avatar& source, const skeleton::Skeleton& canonical,
                              const RecogniseOptions& options) {
    Tree tree = grow_tree(source);
    const auto fixed = resolve_overrides(tree, canonical, options.overrides);
    if (!fixed) return fixed.error();
    std::map<std::string, int> vrm = from_vrm(options, tree.size());
    for (const auto& [role, joint] : vrm) tree.know(joint, role, kKnownByFile);
    for (const auto& [role, joint] : *fixed) {
        vrm.erase(role);
        for (auto it = vrm.begin(); it != vrm.end();) it = it->second == joint ? vrm.erase(it) : std::next(it);
        tree.know(joint, role, kKnownByUser);
    }
    const auto [family, family_confidence] =
        best_family(tree.family_score, options.vrm_humanoid.empty() ? -1 : options.vrm_version);

    avatar::BoneMap nothing;
    nothing.family = family;
    NoBody why;
    std::optional<Body> body = limbs(tree, why);
    if (!body) body = limbs_by_name(tree);
    if (!body)
        return refuse(tree, "no humanoid was found: " + why.reason, both_sides(why.missing, "not found"), nothing);
    align_sides(tree, *body);
    find_trunk(tree, *body);

    Found found = as_found(tree, *body, family);
    if (fixed->empty() && vrm.empty())
        if (const std::string reason = not_a_person(tree, *body); !reason.empty())
            return refuse(tree, "no humanoid was found: " + reason, {}, nothing);
    std::array<int, 2> thumbs = {-1, -1};
    for (const std::size_t s : {std::size_t{0}, std::size_t{1}}) {
        found.hands[s] = find_fingers(tree, body->lowerarm(static_cast<int>(s)), body->hand(static_cast<int>(s)));
        thumbs[s] = found.hands[s].finger[0].joint[0];
    }
    const Facing facing = find_facing(tree, *body, thumbs, options.vrm_humanoid.empty() ? -1 : options.vrm_version);
    if (facing.left < 0) {
        return refuse(
            tree,
            "nothing tells the character's left from its right: no toes, feet, face, bent knees or names that agree",
            both_sides({"upperarm", "thigh"}, "either side"), nothing);
    }
    found.left = facing.left;
    found.names_swapped = facing.names_swapped;
    found.fixed = *fixed;
    found.vrm = vrm;

    Recognition out;
    out.map = assign(found, canonical);
    if (vrm.empty()) {
        std::set<std::string> settled;
        for (const auto& [role, joint] : *fixed) settled.insert(role);
        if (const auto doubts = ambiguous(tree, *body, found.left, settled); !doubts.empty())
            return refuse(tree, "joints that every avatar needs are ambiguous", doubts, without(out.map, doubts));
    }
    out.map.family_confidence = out.map.family == canonical.id ? 1 : family_confidence;
    for (const std::vector<std::string>* notes :
         {&std::as_const(tree.notes), &std::as_const(body->notes), &facing.frame.notes})
        out.map.notes.insert(out.map.notes.end(), notes->begin(), notes->end());
    out.frame = facing.frame;
    if (const auto doubts = missing(out.map); !doubts.empty())
        return refuse(tree, "joints that every avatar needs are missing", doubts, out.map);
    return out;
}

const std::vector<std::string>& required_joints() {
    // Clavicles, neck, the other spines, toes and fingers can be placed at canonical proportions; these cannot.
    static const std::vector<std::string> kRequired = {"pelvis", "spine_05",   "head",       "upperarm_l", "lowerarm_l",
                                                       "hand_l", "upperarm_r", "lowerarm_r", "hand_r",     "thigh_l",
                                                       "calf_l", "foot_l",     "thigh_r",    "calf_r",     "foot_r"};
    return kRequired;
}

}  // namespace helixavatar::rig
