// SPDX-License-Identifier: MIT
#include <cmath>
#include <string>

#include "aim.hpp"

namespace helixavatar::conform {

namespace {

constexpr double kKneeBend = 60, kCalfFromDown = 60, kToesOff = 45;  // degrees, conform.md §2

}  // namespace

Result<void> check_pose(const avatar::Avatar& source, const Body& body, const Extremities& mesh) {
    std::string faults;
    const auto fault = [&](const std::string& what, int joint, double angle) {
        if (!faults.empty()) faults += "; ";
        faults += body.name(joint) + " (" +
                  source.joints[static_cast<std::size_t>(body.source[static_cast<std::size_t>(joint)])].name + ") " +
                  what + " by " + std::to_string(std::lround(angle)) + " degrees";
    };
    for (std::size_t side = 0; side < kSides; ++side) {
        const Leg& leg = body.roles.legs[side];
        const auto at = [&](int joint) { return body.from[static_cast<std::size_t>(joint)]; };
        const Vec3 thigh = at(leg.calf.joint) - at(leg.thigh.joint), calf = at(leg.foot) - at(leg.calf.joint);
        const double bend = angle_degrees(thigh, calf), lean = angle_degrees(calf, -Vec3::UnitY());
        if (bend > kKneeBend) fault("bends the knee", leg.calf.joint, bend);
        if (lean > kCalfFromDown) fault("leaves straight down", leg.calf.joint, lean);
        if (!body.mapped(leg.ball)) continue;
        const double off = angle_degrees(toe_line(body, mesh, side), canonical_toe_line(body, side));
        if (off > kToesOff) fault("points away from the front", leg.ball, off);
    }
    if (faults.empty()) return {};
    return Error{ErrorKind::unconvertible,
                 "the rest pose is no standing person's, so the rig is wrong or wrongly mapped: " + faults,
                 {},
                 "map the right joints with --bone-map, or go on as it is with --accept-pose"};
}

}  // namespace helixavatar::conform
