// SPDX-License-Identifier: MIT
#include <set>

#include <nlohmann/json.hpp>

#include <helixavatar/avatar/manifest_faults.hpp>
#include <helixavatar/dynamics/check.hpp>

namespace helixavatar::dynamics {
namespace {

using avatar::ManifestFaults;
using avatar::ManifestPlace;
using gltf::Json;

constexpr const char* kKey = "helixDynamics";

const Json* manifest_of(const Json& scene) {
    if (!scene.is_object() || !scene.contains("extras") || !scene["extras"].is_object()) return nullptr;
    return scene["extras"].contains(kKey) ? &scene["extras"][kKey] : nullptr;
}

/// Compares as values: key order does not count, 1 equals 1.0.
bool same_value(const Json& a, const Json& b) {
    return nlohmann::json(a) == nlohmann::json(b);
}

void append(Findings& to, Findings from) {
    for (Finding& finding : from) to.push_back(std::move(finding));
}

void collect_names(const Json& list, const char* key, std::set<std::string>& names) {
    if (!list.is_array()) return;
    for (const Json& entry : list) {
        if (!entry.is_object() || !entry.contains(key)) continue;
        const Json& value = entry[key];
        if (value.is_string()) names.insert(value.get<std::string>());
        if (!value.is_array()) continue;
        for (const Json& name : value)
            if (name.is_string()) names.insert(name.get<std::string>());
    }
}

/// Every bone that a manifest names, however faulty the rest of it is.
std::set<std::string> named_bones(const Json& manifest) {
    std::set<std::string> names;
    if (!manifest.is_object()) return names;
    if (manifest.contains("chains")) {
        collect_names(manifest["chains"], "root", names);
        collect_names(manifest["chains"], "exclude", names);
    }
    if (manifest.contains("colliders")) collect_names(manifest["colliders"], "bone", names);
    return names;
}

std::vector<std::set<std::string>> skin_bones(const Json& document) {
    std::vector<std::set<std::string>> skins;
    if (!document.contains("skins") || !document["skins"].is_array()) return skins;
    const Json nodes = document.contains("nodes") ? document["nodes"] : Json::array();
    for (const Json& skin : document["skins"]) {
        std::set<std::string> names;
        if (skin.is_object() && skin.contains("joints") && skin["joints"].is_array()) {
            for (const Json& joint : skin["joints"]) {
                if (!joint.is_number_unsigned() || joint.get<std::size_t>() >= nodes.size()) continue;
                const Json& node = nodes[joint.get<std::size_t>()];
                if (node.is_object() && node.contains("name") && node["name"].is_string())
                    names.insert(node["name"].get<std::string>());
            }
        }
        skins.push_back(std::move(names));
    }
    return skins;
}

/// Bones that one skin has and another lacks; what no skin has is check_against()'s to say.
Findings uneven_skins(const Json& document, const std::set<std::string>& names) {
    ManifestFaults faults("dynamics", std::nullopt);
    const auto skins = skin_bones(document);
    for (const std::string& name : names) {
        bool somewhere = false;
        for (const auto& skin : skins) somewhere = somewhere || skin.count(name) > 0;
        for (std::size_t i = 0; somewhere && i < skins.size(); ++i) {
            if (skins[i].count(name) > 0) continue;
            faults.add(Severity::error, {&document, "/skins/" + std::to_string(i), name}, "absent",
                       "a bone of every skin",
                       "skin " + std::to_string(i) + " lacks this bone, so the chain stops moving on that level",
                       "give every level's skin the same joints");
        }
    }
    return faults.take();
}

}  // namespace

Findings check_scenes(const Json& document) {
    Findings findings;
    if (!document.is_object() || !document.contains("scenes") || !document["scenes"].is_array()) return findings;
    const Json& scenes = document["scenes"];
    const Json* first = nullptr;
    std::vector<const Json*> checked;
    for (const Json& scene : scenes)
        if (!first) first = manifest_of(scene);
    if (!first) return findings;
    for (std::size_t i = 0; i < scenes.size(); ++i) {
        const int index = static_cast<int>(i);
        const std::string at = "/scenes/" + std::to_string(i);
        const Json* manifest = manifest_of(scenes[i]);
        ManifestFaults faults("dynamics", index);
        if (!manifest) {
            faults.add(Severity::error, {&scenes[i], at, {}}, "absent", "the same on every scene",
                       "this level's scene has no helixDynamics, so its physics is lost",
                       "copy the manifest to every scene");
            append(findings, faults.take());
            continue;
        }
        const std::string pointer = at + "/extras/" + kKey;
        const bool equal = same_value(*manifest, *first);
        if (!equal)
            faults.add(Severity::error, {manifest, pointer, {}}, "another manifest", "the same on every scene",
                       "this level's manifest differs from the first level's", "write identical copies on every scene");
        else if (*manifest != *first)
            faults.add(Severity::warning, {manifest, pointer, {}}, "other key order", "identical text",
                       "this level's manifest has the first level's values in another key order",
                       "write identical copies on every scene");
        append(findings, faults.take());
        bool known = false;
        for (const Json* other : checked) known = known || same_value(*other, *manifest);
        if (known) continue;
        checked.push_back(manifest);
        append(findings, check_manifest(*manifest, pointer, index));
    }
    append(findings, uneven_skins(document, named_bones(*first)));
    return findings;
}

}  // namespace helixavatar::dynamics
