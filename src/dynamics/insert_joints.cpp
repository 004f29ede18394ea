// SPDX-License-Identifier: MIT
#include "dynamics/insert_joints.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include <helixavatar/gltf/edit.hpp>

namespace helixavatar::dynamics {
namespace {

constexpr const char* kTool = "helixavatar";
constexpr const char* kMark = "chain";
constexpr std::size_t kMatrixBytes = 64;

Error unfit(const std::string& message, std::size_t skin) {
    return {ErrorKind::unconvertible, message, "/skins/" + std::to_string(skin),
            "run `helixavatar import` on the creator's file first"};
}

Json numbers(const Vec3& v) {
    return Json::array({v.x(), v.y(), v.z()});
}

/// Node of each joint name of a skin.
std::map<std::string, std::size_t> nodes_of(const Json& root, const Json& skin) {
    std::map<std::string, std::size_t> nodes;
    for (const Json& joint : skin.at("joints")) {
        const auto node = joint.get<std::size_t>();
        nodes.emplace(root.at("nodes").at(node).value("name", ""), node);
    }
    return nodes;
}

/// Adds the nodes of one skeleton copy, once for all skins over it; returns them in the joints' order.
Result<std::vector<std::size_t>> add_nodes(Json& root, std::size_t skin, const std::vector<NewJoint>& joints,
                                           std::map<std::pair<std::size_t, std::string>, std::size_t>& made) {
    std::map<std::string, std::size_t> nodes = nodes_of(root, root["skins"][skin]);
    std::vector<std::size_t> added;
    for (const NewJoint& joint : joints) {
        const auto parent = nodes.find(joint.parent);
        if (parent == nodes.end()) return unfit("the skin has no joint " + joint.parent, skin);
        const auto [known, fresh] = made.try_emplace({parent->second, joint.name}, root["nodes"].size());
        if (fresh) {
            Json node = {{"name", joint.name}, {"translation", numbers(joint.local)}};
            if (!joint.mark.empty()) node["extras"][kTool][kMark] = joint.mark;
            root["nodes"].push_back(std::move(node));
            root["nodes"][parent->second]["children"].push_back(known->second);
        }
        nodes[joint.name] = known->second;
        added.push_back(known->second);
    }
    return added;
}

Bytes inverse_binds(const std::vector<NewJoint>& joints) {
    Bytes bytes;
    for (const NewJoint& joint : joints) {
        const Mat4 inverse = Pose{joint.place, joint.rotation}.inverse().matrix();
        for (int i = 0; i < 16; ++i) {
            const auto value = static_cast<float>(inverse(i % 4, i / 4));
            const auto* from = reinterpret_cast<const std::uint8_t*>(&value);
            bytes.insert(bytes.end(), from, from + sizeof value);
        }
    }
    return bytes;
}

}  // namespace

Result<void> insert_joints(gltf::Document& document, const std::vector<NewJoint>& joints) {
    if (joints.empty()) return {};
    Json& root = document.json;
    std::map<std::pair<std::size_t, std::string>, std::size_t> made;
    std::set<std::size_t> grown;  // accessors of matrices that have theirs
    const Bytes matrices = inverse_binds(joints);
    for (std::size_t s = 0; s < root["skins"].size(); ++s) {
        Json& skin = root["skins"][s];
        const std::size_t count = skin["joints"].size();
        const auto accessor = skin["inverseBindMatrices"].get<std::size_t>();
        const auto place = gltf::place_of(document, accessor);
        if (!place) return place.error();
        const std::size_t had = place->count - (grown.count(accessor) > 0 ? joints.size() : 0);
        if (had != count) return unfit("the skin has not one inverse bind matrix for each joint", s);
        if (place->stride != kMatrixBytes) return unfit("the inverse bind matrices stand among other data", s);
        Result<std::vector<std::size_t>> nodes = add_nodes(root, s, joints, made);
        if (!nodes) return nodes.error();
        for (const std::size_t node : *nodes) root["skins"][s]["joints"].push_back(node);
        if (!grown.insert(accessor).second) continue;
        const auto view = root["accessors"][accessor]["bufferView"].get<std::size_t>();
        gltf::insert_bytes(document, view, place->offset + place->count * kMatrixBytes, matrices);
        root["accessors"][accessor]["count"] = place->count + joints.size();
        for (const char* bound : {"min", "max"}) root["accessors"][accessor].erase(bound);
    }
    return {};
}

std::vector<std::vector<int>> joints_in_skins(const gltf::Document& document, const avatar::Avatar& avatar,
                                              const std::vector<std::string>& names) {
    std::vector<std::string> all;
    for (const avatar::Joint& joint : avatar.joints) all.push_back(joint.name);
    all.insert(all.end(), names.begin(), names.end());
    std::vector<std::vector<int>> skins;
    for (const Json& skin : document.json.at("skins")) {
        std::map<std::string, int> place;
        for (std::size_t i = 0; i < skin.at("joints").size(); ++i)
            place.emplace(document.json["nodes"].at(skin["joints"][i].get<std::size_t>()).value("name", ""),
                          static_cast<int>(i));
        std::vector<int> row;
        for (const std::string& name : all) {
            const auto found = place.find(name);
            row.push_back(found == place.end() ? -1 : found->second);
        }
        skins.push_back(std::move(row));
    }
    return skins;
}

Result<std::optional<std::string>> mark_of(const gltf::Document& document, const std::string& name) {
    std::optional<std::string> mark;
    std::size_t having = 0;
    const Json& skins = document.json.at("skins");
    for (const Json& skin : skins) {
        const auto nodes = nodes_of(document.json, skin);
        const auto found = nodes.find(name);
        if (found == nodes.end()) continue;
        ++having;
        const Json& node = document.json["nodes"][found->second];
        const Json::json_pointer at = Json::json_pointer("/extras") / kTool / kMark;
        mark = node.contains(at) && node[at].is_string() ? node[at].get<std::string>() : std::string();
    }
    if (having > 0 && having < skins.size())
        return Error{ErrorKind::unconvertible, "only some levels have the joint " + name, "/skins",
                     "apply the spec to the file before it got that joint"};
    return mark;
}

}  // namespace helixavatar::dynamics
