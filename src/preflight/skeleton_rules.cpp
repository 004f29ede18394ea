// SPDX-License-Identifier: MIT
// Is there a skeleton, is it the right one, and do its frames stand as the clips expect.
#include <algorithm>
#include <cctype>
#include <set>

#include <helixavatar/rig/recognise.hpp>

#include "preflight/checks.hpp"
#include "preflight/wording.hpp"

namespace helixavatar::preflight {
namespace {

// Reference text, "Bones each gate requires".
constexpr const char* kPublishJoints[] = {"root", "pelvis", "spine_01", "head", "hand_l", "hand_r", "foot_l", "foot_r"};
constexpr const char* kBackendMiddle[] = {"pelvis", "spine_01", "spine_03", "spine_05", "neck_01", "head"};
constexpr const char* kBackendSides[] = {"clavicle", "upperarm", "lowerarm", "hand", "thigh", "calf", "foot"};

// Reference text, "Preflight errors", rig-scale.
constexpr double kMaxRigSpan = 10.0;
/// Span of the canonical skeleton's joints, metres.
constexpr double kPersonSpan = 1.65;
// Reference text, "Every publish also runs three guards".
constexpr double kMaxRestDegrees = 100.0;

/// Below this share of the canonical joints, names that fit another family are that family's rig and no damaged avatar.
constexpr double kDamagedAvatarShare = 0.85;
constexpr double kFamilyConfidence = 0.5;

std::vector<std::string> backend_joints() {
    std::vector<std::string> names(std::begin(kBackendMiddle), std::end(kBackendMiddle));
    for (const char* side : {"_l", "_r"}) {
        for (const char* name : kBackendSides) names.push_back(std::string(name) + side);
    }
    return names;
}

template <class Names>
std::vector<std::string> absent(const SceneFacts& scene, const Names& names) {
    std::vector<std::string> missing;
    for (const auto& name : names) {
        if (!scene.joints.count(name)) missing.emplace_back(name);
    }
    return missing;
}

/// "mixamo" → "Mixamo", "ue4_mannequin" → "UE4 mannequin", "vrm0" → "VRM0".
std::string family_title(const std::string& key) {
    std::string title = key;
    std::replace(title.begin(), title.end(), '_', ' ');
    const std::size_t first = std::min(title.find(' '), title.size());
    const bool acronym = title.rfind("ue", 0) == 0 || title.rfind("vrm", 0) == 0 || title.rfind("mmd", 0) == 0 ||
                         title.rfind("cc", 0) == 0 || title.rfind("smpl", 0) == 0;
    for (std::size_t i = 0; i < (acronym ? first : 1) && i < title.size(); ++i) {
        title[i] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[i])));
    }
    return title;
}

std::string article(const std::string& title) {
    return std::string("AEIOU").find(title[0]) != std::string::npos && title.rfind("UE", 0) != 0 ? "an " : "a ";
}

/// The scene's nodes as the import would see them.
std::vector<rig::NodeName> named_nodes(const RuleContext& context, const SceneFacts& scene) {
    std::set<int> joints;
    for (const int skin : scene.skins)
        for (int joint : context.facts.skins[static_cast<std::size_t>(skin)].joints)
            for (; joint >= 0 && joints.insert(joint).second;)
                joint = context.facts.nodes[static_cast<std::size_t>(joint)].parent;
    std::vector<rig::NodeName> out;
    for (const int node : scene.nodes) {
        const std::string& name = context.facts.nodes[static_cast<std::size_t>(node)].name;
        out.push_back(
            {name.empty() ? std::string("node_").append(std::to_string(node)) : name, joints.count(node) > 0});
    }
    return out;
}

/// 0 or 1: the file is a VRM of that version with a humanoid map; -1: none.
int humanoid_map(const RuleContext& context) {
    const gltf::Json& root = context.document.json;
    if (!root.contains("extensions") || !root["extensions"].is_object()) return -1;
    const gltf::Json& extensions = root["extensions"];
    for (const auto& [key, version] : {std::pair("VRMC_vrm", 1), std::pair("VRM", 0)})
        if (extensions.contains(key) && extensions[key].is_object() && extensions[key].contains("humanoid"))
            return version;
    return -1;
}

/// The family of a rig that was never converted, or empty.
std::string raw_family(const RuleContext& context, const SceneFacts& scene) {
    std::size_t canonical = 0, present = 0;
    for (const skeleton::CanonicalJoint& joint : context.skeleton.joints) {
        if (!joint.skin) continue;
        ++canonical;
        present += scene.joints.count(joint.name);
    }
    if (static_cast<double>(present) >= kDamagedAvatarShare * static_cast<double>(canonical)) return {};
    const auto [family, confidence] = rig::guess_family(named_nodes(context, scene), humanoid_map(context));
    return confidence >= kFamilyConfidence && family != "unknown" ? family : std::string();
}

/// "Nearest" names: a joint that differs from the wanted one only in case or separators.
std::string look_alike(const SceneFacts& scene, const std::string& wanted) {
    const auto plain = [](const std::string& name) {
        std::string out;
        for (const char c : name) {
            if (std::isalnum(static_cast<unsigned char>(c)))
                out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
        return out;
    };
    for (const auto& [name, node] : scene.joints) {
        if (plain(name) == plain(wanted)) return name;
    }
    return {};
}

/// "between spine_02 and spine_04", "below lowerarm_l".
std::string neighbours(const skeleton::Skeleton& skeleton, const std::string& name) {
    std::string above, below;
    for (const skeleton::CanonicalJoint& joint : skeleton.joints) {
        const std::string parent = joint.parent < 0 ? "" : skeleton.joints[joint.parent].name;
        if (joint.name == name) above = parent;
        if (parent == name && below.empty()) below = joint.name;
    }
    if (above.empty()) return "at the top, above " + below;
    return below.empty() ? "below " + above : "between " + above + " and " + below;
}

/// What a file has where a joint is missing: another joint, or nothing between its neighbours.
std::string stands_there(const RuleContext& context, const std::string& name) {
    const skeleton::Skeleton& skeleton = context.skeleton;
    const int missing = skeleton.find(name);
    if (missing < 0 || skeleton.joints[missing].parent < 0) return {};
    const std::string& above = skeleton.joints[skeleton.joints[missing].parent].name;
    for (const skeleton::CanonicalJoint& joint : skeleton.joints) {
        if (joint.parent != missing) continue;
        const int below = context.facts.joint(0, joint.name);
        if (below < 0 || context.facts.nodes[below].parent < 0) continue;
        const int there = context.facts.nodes[below].parent;
        const std::string& parent = context.facts.nodes[there].name;
        if (parent == above)
            return ", but " + joint.name + " hangs from " + above + " itself: add one (it needs no weights)";
        if (skeleton.find(parent) < 0) return "; " + context.facts.node_label(there) + " stands there: rename it";
    }
    return {};
}

void report_missing(const RuleContext& context, Outcome& outcome, const char* gate,
                    const std::vector<std::string>& missing) {
    if (missing.empty()) return;
    const SceneFacts& scene = context.facts.scenes[0];
    std::string renames;
    for (const std::string& name : missing) {
        const std::string alike = look_alike(scene, name);
        if (!alike.empty()) renames += (renames.empty() ? " (" : ", ") + alike + " looks like " + name;
    }
    if (!renames.empty()) renames += ")";
    std::string places;
    for (const std::string& name : missing) {
        if (missing.size() > 3 || !look_alike(scene, name).empty()) continue;
        places += " " + name + " belongs " + neighbours(context.skeleton, name) + stands_there(context, name) + ".";
    }
    const Where where{scene.skins.empty() ? "/skins" : "/skins/" + std::to_string(scene.skins[0]),
                      context.facts.scene_label(0), 0};
    Finding& finding =
        outcome.fail(where, std::string("The ") + gate + " refuses this file: its skeleton has no joint named " +
                                listed(missing, 24) + renames + "." + places);
    finding.measured = std::to_string(missing.size()) + " missing";
    finding.limit = "0";
    finding.unit = "joints";
    finding.fix =
        "Give each joint its name in the modelling tool, or rebuild the skeleton from the original "
        "character: `helixavatar import SOURCE -o AVATAR`.";
}

}  // namespace

void check_no_skin(const RuleContext& context, Outcome& outcome) {
    if (context.facts.has_skin()) return;
    Finding& finding = outcome.fail({"/skins", {}, {}},
                                    "No scene draws a skinned mesh: nothing binds the geometry to joints, so "
                                    "no animation can move it. The upload is refused.");
    finding.measured = "0";
    finding.limit = "1";
    finding.unit = "skins";
}

void check_skeleton(const RuleContext& context, Outcome& outcome) {
    const Facts& facts = context.facts;
    if (facts.scenes.empty() || facts.scenes[0].joints.empty()) {
        outcome.not_measured("the file has no skin in its first scene (see no-skin)");
        return;
    }
    const SceneFacts& scene = facts.scenes[0];
    const std::vector<std::string> publish = absent(scene, kPublishJoints);
    const std::vector<std::string> backend = absent(scene, backend_joints());
    if (publish.empty() && backend.empty()) return;
    const std::string family = raw_family(context, scene);
    if (family.empty()) {
        report_missing(context, outcome, "publish preflight", publish);
        report_missing(context, outcome, "backend", backend);
        return;
    }
    const std::string title = family_title(family);
    const std::string command = addressed("helixavatar import AVATAR -o NAME.web.glb", context.file);
    Finding& finding = outcome.fail({"/skins/" + std::to_string(scene.skins[0]), title, 0},
                                    "This is " + article(title) + title + " rig: run `" + command + "` first.");
    finding.measured = title;
    finding.limit = context.skeleton.id;
    finding.unit = "rig";
    finding.fix = "Run `" + command + "`.";
}

void check_rig_scale(const RuleContext& context, Outcome& outcome) {
    if (!skeleton_known(context, outcome)) return;
    for (std::size_t i = 0; i < context.facts.scenes.size(); ++i) {
        Box box;
        for (const int skin : context.facts.scenes[i].skins) {
            for (const int joint : context.facts.skins[skin].joints) box.add(context.facts.position(joint));
        }
        if (box.empty()) continue;
        const double span = (box.high - box.low).maxCoeff();
        if (span <= kMaxRigSpan) continue;
        Finding& finding =
            outcome.fail(at_scene(context.facts, i),
                         "The joints of " + context.facts.scene_label(i) + " span " + fixed(span, 1) + " m, about " +
                             fixed(span / kPersonSpan, 0) + " times those of a person; more than 10 m is refused." +
                             (span > 50 * kPersonSpan ? " The rig is probably in centimetres." : ""));
        finding.fix =
            "Scale skeleton and geometry together: `helixavatar import AVATAR -o OUT --height 1.7` does, and clears "
            "`units` "
            "as well.";
        finding.measured = fixed(span, 2);
        finding.limit = "10";
        finding.unit = "m";
        return;  // farther levels with the same fault say nothing new
    }
}

void check_rest_frames(const RuleContext& context, Outcome& outcome) {
    if (!skeleton_known(context, outcome)) return;
    const Facts& facts = context.facts;
    struct Turned {
        const skeleton::CanonicalJoint* joint;
        int node;
        int scene;
        double degrees;
    };
    std::vector<Turned> turned;
    for (const skeleton::CanonicalJoint& joint : context.skeleton.joints) {
        if (!joint.skin) continue;
        for (std::size_t i = 0; i < facts.scenes.size(); ++i) {
            const int node = facts.joint(i, joint.name);
            if (node < 0) continue;
            const double off = angle_degrees(facts.rotation(node), joint.world.rotation);
            if (off <= kMaxRestDegrees) continue;
            turned.push_back({&joint, node, static_cast<int>(i), off});
            break;  // the same joint in a farther level says nothing new
        }
    }
    if (turned.empty()) return;
    const Turned& worst = *std::max_element(turned.begin(), turned.end(),
                                            [](const Turned& a, const Turned& b) { return a.degrees < b.degrees; });
    const Eigen::Matrix3d is = facts.rotation(worst.node).toRotationMatrix();
    const Eigen::Matrix3d wanted = worst.joint->world.rotation.toRotationMatrix();
    int axis = 0;  // the one that is farthest off shows the fault
    for (int i = 1; i < 3; ++i) {
        if (is.col(i).dot(wanted.col(i)) < is.col(axis).dot(wanted.col(axis))) axis = i;
    }
    std::vector<std::string> names;
    for (const Turned& one : turned) names.push_back(one.joint->name + " " + fixed(one.degrees, 0));
    Finding& finding = outcome.fail(
        at_node(facts, worst.node, worst.scene),
        plural(turned.size(), "joint") + (turned.size() == 1 ? " rests" : " rest") +
            " more than 100 degrees from the canonical frame: " + listed(names) + " degrees. The +" + "XYZ"[axis] +
            " of " + worst.joint->name + " points along " + vector_text(is.col(axis)) + " instead of " +
            vector_text(wanted.col(axis)) + "; clips turn such joints about the wrong axes.");
    finding.measured = fixed(worst.degrees, 1);
    finding.limit = "100";
    finding.unit = "degrees";
    finding.count = turned.size();
    for (const Turned& one : turned) {
        if (&one != &worst && finding.more.size() < 4) finding.more.push_back(at_node(facts, one.node, one.scene));
    }
}

void check_joint_names(const RuleContext& context, Outcome& outcome) {
    for (std::size_t i = 0; i < context.facts.scenes.size(); ++i) {
        // Copies of one fault say nothing new.
        if (i > 0 && context.facts.scenes[i].repeated_joints == context.facts.scenes[0].repeated_joints) continue;
        std::vector<std::string> named, nameless;
        for (const std::string& name : context.facts.scenes[i].repeated_joints) {
            (name.empty() ? nameless : named).push_back(name);
        }
        std::sort(named.begin(), named.end());
        named.erase(std::unique(named.begin(), named.end()), named.end());
        if (!nameless.empty()) {
            outcome.fail(at_scene(context.facts, i),
                         plural(nameless.size() + 1, "joint") + " of " + context.facts.scene_label(i) +
                             " have no name: clips and LOD switches find joints by name alone.");
        }
        if (named.empty()) continue;
        Finding& finding =
            outcome.fail(at_scene(context.facts, i),
                         "Several joints of " + context.facts.scene_label(i) + " share a name: " + listed(named) +
                             ". Clips and LOD switches find joints by name, and move only one of them.");
        finding.measured = std::to_string(named.size());
        finding.limit = "0";
        finding.unit = "names";
    }
}

}  // namespace helixavatar::preflight
