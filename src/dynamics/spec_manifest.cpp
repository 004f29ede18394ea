// SPDX-License-Identifier: MIT
#include "dynamics/spec_manifest.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace helixavatar::dynamics {
namespace {

bool is_vector(const Json& value) {
    return value.is_array() && value.size() == 3 &&
           std::all_of(value.begin(), value.end(), [](const Json& n) { return n.is_number(); });
}

Vec3 vector_of(const Json& value) {
    return {value[0].get<double>(), value[1].get<double>(), value[2].get<double>()};
}

/// A micrometre is enough, and there is no negative zero.
Json json_of(const Vec3& v) {
    Json out = Json::array();
    for (int i = 0; i < 3; ++i) {
        const double six = std::round(v[i] * 1e6) / 1e6;
        if (six == std::round(six))
            out.push_back(static_cast<std::int64_t>(six));
        else
            out.push_back(six);
    }
    return out;
}

/// The horizontal direction along a panel: square to its fall and to the way out from its anchor.
Vec3 tangent(const PlacedChain& chain, const Pose& anchor) {
    const Vec3 fall = chain.points.back() - chain.points.front();
    Vec3 out = chain.points.front() - anchor.translation;
    out.y() = 0;
    const Vec3 across = fall.cross(out);
    return across.norm() > 1e-9 ? Vec3(across.normalized()) : Vec3::UnitX();
}

/// Bone children that the chain does not follow; a fork would end it early.
Json branches(const avatar::Avatar& avatar, const PlacedChain& chain) {
    Json excluded = Json::array();
    for (std::size_t j = 0; j < avatar.joints.size(); ++j) {
        const avatar::Joint& joint = avatar.joints[j];
        const auto own = [&](int bone) {
            return std::find(chain.joints.begin(), chain.joints.end(), bone) != chain.joints.end();
        };
        if (joint.skin && joint.parent >= 0 && own(joint.parent) && !own(static_cast<int>(j)))
            excluded.push_back(joint.name);
    }
    return excluded;
}

Json chain_json(const avatar::Avatar& avatar, const PlacedChain& chain) {
    const ChainSpec& spec = *chain.spec;
    const auto rest = [&](int joint) { return avatar.joints[static_cast<std::size_t>(joint)].rest; };
    const bool fresh = spec.bones.empty();
    // New joints take their anchor's bind orientation.
    const Pose first = fresh ? Pose{chain.points.front(), rest(chain.anchor).rotation} : rest(chain.joints.front());
    const Pose last =
        fresh ? Pose{chain.points[chain.points.size() - 2], rest(chain.anchor).rotation} : rest(chain.joints.back());
    Json feel = spec.feel;
    if (!feel.contains("importance")) feel["importance"] = "normal";
    if (feel.contains("limit") && feel["limit"].is_object()) {
        Json& limit = feel["limit"];
        if (limit.contains("axis") && is_vector(limit["axis"]))
            limit["axis"] = json_of(first.rotation.conjugate() * vector_of(limit["axis"]));
        else if (!limit.contains("axis") && limit.contains("kind") && limit["kind"] == "hinge")
            limit["axis"] =
                json_of(first.rotation.conjugate() * tangent(chain, chain.anchor >= 0 ? rest(chain.anchor) : first));
    }
    Json json = {{"id", spec.id}, {"root", spec.joint_name(0)}};
    constexpr std::array<const char*, 9> kOrder{"importance", "stiffness", "damping", "inertia",  "gravity",
                                                "gravityDir", "limit",     "radius",  "colliders"};
    for (const char* key : kOrder)
        if (feel.contains(key)) json[key] = feel[key];
    // A radius without colliders does nothing and is left out.
    if (json.contains("radius") && !json.contains("colliders")) json.erase("radius");
    json["endpoint"] = json_of(last.inverse() * spec.tip);
    const Json excluded = fresh ? Json::array() : branches(avatar, chain);
    if (!excluded.empty()) json["exclude"] = excluded;
    return json;
}

Json collider_json(const avatar::Avatar& avatar, const Json& spec) {
    Json json = spec;
    const bool on_bone = spec.is_object() && spec.contains("bone") && spec["bone"].is_string();
    const int bone = on_bone ? avatar.find_joint(spec["bone"].get<std::string>()) : -1;
    if (bone < 0) return json;  // the strict parse and the check against the avatar say why
    const Pose back = avatar.joints[static_cast<std::size_t>(bone)].rest.inverse();
    for (const char* key : {"offset", "tail"})
        if (json.contains(key) && is_vector(json[key])) json[key] = json_of(back * vector_of(json[key]));
    if (json.contains("normal") && is_vector(json["normal"]))
        json["normal"] = json_of(back.rotation * vector_of(json["normal"]));
    return json;
}

void put(Json& list, const Json& entry) {
    for (Json& known : list)
        if (known.is_object() && entry.is_object() && known.contains("id") && entry.contains("id") &&
            known["id"] == entry["id"]) {
            known = entry;
            return;
        }
    list.push_back(entry);
}

}  // namespace

Json merged_manifest(const avatar::Avatar& avatar, const ApplySpec& spec, const std::vector<PlacedChain>& placed) {
    Json chains = Json::array(), colliders = Json::array();
    if (avatar.dynamics && avatar.dynamics->is_object()) {
        const Json& had = *avatar.dynamics;
        if (had.contains("chains") && had["chains"].is_array()) chains = had["chains"];
        if (had.contains("colliders") && had["colliders"].is_array()) colliders = had["colliders"];
    }
    for (const PlacedChain& chain : placed) put(chains, chain_json(avatar, chain));
    for (const Json& collider : spec.colliders) put(colliders, collider_json(avatar, collider));
    Json manifest = {{"contract", kContract}, {"chains", std::move(chains)}};
    if (!colliders.empty()) manifest["colliders"] = std::move(colliders);
    manifest["lod"] = {{"minPixels", 14}};
    return manifest;
}

}  // namespace helixavatar::dynamics
