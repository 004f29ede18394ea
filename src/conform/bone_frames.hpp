// SPDX-License-Identifier: MIT
// The frames that decide how a bone turns about itself. Directions need not be unit length unless said.
#pragma once

#include <helixavatar/base/geometry.hpp>

namespace helixavatar::conform {

/// 0 below `low`, 1 above `high`, smooth between.
double smoothstep(double low, double high, double value);

/// The part of `v` perpendicular to `axis`, unit length; zero when there is none.
Vec3 perpendicular(const Vec3& v, const Vec3& axis);

/// Orthonormal, first column along `x` exactly, second column `y` made perpendicular. Any perpendicular serves when y
/// has none.
Mat3 frame(const Vec3& x, const Vec3& y);

/// The rotation that takes the source frame to the canonical one.
Quat turn_between(const Mat3& source, const Mat3& canonical);

/// The smallest rotation that takes direction a to direction b.
Quat smallest_turn(const Vec3& a, const Vec3& b);

/// The direction nearest to `v` on the way from direction a to direction b, less than half a turn apart; unit length.
Vec3 nearest_between(const Vec3& v, const Vec3& a, const Vec3& b);

/// Signed angle of the part of `rotation` that turns about the unit vector `axis`, radians in (-pi, pi].
double twist_about(const Quat& rotation, const Vec3& axis);

/// How an elbow bends: `flexion` is the way the fore-arm goes when it bends, `hinge` the axis (upper × flexion). The
/// bend's own plane counts from 6° and wholly from 20°; below, an elbow bends toward the front.
struct ElbowPlane {
    Vec3 flexion = Vec3::UnitZ();
    Vec3 hinge = Vec3::UnitY();
    double own = 0;  ///< 0: straight, the front decides; 1: the bend's own plane
};
inline constexpr double kElbowBent = 20;
ElbowPlane elbow_plane(const Vec3& upper, const Vec3& lower);

/// A leg's hinge, pointing to the character's left: across the toe line, and from 15° to 35° of bend the knee's own.
Vec3 knee_hinge(const Vec3& thigh, const Vec3& calf, const Vec3& toe_line);

}  // namespace helixavatar::conform
