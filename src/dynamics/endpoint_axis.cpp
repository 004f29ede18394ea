// SPDX-License-Identifier: MIT
#include "dynamics/endpoint_axis.hpp"

#include <cmath>

namespace helixavatar::dynamics {
namespace {

/// A direction close to one of the bone's axes is that axis: what was mistyped is an axis, not an angle.
Vec3 snapped(const Vec3& direction) {
    constexpr double kSnapDegrees = 15;
    for (int axis = 0; axis < 3; ++axis) {
        const Vec3 unit = Vec3::Unit(axis) * (direction[axis] < 0 ? -1.0 : 1.0);
        if (angle_degrees(direction, unit) <= kSnapDegrees) return unit;
    }
    return direction;
}

}  // namespace

EndpointAxis endpoint_axis(const avatar::Avatar& avatar, const Chain& chain, const Walk& walk,
                           const CarriedVertices& carried, std::size_t index) {
    constexpr double kNoLength = 1e-6;
    const auto rest = [&](std::size_t i) -> const Pose& {
        return avatar.joints[static_cast<std::size_t>(walk.joints[i])].rest;
    };
    const Pose& last = rest(walk.joints.size() - 1);
    EndpointAxis axis;
    Vec3 toward = Vec3::Zero();
    if (carried.last_joint_weight[index] > 0) {
        toward = carried.last_joint_centroid[index] - last.translation;
        axis.against = "its vertices";
    }
    if (toward.norm() < kNoLength && walk.joints.size() > 1) {
        toward = last.translation - rest(walk.joints.size() - 2).translation;
        axis.against = "the chain's last segment";
    }
    if (!(toward.norm() >= kNoLength)) return axis;
    axis.measured = true;
    axis.degrees = angle_degrees(last.rotation * *chain.endpoint, toward);
    axis.corrected = snapped((last.rotation.conjugate() * toward).normalized()) * chain.endpoint->norm();
    return axis;
}

std::string vector_text(const Vec3& v) {
    std::string text = "[";
    for (int i = 0; i < 3; ++i) {
        const double four = std::round(v[i] * 1e4) / 1e4;
        if (i > 0) text += ",";
        text += four == std::round(four) ? std::to_string(std::llround(four)) : Json(four).dump();
    }
    return text + "]";
}

}  // namespace helixavatar::dynamics
