// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <helixavatar/base/result.hpp>

namespace helixavatar {

struct ChildResult {
    int exit_code = 0;  ///< the child's exit status; 128 + n when signal n ended it
    bool timed_out = false;
    std::string output;  ///< its standard output and error together, at most 64 KiB
};

/// Runs a program without a shell, standard input empty, in `folder`; it is killed (with its children) after `limit`.
/// Errors: internal when it cannot be started.
Result<ChildResult> run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                              const std::filesystem::path& folder, std::chrono::seconds limit);

/// The program of that name on PATH, or empty.
std::filesystem::path find_program(const std::string& name);

/// The folder of the running executable.
std::filesystem::path executable_folder();

/// A private folder under the system's temporary folder; removed with all it holds when this goes. It is locked
/// meanwhile, so that the folders of programs that were killed can be told apart and are removed by the next one.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    int lock_ = -1;
};

}  // namespace helixavatar
