// SPDX-License-Identifier: MIT
// One file's process.
#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>

#include <sys/types.h>

#include <helixavatar/base/result.hpp>

namespace helixavatar::batch {

/// Whether a worker's memory is limited: the sanitizers reserve terabytes that they never use.
#if defined(__has_feature)  // clang's way of saying so
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HELIXAVATAR_UNDER_SANITIZER
#endif
#endif
#if defined(HELIXAVATAR_UNDER_SANITIZER) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kLimitsMemory = false;
#else
inline constexpr bool kLimitsMemory = true;
#endif

struct WorkerLimits {
    std::size_t memory_bytes = 0;            ///< of data that it may have; 0: any
    std::filesystem::path temporary_folder;  ///< its TMPDIR; empty: as it is
    bool keep_input = false;                 ///< it reads standard input
    sigset_t signals{};                      ///< its signal mask
    unsigned threads = 0;                    ///< what parallel_for() takes
};

/// How the process ended.
struct WorkerEnd {
    std::string result;          ///< what the body returned; empty when it did not come to that
    std::string noise;           ///< the end of what it printed
    int signal = 0;              ///< that killed it
    std::size_t peak_bytes = 0;  ///< of resident memory
    bool out_of_memory = false;  ///< an allocation failed
};

class Worker {
public:
    /// Forks; `body` runs in the new process, whose standard output and error go nowhere but into WorkerEnd::noise.
    /// It dies with this process. Requires that this process has one thread. Errors: internal.
    static Result<Worker> start(const std::function<std::string()>& body, const WorkerLimits& limits);

    Worker(Worker&& other) noexcept;
    Worker& operator=(Worker&& other) noexcept;
    ~Worker();  ///< kills it if it still runs

    int result_fd() const { return result_fd_; }
    int noise_fd() const { return noise_fd_; }
    /// Takes what can be read without waiting; true when the worker has closed both.
    bool take();
    void kill() const;
    /// Waits for its end. Requires take() to have returned true, or kill().
    WorkerEnd end();

private:
    Worker() = default;
    pid_t pid_ = -1;
    int result_fd_ = -1, noise_fd_ = -1;
    std::string result_, noise_;
};

}  // namespace helixavatar::batch
