// SPDX-License-Identifier: MIT
#include "rig/overrides.hpp"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include <helixavatar/rig/recognise.hpp>

namespace helixavatar::rig {
namespace {

Error wrong(const std::string& key, const std::string& message, const std::string& hint) {
    return {ErrorKind::usage, message, "bone map, \"" + key + "\"", hint};
}

/// How many letters differ (Levenshtein), with long names cut.
std::size_t edits(const std::string& a, const std::string& b) {
    const std::size_t n = std::min<std::size_t>(a.size(), 64), m = std::min<std::size_t>(b.size(), 64);
    std::vector<std::size_t> row(m + 1);
    for (std::size_t k = 0; k <= m; ++k) row[k] = k;
    for (std::size_t i = 1; i <= n; ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t k = 1; k <= m; ++k) {
            const std::size_t above = row[k];
            row[k] = std::min({above + 1, row[k - 1] + 1, diagonal + (a[i - 1] == b[k - 1] ? 0u : 1u)});
            diagonal = above;
        }
    }
    return row[m];
}

std::string nearest(const std::string& wanted, const std::vector<std::string>& names) {
    std::vector<std::pair<std::size_t, std::string>> ranked;
    for (const std::string& name : names) ranked.emplace_back(edits(wanted, name), name);
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string out;
    for (std::size_t i = 0; i < ranked.size() && i < 3; ++i) out.append(i ? ", " : "").append(ranked[i].second);
    return out;
}

std::vector<std::string> canonical_names(const skeleton::Skeleton& canonical) {
    std::vector<std::string> out;
    for (const auto& joint : canonical.joints) {
        if (joint.skin) out.push_back(joint.name);
    }
    return out;
}

bool ends_with_path(const Tree& tree, int joint, std::string path) {
    for (int j = joint; j >= 0; j = tree.parent[static_cast<std::size_t>(j)]) {
        const std::string& name = tree.label(j);
        if (path == name) return true;
        const std::string tail = "/" + name;
        if (path.size() <= tail.size() || path.compare(path.size() - tail.size(), tail.size(), tail) != 0) return false;
        path.resize(path.size() - tail.size());
    }
    return path.empty();
}

std::vector<int> joints_called(const Tree& tree, const std::string& text) {
    std::vector<int> exact, skin, by_path;
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const int j = static_cast<int>(i);
        if (tree.label(j) == text) {
            exact.push_back(j);
            if (tree.source->joints[i].skin) skin.push_back(j);
        } else if (ends_with_path(tree, j, text)) {
            by_path.push_back(j);
        }
    }
    if (skin.size() == 1) return skin;
    return exact.empty() ? by_path : exact;
}

}  // namespace

std::string unique_path(const Tree& tree, int joint) {
    std::string path = tree.label(joint);
    for (int p = tree.parent[static_cast<std::size_t>(joint)]; joints_called(tree, path).size() > 1 && p >= 0;
         p = tree.parent[static_cast<std::size_t>(p)])
        path.insert(0, tree.label(p) + "/");
    return path;
}

Result<std::map<std::string, int>> resolve_overrides(const Tree& tree, const skeleton::Skeleton& canonical,
                                                     const std::map<std::string, std::string>& overrides) {
    std::map<std::string, int> out;
    std::map<int, std::string> taken;
    for (const auto& [key, value] : overrides) {
        const int role = canonical.find(key);
        if (role < 0 || !canonical.joints[static_cast<std::size_t>(role)].skin) {
            return wrong(key, "\"" + key + "\" is no joint of " + canonical.id,
                         "nearest: " + nearest(key, canonical_names(canonical)));
        }
        const auto found = joints_called(tree, value);
        if (found.empty()) {
            std::vector<std::string> labels;
            for (std::size_t i = 0; i < tree.size(); ++i) {
                if (tree.kept[i]) labels.push_back(tree.label(static_cast<int>(i)));
            }
            return wrong(key, "the file has no joint \"" + value + "\"", "nearest: " + nearest(value, labels));
        }
        if (found.size() > 1) {
            std::string paths;
            for (std::size_t i = 0; i < found.size() && i < 4; ++i)
                paths.append(i ? ", " : "").append(unique_path(tree, found[i]));
            return wrong(key, std::to_string(found.size()) + " joints are called \"" + value + "\"",
                         "give the end of the path instead: " + paths);
        }
        const auto [other, fresh] = taken.emplace(found.front(), key);
        if (!fresh) {
            return wrong(key, "\"" + value + "\" is already given to " + other->second,
                         "one source joint can play one canonical joint");
        }
        out[key] = found.front();
    }
    return out;
}

Result<std::map<std::string, std::string>> parse_bone_map(std::string_view json_text,
                                                          const skeleton::Skeleton& canonical) {
    std::map<std::string, std::string> out;
    const auto json = nlohmann::json::parse(json_text, nullptr, false);
    const std::string hint = "a bone map is a JSON object: {\"upperarm_l\": \"L_UpArm\", \"hand_l\": \"Arm/L_Hand\"}";
    if (!json.is_object()) return Error{ErrorKind::usage, "the bone map is no JSON object", "bone map", hint};
    for (const auto& [key, value] : json.items()) {
        const int role = canonical.find(key);
        if (role < 0 || !canonical.joints[static_cast<std::size_t>(role)].skin) {
            return wrong(key, "\"" + key + "\" is no joint of " + canonical.id,
                         "nearest: " + nearest(key, canonical_names(canonical)));
        }
        if (!value.is_string()) return wrong(key, "the value of \"" + key + "\" is no text", hint);
        // The template leaves open what nobody has filled in.
        if (const auto text = value.get<std::string>(); !text.empty()) out[key] = text;
    }
    return out;
}

}  // namespace helixavatar::rig
