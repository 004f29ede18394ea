// SPDX-License-Identifier: MIT
#include "batch/stop_signals.hpp"

#include <initializer_list>

#include <sys/signalfd.h>
#include <unistd.h>

namespace helixavatar::batch {

StopSignals::StopSignals() {
    sigset_t stop;
    sigemptyset(&stop);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction now {};
        // What somebody chose to ignore (nohup) stays ignored.
        if (::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) continue;
        sigaddset(&stop, number);
    }
    ::sigprocmask(SIG_BLOCK, &stop, &former_);
    fd_ = ::signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK);
}

StopSignals::~StopSignals() {
    while (next() != 0) {
    }
    if (fd_ >= 0) ::close(fd_);
    ::sigprocmask(SIG_SETMASK, &former_, nullptr);
}

int StopSignals::next() const {
    signalfd_siginfo info{};
    if (::read(fd_, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return 0;
    return static_cast<int>(info.ssi_signo);
}

}  // namespace helixavatar::batch
