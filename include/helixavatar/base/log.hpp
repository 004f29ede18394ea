// SPDX-License-Identifier: MIT
// Progress and warnings for people, on standard error. Results never go through here.
#pragma once

#include <string_view>

namespace helixavatar::log {

enum class Level { quiet, normal, verbose };

/// Sets the level, and whether lines are JSON objects ({"level","message"}). Call once, before the first line.
void configure(Level level, bool json);

void debug(std::string_view message);
void info(std::string_view message);
void warn(std::string_view message);
void error(std::string_view message);

}  // namespace helixavatar::log
