// SPDX-License-Identifier: MIT
#include "flexed_poses.hpp"

#include "skinning.hpp"

namespace helixavatar::lod {

namespace {

constexpr double kFlexDegrees =
    50;  // half way to a fully bent elbow: in it every crease that a clip makes has begun to show

}  // namespace

FlexedPoses flexed_poses(const avatar::Avatar& avatar, const avatar::Surface& surface) {
    FlexedPoses poses;
    std::size_t pose = 0;
    for (const Vec3& axis : {Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ())}) {
        for (const double sign : {1.0, -1.0}) {
            const Quat flex(Eigen::AngleAxisd(radians(sign * kFlexDegrees), axis));
            // A root turns with everything that it carries, which tells nothing.
            const auto turn = [&](std::size_t j) { return avatar.joints[j].parent >= 0 ? flex : Quat::Identity(); };
            poses[pose++] = skinned(surface, skin_matrices(avatar, turn));
        }
    }
    return poses;
}

}  // namespace helixavatar::lod
