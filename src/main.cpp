// SPDX-License-Identifier: MIT
#include <malloc.h>

#include <csignal>
#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <helixavatar/base/log.hpp>
#include <helixavatar/base/version.hpp>

#include "commands/command.hpp"
#include "commands/usage.hpp"

namespace {

using helixavatar::ExitCode;

constexpr int kKeptBlock = 32 << 20;  // bytes; what glibc allows at the most
constexpr int kKeptHeap = 512 << 20;  // bytes

struct LogWords {
    bool verbose = false;
    bool quiet = false;
    bool json = false;
};

void add_log_options(CLI::App& app, LogWords& words) {
    app.add_flag("-v,--verbose", words.verbose, "say more on standard error");
    app.add_flag("-q,--quiet", words.quiet, "only errors on standard error");
    app.add_flag("--log-json", words.json, "log lines as JSON objects");
}

int run(int argc, char** argv) {
    CLI::App app{"helixavatar: any humanoid character in, a publishable HELIX avatar out; and avatars judged offline",
                 "helixavatar"};
    app.set_version_flag("--version", "helixavatar " + std::string(helixavatar::version()));
    app.require_subcommand(1);
    app.formatter(helixavatar::commands::help_formatter());
    app.footer(
        "exit codes: 0 done, 1 judged and found faulty, 2 wrong command line, 3 unreadable or malformed input,\n"
        "            4 input cannot be converted, 5 output not written, 70 a fault of the program\n");
    LogWords words;
    std::vector<std::pair<CLI::App*, helixavatar::commands::Runner>> runners;
    for (const helixavatar::commands::Command& command : helixavatar::commands::commands()) {
        CLI::App* sub = app.add_subcommand(command.name, command.summary);
        sub->footer(std::string("examples:\n") + command.examples);
        runners.emplace_back(sub, command.bind(*sub));
        add_log_options(*sub, words);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return helixavatar::commands::usage_exit(app, error);
    }
    using helixavatar::log::Level;
    helixavatar::log::configure(words.quiet     ? Level::quiet
                                : words.verbose ? Level::verbose
                                                : Level::normal,
                                words.json);
    for (const auto& [sub, runner] : runners)
        if (sub->parsed()) return static_cast<int>(runner());
    return static_cast<int>(ExitCode::usage);
}

}  // namespace

int main(int argc, char** argv) {
    // Freed memory is used again rather than given back and asked for anew, page by page.
    mallopt(M_MMAP_THRESHOLD, kKeptBlock);
    mallopt(M_TRIM_THRESHOLD, kKeptHeap);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is a write that fails, like a full disk
    try {
        return run(argc, argv);
    } catch (const std::bad_alloc&) {
        helixavatar::log::error("out of memory");
    } catch (const std::exception& error) {
        helixavatar::log::error(std::string("a fault of the program: ") + error.what());
    }
    return static_cast<int>(ExitCode::internal);
}
