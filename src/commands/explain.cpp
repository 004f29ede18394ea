// SPDX-License-Identifier: MIT
#include "explain.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace helixavatar::commands {
namespace {

std::string padded(std::string text, std::size_t width) {
    if (text.size() < width) text.resize(width, ' ');
    return text;
}

std::string percent(double share) {
    return std::to_string(static_cast<int>(std::lround(share * 100))) + " %";
}

}  // namespace

std::string explain_mapping(const import::Understood& understood) {
    const avatar::BoneMap& map = understood.recognition.map;
    const auto& joints = understood.source.avatar.joints;
    std::string text = "rig family  " + map.family + " (" + percent(map.family_confidence) + ")\n\n";
    std::size_t canonical_width = 9;
    std::size_t source_width = 6;
    for (const avatar::BoneMatch& match : map.matches) {
        canonical_width = std::max(canonical_width, match.canonical.size());
        if (match.source >= 0) source_width = std::max(source_width, joints[match.source].name.size());
    }
    text +=
        padded("canonical", canonical_width) + "  " + padded("source", source_width) + "  how        sure   evidence\n";
    for (const avatar::BoneMatch& match : map.matches) {
        text += padded(match.canonical, canonical_width) + "  " +
                padded(match.source < 0 ? "-" : joints[match.source].name, source_width) + "  " +
                padded(avatar::to_string(match.how), 9) + "  " + padded(percent(match.confidence), 5) + "  " +
                match.evidence;
        if (match.runner_up >= 0)
            text += "; next: " + joints[match.runner_up].name +
                    (match.runner_up_evidence.empty() ? "" : " (" + match.runner_up_evidence + ")");
        text += "\n";
    }
    for (const std::string& note : map.notes) text += "note: " + note + "\n";
    return text;
}

std::string joint_tree(const import::Understood& understood) {
    const auto& joints = understood.source.avatar.joints;
    std::vector<std::string> canonical(joints.size());
    for (const avatar::BoneMatch& match : understood.recognition.map.matches)
        if (match.source >= 0)
            canonical[match.source] += (canonical[match.source].empty() ? "" : ", ") + match.canonical;
    std::vector<std::vector<int>> children(joints.size());
    std::vector<int> roots;
    for (std::size_t j = 0; j < joints.size(); ++j) {
        if (joints[j].parent < 0)
            roots.push_back(static_cast<int>(j));
        else
            children[joints[j].parent].push_back(static_cast<int>(j));
    }
    // Only what leads to a joint of the skeleton; meshes and empties would drown the tree.
    std::vector<bool> shown(joints.size(), false);
    for (std::size_t j = joints.size(); j-- > 0;) {
        shown[j] = shown[j] || joints[j].skin || !canonical[j].empty();
        if (shown[j] && joints[j].parent >= 0) shown[joints[j].parent] = true;
    }
    std::string text;
    std::vector<std::pair<int, int>> open;
    for (auto it = roots.rbegin(); it != roots.rend(); ++it) open.emplace_back(*it, 0);
    while (!open.empty()) {
        const auto [joint, depth] = open.back();
        open.pop_back();
        if (!shown[joint]) continue;
        const std::string name =
            std::string(2 * static_cast<std::size_t>(std::min(depth, 40)), ' ') + joints[joint].name;
        text += canonical[joint].empty() ? name + "\n" : padded(name, 44) + " -> " + canonical[joint] + "\n";
        for (auto it = children[joint].rbegin(); it != children[joint].rend(); ++it) open.emplace_back(*it, depth + 1);
    }
    return text;
}

}  // namespace helixavatar::commands
