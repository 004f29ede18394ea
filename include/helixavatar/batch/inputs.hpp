// SPDX-License-Identifier: MIT
// From the words of a command line to files: files as they are, folders walked, globs expanded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <helixavatar/base/result.hpp>

namespace helixavatar::batch {

struct Input {
    std::filesystem::path path;   ///< to open it; "-" is standard input
    std::filesystem::path below;  ///< its place below the folder or glob that led to it: "heroes/knight.glb"
    std::uintmax_t bytes = 0;     ///< 0 where it cannot be told
    std::optional<Error> fault;   ///< why it cannot be an input, known before it is opened
};

struct InputRules {
    std::vector<std::string> extensions;  ///< what is taken from a folder: ".glb", ...; lower case, any case matches
    std::filesystem::path leave_out;      ///< a folder not walked into: where the outputs go
};

/// Every input once, in the order of the words, those of a folder or glob sorted by name. What a folder holds under a
/// wanted name but cannot be read (a FIFO, a loop of links, a folder without permission) is an input as well: it fails
/// as one file, and is not passed over in silence. Links to folders are not followed. A word that names nothing is an
/// input too, which fails when it is opened. Errors: unreadable when a folder holds nothing of the wanted names.
Result<std::vector<Input>> find_inputs(const std::vector<std::string>& words, const InputRules& rules);

/// True when the word stands for any number of files: a folder, or a glob that is not the name of a file.
bool names_many(const std::string& word);

}  // namespace helixavatar::batch
