// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>

#include <helixavatar/batch/run.hpp>

namespace helixavatar::batch {

/// Tells on standard error how far a run is: a bar on a terminal (not with NO_COLOR or CI, which ask for plain text),
/// else a line now and then; and every failure as it happens.
class Progress {
public:
    Progress(const std::vector<Job>& jobs, bool wanted);
    ~Progress() { hide(); }

    void begun(const Job& job);
    void ended(const Job& job, const Outcome& outcome);
    /// Draws the bar anew, or says a line when it is time for one.
    void tick();
    /// Takes the bar away, so that others can print; the next tick() brings it back.
    void hide();
    /// A line for people.
    void say(const std::string& text);

private:
    using Clock = std::chrono::steady_clock;
    std::string counts() const;
    std::string time_left() const;

    bool wanted_, bar_;
    bool shown_ = false;
    std::size_t files_ = 0, ended_ = 0, failed_ = 0;
    double work_ = 0, work_done_ = 0, work_kept_ = 0;  ///< in bytes, with a file's own overhead added
    std::string now_;
    Clock::time_point begin_ = Clock::now(), said_ = begin_;
};

}  // namespace helixavatar::batch
