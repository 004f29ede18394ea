// SPDX-License-Identifier: MIT
#include "sibling_levels.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string>

namespace helixavatar::lod {

using gltf::Json;

namespace {

constexpr std::size_t kMostLevels = 4;
constexpr const char* kExtension = "MSFT_lod";

using Group = std::vector<int>;  ///< nodes of one part, nearest first

struct LevelName {
    std::string stem;
    int level = 0;
};

/// "Body_LOD1" → {"Body", 1}; nothing for other names.
std::optional<LevelName> level_name(const std::string& name) {
    constexpr std::size_t kTail = 5;  // "_LOD1"
    if (name.size() < kTail || std::isdigit(static_cast<unsigned char>(name.back())) == 0) return std::nullopt;
    std::string tail = name.substr(name.size() - kTail, kTail - 1);
    std::transform(tail.begin(), tail.end(), tail.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (tail.substr(1) != "lod" || std::string("_.- ").find(tail[0]) == std::string::npos) return std::nullopt;
    return LevelName{name.substr(0, name.size() - kTail), name.back() - '0'};
}

class Finder {
public:
    explicit Finder(Json& json) : json_(json), taken_(json["nodes"].size(), false) {}

    std::vector<Group> groups() {
        const std::vector<int> roots = indices(json_["scenes"][0], "nodes");
        const std::vector<int> order = below(roots);
        for (const int n : order) take_extension(n);
        take_names(roots);
        for (const int n : order)
            if (!taken_[static_cast<std::size_t>(n)]) take_names(indices(node(n), "children"));
        return std::move(groups_);
    }

private:
    Json& node(int n) { return json_["nodes"][static_cast<std::size_t>(n)]; }

    std::vector<int> indices(const Json& object, const char* key) const {
        std::vector<int> out;
        const auto found = object.is_object() ? object.find(key) : object.end();
        if (!object.is_object() || found == object.end() || !found->is_array()) return out;
        for (const Json& value : *found)
            if (value.is_number_integer() && value.get<std::int64_t>() >= 0 &&
                value.get<std::uint64_t>() < taken_.size())
                out.push_back(value.get<int>());
        return out;
    }

    /// Nodes at and below, parents first, each once.
    std::vector<int> below(std::vector<int> open) {
        std::vector<int> order;
        std::set<int> seen;
        std::reverse(open.begin(), open.end());
        while (!open.empty()) {
            const int n = open.back();
            open.pop_back();
            if (!seen.insert(n).second) continue;
            order.push_back(n);
            const std::vector<int> children = indices(node(n), "children");
            open.insert(open.end(), children.rbegin(), children.rend());
        }
        return order;
    }

    /// A group whose members neither hold one another nor lie in an earlier group.
    void take(const Group& group) {
        std::set<int> members;
        for (const int n : group)
            for (const int m : below({n}))
                if (taken_[static_cast<std::size_t>(m)] || !members.insert(m).second) return;
        for (const int m : members) taken_[static_cast<std::size_t>(m)] = true;
        groups_.push_back(group);
    }

    void take_extension(int n) {
        const Json& object = node(n);
        if (!object.is_object() || !object.contains("extensions") || !object["extensions"].is_object()) return;
        const auto found = object["extensions"].find(kExtension);
        if (found == object["extensions"].end()) return;
        Group group = {n};
        const std::vector<int> ids = indices(*found, "ids");
        group.insert(group.end(), ids.begin(), ids.end());
        if (group.size() > 1) take(group);
    }

    void take_names(const std::vector<int>& siblings) {
        std::map<std::string, std::map<int, int>> parts;  // stem → level → node
        for (const int n : siblings) {
            if (!node(n).is_object() || !node(n).contains("name") || !node(n)["name"].is_string()) continue;
            const auto named = level_name(node(n)["name"].get<std::string>());
            if (named) parts[named->stem].emplace(named->level, n);
        }
        for (const auto& [stem, levels] : parts) {
            if (levels.size() < 2 || levels.begin()->first != 0) continue;
            Group group;
            for (const auto& [level, n] : levels) group.push_back(n);
            take(group);
        }
    }

    Json& json_;
    std::vector<bool> taken_;
    std::vector<Group> groups_;
};

void remove_from(Json& object, const char* key, const std::set<int>& nodes) {
    if (!object.is_object() || !object.contains(key) || !object[key].is_array()) return;
    Json kept = Json::array();
    for (const Json& value : object[key])
        if (!value.is_number_integer() || nodes.count(value.get<int>()) == 0) kept.push_back(value);
    if (kept.size() == object[key].size()) return;
    if (kept.empty() && std::string(key) == "children")
        object.erase(key);
    else
        object[key] = std::move(kept);
}

bool uses_extension(const Json& json) {
    for (const char* list : {"nodes", "materials"}) {
        if (!json.contains(list) || !json[list].is_array()) continue;
        for (const Json& item : json[list])
            if (item.is_object() && item.contains("extensions") && item["extensions"].is_object() &&
                item["extensions"].contains(kExtension))
                return true;
    }
    return false;
}

void drop_extension(Json& json, const std::vector<Group>& groups) {
    for (const Group& group : groups) {
        Json& node = json["nodes"][static_cast<std::size_t>(group.front())];
        if (!node.contains("extensions") || !node["extensions"].is_object()) continue;
        node["extensions"].erase(kExtension);
        if (node["extensions"].empty()) node.erase("extensions");
    }
    if (uses_extension(json)) return;
    for (const char* key : {"extensionsUsed", "extensionsRequired"}) {
        if (!json.contains(key) || !json[key].is_array()) continue;
        Json& names = json[key];
        names.erase(std::remove(names.begin(), names.end(), Json(kExtension)), names.end());
        if (names.empty()) json.erase(key);
    }
}

}  // namespace

StandIns split_sibling_levels(Json& json) {
    if (!json.contains("scenes") || !json["scenes"].is_array() || json["scenes"].size() != 1 ||
        !json["scenes"][0].is_object() || !json.contains("nodes") || !json["nodes"].is_array())
        return {};
    const std::vector<Group> groups = Finder(json).groups();
    if (groups.empty()) return {};
    std::size_t levels = 1;
    std::set<int> farther;
    for (const Group& group : groups) {
        levels = std::max(levels, std::min(group.size(), kMostLevels));
        farther.insert(group.begin() + 1, group.end());
    }
    for (Json& node : json["nodes"]) remove_from(node, "children", farther);
    remove_from(json["scenes"][0], "nodes", farther);
    drop_extension(json, groups);
    StandIns stand_ins(levels);
    for (std::size_t k = 1; k < levels; ++k) {
        Json scene = json["scenes"][0];
        scene["name"] = "lod" + std::to_string(k + 1);
        json["scenes"].push_back(std::move(scene));
        for (const Group& group : groups) stand_ins[k][group.front()] = group[std::min(k, group.size() - 1)];
    }
    return stand_ins;
}

}  // namespace helixavatar::lod
