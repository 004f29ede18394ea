// SPDX-License-Identifier: MIT
// A program as a person or a scheduler starts it: its streams apart, to be waited for, stopped or killed.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace helixavatar::test {

struct Ended {
    int exit_code = 0;  ///< 128 + n when signal n ended it
    std::string out, err;
};

class Program {
public:
    /// Starts it in `folder`; the streams go to files that lie in `folder` under hidden names of this object's own.
    Program(const std::filesystem::path& program, std::vector<std::string> words, const std::filesystem::path& folder);
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    pid_t pid() const { return pid_; }
    bool running();
    void signal(int number) const;
    Ended wait();
    /// Highest resident memory of the process itself so far, without its children; KiB, 0 once it ended.
    std::size_t peak_kib() const;

private:
    pid_t pid_ = -1;
    int status_ = 0;
    bool ended_ = false;
    std::filesystem::path out_, err_;
};

/// Runs to the end.
Ended run_program(const std::filesystem::path& program, std::vector<std::string> words,
                  const std::filesystem::path& folder);

/// Every file below a folder with its bytes, links and folders named as such; "place kind bytes" in one sorted list.
std::vector<std::string> tree(const std::filesystem::path& folder);

}  // namespace helixavatar::test
