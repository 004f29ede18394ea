// SPDX-License-Identifier: MIT
#include "bone_frames.hpp"

#include <algorithm>
#include <cmath>

namespace helixavatar::conform {

namespace {

// From conform.md, measured on real characters: a T-pose elbow bends 0-3 degrees in a random direction.
constexpr double kElbowFrom = 6;
constexpr double kKneeFrom = 15, kKneeTo = 35;
constexpr double kNoLength = 1e-9;

Vec3 unit(const Vec3& v) {
    const double length = v.norm();
    return length > kNoLength ? Vec3(v / length) : Vec3(Vec3::Zero());
}

}  // namespace

double smoothstep(double low, double high, double value) {
    const double t = std::clamp((value - low) / (high - low), 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

Vec3 perpendicular(const Vec3& v, const Vec3& axis) {
    const Vec3 along = unit(axis);
    const Vec3 rest = v - v.dot(along) * along;
    return rest.norm() > 1e-7 * v.norm() ? unit(rest) : Vec3(Vec3::Zero());
}

Mat3 frame(const Vec3& x, const Vec3& y) {
    const Vec3 first = x.norm() > kNoLength ? unit(x) : Vec3(Vec3::UnitX());
    Vec3 second = perpendicular(y, first);
    if (second.isZero()) second = first.unitOrthogonal();
    Mat3 result;
    result << first, second, first.cross(second);
    return result;
}

Quat turn_between(const Mat3& source, const Mat3& canonical) {
    return Quat(Mat3(canonical * source.transpose())).normalized();
}

Quat smallest_turn(const Vec3& a, const Vec3& b) {
    if (a.norm() <= kNoLength || b.norm() <= kNoLength) return Quat::Identity();
    return Quat::FromTwoVectors(a, b).normalized();
}

Vec3 nearest_between(const Vec3& v, const Vec3& a, const Vec3& b) {
    const Vec3 from = unit(a), side = perpendicular(b, from);
    const double whole = std::atan2(b.dot(side), b.dot(from));
    double along = std::atan2(v.dot(side), v.dot(from));
    if (along < 0 || along > whole) along = angle_degrees(v, a) <= angle_degrees(v, b) ? 0 : whole;
    return std::cos(along) * from + std::sin(along) * side;
}

double twist_about(const Quat& rotation, const Vec3& axis) {
    double angle = 2 * std::atan2(rotation.vec().dot(axis), rotation.w());
    if (angle > kPi) angle -= 2 * kPi;
    if (angle <= -kPi) angle += 2 * kPi;
    return angle;
}

ElbowPlane elbow_plane(const Vec3& upper, const Vec3& lower) {
    const Vec3 u = unit(upper);
    const double own = smoothstep(kElbowFrom, kElbowBent, angle_degrees(upper, lower));
    const Vec3 front = perpendicular(Vec3::UnitZ(), u);
    Vec3 flexion = unit(own * perpendicular(unit(lower), u) + (1 - own) * front);
    if (flexion.isZero()) flexion = front;
    // An arm that points straight ahead bends upward.
    if (flexion.isZero()) flexion = perpendicular(Vec3::UnitY(), u);
    return {flexion, u.cross(flexion), own};
}

Vec3 knee_hinge(const Vec3& thigh, const Vec3& calf, const Vec3& toe_line) {
    const Vec3 across = unit(Vec3::UnitY().cross(toe_line));
    const double own = smoothstep(kKneeFrom, kKneeTo, angle_degrees(thigh, calf));
    const Vec3 bend = unit(unit(thigh).cross(unit(calf)));
    // A knee that bends the wrong way says nothing of where the leg faces.
    if (own <= 0 || bend.dot(across) <= 0) return across;
    return unit(own * bend + (1 - own) * across);
}

}  // namespace helixavatar::conform
