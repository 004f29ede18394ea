// SPDX-License-Identifier: MIT
// What `--help` prints, and what a wrong command line is answered with.
#pragma once

#include <memory>

namespace CLI {
class App;
class FormatterBase;
class ParseError;
}  // namespace CLI

namespace helixavatar::commands {

/// Names first, then what an option is for, what it may be and what it is when left out.
std::shared_ptr<CLI::FormatterBase> help_formatter();

/// Prints the help that was asked for (0), or what is wrong with the nearest name that exists (ExitCode::usage).
int usage_exit(const CLI::App& app, const CLI::ParseError& error);

}  // namespace helixavatar::commands
