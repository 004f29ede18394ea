// SPDX-License-Identifier: MIT
// What the commands share in talking to the user.
#pragma once

#include <filesystem>
#include <string>

#include <helixavatar/base/exit_code.hpp>
#include <helixavatar/base/result.hpp>
#include <helixavatar/preflight/preflight.hpp>

namespace helixavatar::commands {

/// Writes to standard output. A closed pipe ends the program quietly.
void print(const std::string& text);

/// True when standard output is a terminal and neither NO_COLOR nor CI is set.
bool color_wanted();

/// Logs an error as what, where, why, what to do; returns its exit code.
ExitCode fail(const Error& error);

/// The error with the file before its place in it.
Error in_file(const std::filesystem::path& file, Error error);

/// "1,234" style grouping is left out on purpose: numbers in reports are for copying.
std::string megabytes(std::size_t bytes);

/// "1 mesh", "3 meshes"; without `many` an s is added.
std::string amount(std::size_t count, const std::string& one, const std::string& many = {});

/// Errors: usage when `output` is the input, a folder or a device; unwritable when its folder is missing.
Result<void> check_output(const std::filesystem::path& input, const std::filesystem::path& output);

/// Reads a small steering file (bone map, face map, provenance). Errors: usage with the path.
Result<std::string> read_text(const std::filesystem::path& path);

/// Judges the bytes just written and prints the verdict; the exit code is 0 or 1.
ExitCode judge_output(const Bytes& glb, const std::filesystem::path& path, const preflight::PreflightOptions& options);

}  // namespace helixavatar::commands
