// SPDX-License-Identifier: MIT
#include "skinning.hpp"

namespace helixavatar::lod {

std::vector<SkinMatrix> skin_matrices(const avatar::Avatar& avatar, const std::function<Quat(std::size_t)>& turn) {
    std::vector<Pose> world(avatar.joints.size());
    std::vector<SkinMatrix> matrices(avatar.joints.size());
    for (std::size_t j = 0; j < avatar.joints.size(); ++j) {
        const avatar::Joint& joint = avatar.joints[j];
        const bool has_parent = joint.parent >= 0 && static_cast<std::size_t>(joint.parent) < j;
        const Pose at_rest =
            has_parent ? world[joint.parent] * (avatar.joints[joint.parent].rest.inverse() * joint.rest) : joint.rest;
        world[j] = at_rest * Pose{Vec3::Zero(), turn(j)};
        const Mat4 matrix = (world[j] * joint.rest.inverse()).matrix();
        matrices[j] = matrix.topRows<3>().cast<float>();
    }
    return matrices;
}

std::vector<Vec3f> skinned(const avatar::Surface& surface, const std::vector<SkinMatrix>& matrices) {
    std::vector<Vec3f> positions = surface.positions;
    for (std::size_t v = 0; v < surface.influences.size(); ++v) {
        SkinMatrix blend = SkinMatrix::Zero();
        float total = 0;
        for (const avatar::Influence& influence : surface.influences[v]) {
            if (influence.weight <= 0 || influence.joint >= matrices.size()) continue;
            blend += influence.weight * matrices[influence.joint];
            total += influence.weight;
        }
        const Vec3f moved = blend * surface.positions[v].homogeneous() / total;
        if (total > 0 && moved.allFinite()) positions[v] = moved;
    }
    return positions;
}

}  // namespace helixavatar::lod
