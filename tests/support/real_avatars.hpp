// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace helixavatar::test {

/// The folder behind an environment variable ("HELIXAVATAR_REAL_AVATARS", "HELIXAVATAR_MALFORMED"), or nothing, said on
/// standard output so that a run without the files is seen to have skipped.
std::optional<std::filesystem::path> folder_from(const char* variable);

/// A path of the npm packages that read our files back, or nothing, said likewise.
std::optional<std::filesystem::path> node_modules();

}  // namespace helixavatar::test
