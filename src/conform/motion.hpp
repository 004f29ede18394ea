// SPDX-License-Identifier: MIT
// How a place on the source body moves to the canonical pose with one canonical joint.
#pragma once

#include <vector>

#include "body.hpp"
#include "dual_quaternion.hpp"

namespace helixavatar::conform {

class Motions {
public:
    explicit Motions(const Body& body);

    /// Along arms the turn depends on the place: `point` says how far along the bone. Elsewhere it is the joint's own.
    Pose at(int joint, const Vec3& point) const;

    /// 0 at the limb's joint, 1 at its end, clamped.
    double fraction(const Limb& limb, const Vec3& point) const;

private:
    struct Rolled {
        const Limb* limb = nullptr;
        const Roll* roll = nullptr;
    };

    const Body& body_;
    std::vector<Rolled> rolled_;  ///< one a canonical joint; empty for joints outside arm bones
    std::vector<Pose> rigid_;
};

}  // namespace helixavatar::conform
