// SPDX-License-Identifier: MIT
// The vector types of the whole program. glTF conventions: metres, right-handed, +Y up, quaternions x y z w.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace helixavatar {

using Vec2f = Eigen::Vector2f;
using Vec3f = Eigen::Vector3f;
using Vec4f = Eigen::Vector4f;
using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Vec4 = Eigen::Vector4d;
using Mat3 = Eigen::Matrix3d;
using Mat4 = Eigen::Matrix4d;
using Quat = Eigen::Quaterniond;

/// A rigid placement: rotate, then translate. `translation` in metres.
struct Pose {
    Vec3 translation = Vec3::Zero();
    Quat rotation = Quat::Identity();

    Vec3 operator*(const Vec3& point) const { return rotation * point + translation; }
    Pose operator*(const Pose& child) const {
        return {*this * child.translation, (rotation * child.rotation).normalized()};
    }
    Pose inverse() const {
        const Quat back = rotation.conjugate();
        return {-(back * translation), back};
    }
    Mat4 matrix() const;
};

/// Degrees between two directions; 0 when either has no length.
double angle_degrees(const Vec3& a, const Vec3& b);

/// Degrees of the turn that takes one rotation to the other, 0..180.
double angle_degrees(const Quat& a, const Quat& b);

constexpr double kPi = 3.14159265358979323846;
constexpr double radians(double degrees) {
    return degrees * kPi / 180.0;
}
constexpr double degrees(double radians) {
    return radians * 180.0 / kPi;
}

}  // namespace helixavatar
