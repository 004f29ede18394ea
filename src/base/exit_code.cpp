// SPDX-License-Identifier: MIT
#include <helixavatar/base/exit_code.hpp>

namespace helixavatar {

ExitCode exit_code_for(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::usage:
            return ExitCode::usage;
        case ErrorKind::unreadable:
        case ErrorKind::malformed:
            return ExitCode::bad_input;
        case ErrorKind::unconvertible:
            return ExitCode::unconvertible;
        case ErrorKind::unwritable:
            return ExitCode::unwritable;
        case ErrorKind::internal:
            return ExitCode::internal;
    }
    return ExitCode::internal;
}

namespace {
int rank(ExitCode code) {
    switch (code) {
        case ExitCode::ok:
            return 0;
        case ExitCode::judged_bad:
            return 1;
        case ExitCode::usage:
            return 2;
        case ExitCode::unconvertible:
            return 3;
        case ExitCode::bad_input:
            return 4;
        case ExitCode::unwritable:
            return 5;
        case ExitCode::internal:
            return 6;
    }
    return 6;
}
}  // namespace

ExitCode worse(ExitCode a, ExitCode b) {
    return rank(a) >= rank(b) ? a : b;
}

}  // namespace helixavatar
