// SPDX-License-Identifier: MIT
// The queue. Every file is worked on in a process of its own, a forked copy of this one: whatever a file does to it (a
// crash, an endless loop, all the memory), the others do not notice. This process only waits, so it stays small and
// single-threaded however many files there are.
#pragma once

#include <chrono>
#include <functional>

#include <helixavatar/batch/outcome.hpp>
#include <helixavatar/batch/plan.hpp>

namespace helixavatar::batch {

/// What is done to each file, and what tells it apart from anything else that could have been done.
struct Recipe {
    std::string command;
    std::string options;  ///< digest of everything but the source that shapes the output
    /// Runs in the worker. Writes the job's outputs below the output folder, whose sub-folders exist.
    std::function<Outcome(const Job& job)> work;
};

struct RunOptions {
    std::filesystem::path folder;       ///< of the outputs; empty: nothing is written, nothing is remembered
    unsigned jobs = 0;                  ///< files at a time; 0: one a core
    std::size_t memory_bytes = 0;       ///< for all workers together; 0: three quarters of what is free
    std::chrono::seconds time_limit{};  ///< for one file; 0: none
    bool fail_fast = false;             ///< after the first outcome that is not exit code 0, begin no other file
    bool resume = false;
    bool progress = true;  ///< on standard error: a bar on a terminal, else a line now and then
};

struct RunResult {
    std::vector<Outcome> outcomes;  ///< one a job, in the order of the jobs
    int stopped_by = 0;             ///< the signal that ended the run early, or 0
    ExitCode code = ExitCode::ok;   ///< the highest-ranking of all
};

/// Works through the jobs, large files first, as many at a time as jobs and memory allow. A file that needs more than
/// its share of the memory is tried once more, alone, with all of it. `ended` gets each outcome in the order of the
/// jobs, as soon as those before it are there.
/// Signals: SIGINT lets the files in work finish and begins no other, a second one drops them; SIGTERM and SIGHUP drop
/// them at once. Dropped files leave nothing behind.
RunResult run(const std::vector<Job>& jobs, const Recipe& recipe, const RunOptions& options,
              const std::function<void(std::size_t, const Outcome&)>& ended);

/// Memory that this process may still take, by the machine and by its control group; bytes.
std::size_t free_memory();

}  // namespace helixavatar::batch
