// SPDX-License-Identifier: MIT
// How measured levels are shown.
#pragma once

#include <string>
#include <vector>

#include <helixavatar/gltf/document.hpp>
#include <helixavatar/lod/measure.hpp>

namespace helixavatar::commands {

/// A table for people, a line a level and a line a pose.
std::string levels_text(const std::vector<lod::LevelMeasure>& levels);

/// [{level, triangles, rest{maxMm, rmsMm}, poses[{pose, maxMm, rmsMm}], normalDegrees, uvMm, silhouette, turnedOver,
/// openEdges}]
gltf::Json levels_json(const std::vector<lod::LevelMeasure>& levels);

}  // namespace helixavatar::commands
