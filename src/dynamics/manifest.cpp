// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include <helixavatar/dynamics/check.hpp>
#include <helixavatar/dynamics/manifest.hpp>

namespace helixavatar::dynamics {
namespace {

constexpr const char* kImportanceNames[] = {"critical", "high", "normal", "decorative"};
constexpr const char* kShapeNames[] = {"sphere", "capsule", "plane"};
constexpr int kMinPixels = 14;

// The readers below run on manifests that the strict parse accepted: every member that is there has its type.

Curve curve_of(const Json& value) {
    Curve curve;
    if (value.is_array())
        curve.stops = value.get<std::vector<double>>();
    else
        curve.stops = {value.get<double>()};
    return curve;
}

Vec3 vector_of(const Json& value) {
    return {value[0].get<double>(), value[1].get<double>(), value[2].get<double>()};
}

template <std::size_t N>
int index_of(const char* const (&names)[N], const Json& value) {
    const auto& text = value.get_ref<const std::string&>();
    for (std::size_t i = 0; i < N; ++i)
        if (text == names[i]) return static_cast<int>(i);
    return 0;
}

Chain chain_of(const Json& json) {
    Chain chain;
    chain.id = json.at("id").get<std::string>();
    chain.root = json.at("root").get<std::string>();
    chain.importance = static_cast<Importance>(index_of(kImportanceNames, json.at("importance")));
    chain.stiffness = curve_of(json.at("stiffness"));
    chain.damping = curve_of(json.at("damping"));
    if (json.contains("inertia")) chain.inertia = curve_of(json["inertia"]);
    if (json.contains("gravity")) chain.gravity = json["gravity"].get<double>();
    if (json.contains("gravityDir")) chain.gravity_dir = vector_of(json["gravityDir"]);
    if (json.contains("limit")) {
        const Json& limit = json["limit"];
        chain.limit = Limit{limit.at("kind") == "hinge" ? LimitKind::hinge : LimitKind::cone,
                            curve_of(limit.at("maxDegrees")), Vec3::Zero()};
        if (limit.contains("axis")) chain.limit->axis = vector_of(limit["axis"]);
    }
    if (json.contains("radius")) chain.radius = curve_of(json["radius"]);
    if (json.contains("colliders")) chain.colliders = json["colliders"].get<std::vector<std::string>>();
    if (json.contains("endpoint")) chain.endpoint = vector_of(json["endpoint"]);
    if (json.contains("exclude")) chain.exclude = json["exclude"].get<std::vector<std::string>>();
    return chain;
}

Collider collider_of(const Json& json) {
    Collider collider;
    collider.id = json.at("id").get<std::string>();
    collider.bone = json.at("bone").get<std::string>();
    collider.shape = static_cast<Shape>(index_of(kShapeNames, json.at("shape")));
    if (json.contains("offset")) collider.offset = vector_of(json["offset"]);
    if (json.contains("radius")) collider.radius = json["radius"].get<double>();
    if (json.contains("tail")) collider.tail = vector_of(json["tail"]);
    if (json.contains("normal")) collider.normal = vector_of(json["normal"]);
    if (json.contains("inside")) collider.inside = json["inside"].get<bool>();
    return collider;
}

/// Six decimals are a micrometre; integers stay integers, and there is no negative zero.
Json rounded(double value) {
    const double six = std::round(value * 1e6) / 1e6;
    if (six == std::round(six) && std::abs(six) < 1e9) return static_cast<std::int64_t>(six);
    return six;
}

Json json_of(const Vec3& v) {
    return Json::array({rounded(v.x()), rounded(v.y()), rounded(v.z())});
}

Json json_of(const Curve& curve) {
    const auto differs = [&](double stop) { return stop != curve.stops.front(); };
    if (std::none_of(curve.stops.begin(), curve.stops.end(), differs)) return rounded(curve.stops.front());
    Json stops = Json::array();
    for (const double stop : curve.stops) stops.push_back(rounded(stop));
    return stops;
}

Json json_of(const Chain& chain) {
    Json json = {{"id", chain.id}, {"root", chain.root}, {"importance", to_string(chain.importance)}};
    json["stiffness"] = json_of(chain.stiffness);
    json["damping"] = json_of(chain.damping);
    if (json_of(chain.inertia) != Json(0)) json["inertia"] = json_of(chain.inertia);
    if (chain.gravity != 0) json["gravity"] = rounded(chain.gravity);
    if (chain.gravity != 0 && chain.gravity_dir != Vec3(-Vec3::UnitY()))
        json["gravityDir"] = json_of(chain.gravity_dir);
    if (chain.limit) {
        const bool hinge = chain.limit->kind == LimitKind::hinge;
        Json limit = {{"kind", hinge ? "hinge" : "cone"}, {"maxDegrees", json_of(chain.limit->max_degrees)}};
        if (hinge) limit["axis"] = json_of(chain.limit->axis);
        json["limit"] = std::move(limit);
    }
    if (chain.radius) json["radius"] = json_of(*chain.radius);
    if (!chain.colliders.empty()) json["colliders"] = chain.colliders;
    if (chain.endpoint) json["endpoint"] = json_of(*chain.endpoint);
    if (!chain.exclude.empty()) json["exclude"] = chain.exclude;
    return json;
}

Json json_of(const Collider& collider) {
    Json json = {
        {"id", collider.id}, {"bone", collider.bone}, {"shape", kShapeNames[static_cast<int>(collider.shape)]}};
    json["offset"] = json_of(collider.offset);
    if (collider.shape == Shape::plane) json["normal"] = json_of(collider.normal);
    if (collider.shape == Shape::capsule) json["tail"] = json_of(collider.tail);
    if (collider.shape != Shape::plane) json["radius"] = rounded(collider.radius);
    if (collider.inside) json["inside"] = true;
    return json;
}

}  // namespace

const char* to_string(Importance importance) {
    return kImportanceNames[static_cast<int>(importance)];
}

double Curve::at(double t) const {
    if (stops.size() == 1) return stops.front();
    const double place = std::clamp(t, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
    const std::size_t low = std::min(static_cast<std::size_t>(place), stops.size() - 2);
    const double share = place - static_cast<double>(low);
    return stops[low] * (1 - share) + stops[low + 1] * share;
}

double Curve::at_joint(std::size_t index, std::size_t count) const {
    return at(count > 1 ? static_cast<double>(index) / static_cast<double>(count - 1) : 0.0);
}

double Curve::lowest() const {
    return *std::min_element(stops.begin(), stops.end());
}

const Collider* Manifest::find_collider(std::string_view id) const {
    const auto found = std::find_if(colliders.begin(), colliders.end(), [&](const Collider& c) { return c.id == id; });
    return found == colliders.end() ? nullptr : &*found;
}

std::optional<Manifest> read_manifest(const Json& json) {
    if (has_error(check_manifest(json, ""))) return {};
    Manifest manifest;
    for (const Json& chain : json.at("chains")) manifest.chains.push_back(chain_of(chain));
    if (json.contains("colliders"))
        for (const Json& collider : json["colliders"]) manifest.colliders.push_back(collider_of(collider));
    return manifest;
}

Json to_json(const Manifest& manifest) {
    Json json = {{"contract", kContract}, {"chains", Json::array()}};
    for (const Chain& chain : manifest.chains) json["chains"].push_back(json_of(chain));
    if (!manifest.colliders.empty()) {
        json["colliders"] = Json::array();
        for (const Collider& collider : manifest.colliders) json["colliders"].push_back(json_of(collider));
    }
    json["lod"] = {{"minPixels", kMinPixels}};
    return json;
}

}  // namespace helixavatar::dynamics
