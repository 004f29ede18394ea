// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include <helixavatar/avatar/read_source.hpp>
#include <helixavatar/base/result.hpp>

namespace helixavatar::import {

/// The skeletons of a source, when it holds more than one large enough for a person: what each can be called with
/// --root. `apart`: only skeletons that stand beside each other count; copies of one skeleton in one place are one
/// character's.
std::vector<std::string> skeleton_roots(const avatar::Avatar& source, bool apart);

/// Unconvertible, with the names to choose from, when skeleton_roots() are more than one.
std::optional<Error> several_characters(const avatar::Avatar& source, bool apart);

}  // namespace helixavatar::import
