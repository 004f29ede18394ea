// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <helixavatar/base/geometry.hpp>
#include <helixavatar/base/result.hpp>

#include "face/shapes.hpp"

namespace helixavatar::face {

/// A joint that a channel turns, from its rest.
struct BoneTurn {
    std::string joint;
    Vec3 axis = Vec3::Zero();  ///< in the joint's own frame
    double max_degrees = 0;    ///< at channel value 1
};

struct Channel {
    std::variant<Recipe, BoneTurn> drives;
    bool derived = false;  ///< made from a recipe of other shapes
};

using Channels = std::map<std::string, Channel>;  ///< by channel name

/// Channels of the joints that turn a jaw or a pair of eyes, where the channels lack them. World axes of a character
/// facing +Z.
void add_joint_channels(const avatar::Avatar& avatar, Channels& channels);

/// Applies a face map: overrides, adds, or (null) removes channels. Errors: usage, unconvertible; see detect_face().
Result<void> apply_face_map(const avatar::Avatar& avatar, const Shapes& shapes, const gltf::Json& map,
                            Channels& channels, std::vector<std::string>& empty);

}  // namespace helixavatar::face
