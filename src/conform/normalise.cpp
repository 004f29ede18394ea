// SPDX-License-Identifier: MIT
#include "normalise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace helixavatar::conform {

namespace {

// Heights (m) that a character is taken to have been drawn at, and the narrower ones that a change of unit must reach.
constexpr double kShortest = 0.5, kTallest = 3.5;
constexpr double kShortestConverted = 0.8, kTallestConverted = 2.5;
constexpr double kDefaultHeight = 1.7;
// Centimetres, decimetres, millimetres, decametres, hectometres, kilometres, inches: in the order of likeliness.
constexpr std::array<double, 7> kUnits = {0.01, 0.1, 0.001, 10, 100, 1000, 0.0254};

constexpr double kAxisDegrees = 5;
constexpr double kRefineDegrees = 25;

Vec3 nearest_axis(const Vec3& direction) {
    Vec3 axis = Vec3::Zero();
    Eigen::Index at = 0;
    direction.cwiseAbs().maxCoeff(&at);
    axis[at] = direction[at] < 0 ? -1 : 1;
    return axis;
}

Vec3 horizontal(const Vec3& v) {
    return {v.x(), 0, v.z()};
}

/// Perpendicular to the line that runs from right to left through hips and shoulders, in the upright character.
Vec3 facing_of_joints(const avatar::Avatar& source, const avatar::BoneMap& map, const Quat& upright) {
    Vec3 leftward = Vec3::Zero();
    for (const char* name : {"thigh", "upperarm"}) {
        const int left = map.source(std::string(name) + "_l"), right = map.source(std::string(name) + "_r");
        if (left < 0 || right < 0) continue;
        const auto at = [&](int joint) { return source.joints[static_cast<std::size_t>(joint)].rest.translation; };
        const Vec3 across = horizontal(upright * (at(left) - at(right)));
        if (across.norm() > 0) leftward += across.normalized();
    }
    return leftward.cross(Vec3::UnitY());
}

double drawn_height(const avatar::Avatar& source, const Quat& rotation) {
    if (source.levels.empty()) return 0;
    const Vec3 up = rotation.conjugate() * Vec3::UnitY();
    double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
    for (const avatar::Surface& surface : source.levels.front().surfaces)
        for (const Vec3f& p : surface.positions) {
            const double y = up.dot(p.cast<double>());
            low = std::min(low, y);
            high = std::max(high, y);
        }
    return std::max(0.0, high - low);
}

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

}  // namespace

double unit_scale(double height) {
    if (height >= kShortest && height <= kTallest) return 1;
    for (const double unit : kUnits)
        if (height * unit >= kShortestConverted && height * unit <= kTallestConverted) return unit;
    return 0;
}

Quat upright_rotation(const avatar::Avatar& source, const avatar::BoneMap& map, const SourceFrame& frame,
                      const ConformOptions& options, double& yaw_degrees) {
    Vec3 up = frame.up.norm() > 0 ? Vec3(frame.up.normalized()) : Vec3(Vec3::UnitY());
    if (angle_degrees(up, nearest_axis(up)) < 4 * kAxisDegrees) up = nearest_axis(up);
    // A character that hangs upside down in its file is turned over sideways, never through its own front.
    const Quat upright = up.dot(Vec3::UnitY()) < -1 + 1e-9 ? Quat(Eigen::AngleAxisd(kPi, Vec3::UnitZ()))
                                                           : Quat::FromTwoVectors(up, Vec3::UnitY());
    if (options.yaw_degrees) {
        yaw_degrees = *options.yaw_degrees;
    } else {
        Vec3 forward = horizontal(upright * frame.forward);
        if (forward.norm() < 1e-9) forward = facing_of_joints(source, map, upright);
        if (forward.norm() < 1e-9) forward = Vec3::UnitZ();
        if (angle_degrees(forward, nearest_axis(forward)) < kAxisDegrees) {
            forward = nearest_axis(forward);
        } else {
            const Vec3 refined = facing_of_joints(source, map, upright);
            if (refined.norm() > 1e-9 && angle_degrees(refined, forward) < kRefineDegrees) forward = refined;
        }
        // 180 rather than -180, and no negative zero: it is printed.
        yaw_degrees = degrees(std::atan2(-forward.x(), forward.z()));
        if (yaw_degrees == -180) yaw_degrees = 180;
        yaw_degrees += 0.0;
    }
    return (Quat(Eigen::AngleAxisd(radians(yaw_degrees), Vec3::UnitY())) * upright).normalized();
}

void transform(avatar::Avatar& avatar, const Quat& rotation, double scale, const Vec3& translation) {
    const Mat3 turn = rotation.toRotationMatrix();
    const Mat3 linear = scale * turn;
    const auto direction = [&](const Vec3f& v) -> Vec3f { return (turn * v.cast<double>()).cast<float>(); };
    const auto delta = [&](const Vec3f& v) -> Vec3f { return (linear * v.cast<double>()).cast<float>(); };
    for (avatar::Joint& joint : avatar.joints) {
        joint.rest.translation = linear * joint.rest.translation + translation;
        joint.rest.rotation = (rotation * joint.rest.rotation).normalized();
    }
    for (avatar::Level& level : avatar.levels)
        for (avatar::Surface& surface : level.surfaces) {
            for (Vec3f& p : surface.positions) p = (linear * p.cast<double>() + translation).cast<float>();
            for (Vec3f& n : surface.normals) n = direction(n);
            for (Vec4f& t : surface.tangents) t.head<3>() = direction(t.head<3>());
            for (avatar::MorphTarget& morph : surface.morphs) {
                for (Vec3f& p : morph.positions) p = delta(p);
                for (Vec3f& n : morph.normals) n = direction(n);
            }
        }
}

Normalised normalise(avatar::Avatar& source, const avatar::BoneMap& map, const SourceFrame& frame,
                     const ConformOptions& options) {
    Normalised result;
    result.rotation = upright_rotation(source, map, frame, options, result.yaw_degrees);
    const double drawn = drawn_height(source, result.rotation);
    const double unit = unit_scale(drawn);
    if (options.height) {
        result.scale = drawn > 0 ? *options.height / drawn : 1;
        result.exact_height = true;
    } else if (unit > 0) {
        result.scale = unit;
        if (unit != 1)
            result.warnings.push_back("drawn " + number(drawn) + " units tall: read as " + number(drawn * unit) +
                                      " m (1 unit = " + number(unit) + " m)");
    } else if (drawn > 0) {
        result.scale = kDefaultHeight / drawn;
        result.exact_height = true;
        result.warnings.push_back("drawn " + number(drawn) + " units tall, which is a person in no unit: scaled to " +
                                  number(kDefaultHeight) + " m (--height sets another)");
    }
    result.height = drawn * result.scale;
    transform(source, result.rotation, result.scale, Vec3::Zero());
    return result;
}

}  // namespace helixavatar::conform
