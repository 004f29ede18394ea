// SPDX-License-Identifier: MIT
// What the user says with --bone-map, tied to joints of the source.
#pragma once

#include <map>
#include <string>

#include <helixavatar/base/result.hpp>
#include <helixavatar/skeleton/skeleton.hpp>

#include "rig/tree.hpp"

namespace helixavatar::rig {

/// Canonical joint → source joint. A value is a joint's name, or the end of its path ("Spine/LeftArm") where a name
/// occurs more than once. Errors: usage, naming the key, with the nearest names or the paths to choose from.
Result<std::map<std::string, int>> resolve_overrides(const Tree& tree, const skeleton::Skeleton& canonical,
                                                     const std::map<std::string, std::string>& overrides);

/// The shortest end of a joint's path that no other joint has.
std::string unique_path(const Tree& tree, int joint);

}  // namespace helixavatar::rig
