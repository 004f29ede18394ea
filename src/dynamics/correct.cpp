// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include <helixavatar/dynamics/check.hpp>
#include <helixavatar/dynamics/manifest.hpp>

#include "dynamics/carried_vertices.hpp"
#include "dynamics/endpoint_axis.hpp"

namespace helixavatar::dynamics {
namespace {

constexpr int kMinPixels = 14;  // what every lane writes (reference text)
constexpr const char* kKey = "helixDynamics";

void correct_min_pixels(Corrected& corrected) {
    Json& manifest = corrected.manifest;
    if (!manifest.contains("lod") || !manifest["lod"].contains("minPixels")) return;
    Json& pixels = manifest["lod"]["minPixels"];
    if (pixels == kMinPixels) return;
    corrected.changes.push_back("/lod/minPixels: " + pixels.dump() + " → " + std::to_string(kMinPixels));
    pixels = kMinPixels;
}

void correct_endpoints(Corrected& corrected, const Manifest& manifest, const avatar::Avatar& avatar) {
    std::vector<Walk> walks;
    for (const Chain& chain : manifest.chains) walks.push_back(walk(avatar, chain));
    const CarriedVertices carried = carried_vertices(avatar, walks);
    for (std::size_t c = 0; c < walks.size(); ++c) {
        const Chain& chain = manifest.chains[c];
        if (walks[c].joints.empty() || !chain.endpoint || !(chain.endpoint->norm() > 0)) continue;
        const EndpointAxis axis = endpoint_axis(avatar, chain, walks[c], carried, c);
        if (!axis.measured || axis.degrees <= kSidewaysDegrees) continue;
        Json& endpoint = corrected.manifest["chains"][c]["endpoint"];
        const std::string before = endpoint.dump();
        endpoint = gltf::parse_json(vector_text(axis.corrected)).take();
        corrected.changes.push_back("/chains/" + std::to_string(c) + "/endpoint: " + before + " → " + endpoint.dump());
    }
}

Corrected corrected(const Json& json, const avatar::Avatar* avatar) {
    Corrected out{json, {}};
    const auto manifest = read_manifest(json);
    if (!manifest) return out;
    if (avatar) correct_endpoints(out, *manifest, *avatar);
    correct_min_pixels(out);
    return out;
}

const Json* manifest_of(const Json& scene) {
    if (!scene.is_object() || !scene.contains("extras") || !scene["extras"].is_object()) return nullptr;
    return scene["extras"].contains(kKey) ? &scene["extras"][kKey] : nullptr;
}

}  // namespace

Corrected correct(const Json& manifest, const avatar::Avatar& avatar) {
    return corrected(manifest, &avatar);
}

Corrected correct(const Json& manifest) {
    return corrected(manifest, nullptr);
}

CorrectedScenes correct_scenes(const Json& document, const avatar::Avatar* avatar) {
    CorrectedScenes out{document, {}};
    if (!document.is_object() || !document.contains("scenes") || !document["scenes"].is_array()) return out;
    const Json& scenes = document["scenes"];
    std::size_t first = 0;
    while (first < scenes.size() && !manifest_of(scenes[first])) ++first;
    if (first == scenes.size()) return out;
    const auto pointer = [](std::size_t scene) { return "/scenes/" + std::to_string(scene) + "/extras/" + kKey; };
    const Corrected right = corrected(*manifest_of(scenes[first]), avatar);
    for (const std::string& change : right.changes) out.changes.push_back(pointer(first) + change);
    for (std::size_t i = 0; i < scenes.size(); ++i) {
        const Json* had = manifest_of(scenes[i]);
        const bool same = had && *had == *manifest_of(scenes[first]);
        if (!scenes[i].is_object() || (same && right.changes.empty())) continue;
        if (!same)
            out.changes.push_back(pointer(i) + (had ? ": replaced by" : ": added,") + " a copy of scene " +
                                  std::to_string(first) + "'s");
        Json& extras = out.document["scenes"][i]["extras"];
        if (!extras.is_object()) extras = Json::object();
        extras[kKey] = right.manifest;
    }
    return out;
}

}  // namespace helixavatar::dynamics
