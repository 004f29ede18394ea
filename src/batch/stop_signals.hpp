// SPDX-License-Identifier: MIT
#pragma once

#include <csignal>

namespace helixavatar::batch {

/// While it lives, SIGINT, SIGTERM and SIGHUP do not end the process but can be read from fd().
class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    int fd() const { return fd_; }
    /// The next signal that came, or 0.
    int next() const;
    /// The mask from before, for a process that is to be stopped as usual.
    const sigset_t& former() const { return former_; }

private:
    sigset_t former_;
    int fd_ = -1;
};

}  // namespace helixavatar::batch
