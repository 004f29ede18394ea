// SPDX-License-Identifier: MIT
#include <helixavatar/base/child_process.hpp>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace helixavatar {
namespace {

constexpr std::size_t kOutputCap = 64 * 1024;

/// Between fork and exec: only async-signal-safe calls.
[[noreturn]] void become(const char* program, char* const* arguments, const char* folder, int out) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // who asked for it is gone: nobody would collect the result
    const int null_fd = ::open("/dev/null", O_RDONLY);
    if (null_fd >= 0) ::dup2(null_fd, 0);
    ::dup2(out, 1);
    ::dup2(out, 2);
    if (::chdir(folder) == 0) ::execv(program, arguments);
    ::_exit(127);
}

/// Reads what the child prints until it closes the pipe or the time is up; true when the time was up.
bool drain(int in, std::string& output, std::chrono::steady_clock::time_point deadline) {
    char buffer[4096];
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0) return true;
        pollfd waiting{in, POLLIN, 0};
        const int ready = ::poll(&waiting, 1, static_cast<int>(std::min<long long>(left.count(), 1000)));
        if (ready < 0 && errno != EINTR) return false;
        if (ready <= 0) continue;
        const ssize_t got = ::read(in, buffer, sizeof buffer);
        if (got == 0 || (got < 0 && errno != EINTR)) return false;
        if (got > 0 && output.size() < kOutputCap)
            output.append(buffer, std::min(static_cast<std::size_t>(got), kOutputCap - output.size()));
    }
}

/// Waits for the child's end; past the deadline it is killed with its children, and `timed_out` set. Returns its status.
int wait_until(pid_t child, std::chrono::steady_clock::time_point deadline, bool& timed_out) {
    int status = 0;
    while (!timed_out) {
        const pid_t ended = ::waitpid(child, &status, WNOHANG);
        if (ended == child) return status;
        // A child may close its outputs and live on.
        timed_out = std::chrono::steady_clock::now() >= deadline;
        if (!timed_out) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ::kill(-child, SIGKILL);
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

}  // namespace

Result<ChildResult> run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                              const std::filesystem::path& folder, std::chrono::seconds limit) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return Error{ErrorKind::internal, std::strerror(errno), program.string(), ""};
    std::vector<std::string> words{program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const std::string program_text = program.string();
    const std::string folder_text = folder.string();

    const pid_t child = ::fork();
    if (child == 0) become(program_text.c_str(), argv.data(), folder_text.c_str(), ends[1]);
    ::close(ends[1]);
    if (child < 0) {
        ::close(ends[0]);
        return Error{ErrorKind::internal, std::string("cannot start a process: ") + std::strerror(errno), program_text,
                     ""};
    }
    ChildResult result;
    const auto deadline = std::chrono::steady_clock::now() + limit;
    result.timed_out = drain(ends[0], result.output, deadline);
    ::close(ends[0]);
    const int status = wait_until(child, deadline, result.timed_out);
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

std::filesystem::path find_program(const std::string& name) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::filesystem::path candidate = std::filesystem::path(folder.empty() ? "." : folder) / name;
        if (::access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate))
            return std::filesystem::absolute(candidate);
    }
    return {};
}

std::filesystem::path executable_folder() {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? std::filesystem::path{} : self.parent_path();
}

namespace {

constexpr const char* kTemporaryPrefix = "helixavatar.";

/// Folders of killed programs: nobody holds their lock any more.
void remove_abandoned(const std::filesystem::path& parent) {
    std::error_code error;
    for (std::filesystem::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
        if (it->path().filename().string().rfind(kTemporaryPrefix, 0) != 0) continue;
        const int fd = ::open(it->path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        if (fd < 0) continue;
        struct stat status {};
        std::error_code ignored;
        if (::fstat(fd, &status) == 0 && status.st_uid == ::geteuid() && ::flock(fd, LOCK_EX | LOCK_NB) == 0)
            std::filesystem::remove_all(it->path(), ignored);
        ::close(fd);
    }
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
    const std::filesystem::path parent = std::filesystem::temp_directory_path();
    [[maybe_unused]] static const bool once = (remove_abandoned(parent), true);
    for (;;) {
        std::string pattern = (parent / (std::string(kTemporaryPrefix) + "XXXXXX")).string();
        const char* made = ::mkdtemp(pattern.data());
        if (!made)
            throw std::filesystem::filesystem_error("cannot make a temporary folder", pattern,
                                                    std::error_code(errno, std::generic_category()));
        path_ = made;
        lock_ = ::open(made, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (lock_ >= 0 && ::flock(lock_, LOCK_SH | LOCK_NB) == 0 && ::access(made, F_OK) == 0) return;
        // Another program took it for abandoned before it was locked.
        if (lock_ >= 0) ::close(lock_);
    }
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
    ::close(lock_);
}

}  // namespace helixavatar
