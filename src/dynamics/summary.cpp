// SPDX-License-Identifier: MIT
#include <helixavatar/dynamics/check.hpp>
#include <helixavatar/dynamics/manifest.hpp>

#include "dynamics/carried_vertices.hpp"
#include "dynamics/endpoint_axis.hpp"

namespace helixavatar::dynamics {

Summary summarise(const Json& json, const avatar::Avatar* avatar) {
    const auto manifest = read_manifest(json);
    Summary summary;
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

Corrected correct(const Json& json, const avatar::Avatar& avatar) {
    constexpr int kMinPixels = 14;
    Corrected corrected{json, {}};
    const auto manifest = read_manifest(json);
    if (!manifest) return corrected;
    std::vector<Walk> walks;
    for (const Chain& chain : manifest->chains) walks.push_back(walk(avatar, chain));
    const CarriedVertices carried = carried_vertices(avatar, walks);
    for (std::size_t c = 0; c < walks.size(); ++c) {
        const Chain& chain = manifest->chains[c];
        if (walks[c].joints.empty() || !chain.endpoint || !(chain.endpoint->norm() > 0)) continue;
        const EndpointAxis axis = endpoint_axis(avatar, chain, walks[c], carried, c);
        if (!axis.measured || axis.degrees <= kSidewaysDegrees) continue;
        Json& endpoint = corrected.manifest["chains"][c]["endpoint"];
        const std::string before = endpoint.dump();
        endpoint = gltf::parse_json(vector_text(axis.corrected)).take();
        corrected.changes.push_back("/chains/" + std::to_string(c) + "/endpoint: " + before + " → " + endpoint.dump());
    }
    if (json.contains("lod") && json["lod"].contains("minPixels") && json["lod"]["minPixels"] != kMinPixels) {
        corrected.changes.push_back("/lod/minPixels: " + json["lod"]["minPixels"].dump() + " → " +
                                    std::to_string(kMinPixels));
        corrected.manifest["lod"]["minPixels"] = kMinPixels;
    }
    return corrected;
}

}  // namespace helixavatar::dynamics
