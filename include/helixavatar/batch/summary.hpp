// SPDX-License-Identifier: MIT
// What became of all the files: for people (Markdown), for a table (CSV) and for programs (JSON,
// helix/batch-summary@1).
#pragma once

#include <helixavatar/batch/record.hpp>

namespace helixavatar::batch {

struct SummaryLine {
    std::string source;  ///< printable
    Outcome outcome;
};

struct Summary {
    std::string command;
    std::vector<SummaryLine> lines;  ///< in the order of the inputs
};

struct Counts {
    std::size_t files = 0;
    std::size_t done = 0;        ///< without an error, kept ones included
    std::size_t kept = 0;        ///< of those and of judged_bad: not done again
    std::size_t judged_bad = 0;  ///< judged, and over a gate
    std::size_t failed = 0;      ///< no output, or no judgement
    std::size_t not_run = 0;     ///< not begun or dropped
};

Counts count(const std::vector<SummaryLine>& lines);

/// "200 files: 180 done, 20 failed".
std::string counts_text(const Counts& counts);

/// What a line is called: "done", "kept", "over", "failed", "not run".
const char* status_word(const Outcome& outcome);

enum class SummaryFormat { json, csv, markdown };

/// By the ending of a file name: .json, .csv, .md. Errors: usage.
Result<SummaryFormat> summary_format(const std::filesystem::path& file);

std::string print_summary(const Summary& summary, SummaryFormat format);

/// The summary of all runs into a folder: by their records, and by the receipts and reports in it that no record speaks
/// of (a single import's, a report that was moved here). In the order of the sources' names. Errors: unreadable when
/// there is nothing of the kind.
Result<Summary> summarise(const std::filesystem::path& folder);

}  // namespace helixavatar::batch
