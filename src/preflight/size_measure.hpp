// SPDX-License-Identifier: MIT
#pragma once

#include <helixavatar/skeleton/skeleton.hpp>

#include "preflight/facts.hpp"

namespace helixavatar::preflight {

/// LOD0 at rest, metres. Zero where the file does not show it.
struct BodySize {
    double height = 0;            ///< of the bounding box, skinned
    bool has_legs = false;        ///< the four below are known
    double pelvis = 0, foot = 0;  ///< joint heights; `foot` is the mean of both sides
    double canonical_legs = 0;    ///< pelvis − foot of the canonical skeleton, 0.877 in helix-humanoid@1
    double ratio = 0;             ///< (pelvis − foot) / canonical_legs
};

BodySize body_size(const Facts& facts, const skeleton::Skeleton& skeleton);

}  // namespace helixavatar::preflight
