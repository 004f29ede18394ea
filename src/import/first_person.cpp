// SPDX-License-Identifier: MIT
#include "first_person.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <helixavatar/avatar/vrm_meta.hpp>
#include <helixavatar/lod/levels.hpp>

namespace helixavatar::import {
namespace {

using avatar::Avatar;
using avatar::Surface;

// In a material's extras: the copy that keeps its surfaces apart until the head is cut off.
constexpr const char* kMark = "helixavatarThirdPersonOnly";

bool marked(const Avatar& avatar, const Surface& surface) {
    if (surface.material < 0 || static_cast<std::size_t>(surface.material) >= avatar.materials.size()) return false;
    const gltf::Json& json = avatar.materials[static_cast<std::size_t>(surface.material)].json;
    return json.contains("extras") && json["extras"].is_object() && json["extras"].contains(kMark);
}

/// Surfaces go back to the material that theirs was copied from.
void unmark(Avatar& avatar) {
    std::map<int, int> original;
    for (std::size_t m = 0; m < avatar.materials.size(); ++m) {
        gltf::Json& json = avatar.materials[m].json;
        if (!json.contains("extras") || !json["extras"].is_object() || !json["extras"].contains(kMark)) continue;
        const int from = json["extras"][kMark].get<int>();
        json["extras"].erase(kMark);
        if (json["extras"].empty()) json.erase("extras");
        original[static_cast<int>(m)] = from;
    }
    // Copies stand at the end, where they were put.
    while (!avatar.materials.empty() && original.count(static_cast<int>(avatar.materials.size()) - 1))
        avatar.materials.pop_back();
    for (avatar::Level& level : avatar.levels)
        for (Surface& surface : level.surfaces)
            if (const auto found = original.find(surface.material); found != original.end())
                surface.material = found->second;
}

/// True when cutting the head off hides all of these surfaces.
bool all_on_head(const Avatar& avatar, const std::vector<std::size_t>& surfaces) {
    Avatar part;
    part.joints = avatar.joints;
    part.levels.push_back({"", {}, std::nullopt});
    for (const std::size_t s : surfaces) part.levels[0].surfaces.push_back(avatar.levels[0].surfaces[s]);
    part = lod::split_face(std::move(part)).avatar;
    return std::all_of(part.levels[0].surfaces.begin(), part.levels[0].surfaces.end(),
                       [](const Surface& surface) { return surface.body.empty(); });
}

std::string names_of(const Avatar& avatar, const std::vector<std::size_t>& surfaces) {
    std::set<std::string> names;
    for (const std::size_t s : surfaces) names.insert(avatar.levels[0].surfaces[s].name);
    std::string out;
    for (const std::string& name : names) out += (out.empty() ? "\"" : ", \"") + name + "\"";
    return out;
}

}  // namespace

bool keep_third_person_apart(Avatar& avatar, const avatar::Source& source, std::vector<std::string>& warnings) {
    const avatar::VrmFirstPerson said = avatar::vrm_first_person(*source.vrm, source.node_mesh);
    std::vector<Surface>& surfaces = avatar.levels[0].surfaces;
    std::vector<std::size_t> others_only, wearer_only;
    for (std::size_t s = 0; s < surfaces.size() && s < source.surface_origin.size(); ++s) {
        const int mesh = source.node_mesh[static_cast<std::size_t>(source.surface_origin[s].first)];
        if (said.third_person_only.count(mesh)) others_only.push_back(s);
        if (said.first_person_only.count(mesh)) wearer_only.push_back(s);
    }
    if (others_only.size() + wearer_only.size() == surfaces.size()) {
        if (!surfaces.empty())
            warnings.push_back(
                "the VRM hides every mesh from the wearer or from all others: its first-person "
                "annotations were not followed");
        return false;
    }
    const bool apart = !others_only.empty() && !all_on_head(avatar, others_only);
    if (apart) {
        std::map<int, int> copies;
        for (const std::size_t s : others_only) {
            int& material = surfaces[s].material;
            const auto [copy, fresh] = copies.emplace(material, static_cast<int>(avatar.materials.size()));
            if (fresh) {
                avatar.materials.push_back(
                    material < 0 ? avatar::Material{gltf::Json::object(), {}}
                                 : avatar::Material(avatar.materials[static_cast<std::size_t>(material)]));
                gltf::Json& extras = avatar.materials.back().json["extras"];
                if (!extras.is_object()) extras = gltf::Json::object();
                extras[kMark] = material;
            }
            material = copy->second;
        }
    }
    if (wearer_only.empty()) return apart;
    warnings.push_back("meshes that only the wearer should see were left out: " + names_of(avatar, wearer_only));
    for (auto s = wearer_only.rbegin(); s != wearer_only.rend(); ++s)
        surfaces.erase(surfaces.begin() + static_cast<std::ptrdiff_t>(*s));
    return apart;
}

void hide_third_person(Avatar& avatar, std::vector<std::string>& warnings) {
    bool any = false;
    for (avatar::Level& level : avatar.levels)
        for (Surface& surface : level.surfaces) {
            if (!marked(avatar, surface)) continue;
            any = true;
            surface.face.insert(surface.face.end(), surface.body.begin(), surface.body.end());
            surface.body.clear();
        }
    unmark(avatar);
    if (any)
        warnings.push_back(
            "meshes that the VRM hides from the wearer became part of FaceMesh, which is hidden in first "
            "person");
}

void give_up_third_person(Avatar& avatar) {
    unmark(avatar);
}

}  // namespace helixavatar::import
