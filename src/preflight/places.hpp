// SPDX-License-Identifier: MIT
// What a person calls the thing that a JSON pointer leads to.
#pragma once

#include <string>

#include "preflight/rule_context.hpp"

namespace helixavatar::preflight {

/// "Body", "POSITION of Body", "material Skin", or empty for places that have no name. Any JSON is safe.
std::string name_at(const RuleContext& context, const std::string& pointer);

}  // namespace helixavatar::preflight
