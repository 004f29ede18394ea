// SPDX-License-Identifier: MIT
#include <helixavatar/dynamics/presets.hpp>

#include <algorithm>

namespace helixavatar::dynamics {
namespace {

using Stops = std::vector<double>;

Chain feel(Stops stiffness, Stops damping, Stops inertia, double gravity, LimitKind kind, Stops degrees,
           Importance importance) {
    Chain chain;
    chain.importance = importance;
    chain.stiffness.stops = std::move(stiffness);
    chain.damping.stops = std::move(damping);
    chain.inertia.stops = std::move(inertia);
    chain.gravity = gravity;
    chain.limit = Limit{kind, Curve{std::move(degrees)}, Vec3::Zero()};
    return chain;
}

Chain with_radius(Chain chain, double radius) {
    chain.radius = Curve{{radius}};
    return chain;
}

}  // namespace

std::span<const Preset> presets() {
    constexpr auto cone = LimitKind::cone, hinge = LimitKind::hinge;
    constexpr auto high = Importance::high, normal = Importance::normal, decorative = Importance::decorative;
    static const std::vector<Preset> rows{
        {"back-hair-fused",
         with_radius(feel({0.78, 0.70}, {0.88, 0.85}, {0.85, 0.80}, 0.02, cone, {7, 9}, high), 0.012),
         "spine_05",
         0,
         0,
         {}},
        {"side-lock",
         with_radius(feel({0.6, 0.42}, {0.8, 0.75}, {0.7, 0.65}, 0.04, cone, {18, 22}, high), 0.012),
         "head",
         0,
         0,
         {}},
        {"bob", feel({0.54}, {0.4}, {0.72}, 0.035, cone, {30}, high), "head", 0.078, 0.8, {"head"}},
        {"breast",
         feel({0.85}, {0.9}, {0.9}, 0.008, cone, {7}, normal),
         "spine_04",
         0.09,
         0.45,
         {"spine_01", "spine_03", "spine_04", "spine_05", "clavicle_s"}},
        {"glute",
         feel({0.8}, {0.9}, {0.9}, 0.008, cone, {7}, normal),
         "pelvis",
         0.095,
         0.45,
         {"pelvis", "spine_01", "thigh_s"}},
        {"short-ear", feel({1.0}, {0.5}, {0.97}, 0, cone, {22}, normal), "", 0, 0, {}},
        {"skirt-panel", feel({0.62, 0.42}, {0.78, 0.66}, {0.72, 0.5}, 0.55, hinge, {24}, normal), "pelvis", 0, 0, {}},
        {"ribbon", feel({0.72, 0.30}, {0.5, 0.28}, {0.55, 0.2}, 0.9, cone, {30, 55}, decorative), "", 0, 0, {}},
    };
    return rows;
}

const Preset* find_preset(std::string_view name) {
    const auto rows = presets();
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Preset& row) { return row.name == name; });
    return found == rows.end() ? nullptr : &*found;
}

}  // namespace helixavatar::dynamics
