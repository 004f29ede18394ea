// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <helixavatar/import/import.hpp>

namespace helixavatar::commands {

/// For each canonical joint the winner, the runner-up and the evidence, as an aligned table.
std::string explain_mapping(const import::Understood& understood);

/// The source's joint tree with the canonical joint beside each mapped one.
std::string joint_tree(const import::Understood& understood);

}  // namespace helixavatar::commands
