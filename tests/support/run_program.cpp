// SPDX-License-Identifier: MIT
#include "support/run_program.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <helixavatar/base/bytes.hpp>

namespace helixavatar::test {

namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

Program::Program(const fs::path& program, std::vector<std::string> words, const fs::path& folder) {
    static std::atomic<int> number{0};
    const std::string own = std::to_string(::getpid()) + "-" + std::to_string(number++);
    out_ = folder / (".stdout-" + own);
    err_ = folder / (".stderr-" + own);
    std::string name = program.string();
    std::vector<char*> argv{name.data()};
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    const int in = ::open("/dev/null", O_RDONLY);
    const int out = ::open(out_.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    const int err = ::open(err_.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    ::dup2(in, 0);
    ::dup2(out, 1);
    ::dup2(err, 2);
    for (const int number_ : {SIGINT, SIGTERM, SIGHUP}) ::signal(number_, SIG_DFL);
    if (::chdir(folder.c_str()) == 0) ::execv(name.c_str(), argv.data());
    ::_exit(127);
}

Program::~Program() {
    if (running()) ::kill(pid_, SIGKILL);
    wait();
}

bool Program::running() {
    if (!ended_) ended_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
    return !ended_;
}

void Program::signal(int number) const {
    ::kill(pid_, number);
}

Ended Program::wait() {
    while (running()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    Ended ended{WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_), text_of(out_), text_of(err_)};
    std::error_code ignored;
    fs::remove(out_, ignored);
    fs::remove(err_, ignored);
    return ended;
}

std::size_t Program::peak_kib() const {
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.rfind("VmHWM:", 0) == 0) return std::stoul(line.substr(6));
    return 0;
}

Ended run_program(const fs::path& program, std::vector<std::string> words, const fs::path& folder) {
    return Program(program, std::move(words), folder).wait();
}

std::vector<std::string> tree(const fs::path& folder) {
    std::vector<std::string> list;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const std::string place = entry.path().lexically_relative(folder).string();
        if (entry.is_symlink())
            list.push_back(place + " link " + fs::read_symlink(entry.path()).string());
        else if (entry.is_directory())
            list.push_back(place + " folder");
        else
            list.push_back(place + " file " + sha256_hex(as_bytes(text_of(entry.path()))));
    }
    std::sort(list.begin(), list.end());
    return list;
}

}  // namespace helixavatar::test
