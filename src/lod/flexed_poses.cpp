// SPDX-License-Identifier: MIT
#include "flexed_poses.hpp"

#include <array>

namespace helixavatar::lod {

namespace {

constexpr double kFlexDegrees =
    50;  // half way to a fully bent elbow: in it every crease that a clip makes has begun to show

using Skinning = Eigen::Matrix<float, 3, 4>;

std::vector<Skinning> skinning_matrices(const avatar::Avatar& avatar, const Vec3& axis, double degrees_of_turn) {
    const Pose flex{Vec3::Zero(), Quat(Eigen::AngleAxisd(radians(degrees_of_turn), axis))};
    std::vector<Pose> world(avatar.joints.size());
    std::vector<Skinning> matrices(avatar.joints.size());
    for (std::size_t j = 0; j < avatar.joints.size(); ++j) {
        const avatar::Joint& joint = avatar.joints[j];
        const bool has_parent = joint.parent >= 0 && static_cast<std::size_t>(joint.parent) < j;
        // A root turns with everything that it carries, which tells nothing.
        world[j] = has_parent ? world[joint.parent] * (avatar.joints[joint.parent].rest.inverse() * joint.rest) * flex
                              : joint.rest;
        const Mat4 matrix = (world[j] * joint.rest.inverse()).matrix();
        matrices[j] = matrix.topRows<3>().cast<float>();
    }
    return matrices;
}

std::vector<Vec3f> skinned(const avatar::Surface& surface, const std::vector<Skinning>& matrices) {
    std::vector<Vec3f> positions = surface.positions;
    for (std::size_t v = 0; v < surface.influences.size(); ++v) {
        Skinning blend = Skinning::Zero();
        float total = 0;
        for (const avatar::Influence& influence : surface.influences[v]) {
            if (influence.weight <= 0 || influence.joint >= matrices.size()) continue;
            blend += influence.weight * matrices[influence.joint];
            total += influence.weight;
        }
        if (total > 0) positions[v] = blend * surface.positions[v].homogeneous() / total;
    }
    return positions;
}

}  // namespace

std::vector<std::vector<Vec3f>> flexed_poses(const avatar::Avatar& avatar, const avatar::Surface& surface) {
    std::vector<std::vector<Vec3f>> poses;
    for (const Vec3& axis : {Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ())})
        for (const double sign : {1.0, -1.0})
            poses.push_back(skinned(surface, skinning_matrices(avatar, axis, sign * kFlexDegrees)));
    return poses;
}

}  // namespace helixavatar::lod
