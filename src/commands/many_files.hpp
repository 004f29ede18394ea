// SPDX-License-Identifier: MIT
// What every command over many files shares (cli.md, "Many inputs"): the options, which run it is (one file or many),
// what is printed, and the exit code. A command says what it does to one file.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <helixavatar/base/exit_code.hpp>
#include <helixavatar/base/result.hpp>
#include <helixavatar/batch/plan.hpp>
#include <helixavatar/batch/run.hpp>
#include <helixavatar/preflight/preflight.hpp>
#include <helixavatar/report/report.hpp>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace helixavatar::commands {

struct ManyWords {
    std::vector<std::string> inputs;
    std::string output;
    unsigned jobs = 0;
    std::size_t memory_mebibytes = 0;
    unsigned time_limit_seconds = 0;
    bool keep_going = false, fail_fast = false, resume = false;
    std::string shard, summary_file;
    std::set<std::string> names;  ///< of the options above, which shape no output

    /// Several files, a folder, a glob, or one file into a folder.
    bool many() const;
};

/// The positional inputs, -o, and --jobs, --memory, --time-limit, --keep-going, --fail-fast, --resume, --shard and
/// --summary. `input` is the placeholder ("SRC"); `output_help` says what -o names for one file.
void add_file_options(CLI::App& app, ManyWords& words, const std::string& input, const std::string& input_help,
                      const std::string& output_help);

/// What one file became, before anybody is told.
struct Made {
    std::string text;                   ///< what a run over this file alone prints
    std::vector<std::string> warnings;  ///< of the conversion
    Bytes glb;                          ///< the output, to be judged
    preflight::PreflightOptions judge_by;
    std::optional<preflight::Report> verdict = {};  ///< reached already: the output is not judged again
    std::string advice = {};                        ///< printed below the verdict
};

/// "heroes/knight.web.glb" for "heroes/knight.vrm" (or "heroes/knight.web.glb") and the ending ".web.glb".
std::filesystem::path renamed(const std::filesystem::path& below, const std::string& ending);

struct Conversion {
    std::vector<std::string> extensions;  ///< taken from folders
    batch::Naming outputs;                ///< below the output folder, the main one first
    /// Writes `output` and what belongs to it.
    std::function<Result<Made>(const std::filesystem::path& source, const std::filesystem::path& output)> convert;
    std::string surroundings;  ///< what shapes the output besides options and source: the encoder
};

/// Errors: usage when --resume, --shard or --summary are given for one file.
Result<void> check_alone(const ManyWords& words);

/// Runs it on the one file or on many, and tells. What was made is kept though it be over a gate: exit code 1.
ExitCode run_conversion(const CLI::App& app, const ManyWords& words, const Conversion& conversion);

/// What a judging command says beside its findings.
struct Aside {
    std::string line;      ///< printed below the report as text
    batch::Json measured;  ///< see report::PrintOptions::measured
};

struct Judgement {
    std::vector<std::string> extensions;
    std::string report_ending;  ///< of the reports under -o FOLDER: ".preflight.json"
    std::function<report::Judged(const std::string& file, Aside& aside)> judge;
    report::PrintOptions shown;
    bool measures_itself = false;  ///< Aside::measured takes the place of preflight's measures
};

ExitCode run_judgement(const CLI::App& app, const ManyWords& words, const Judgement& judgement);

}  // namespace helixavatar::commands
