// SPDX-License-Identifier: MIT
#pragma once

#include <helixavatar/base/result.hpp>

namespace helixavatar {

/// The process's exit codes; scripts rely on them, so a number never changes its meaning.
enum class ExitCode : int {
    ok = 0,             ///< done; no error found
    judged_bad = 1,     ///< judged, and at least one error (or a warning under --strict)
    usage = 2,          ///< the command line or a config file is wrong
    bad_input = 3,      ///< an input cannot be read or is malformed
    unconvertible = 4,  ///< an input is readable but cannot be converted
    unwritable = 5,     ///< an output could not be written
    internal = 70       ///< a fault of the program itself
};

ExitCode exit_code_for(ErrorKind kind);

/// The exit code of a run over many inputs: the highest-ranking of 70, 5, 3, 4, 2, 1, 0.
ExitCode worse(ExitCode a, ExitCode b);

}  // namespace helixavatar
