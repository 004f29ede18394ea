// SPDX-License-Identifier: MIT
// Linear blend skinning, as a renderer does it.
#pragma once

#include <functional>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

namespace helixavatar::lod {

using SkinMatrix = Eigen::Matrix<float, 3, 4>;

/// One matrix a joint: from the rest pose to the pose in which every joint has turned by turn(joint), in the joint's
/// own frame, and carries what hangs from it.
std::vector<SkinMatrix> skin_matrices(const avatar::Avatar& avatar, const std::function<Quat(std::size_t)>& turn);

/// The vertices of a surface where these matrices place them; vertices without weight stay.
std::vector<Vec3f> skinned(const avatar::Surface& surface, const std::vector<SkinMatrix>& matrices);

}  // namespace helixavatar::lod
