// SPDX-License-Identifier: MIT
#include "rig/refusal.hpp"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include <helixavatar/rig/recognise.hpp>

#include "rig/overrides.hpp"

namespace helixavatar::rig {
namespace {

constexpr std::size_t kTreeLines = 120;
constexpr double kSure = 0.55;

/// Required joints, filled in where the guess is fit to be kept.
std::string bone_map_template(const Tree& tree, const avatar::BoneMap& so_far) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const std::string& role : required_joints()) {
        const avatar::BoneMatch* match = so_far.find(role);
        const bool sure = match && match->source >= 0 && match->confidence >= kSure;
        json[role] = sure ? unique_path(tree, match->source) : "";
    }
    return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string joint_tree(const Tree& tree, const avatar::BoneMap& so_far) {
    std::map<int, std::string> roles;
    for (const avatar::BoneMatch& match : so_far.matches) {
        if (match.source >= 0) roles[match.source] = match.canonical;
    }
    std::string out;
    std::size_t lines = 0, hidden = 0;
    std::vector<int> open;
    for (std::size_t i = tree.size(); i-- > 0;) {
        if (tree.parent[i] < 0) open.push_back(static_cast<int>(i));
    }
    while (!open.empty()) {
        const int j = open.back();
        open.pop_back();
        const auto& children = tree.children[static_cast<std::size_t>(j)];
        for (auto it = children.rbegin(); it != children.rend(); ++it) open.push_back(*it);
        if (!tree.kept[static_cast<std::size_t>(j)]) continue;
        if (lines >= kTreeLines) {
            ++hidden;
            continue;
        }
        ++lines;
        out += std::string(static_cast<std::size_t>(std::min(tree.depth(j), 30)), ' ') + tree.label(j).substr(0, 60);
        if (const auto role = roles.find(j); role != roles.end()) out += "  <- " + role->second;
        out += "\n";
    }
    if (hidden > 0) out += "... and " + std::to_string(hidden) + " more joints\n";
    return out;
}

}  // namespace

Error refuse(const Tree& tree, const std::string& reason, const std::vector<Doubt>& doubts,
             const avatar::BoneMap& so_far) {
    Error error;
    error.kind = ErrorKind::unconvertible;
    error.message = reason;
    for (std::size_t i = 0; i < doubts.size() && i < 6; ++i) {
        const Doubt& doubt = doubts[i];
        error.message += "; " + doubt.canonical + ": " + doubt.reason;
        for (std::size_t k = 0; k < doubt.nearest.size() && k < 3; ++k)
            error.message += (k == 0 ? " (nearest: " : ", ") + tree.label(doubt.nearest[k]).substr(0, 60);
        if (!doubt.nearest.empty()) error.message += ")";
        if (i > 0) error.where += ", ";
        error.where += doubt.canonical;
    }
    if (doubts.size() > 6) error.message += "; and " + std::to_string(doubts.size() - 6) + " more";
    error.hint =
        "if it is a humanoid, save this as bones.json, fill in the open joints (name, or end of the path where a name "
        "occurs twice) and pass --bone-map bones.json:\n" +
        bone_map_template(tree, so_far) + "\njoints of the file:\n" + joint_tree(tree, so_far);
    return error;
}

}  // namespace helixavatar::rig
