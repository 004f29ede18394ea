// SPDX-License-Identifier: MIT
// Where a body's limbs can be read in more than one way.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "rig/body.hpp"
#include "rig/refusal.hpp"

namespace helixavatar::rig {

/// Limb joints that another reading, nearly as good, would put elsewhere: a second pair of limbs, or other joints of
/// the same chains. `left` is the body's side that is the character's left; canonical joints in `settled` are in no
/// doubt.
std::vector<Doubt> ambiguous(const Tree& tree, const Body& body, int left, const std::set<std::string>& settled);

}  // namespace helixavatar::rig
