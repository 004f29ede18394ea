// SPDX-License-Identifier: MIT
// `.helixavatar.toml`: what a project asks of every `preflight` below its folder. Its keys are preflight's own long
// options without the dashes, so that both mean and refuse the same; what the command line says wins.
#pragma once

#include <filesystem>
#include <optional>

#include <helixavatar/base/result.hpp>

namespace CLI {
class App;
}

namespace helixavatar::commands {

inline constexpr const char* kProjectFile = ".helixavatar.toml";

/// The project file of a folder or of the nearest folder above it that has one.
std::optional<std::filesystem::path> find_project_file(const std::filesystem::path& folder);

/// Gives every option that the file names and the command line did not its value. Errors: usage, with file, line and
/// key (and the nearest key when it is unknown).
Result<void> apply_project_file(const std::filesystem::path& file, CLI::App& app);

}  // namespace helixavatar::commands
