// SPDX-License-Identifier: MIT
#include <memory>

#include <CLI/CLI.hpp>

#include <helixavatar/base/file_io.hpp>
#include <helixavatar/base/printable.hpp>
#include <helixavatar/batch/summary.hpp>

#include "command.hpp"
#include "console.hpp"

namespace helixavatar::commands {
namespace {

struct SummarizeWords {
    std::string folder;
    std::string summary_file;
};

/// The files that are not as they should be, and the count of all.
std::string short_text(const batch::Summary& summary) {
    std::string text;
    for (const batch::SummaryLine& line : summary.lines) {
        if (!line.outcome.error && line.outcome.faults.empty()) continue;
        text += std::string(batch::status_word(line.outcome)) + "  " + printable(line.source);
        text += line.outcome.error ? ": " + printable(line.outcome.error->message) + "\n" : "\n";
        for (const std::string& fault : line.outcome.faults) text += "  " + printable(fault) + "\n";
    }
    return text + (text.empty() ? "" : "\n") + batch::counts_text(batch::count(summary.lines)) + "\n";
}

ExitCode run_summarize(const SummarizeWords& words) {
    const Result<batch::Summary> summary = batch::summarise(words.folder);
    if (!summary) return fail(summary.error());
    if (!words.summary_file.empty()) {
        const Result<batch::SummaryFormat> format = batch::summary_format(words.summary_file);
        if (!format) return fail(format.error());
        const Result<void> target = check_output({}, words.summary_file);
        if (!target) return fail(target.error());
        const Result<void> wrote =
            write_file_atomically(words.summary_file, as_bytes(batch::print_summary(*summary, *format)));
        if (!wrote) return fail(wrote.error());
    }
    print(short_text(*summary));
    ExitCode code = ExitCode::ok;
    for (const batch::SummaryLine& line : summary->lines) code = worse(code, line.outcome.code);
    return code;
}

}  // namespace

Runner bind_summarize(CLI::App& app) {
    auto words = std::make_shared<SummarizeWords>();
    app.add_option("DIR", words->folder, "the folder that -o named")->required()->type_name("");
    app.add_option("--summary", words->summary_file, "also what became of each, as .json, .csv or .md")
        ->type_name("FILE");
    return [words] { return run_summarize(*words); };
}

}  // namespace helixavatar::commands
