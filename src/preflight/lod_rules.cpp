// SPDX-License-Identifier: MIT
// The LOD scenes against each other.
#include <algorithm>
#include <map>
#include <set>

#include "preflight/checks.hpp"
#include "preflight/json_access.hpp"
#include "preflight/wording.hpp"

namespace helixavatar::preflight {
namespace {

constexpr std::size_t kLevels = 3;

std::set<int> joint_nodes(const Facts& facts, const SceneFacts& scene) {
    std::set<int> nodes;
    for (const int skin : scene.skins) nodes.insert(facts.skins[skin].joints.begin(), facts.skins[skin].joints.end());
    return nodes;
}

/// Names of those of `nodes` that also are in `others`.
std::vector<std::string> shared_names(const Facts& facts, const std::set<int>& nodes, const std::set<int>& others) {
    std::vector<std::string> names;
    for (const int node : nodes) {
        if (others.count(node)) names.push_back(facts.node_label(node));
    }
    return names;
}

const std::string& parent_name(const Facts& facts, int node) {
    static const std::string none;
    const int parent = facts.nodes[node].parent;
    return parent < 0 ? none : facts.nodes[parent].name;
}

void compare_joints(const Facts& facts, std::size_t level, Outcome& outcome) {
    const std::map<std::string, int>& near = facts.scenes[0].joints;
    const std::map<std::string, int>& far = facts.scenes[level].joints;
    std::vector<std::string> missing, extra, moved;
    for (const auto& [name, node] : near) {
        const auto found = far.find(name);
        if (found == far.end())
            missing.push_back(name);
        else if (parent_name(facts, node) != parent_name(facts, found->second))
            moved.push_back(name);
    }
    for (const auto& [name, node] : far) {
        if (!near.count(name)) extra.push_back(name);
    }
    if (missing.empty() && extra.empty() && moved.empty()) return;
    std::string what;
    if (!missing.empty()) what += " lacks " + listed(missing);
    if (!extra.empty()) what += std::string(what.empty() ? "" : " and") + " adds " + listed(extra);
    if (!moved.empty())
        what += std::string(what.empty() ? "" : " and") + " hangs " + listed(moved) + " from another parent";
    Finding& finding =
        outcome.fail(at_scene(facts, level),
                     "The skeleton of " + facts.scene_label(level) + what + " compared with " + facts.scene_label(0) +
                         ": the engine rebinds lower LODs onto LOD0 by joint name, so what hangs "
                         "on them freezes or vanishes at distance.");
    finding.measured = std::to_string(missing.size() + extra.size() + moved.size());
    finding.limit = "0";
    finding.unit = "joints";
    finding.fix = "Give every LOD the same joints, or rebuild the others from LOD0: `helixavatar lod AVATAR -o OUT`.";
}

void compare_manifest(const RuleContext& context, std::size_t level, const char* key, Outcome& outcome) {
    const Json& scenes = list(context.document.json, "scenes");
    const Json& near = member(member(scenes[0], "extras"), key);
    const Json& far = member(member(scenes[level], "extras"), key);
    if (near == far) return;
    const std::string label = context.facts.scene_label(level);
    const std::string pointer = "/scenes/" + std::to_string(level) + "/extras/" + key;
    const Where where{pointer, key, static_cast<int>(level)};
    // ordered_json compares members in order; the engine does not.
    if (nlohmann::json(near) == nlohmann::json(far)) {
        outcome.note(Severity::warning, where,
                     std::string(key) + " of " + label +
                         " equals LOD0's in value but not in the order of "
                         "its keys: write the same bytes on every LOD scene.");
        return;
    }
    const std::string what = far.is_null()    ? label + " has no " + key + " although LOD0 has one"
                             : near.is_null() ? label + " has a " + std::string(key) + " although LOD0 has none"
                                              : std::string(key) + " of " + label + " differs from LOD0's";
    Finding& finding = outcome.fail(where, what + ": the effect changes or stops when the character is farther away.");
    finding.fix = "Write an identical copy of " + std::string(key) + " into extras of every LOD scene.";
}

}  // namespace

void check_lod_count(const RuleContext& context, Outcome& outcome) {
    const std::size_t levels = context.facts.scenes.size();
    if (levels == kLevels) return;
    Finding& finding = outcome.fail({"/scenes", {}, {}}, "The file has " + plural(levels, "scene") +
                                                             "; scene i is LOD i and the "
                                                             "engine expects 3 (it switches at 0, 8 and 15 m).");
    finding.measured = std::to_string(levels);
    finding.limit = "3";
    finding.unit = "scenes";
}

void check_lod_order(const RuleContext& context, Outcome& outcome) {
    const std::vector<SceneFacts>& scenes = context.facts.scenes;
    for (std::size_t i = 1; i < scenes.size(); ++i) {
        if (scenes[i].triangles <= scenes[i - 1].triangles) continue;
        Finding& finding =
            outcome.fail(at_scene(context.facts, i),
                         context.facts.scene_label(i) + " draws " + grouped(scenes[i].triangles) +
                             " triangles, more than the nearer " + context.facts.scene_label(i - 1) + " with " +
                             grouped(scenes[i - 1].triangles) + ": far characters would cost more than near ones.");
        finding.measured = std::to_string(scenes[i].triangles);
        finding.limit = std::to_string(scenes[i - 1].triangles);
        finding.unit = "triangles";
    }
}

void check_lod_shared_skeleton(const RuleContext& context, Outcome& outcome) {
    const Facts& facts = context.facts;
    std::vector<std::set<int>> joints;
    for (const SceneFacts& scene : facts.scenes) joints.push_back(joint_nodes(facts, scene));
    for (std::size_t i = 0; i < joints.size(); ++i) {
        const std::set<int> own(facts.scenes[i].nodes.begin(), facts.scenes[i].nodes.end());
        std::vector<std::string> shared;
        std::size_t with = 0;
        for (std::size_t other = 0; other < i && shared.empty(); ++other) {
            shared = shared_names(facts, joints[i], joints[other]);
            with = other;
        }
        if (!shared.empty()) {
            Finding& finding =
                outcome.fail(at_scene(facts, i),
                             facts.scene_label(i) + " shares " + plural(shared.size(), "joint") + " with " +
                                 facts.scene_label(with) + " (" + listed(shared, 4) +
                                 "): three.js loads one of "
                                 "the two, not predictably which, with undefined bones, and that LOD does not move.");
            finding.measured = std::to_string(shared.size());
            finding.limit = "0";
            finding.unit = "joints";
            continue;
        }
        std::vector<std::string> outside;
        for (const int node : joints[i]) {
            if (!own.count(node)) outside.push_back(facts.node_label(node));
        }
        if (outside.empty()) continue;
        Finding& finding = outcome.fail(at_scene(facts, i), plural(outside.size(), "joint") + " of the skin of " +
                                                                facts.scene_label(i) + " are not in that scene (" +
                                                                listed(outside, 4) +
                                                                "): a loader that builds the scene alone "
                                                                "finds undefined bones [NODE_SKIN_NO_SCENE].");
        finding.measured = std::to_string(outside.size());
        finding.limit = "0";
        finding.unit = "joints";
    }
}

void check_lod_mismatch(const RuleContext& context, Outcome& outcome) {
    for (std::size_t i = 1; i < context.facts.scenes.size(); ++i) {
        compare_joints(context.facts, i, outcome);
        compare_manifest(context, i, "helixDynamics", outcome);
        compare_manifest(context, i, "helixFace", outcome);
    }
}

}  // namespace helixavatar::preflight
