// SPDX-License-Identifier: MIT
// The command line described from itself: man pages and shell completions that cannot differ from what is parsed.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace helixavatar::commands {

/// The man page (roff) of the program, or of one of its subcommands.
std::string man_page(const CLI::App& app, const CLI::App& program);

/// Completion for bash, zsh or fish: subcommands, options, the words that an option takes, and files. Empty for any
/// other shell.
std::string completion(const CLI::App& program, const std::string& shell);

}  // namespace helixavatar::commands
