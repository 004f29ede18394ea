// SPDX-License-Identifier: MIT
#include "preflight/rule_context.hpp"

#include "preflight/wording.hpp"

namespace helixavatar::preflight {

Finding& Outcome::add(Severity severity, Where where, std::string message) {
    Finding finding;
    finding.rule = std::string(rule_.id);
    finding.severity = severity;
    finding.where = std::move(where);
    finding.message = std::move(message);
    return findings_.emplace_back(std::move(finding));
}

void Outcome::adopt(Finding finding) {
    finding.rule = std::string(rule_.id);
    findings_.push_back(std::move(finding));
}

bool geometry_known(const RuleContext& context, Outcome& outcome) {
    if (context.facts.readable) return true;
    outcome.not_measured(context.facts.unreadable_why);
    return false;
}

bool skeleton_known(const RuleContext& context, Outcome& outcome) {
    if (!geometry_known(context, outcome)) return false;
    if (!context.facts.scenes.empty() && !context.facts.scenes[0].joints.empty()) return true;
    outcome.not_measured(context.facts.has_skin() ? "LOD0 has no skinned mesh (see no-skin)"
                                                  : "the file has no skin (see no-skin)");
    return false;
}

bool joints_known(const RuleContext& context, Outcome& outcome, const std::vector<std::string>& names,
                  std::vector<int>& joints) {
    if (!skeleton_known(context, outcome)) return false;
    std::vector<std::string> missing;
    joints.clear();
    for (const std::string& name : names) {
        joints.push_back(context.facts.joint(0, name));
        if (joints.back() < 0) missing.push_back(name);
    }
    if (missing.empty()) return true;
    outcome.not_measured("the skin of LOD0 has no joint named " + listed(missing));
    return false;
}

Where at_node(const Facts& facts, int node, std::optional<int> scene) {
    return {"/nodes/" + std::to_string(node), facts.node_label(node), scene};
}

Where at_scene(const Facts& facts, std::size_t scene) {
    return {"/scenes/" + std::to_string(scene), facts.scene_label(scene), static_cast<int>(scene)};
}

}  // namespace helixavatar::preflight
