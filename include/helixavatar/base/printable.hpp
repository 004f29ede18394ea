// SPDX-License-Identifier: MIT
// Names come from files and from the internet: none of them gets to steer a terminal, forge a line of a log or break a
// JSON document.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helixavatar {

/// Length of the valid UTF-8 sequence that begins at `at`, or 0.
std::size_t utf8_length(std::string_view text, std::size_t at);

/// The text on one line of valid UTF-8: control characters, what turns the direction of writing, and bytes that are no
/// UTF-8 become \n, \t, \x1b, \xff, \u202e; a backslash becomes \\ so that two names never look the same.
std::string printable(std::string_view text);

}  // namespace helixavatar
