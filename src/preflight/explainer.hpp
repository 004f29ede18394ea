// SPDX-License-Identifier: MIT
// Where each budget goes, and which change would save most.
#pragma once

#include "preflight/rule_context.hpp"

namespace helixavatar::preflight {

/// Everything that a report prints whether or not a rule fired.
Measured measured_of(const RuleContext& context);

/// Shares of the file's bytes by image, geometry, morph targets, animations, JSON and what nothing uses.
std::vector<Measured::Share> byte_shares(const RuleContext& context);

}  // namespace helixavatar::preflight
