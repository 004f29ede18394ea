// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

namespace helixavatar::texture {

struct MaterialsOutput {
    avatar::Avatar avatar;
    std::vector<std::string> notes;  ///< which materials were found equal, in words for the creator
};

/// Materials that draw the same become one: equal JSON (names, extras and spelled-out defaults aside) over textures
/// with equal samplers and equal image bytes. The first keeps its name; surfaces point at it. Images and textures of
/// equal content become one likewise. Surfaces stay apart; whoever wants one draw for each material merges them
/// afterwards.
MaterialsOutput merge_equal_materials(avatar::Avatar avatar);

}  // namespace helixavatar::texture
