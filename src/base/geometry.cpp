// SPDX-License-Identifier: MIT
#include <helixavatar/base/geometry.hpp>

#include <algorithm>
#include <cmath>

namespace helixavatar {

Mat4 Pose::matrix() const {
    Mat4 m = Mat4::Identity();
    m.topLeftCorner<3, 3>() = rotation.toRotationMatrix();
    m.topRightCorner<3, 1>() = translation;
    return m;
}

double angle_degrees(const Vec3& a, const Vec3& b) {
    if (a.norm() <= 0 || b.norm() <= 0) return 0;
    return degrees(std::atan2(a.cross(b).norm(), a.dot(b)));
}

double angle_degrees(const Quat& a, const Quat& b) {
    const Quat turn = a.conjugate() * b;
    return degrees(2 * std::atan2(turn.vec().norm(), std::abs(turn.w())));
}

}  // namespace helixavatar
