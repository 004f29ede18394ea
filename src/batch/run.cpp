// SPDX-License-Identifier: MIT
#include <helixavatar/batch/run.hpp>

#include <algorithm>
#include <cstring>
#include <deque>
#include <numeric>
#include <set>
#include <thread>

#include <poll.h>

#include <helixavatar/base/child_process.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/batch/record.hpp>

#include "batch/progress.hpp"
#include "batch/stop_signals.hpp"
#include "batch/work.hpp"
#include "batch/worker.hpp"

namespace helixavatar::batch {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMebibyte = std::size_t{1} << 20;
/// Nothing useful fits into less.
constexpr std::size_t kLeastShare = 256 * kMebibyte;
/// What a file is expected to need: measured 153 MiB for an import of 10.9 MB with two 2048-pixel textures.
constexpr std::size_t kOwnNeed = 64 * kMebibyte, kNeedPerByte = 12;
/// A failure of a worker that came this near to its share may be for want of memory, whatever a library called it.
constexpr std::size_t kNear = 4;

std::size_t need_of(const Job& job) {
    return kOwnNeed + kNeedPerByte * std::min<std::size_t>(job.input.bytes, Limits{}.file_bytes);
}

class Queue {
public:
    Queue(const std::vector<Job>& jobs, const Recipe& recipe, const RunOptions& options,
          const std::function<void(std::size_t, const Outcome&)>& ended)
        : jobs_(jobs), recipe_(recipe), options_(options), tell_(ended), progress_(jobs, options.progress) {
        slots_ = options.jobs > 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
        memory_ = options.memory_bytes > 0 ? options.memory_bytes : free_memory() / 4 * 3;
        share_ = std::max(kLeastShare, memory_ / slots_);
        result_.outcomes.resize(jobs.size());
        told_.resize(jobs.size(), false);
    }

    RunResult work() {
        prepare();
        while (!running_.empty() || can_begin()) {
            while (may_begin_next()) begin_next();
            wait();
            collect();
            listen();
            tell();
        }
        finish();
        return std::move(result_);
    }

private:
    struct Running {
        std::size_t job;
        Worker worker;
        std::size_t memory;
        fs::path temporary;
        std::chrono::steady_clock::time_point deadline;
        bool overdue = false;
    };

    void prepare() {
        std::set<fs::path> folders;
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            for (const fs::path& output : jobs_[i].outputs) folders.insert((options_.folder / output).parent_path());
            if (jobs_[i].input.fault)
                refuse(i, *jobs_[i].input.fault);
            else
                waiting_.push_back(i);
        }
        if (!options_.folder.empty()) folders.insert(options_.folder / kRecordFolder);
        for (const fs::path& folder : folders) remove_leftovers(folder);
        // Large files first: the last ones to run are small, so that no core waits long for another.
        std::stable_sort(waiting_.begin(), waiting_.end(),
                         [&](std::size_t a, std::size_t b) { return jobs_[a].input.bytes > jobs_[b].input.bytes; });
    }

    bool can_begin() const { return !stopping_ && (!waiting_.empty() || !again_.empty()); }

    bool may_begin_next() const {
        if (!can_begin()) return false;
        if (running_.empty()) return true;
        if (waiting_.empty() || running_.size() >= slots_ || alone_) return false;
        return in_use_ + memory_for(waiting_.front()) <= memory_;
    }

    std::size_t memory_for(std::size_t job) const { return std::min(memory_, std::max(share_, need_of(jobs_[job]))); }

    void begin_next() {
        // Second tries come last, each with the machine to itself.
        alone_ = waiting_.empty();
        std::deque<std::size_t>& from = alone_ ? again_ : waiting_;
        const std::size_t job = from.front();
        from.pop_front();
        begin(job, alone_ ? memory_ : memory_for(job));
    }

    void begin(std::size_t job, std::size_t memory) {
        WorkerLimits limits;
        limits.memory_bytes = memory;
        limits.temporary_folder = temporary_.path() / std::to_string(job);
        limits.keep_input = jobs_[job].input.path == "-";
        limits.signals = signals_.former();
        limits.threads = alone_ ? 0 : 1;  // a job is a core: files side by side use them better than threads within one
        std::error_code ignored;
        fs::create_directory(limits.temporary_folder, ignored);
        progress_.hide();
        Result<Worker> worker = Worker::start([&] { return work_on(jobs_[job], recipe_, options_); }, limits);
        if (!worker) return refuse(job, worker.error());
        progress_.begun(jobs_[job]);
        running_.push_back({job, worker.take(), memory, limits.temporary_folder,
                            std::chrono::steady_clock::now() + options_.time_limit});
        in_use_ += memory;
    }

    /// Until a worker has something, a signal comes, or the bar is to be drawn anew.
    void wait() {
        std::vector<pollfd> watched{{signals_.fd(), POLLIN, 0}};
        for (const Running& one : running_)
            for (const int fd : {one.worker.result_fd(), one.worker.noise_fd()})
                if (fd >= 0) watched.push_back({fd, POLLIN, 0});
        constexpr int kBetweenTicks = 250;  // milliseconds
        if (!running_.empty()) ::poll(watched.data(), watched.size(), kBetweenTicks);
        progress_.tick();
    }

    void collect() {
        const auto now = std::chrono::steady_clock::now();
        for (std::size_t i = 0; i < running_.size();) {
            Running& one = running_[i];
            if (options_.time_limit.count() > 0 && now >= one.deadline && !one.overdue) {
                one.overdue = true;
                one.worker.kill();
            }
            if (!one.worker.take()) {
                ++i;
                continue;
            }
            Running ended = std::move(one);
            running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
            settle(std::move(ended));
        }
    }

    void settle(Running ended) {
        const WorkerEnd end = ended.worker.end();
        release(ended);
        Result<Outcome> outcome =
            end.result.empty() ? Result<Outcome>(Error{ErrorKind::internal, "", "", ""}) : parse_outcome(end.result);
        const bool failed = !outcome || outcome->error;
        const bool short_of_memory = end.out_of_memory || (end.signal == SIGKILL && !ended.overdue) ||
                                     (failed && end.peak_bytes > ended.memory / kNear);
        alone_ = false;
        if (failed && short_of_memory && ended.memory < memory_ && !stopping_) return again_.push_back(ended.job);
        if (outcome) return keep(ended.job, outcome.take());
        refuse(ended.job, ended.overdue           ? overdue()
                          : end.out_of_memory     ? too_large()
                          : end.signal == SIGKILL ? killed(end)
                                                  : crashed(end));
    }

    void release(const Running& ended) {
        in_use_ -= ended.memory;
        std::error_code ignored;
        fs::remove_all(ended.temporary, ignored);
    }

    Error overdue() const {
        return {ErrorKind::unconvertible,
                "not done within " + std::to_string(options_.time_limit.count()) + " seconds, and given up", "",
                "give it more with --time-limit, or leave the file out"};
    }

    Error too_large() const {
        return {ErrorKind::unreadable,
                "it needs more than the " + std::to_string(memory_ / kMebibyte) +
                    " MiB of memory that it may have, even alone",
                "", "allow more with --memory, or work on it on a larger machine"};
    }

    static Error killed(const WorkerEnd& end) {
        return {ErrorKind::unreadable,
                "its process was killed, by somebody or by the system for lack of memory (it had taken " +
                    std::to_string(end.peak_bytes / kMebibyte) + " MiB)",
                "", "run again with --resume; if it is killed again, work on it on a machine with more memory"};
    }

    static Error crashed(const WorkerEnd& end) {
        std::string message = "the program itself failed on this file";
        if (end.signal != 0) message += std::string(" (") + ::strsignal(end.signal) + ")";
        if (!end.noise.empty())
            message += "; its last words: " + end.noise.substr(0, end.noise.find_last_not_of('\n') + 1);
        return {ErrorKind::internal, message, "", "please report it with the file; the other files are not concerned"};
    }

    /// A file that no worker could answer for.
    void refuse(std::size_t job, const Error& error) {
        Outcome outcome;
        outcome.code = exit_code_for(error.kind);
        outcome.error = error;
        // Without the record a later --resume just tries again.
        if (!options_.folder.empty()) static_cast<void>(remember(jobs_[job], recipe_, options_, {}, outcome));
        keep(job, std::move(outcome));
    }

    void keep(std::size_t job, Outcome outcome) {
        progress_.ended(jobs_[job], outcome);
        if (options_.fail_fast && outcome.code != ExitCode::ok) stopping_ = true;
        result_.outcomes[job] = std::move(outcome);
        told_[job] = true;
    }

    void listen() {
        while (const int number = signals_.next()) {
            const bool again = result_.stopped_by != 0;
            result_.stopped_by = number;
            stopping_ = true;
            if (number == SIGINT && !again && !running_.empty()) {
                progress_.say("stopping: the " + std::to_string(running_.size()) +
                              " file(s) in work are finished; once more to drop them");
                continue;
            }
            for (Running& one : running_) {
                one.worker.kill();
                one.worker.end();
                release(one);
                result_.outcomes[one.job].state = State::dropped;
            }
            running_.clear();
        }
    }

    /// Outcomes leave in the order of the jobs; their reports are kept no longer.
    void tell() {
        while (next_ < told_.size() && told_[next_]) hand_over(next_++);
    }

    void hand_over(std::size_t job) {
        progress_.hide();
        tell_(job, result_.outcomes[job]);
        result_.outcomes[job].report = nullptr;
    }

    void finish() {
        tell();
        for (; next_ < told_.size(); ++next_) {
            Outcome& outcome = result_.outcomes[next_];
            if (!told_[next_] && outcome.state != State::dropped) outcome.state = State::not_run;
            hand_over(next_);
        }
        progress_.tick();
        for (const Outcome& outcome : result_.outcomes) result_.code = worse(result_.code, outcome.code);
    }

    const std::vector<Job>& jobs_;
    const Recipe& recipe_;
    const RunOptions& options_;
    const std::function<void(std::size_t, const Outcome&)>& tell_;
    const StopSignals signals_;
    const TemporaryFolder temporary_;
    Progress progress_;
    unsigned slots_ = 1;
    std::size_t memory_ = 0, share_ = 0, in_use_ = 0;
    std::deque<std::size_t> waiting_, again_;  ///< jobs; again: those to be tried alone
    std::vector<Running> running_;
    bool alone_ = false;     ///< the one that runs has all the memory
    bool stopping_ = false;  ///< no further file is begun
    RunResult result_;
    std::vector<bool> told_;  ///< the outcome is there
    std::size_t next_ = 0;    ///< the first job whose outcome was not handed over
};

}  // namespace

RunResult run(const std::vector<Job>& jobs, const Recipe& recipe, const RunOptions& options,
              const std::function<void(std::size_t, const Outcome&)>& ended) {
    return Queue(jobs, recipe, options, ended).work();
}

}  // namespace helixavatar::batch
