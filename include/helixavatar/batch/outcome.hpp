// SPDX-License-Identifier: MIT
// How one file ended.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <helixavatar/base/exit_code.hpp>
#include <helixavatar/base/result.hpp>
#include <helixavatar/gltf/document.hpp>

namespace helixavatar::batch {

using Json = gltf::Json;

/// A file as it was read or written: enough to tell later whether it still is the same.
struct FileTrace {
    std::filesystem::path file;
    std::size_t bytes = 0;
    std::string sha256;
};

enum class State {
    done,     ///< worked on in this run, to the end
    kept,     ///< what an earlier run made is still right
    not_run,  ///< never begun: the run was stopped before
    dropped   ///< begun, and given up when the run was stopped
};

const char* to_string(State state);

struct Outcome {
    State state = State::done;
    ExitCode code = ExitCode::ok;
    std::optional<Error> error;         ///< why there is no output, or no judgement
    std::vector<std::string> warnings;  ///< of the conversion
    std::vector<std::string> faults;    ///< what the judgement found wrong, one line each
    std::size_t errors = 0, found_warnings = 0, not_measured = 0;
    std::vector<FileTrace> outputs;  ///< below the output folder
    Json report;                     ///< the judgement, as the command that made it reads it again; may be null
};

/// Lossless but for names that are no UTF-8.
Json to_json(const Outcome& outcome);
/// Errors: malformed when it is not what to_json() gives.
Result<Outcome> outcome_from_json(const Json& json);

}  // namespace helixavatar::batch
