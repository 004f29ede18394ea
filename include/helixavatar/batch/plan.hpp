// SPDX-License-Identifier: MIT
// What is to be done, decided before anything is: which file each input becomes, and whose turn it is.
#pragma once

#include <functional>
#include <string_view>

#include <helixavatar/batch/inputs.hpp>

namespace helixavatar::batch {

struct Job {
    Input input;
    std::vector<std::filesystem::path> outputs;  ///< below the output folder, the main one first; may be none
};

/// The outputs of an input, by its place ("heroes/knight.glb" gives "heroes/knight.web.glb" and its receipt).
using Naming = std::function<std::vector<std::filesystem::path>(const std::filesystem::path& below)>;

/// One job an input. Errors: usage when two inputs would give one output, or an output would take the place of an
/// input; both are named. An output whose name the file system would refuse becomes the job's fault.
Result<std::vector<Job>> plan(std::vector<Input> inputs, const std::filesystem::path& folder, const Naming& naming);

/// A stable share of the inputs for one of several machines: it depends on an input's place alone, not on the others
/// nor on where the folder lies.
struct Shard {
    unsigned index = 1;  ///< 1 to count
    unsigned count = 1;

    bool holds(const std::filesystem::path& below) const;
};

/// "2/8". Errors: usage.
Result<Shard> parse_shard(std::string_view text);

}  // namespace helixavatar::batch
