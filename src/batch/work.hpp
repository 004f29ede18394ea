// SPDX-License-Identifier: MIT
// What surrounds the work on one file, in its own process.
#pragma once

#include <string>

#include <helixavatar/batch/run.hpp>

namespace helixavatar::batch {

/// Keeps what is still right under --resume; else does the work, takes down what was read and written, and leaves the
/// record. Returns the outcome as JSON text.
std::string work_on(const Job& job, const Recipe& recipe, const RunOptions& options);

/// The outcome that work_on() returned. Errors: malformed.
Result<Outcome> parse_outcome(const std::string& text);

/// Leaves the record of a file whose worker could not. Errors: unwritable.
Result<void> remember(const Job& job, const Recipe& recipe, const RunOptions& options, std::vector<FileTrace> inputs,
                      const Outcome& outcome);

}  // namespace helixavatar::batch
