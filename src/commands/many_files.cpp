// SPDX-License-Identifier: MIT
#include "many_files.hpp"

#include <csignal>
#include <cstdio>

#include <CLI/CLI.hpp>

#include <helixavatar/base/file_io.hpp>
#include <helixavatar/base/log.hpp>
#include <helixavatar/base/printable.hpp>
#include <helixavatar/batch/summary.hpp>

#include "console.hpp"

namespace helixavatar::commands {
namespace {

namespace fs = std::filesystem;

/// What is done to each file of a run over many, and what is said of it.
struct Task {
    std::vector<std::string> extensions;
    batch::Naming outputs;
    std::function<batch::Outcome(const batch::Job&)> work;
    std::function<void(const batch::Job&, const batch::Outcome&)> tell;
    std::string surroundings;
};

/// Everything on the command line that shapes an output, and the contents of the files it names.
std::string options_digest(const CLI::App& app, const ManyWords& words, const std::string& surroundings) {
    static const std::set<std::string> kShapeless = {"help", "verbose", "quiet", "log-json"};
    std::string text = surroundings + "\n";
    for (const CLI::Option* option : app.get_options()) {
        const std::string name = option->get_single_name();
        if (option->count() == 0 || words.names.count(name) == 1 || kShapeless.count(name) == 1) continue;
        text += name;
        for (const std::string& value : option->results()) {
            text += "\n " + value;
            const bool is_file = option->get_type_name() == "FILE" || option->get_type_name() == "AVATAR";
            const Result<Bytes> bytes = is_file ? read_file(value) : Result<Bytes>(Bytes{});
            if (is_file && bytes) text += " " + sha256_hex(*bytes);
        }
        text += "\n";
    }
    return sha256_hex(as_bytes(text));
}

Result<void> check_words(const ManyWords& words) {
    std::error_code ignored;
    if (words.keep_going && words.fail_fast)
        return Error{ErrorKind::usage, "--keep-going and --fail-fast exclude each other", "", "give one of them"};
    if (words.output.empty() && words.resume)
        return Error{ErrorKind::usage, "--resume goes by what lies in the output folder", "", "add -o FOLDER"};
    if (!words.output.empty() && fs::exists(words.output, ignored) && !fs::is_directory(words.output, ignored))
        return Error{ErrorKind::usage, "many inputs go into a folder, and this is a file", words.output,
                     "give -o a folder"};
    if (!words.output.empty() && !fs::exists(words.output, ignored) && fs::path(words.output).extension() == ".glb")
        return Error{ErrorKind::usage, "many inputs go into a folder, and this is the name of a file", words.output,
                     "give -o a folder, or name one input file"};
    if (words.summary_file.empty()) return {};
    const Result<batch::SummaryFormat> format = batch::summary_format(words.summary_file);
    if (!format) return format.error();
    return check_output({}, words.summary_file);
}

Result<std::vector<batch::Job>> plan_jobs(const ManyWords& words, const Task& task) {
    batch::Shard shard;
    if (!words.shard.empty()) {
        const Result<batch::Shard> parsed = batch::parse_shard(words.shard);
        if (!parsed) return parsed.error();
        shard = *parsed;
    }
    Result<std::vector<batch::Input>> inputs = batch::find_inputs(words.inputs, {task.extensions, words.output});
    if (!inputs) return inputs.error();
    // Two inputs of one output are refused whichever share they fall into.
    Result<std::vector<batch::Job>> jobs = batch::plan(inputs.take(), words.output, task.outputs);
    if (!jobs) return jobs.error();
    std::vector<batch::Job> mine;
    for (batch::Job& job : *jobs) {
        if (!words.summary_file.empty() && same_file(job.input.path, words.summary_file))
            return Error{ErrorKind::usage, "the summary would take the place of an input", words.summary_file,
                         "give --summary another name"};
        if (shard.holds(job.input.below)) mine.push_back(std::move(job));
    }
    return mine;
}

batch::RunOptions run_options(const ManyWords& words) {
    batch::RunOptions options;
    options.folder = words.output;
    options.jobs = words.jobs;
    options.memory_bytes = words.memory_mebibytes << 20;
    options.time_limit = std::chrono::seconds(words.time_limit_seconds);
    options.fail_fast = words.fail_fast;
    options.resume = words.resume;
    return options;
}

Result<void> write_summary(const ManyWords& words, const batch::Summary& summary) {
    if (words.summary_file.empty()) return {};
    const Result<batch::SummaryFormat> format = batch::summary_format(words.summary_file);
    if (!format) return format.error();
    return write_file_atomically(words.summary_file, as_bytes(batch::print_summary(summary, *format)));
}

/// Ends the way the signal asked for, now that everything is in order: shells and schedulers look for that.
void end_by(int signal) {
    std::fflush(nullptr);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

ExitCode run_many(const CLI::App& app, const ManyWords& words, const Task& task,
                  const std::function<void(const batch::Summary&)>& conclude) {
    const Result<void> checked = check_words(words);
    if (!checked) return fail(checked.error());
    const Result<std::vector<batch::Job>> jobs = plan_jobs(words, task);
    if (!jobs) return fail(jobs.error());
    const batch::Recipe recipe{app.get_name(), options_digest(app, words, task.surroundings), task.work};
    batch::RunResult result =
        batch::run(*jobs, recipe, run_options(words),
                   [&](std::size_t i, const batch::Outcome& outcome) { task.tell((*jobs)[i], outcome); });
    batch::Summary summary{recipe.command, {}};
    for (std::size_t i = 0; i < jobs->size(); ++i)
        summary.lines.push_back({printable((*jobs)[i].input.below.generic_string()), std::move(result.outcomes[i])});
    conclude(summary);
    const Result<void> written = write_summary(words, summary);
    if (!written) result.code = worse(result.code, fail(written.error()));
    if (result.stopped_by != 0 && batch::count(summary.lines).not_run > 0) end_by(result.stopped_by);
    return result.code;
}

ExitCode code_of(const report::Judged& judged, bool strict) {
    if (!judged.outcome) return exit_code_for(judged.outcome.error().kind);
    return judged.outcome->failed(strict) ? ExitCode::judged_bad : ExitCode::ok;
}

/// What a judgement adds to an outcome.
void take_judgement(batch::Outcome& outcome, const report::Judged& judged, bool strict) {
    outcome.code = code_of(judged, strict);
    outcome.report = report::pack(judged, strict);
    if (!judged.outcome) {
        outcome.error = judged.outcome.error();
        return;
    }
    outcome.errors = judged.outcome->count(Severity::error);
    outcome.found_warnings = judged.outcome->count(Severity::warning);
    outcome.not_measured = judged.outcome->count(Severity::not_measured);
    for (const Finding& finding : judged.outcome->findings)
        if (finding.severity == Severity::error || (strict && finding.severity != Severity::info))
            outcome.faults.push_back(finding.rule + ": " + finding.message +
                                     (finding.fix.empty() ? "" : "; what to do: " + finding.fix));
}

/// One line a file, and below it why it is not as it should be.
void print_line(const batch::Job& job, const batch::Outcome& outcome, const fs::path& folder) {
    std::string word = batch::status_word(outcome);
    word.resize(std::max<std::size_t>(word.size(), 7), ' ');
    std::string text = word + "  " + printable(job.input.path.native());
    if (outcome.error)
        text += ": " + printable(outcome.error->message);
    else if (!outcome.outputs.empty())
        text += " -> " + printable((folder / job.outputs.front()).native());
    text += "\n";
    for (const std::string& fault : outcome.faults) text += "  " + printable(fault) + "\n";
    print(text);
}

report::Judged judge_made(const Made& made, const std::string& name) {
    if (made.verdict) return {name, *made.verdict};
    return {name, preflight::judge(made.glb, name, made.judge_by)};
}

ExitCode convert_many(const CLI::App& app, const ManyWords& words, const Conversion& conversion) {
    if (words.output.empty()) return fail({ErrorKind::usage, "no output folder named", "", "add -o FOLDER"});
    Task task{conversion.extensions, conversion.outputs, {}, {}, conversion.surroundings};
    task.work = [&](const batch::Job& job) {
        batch::Outcome outcome;
        Result<Made> made = conversion.convert(job.input.path, fs::path(words.output) / job.outputs.front());
        if (!made) {
            outcome.error = made.error();
            outcome.code = exit_code_for(made.error().kind);
            return outcome;
        }
        // By its place below the folder: what is remembered does not depend on where that lies.
        take_judgement(outcome, judge_made(*made, job.outputs.front().generic_string()), false);
        outcome.warnings = made->warnings;
        return outcome;
    };
    task.tell = [&](const batch::Job& job, const batch::Outcome& outcome) { print_line(job, outcome, words.output); };
    return run_many(app, words, task, [](const batch::Summary& summary) {
        print("\n" + batch::counts_text(batch::count(summary.lines)) + "\n");
    });
}

/// The whole report, and what the command says beside it.
std::string print_judged(const std::vector<report::Judged>& judged, const std::vector<Aside>& asides,
                         const Judgement& judgement, report::Format format) {
    report::PrintOptions shown = judgement.shown;
    shown.format = format;
    if (judgement.measures_itself) {
        shown.measured.emplace();
        for (const Aside& aside : asides) shown.measured->push_back(aside.measured);
    }
    std::string text = report::print(judged, shown);
    if (format == report::Format::text)
        for (const Aside& aside : asides) text += aside.line;
    return text;
}

/// The work on one file: its judgement, kept under -o FOLDER as `--format json` would print it.
batch::Outcome judge_job(const batch::Job& job, const Judgement& judgement, const fs::path& folder) {
    batch::Outcome outcome;
    Aside aside;
    const report::Judged one = judgement.judge(job.input.path.native(), aside);
    take_judgement(outcome, one, judgement.shown.strict);
    outcome.report["aside"] = {{"line", aside.line}, {"measured", aside.measured}};
    if (job.outputs.empty() || outcome.error) return outcome;
    const Result<void> written = write_file_atomically(
        folder / job.outputs.front(), as_bytes(print_judged({one}, {aside}, judgement, report::Format::json)));
    if (!written) {
        outcome.error = written.error();
        outcome.code = exit_code_for(written.error().kind);
    }
    return outcome;
}

ExitCode judge_many(const CLI::App& app, const ManyWords& words, const Judgement& judgement) {
    std::vector<report::Judged> judged;
    std::vector<Aside> asides;
    Task task;
    task.extensions = judgement.extensions;
    task.outputs = [&](const fs::path& below) {
        return std::vector<fs::path>{fs::path(below) += judgement.report_ending};
    };
    task.work = [&](const batch::Job& job) { return judge_job(job, judgement, words.output); };
    task.tell = [&](const batch::Job& job, const batch::Outcome& outcome) {
        if (outcome.state == batch::State::not_run || outcome.state == batch::State::dropped) return;
        const bool has_report = outcome.report.is_object() && outcome.report.contains("aside");
        Result<report::Judged> one =
            has_report ? report::unpack(outcome.report) : Result<report::Judged>(report::Judged{"", *outcome.error});
        judged.push_back(one ? one.take() : report::Judged{"", one.error()});
        judged.back().file = job.input.path.native();
        asides.emplace_back();
        if (has_report) asides.back() = {outcome.report["aside"]["line"], outcome.report["aside"]["measured"]};
    };
    return run_many(app, words, task, [&](const batch::Summary& summary) {
        print(print_judged(judged, asides, judgement, judgement.shown.format));
        const std::size_t left = batch::count(summary.lines).not_run;
        if (left > 0) log::warn(std::to_string(left) + " file(s) were not judged: the run was stopped");
    });
}

}  // namespace

Result<void> check_alone(const ManyWords& words) {
    if (words.resume || !words.shard.empty() || !words.summary_file.empty())
        return Error{ErrorKind::usage, "--resume, --shard and --summary are for many inputs", "",
                     "name several files, a folder or a glob, and give -o a folder"};
    return {};
}

fs::path renamed(const fs::path& below, const std::string& ending) {
    std::string name = below.stem().string();
    constexpr std::string_view kWeb = ".web";
    if (name.size() > kWeb.size() && name.ends_with(kWeb)) name.resize(name.size() - kWeb.size());
    return below.parent_path() / (name + ending);
}

bool ManyWords::many() const {
    std::error_code ignored;
    return inputs.size() > 1 || (inputs.size() == 1 && batch::names_many(inputs[0])) ||
           (!output.empty() && (output.back() == '/' || fs::is_directory(output, ignored)));
}

void add_file_options(CLI::App& app, ManyWords& words, const std::string& input, const std::string& input_help,
                      const std::string& output_help) {
    const auto take = [&](const CLI::Option* option) { words.names.insert(option->get_single_name()); };
    take(app.add_option(input, words.inputs, input_help + "; several files, folders or globs too")->type_name("..."));
    take(app.add_option("-o,--output", words.output, output_help)->type_name("FILE|FOLDER"));
    take(app.add_option("--jobs", words.jobs, "many inputs: files at a time, a core each (default: all cores)")
             ->check(CLI::Range(1U, 1024U))
             ->type_name("N"));
    take(app.add_option("--memory", words.memory_mebibytes,
                        "many inputs: memory for all of them together (default: three quarters of what is free)")
             ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40))
             ->type_name("MIB"));
    take(app.add_option("--time-limit", words.time_limit_seconds,
                        "many inputs: give a file up after this time (default: never)")
             ->check(CLI::Range(1U, 1000000U))
             ->type_name("SECONDS"));
    take(app.add_flag("--keep-going", words.keep_going, "many inputs: go on after a failure (the default)"));
    take(app.add_flag("--fail-fast", words.fail_fast, "many inputs: begin no other file after the first failure"));
    take(app.add_flag(
        "--resume", words.resume,
        "many inputs: keep outputs that are whole and were made of the same source by the same options and version"));
    take(
        app.add_option("--shard", words.shard, "many inputs: only this machine's share, 1/N to N/N")->type_name("I/N"));
    take(app.add_option("--summary", words.summary_file, "many inputs: what became of each, as .json, .csv or .md")
             ->type_name("FILE"));
}

ExitCode run_conversion(const CLI::App& app, const ManyWords& words, const Conversion& conversion) {
    if (words.inputs.empty()) return fail({ErrorKind::usage, "no input named", "", "name a file, or a folder"});
    if (words.many()) return convert_many(app, words, conversion);
    const Result<void> alone = check_alone(words);
    if (!alone) return fail(alone.error());
    const Result<Made> made = conversion.convert(words.inputs[0], words.output);
    if (!made) return fail(made.error());
    for (const std::string& warning : made->warnings) log::warn(warning);
    print(made->text);
    report::PrintOptions shown;
    shown.color = color_wanted();
    const report::Judged judged = judge_made(*made, words.output);
    print(report::print({judged}, shown) + made->advice);
    return code_of(judged, false);
}

ExitCode run_judgement(const CLI::App& app, const ManyWords& words, const Judgement& judgement) {
    const bool one = !words.many() && words.output.empty() && words.shard.empty() && words.summary_file.empty();
    if (!one) return judge_many(app, words, judgement);
    Aside aside;
    const report::Judged judged = judgement.judge(words.inputs[0], aside);
    print(print_judged({judged}, {aside}, judgement, judgement.shown.format));
    return code_of(judged, judgement.shown.strict);
}

}  // namespace helixavatar::commands
