// SPDX-License-Identifier: MIT
#pragma once

#include <helixavatar/gltf/document.hpp>

namespace helixavatar::dynamics {

/// The example of the reference text's "The contract", value for value.
inline gltf::Json reference_manifest() {
    return gltf::Json::parse(R"({
      "contract": "helix/dynamics@1",
      "chains": [{
        "id": "hair-long-l", "root": "hair_long_l_1", "importance": "high",
        "stiffness": [0.6, 0.42], "damping": [0.8, 0.75], "inertia": [0.7, 0.65], "gravity": 0.04,
        "limit": { "kind": "cone", "maxDegrees": [18, 22] },
        "radius": 0.012, "colliders": ["head", "shoulders"], "endpoint": [-0.085, 0, 0]
      }],
      "colliders": [
        { "id": "head", "bone": "head", "shape": "sphere", "offset": [0.09, 0, 0], "radius": 0.115 },
        { "id": "shoulders", "bone": "spine_04", "shape": "capsule", "offset": [0.04, 0, 0], "tail": [0.21, 0, 0], "radius": 0.085 }
      ],
      "lod": { "minPixels": 14 }
    })");
}

}  // namespace helixavatar::dynamics
