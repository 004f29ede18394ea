// SPDX-License-Identifier: MIT
// Folders of characters for the tests of many inputs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace helixavatar::test {

/// The bytes of a small character; another number gives another file.
std::string character(int number);

/// Writes a file and the folders above it.
void put_file(const std::filesystem::path& file, const std::string& bytes);

/// `good` characters of several rig families and `broken` files (cut short, no glTF, empty, a FIFO, without a skin,
/// with lying counts), mixed over sub-folders. At least six broken ones have every kind. Returns the places of the good
/// ones.
std::vector<std::filesystem::path> fill_folder(const std::filesystem::path& folder, int good, int broken);

}  // namespace helixavatar::test
