// SPDX-License-Identifier: MIT
// Blending rigid motions without collapse (Kavan et al., "Geometric skinning with approximate dual quaternion
// blending").
#pragma once

#include <helixavatar/base/geometry.hpp>

namespace helixavatar::conform {

/// x → rotation * x + translation as a pair of quaternions, so that a weighted sum of motions is again close to a
/// motion.
class DualQuaternion {
public:
    DualQuaternion() : real_(Vec4::Zero()), dual_(Vec4::Zero()) {}
    explicit DualQuaternion(const Pose& motion) {
        const Quat t(0, motion.translation.x(), motion.translation.y(), motion.translation.z());
        real_ = motion.rotation.coeffs();
        dual_ = 0.5 * (t * motion.rotation).coeffs();
    }

    /// Adds `other` by weight on the near side: q and -q are one rotation.
    void add(double weight, const DualQuaternion& other) {
        const double sign = real_.dot(other.real_) < 0 ? -weight : weight;
        real_ += sign * other.real_;
        dual_ += sign * other.dual_;
    }

    /// The motion nearest to the sum. `fallback` serves when opposite rotations cancelled.
    Pose motion(const Pose& fallback) const {
        const double length = real_.norm();
        if (length < 1e-6) return fallback;
        const Quat rotation(real_ / length);
        const Quat dual(dual_ / length);
        return {2 * (dual * rotation.conjugate()).vec(), rotation};
    }

private:
    Vec4 real_, dual_;  // x y z w
};

}  // namespace helixavatar::conform
