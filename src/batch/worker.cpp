// SPDX-License-Identifier: MIT
#include "batch/worker.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <helixavatar/base/parallel.hpp>

namespace helixavatar::batch {
namespace {

constexpr std::size_t kNoiseKept = 4096;
constexpr std::size_t kResultCap = std::size_t{64} << 20;
/// The worker's exit status when an allocation failed; any number that nothing else uses.
constexpr int kOutOfMemory = 71;

void write_all(int fd, const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t put = ::write(fd, text.data() + done, text.size() - done);
        if (put < 0 && errno != EINTR) return;
        if (put > 0) done += static_cast<std::size_t>(put);
    }
}

void settle_in(const WorkerLimits& limits, int noise, pid_t parent) {
    ::setpgid(0, 0);  // Ctrl-C on the terminal is the parent's to answer
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);  // it went before the line above
    ::sigprocmask(SIG_SETMASK, &limits.signals, nullptr);
    if (!limits.keep_input) {
        const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (nothing >= 0) ::dup2(nothing, 0);
    }
    ::dup2(noise, 1);
    ::dup2(noise, 2);
    if (!limits.temporary_folder.empty()) ::setenv("TMPDIR", limits.temporary_folder.c_str(), 1);
    if (limits.memory_bytes > 0 && kLimitsMemory) {
        const rlimit most{limits.memory_bytes, limits.memory_bytes};
        ::setrlimit(RLIMIT_DATA, &most);
    }
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    share_cores(limits.threads);
}

[[noreturn]] void live(const std::function<std::string()>& body, int result) {
    int status = 0;
    try {
        write_all(result, body());
    } catch (const std::bad_alloc&) {
        status = kOutOfMemory;
    } catch (const std::system_error& error) {
        // No memory for the stack of a thread.
        const bool memory =
            error.code() == std::errc::resource_unavailable_try_again || error.code() == std::errc::not_enough_memory;
        std::fprintf(stderr, "%s\n", error.what());
        status = memory ? kOutOfMemory : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        status = 1;
    } catch (...) {
        status = 1;
    }
    std::fflush(nullptr);
    ::_exit(status);
}

/// Reads what is there; closes the descriptor at its end.
void read_some(int& fd, std::string& into) {
    char buffer[65536];
    while (fd >= 0) {
        const ssize_t got = ::read(fd, buffer, sizeof buffer);
        if (got > 0) {
            into.append(buffer, static_cast<std::size_t>(got));
        } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
            ::close(std::exchange(fd, -1));
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

}  // namespace

Result<Worker> Worker::start(const std::function<std::string()>& body, const WorkerLimits& limits) {
    int result[2], noise[2];
    if (::pipe2(result, O_CLOEXEC) != 0) return Error{ErrorKind::internal, std::strerror(errno), "pipe", ""};
    if (::pipe2(noise, O_CLOEXEC) != 0) {
        const int fault = errno;
        ::close(result[0]);
        ::close(result[1]);
        return Error{ErrorKind::internal, std::strerror(fault), "pipe", ""};
    }
    std::fflush(nullptr);  // or both processes would print what is waiting
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    const int fault = errno;
    if (child == 0) {
        settle_in(limits, noise[1], parent);
        live(body, result[1]);
    }
    ::close(result[1]);
    ::close(noise[1]);
    Worker worker;
    worker.pid_ = child;
    worker.result_fd_ = result[0];
    worker.noise_fd_ = noise[0];
    if (child < 0)
        return Error{ErrorKind::internal, std::string("cannot start a process: ") + std::strerror(fault), "fork",
                     "try again with fewer --jobs"};
    ::setpgid(child, child);
    for (const int fd : {result[0], noise[0]}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
    return worker;
}

Worker::Worker(Worker&& other) noexcept {
    *this = std::move(other);
}

Worker& Worker::operator=(Worker&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(result_fd_, other.result_fd_);
    std::swap(noise_fd_, other.noise_fd_);
    std::swap(result_, other.result_);
    std::swap(noise_, other.noise_);
    return *this;
}

Worker::~Worker() {
    if (pid_ > 0) {
        kill();
        end();
    }
    if (result_fd_ >= 0) ::close(result_fd_);
    if (noise_fd_ >= 0) ::close(noise_fd_);
}

bool Worker::take() {
    read_some(result_fd_, result_);
    read_some(noise_fd_, noise_);
    if (noise_.size() > kNoiseKept) noise_.erase(0, noise_.size() - kNoiseKept);
    if (result_.size() > kResultCap) kill();
    return result_fd_ < 0;
}

void Worker::kill() const {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
}

WorkerEnd Worker::end() {
    int status = 0;
    rusage usage{};
    while (::wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    read_some(noise_fd_, noise_);
    WorkerEnd end;
    end.noise = noise_.size() > kNoiseKept ? noise_.substr(noise_.size() - kNoiseKept) : noise_;
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.out_of_memory = WIFEXITED(status) && WEXITSTATUS(status) == kOutOfMemory;
    end.peak_bytes = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) end.result = std::move(result_);
    return end;
}

}  // namespace helixavatar::batch
