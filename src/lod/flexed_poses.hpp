// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

namespace helixavatar::lod {

/// Vertices in each of the poses.
using FlexedPoses = std::array<std::vector<Vec3f>, 4>;

/// The vertices of a surface as linear blend skinning places them when every joint turns about its own Y or Z axis, one
/// way and the other. What happens around a joint depends on its own turn alone, since the turns above carry everything
/// along; so these few poses bend every elbow, knee, finger, hip, shoulder, jaw and neck of any skeleton without
/// knowing its names. Vertices without weight stay.
FlexedPoses flexed_poses(const avatar::Avatar& avatar, const avatar::Surface& surface);

}  // namespace helixavatar::lod
