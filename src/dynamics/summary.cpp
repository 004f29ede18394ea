// SPDX-License-Identifier: MIT
#include <cmath>

#include <helixavatar/dynamics/check.hpp>
#include <helixavatar/dynamics/manifest.hpp>

#include "dynamics/carried_vertices.hpp"

namespace helixavatar::dynamics {

Summary summarise(const Json& json, const avatar::Avatar* avatar) {
    const auto manifest = read_manifest(json);
    Summary summary;
    summary.exact = avatar != nullptr;
    if (!manifest) return summary;
    std::vector<Walk> walks;
    for (const Chain& chain : manifest->chains) walks.push_back(avatar ? walk(*avatar, chain) : Walk{});
    const CarriedVertices carried = avatar ? carried_vertices(*avatar, walks) : CarriedVertices{};
    summary.chains = manifest->chains.size();
    summary.colliders = manifest->colliders.size();
    for (std::size_t c = 0; c < walks.size(); ++c) {
        const Chain& chain = manifest->chains[c];
        ChainSummary one;
        one.id = chain.id;
        one.joints = avatar ? walks[c].joints.size() : 1;
        if (avatar) one.length = rest_length(*avatar, walks[c], rest_tails(*avatar, chain, walks[c]));
        for (const auto& level : carried.by_chain) one.vertices.push_back(level[c]);
        one.checks = one.joints * chain.colliders.size();
        one.cost = static_cast<double>(one.joints + one.checks);
        summary.joints += one.joints;
        summary.collision_checks += one.checks;
        summary.per_chain.push_back(std::move(one));
    }
    return summary;
}

gltf::Json to_json(const Summary& summary) {
    const auto counted = [&](std::size_t value) { return summary.exact ? Json(value) : Json(); };
    const auto total = [](Json used, std::size_t cap) { return Json{{"used", std::move(used)}, {"cap", cap}}; };
    Json json = {{"chains", total(summary.chains, kCaps.chains)},
                 {"joints", total(counted(summary.joints), kCaps.joints)},
                 {"colliders", total(summary.colliders, kCaps.colliders)},
                 {"collisionChecks", total(counted(summary.collision_checks), kCaps.collision_checks)},
                 {"perChain", Json::array()}};
    for (const ChainSummary& chain : summary.per_chain) {
        const Json length = summary.exact ? Json(std::round(chain.length * 1e4) / 1e4) : Json();
        json["perChain"].push_back({{"id", chain.id},
                                    {"joints", counted(chain.joints)},
                                    {"lengthMetres", length},
                                    {"vertices", summary.exact ? Json(chain.vertices) : Json()},
                                    {"checks", counted(chain.checks)},
                                    {"cost", summary.exact ? Json(chain.cost) : Json()}});
    }
    return json;
}

}  // namespace helixavatar::dynamics
