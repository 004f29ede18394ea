// SPDX-License-Identifier: MIT
#include "dynamics/carried_vertices.hpp"

namespace helixavatar::dynamics {

CarriedVertices carried_vertices(const avatar::Avatar& avatar, const std::vector<Walk>& walks) {
    const std::size_t chains = walks.size();
    std::vector<std::vector<std::size_t>> chains_of_joint(avatar.joints.size());
    std::vector<std::vector<std::size_t>> ends_at_joint(avatar.joints.size());
    for (std::size_t c = 0; c < chains; ++c) {
        for (const int joint : walks[c].joints) chains_of_joint[static_cast<std::size_t>(joint)].push_back(c);
        if (!walks[c].joints.empty()) ends_at_joint[static_cast<std::size_t>(walks[c].joints.back())].push_back(c);
    }
    CarriedVertices carried;
    carried.by_chain.assign(avatar.levels.size(), std::vector<std::size_t>(chains, 0));
    carried.last_joint_weight.assign(chains, 0);
    carried.last_joint_centroid.assign(chains, Vec3::Zero());
    for (std::size_t level = 0; level < avatar.levels.size(); ++level) {
        std::vector<std::size_t> last_vertex(
            chains, 0);  // counts a vertex once a chain, however many of its joints it hangs on
        std::size_t vertex = 0;
        for (const avatar::Surface& surface : avatar.levels[level].surfaces) {
            for (std::size_t v = 0; v < surface.influences.size() && v < surface.positions.size(); ++v) {
                ++vertex;
                for (const avatar::Influence& influence : surface.influences[v]) {
                    if (!(influence.weight > 0) || influence.joint >= avatar.joints.size()) continue;
                    for (const std::size_t c : chains_of_joint[influence.joint]) {
                        if (last_vertex[c] != vertex) ++carried.by_chain[level][c];
                        last_vertex[c] = vertex;
                    }
                    if (level > 0) continue;
                    for (const std::size_t c : ends_at_joint[influence.joint]) {
                        const double weight = influence.weight;
                        carried.last_joint_weight[c] += weight;
                        carried.last_joint_centroid[c] += weight * surface.positions[v].cast<double>();
                    }
                }
            }
        }
    }
    for (std::size_t c = 0; c < chains; ++c)
        if (carried.last_joint_weight[c] > 0) carried.last_joint_centroid[c] /= carried.last_joint_weight[c];
    return carried;
}

}  // namespace helixavatar::dynamics
