// SPDX-License-Identifier: MIT
#include <helixavatar/batch/summary.hpp>

#include <algorithm>

#include <helixavatar/base/printable.hpp>
#include <helixavatar/base/version.hpp>

#include "batch/wire.hpp"

namespace helixavatar::batch {
namespace {

/// Sentences of a line: why it failed, or what was found wrong.
std::string reason_of(const Outcome& outcome) {
    if (outcome.error) return outcome.error->message;
    std::string text;
    for (const std::string& fault : outcome.faults) text += (text.empty() ? "" : "; ") + fault;
    return text;
}

std::string output_of(const Outcome& outcome) {
    return outcome.outputs.empty() ? std::string() : printable(outcome.outputs.front().file.native());
}

ExitCode code_of(const Summary& summary) {
    ExitCode code = ExitCode::ok;
    for (const SummaryLine& line : summary.lines) code = worse(code, line.outcome.code);
    return code;
}

Json text_or_null(const std::string& text) {
    return text.empty() ? Json() : Json(valid(text));
}

std::string print_json(const Summary& summary) {
    const Counts counts = count(summary.lines);
    Json files = Json::array();
    for (const SummaryLine& line : summary.lines) {
        const Outcome& outcome = line.outcome;
        Json file = {
            {"source", line.source}, {"status", status_word(outcome)}, {"exit", static_cast<int>(outcome.code)}};
        file["outputs"] = traces_json(outcome.outputs);
        file["errors"] = outcome.errors;
        file["warnings"] = outcome.found_warnings;
        file["notMeasured"] = outcome.not_measured;
        file["faults"] = outcome.faults;
        file["message"] = outcome.error ? text_or_null(outcome.error->message) : Json();
        file["where"] = outcome.error ? text_or_null(printable(outcome.error->where)) : Json();
        file["hint"] = outcome.error ? text_or_null(outcome.error->hint) : Json();
        files.push_back(std::move(file));
    }
    const Json json = {{"contract", "helix/batch-summary@1"},
                       {"tool", {{"name", "helixavatar"}, {"version", version()}}},
                       {"command", text_or_null(summary.command)},
                       {"exit", static_cast<int>(code_of(summary))},
                       {"counts",
                        {{"files", counts.files},
                         {"done", counts.done},
                         {"kept", counts.kept},
                         {"over", counts.judged_bad},
                         {"failed", counts.failed},
                         {"notRun", counts.not_run}}},
                       {"files", std::move(files)}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// RFC 4180; a cell that a spreadsheet would take for a formula begins with an apostrophe.
std::string cell(const std::string& text) {
    const bool formula = !text.empty() && std::string("=+-@").find(text[0]) != std::string::npos;
    std::string out = formula ? "\"'" : "\"";
    for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
}

std::string print_csv(const Summary& summary) {
    std::string out = "source,status,exit,output,sha256,errors,warnings,not measured,message,what to do\r\n";
    for (const SummaryLine& line : summary.lines) {
        const Outcome& outcome = line.outcome;
        const std::string numbers = std::to_string(outcome.errors) + "," + std::to_string(outcome.found_warnings) +
                                    "," + std::to_string(outcome.not_measured);
        out += cell(line.source) + "," + status_word(outcome) + "," + std::to_string(static_cast<int>(outcome.code)) +
               "," + cell(output_of(outcome)) + "," +
               (outcome.outputs.empty() ? std::string() : outcome.outputs.front().sha256) + "," + numbers + "," +
               cell(valid(reason_of(outcome))) + "," + cell(outcome.error ? valid(outcome.error->hint) : "") + "\r\n";
    }
    return out;
}

/// Text inside a table: nothing of it makes a column, a link or a tag.
std::string table_text(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '\n')
            out += ' ';
        else if (std::string("\\`*_{}[]<>|#").find(c) != std::string::npos)
            out += std::string("\\") + c;
        else
            out += c;
    }
    return out;
}

std::string print_markdown(const Summary& summary) {
    std::string out = "# " + (summary.command.empty() ? std::string("helixavatar") : "helixavatar " + summary.command) +
                      "\n\n" + counts_text(count(summary.lines)) + ".\n\n| source | status | output | why |\n" +
                      "| --- | --- | --- | --- |\n";
    for (const SummaryLine& line : summary.lines)
        out += "| " + table_text(line.source) + " | " + status_word(line.outcome) + " | " +
               table_text(output_of(line.outcome)) + " | " + table_text(valid(reason_of(line.outcome))) + " |\n";
    return out;
}

}  // namespace

Counts count(const std::vector<SummaryLine>& lines) {
    Counts counts;
    for (const SummaryLine& line : lines) {
        const Outcome& outcome = line.outcome;
        ++counts.files;
        counts.kept += outcome.state == State::kept;
        if (outcome.state == State::not_run || outcome.state == State::dropped)
            ++counts.not_run;
        else if (outcome.error)
            ++counts.failed;
        else if (outcome.code == ExitCode::judged_bad)
            ++counts.judged_bad;
        else
            ++counts.done;
    }
    return counts;
}

std::string counts_text(const Counts& counts) {
    std::string text = std::to_string(counts.files) + (counts.files == 1 ? " file: " : " files: ") +
                       std::to_string(counts.done) + " done";
    const auto add = [&](std::size_t number, const char* what) {
        if (number > 0) text += ", " + std::to_string(number) + " " + what;
    };
    add(counts.judged_bad, "over a gate");
    add(counts.failed, "failed");
    add(counts.not_run, "not run");
    if (counts.kept > 0) text += "; " + std::to_string(counts.kept) + " kept from an earlier run";
    return text;
}

const char* status_word(const Outcome& outcome) {
    if (outcome.state == State::not_run || outcome.state == State::dropped) return to_string(outcome.state);
    if (outcome.error) return "failed";
    if (outcome.state == State::kept) return to_string(outcome.state);
    return outcome.code == ExitCode::judged_bad ? "over" : to_string(outcome.state);
}

Result<SummaryFormat> summary_format(const std::filesystem::path& file) {
    const std::string ending = file.extension().string();
    if (ending == ".json") return SummaryFormat::json;
    if (ending == ".csv") return SummaryFormat::csv;
    if (ending == ".md") return SummaryFormat::markdown;
    return Error{ErrorKind::usage, "a summary is JSON, CSV or Markdown, by the ending of its name", file.string(),
                 "name it FILE.json, FILE.csv or FILE.md"};
}

std::string print_summary(const Summary& summary, SummaryFormat format) {
    switch (format) {
        case SummaryFormat::json:
            return print_json(summary);
        case SummaryFormat::csv:
            return print_csv(summary);
        case SummaryFormat::markdown:
            return print_markdown(summary);
    }
    return {};
}

}  // namespace helixavatar::batch
