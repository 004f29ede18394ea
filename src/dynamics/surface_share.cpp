// SPDX-License-Identifier: MIT
#include "dynamics/surface_share.hpp"

namespace helixavatar::dynamics {

std::vector<double> surface_shares(const avatar::Avatar& avatar, const std::vector<Walk>& walks) {
    std::vector<double> shares(walks.size(), 0);
    if (avatar.levels.empty()) return shares;
    std::vector<int> walk_of_joint(avatar.joints.size(), -1);
    for (std::size_t w = 0; w < walks.size(); ++w)
        for (const int joint : walks[w].joints) walk_of_joint[static_cast<std::size_t>(joint)] = static_cast<int>(w);
    double total = 0;
    for (const avatar::Surface& surface : avatar.levels.front().surfaces) {
        for (const auto* slice : {&surface.body, &surface.face}) {
            for (std::size_t i = 0; i + 2 < slice->size(); i += 3) {
                const std::uint32_t corner[3] = {(*slice)[i], (*slice)[i + 1], (*slice)[i + 2]};
                if (corner[0] >= surface.positions.size() || corner[1] >= surface.positions.size() ||
                    corner[2] >= surface.positions.size())
                    continue;
                const Vec3 a = surface.positions[corner[0]].cast<double>(),
                           b = surface.positions[corner[1]].cast<double>(),
                           c = surface.positions[corner[2]].cast<double>();
                const double area = 0.5 * (b - a).cross(c - a).norm();
                total += area;
                for (const std::uint32_t v : corner) {
                    if (v >= surface.influences.size()) continue;
                    for (const avatar::Influence& influence : surface.influences[v]) {
                        if (!(influence.weight > 0) || influence.joint >= walk_of_joint.size()) continue;
                        const int walk = walk_of_joint[influence.joint];
                        if (walk >= 0)
                            shares[static_cast<std::size_t>(walk)] += area / 3 * static_cast<double>(influence.weight);
                    }
                }
            }
        }
    }
    if (total > 0)
        for (double& share : shares) share /= total;
    return shares;
}

}  // namespace helixavatar::dynamics
