// SPDX-License-Identifier: MIT
#include "batch/work.hpp"

#include <algorithm>

#include <helixavatar/base/file_io.hpp>
#include <helixavatar/base/printable.hpp>
#include <helixavatar/base/version.hpp>
#include <helixavatar/batch/record.hpp>

namespace helixavatar::batch {
namespace {

namespace fs = std::filesystem;

/// Takes down every file that is read in the source's folder: the source, and the buffers and images it refers to.
class ReadTrace {
public:
    explicit ReadTrace(const fs::path& source) : source_(source) {
        observe_reads([this](const fs::path& path, ByteView bytes) { note(path, bytes); });
    }
    ~ReadTrace() { observe_reads({}); }
    ReadTrace(const ReadTrace&) = delete;
    ReadTrace& operator=(const ReadTrace&) = delete;

    /// The source first; empty when it could not be read.
    std::vector<FileTrace> traces() const {
        std::vector<FileTrace> sorted = files_;
        std::sort(sorted.begin(), sorted.end(), [](const FileTrace& a, const FileTrace& b) { return a.file < b.file; });
        const auto first = std::find_if(sorted.begin(), sorted.end(),
                                        [&](const FileTrace& trace) { return trace.file == source_.filename(); });
        if (first == sorted.end()) return {};
        std::rotate(sorted.begin(), first, first + 1);
        return sorted;
    }

private:
    void note(const fs::path& path, ByteView bytes) {
        std::error_code error;
        const fs::path folder = source_.has_parent_path() ? source_.parent_path() : fs::path(".");
        const fs::path relative = path == source_ ? source_.filename() : fs::relative(path, folder, error);
        if (error || relative.empty() || *relative.begin() == "..") return;
        for (const FileTrace& known : files_)
            if (known.file == relative) return;
        files_.push_back({relative, bytes.size(), sha256_hex(bytes)});
    }

    fs::path source_;
    std::vector<FileTrace> files_;
};

Outcome failed(Error error) {
    Outcome outcome;
    outcome.code = exit_code_for(error.kind);
    outcome.error = std::move(error);
    return outcome;
}

std::optional<Error> make_folders(const Job& job, const fs::path& folder) {
    for (const fs::path& output : job.outputs) {
        std::error_code error;
        const fs::path parent = (folder / output).parent_path();
        fs::create_directories(parent, error);
        if (error || !fs::is_directory(parent, error))
            return Error{ErrorKind::unwritable, "cannot make the output's folder: " + error.message(), parent.string(),
                         "check that its place is writable and no file has its name"};
    }
    return std::nullopt;
}

/// Reads the outputs back: what is remembered is what lies on the disk.
Result<std::vector<FileTrace>> trace_outputs(const Job& job, const fs::path& folder) {
    std::vector<FileTrace> traces;
    for (const fs::path& output : job.outputs) {
        const Result<Bytes> bytes = read_own_file(folder / output);
        if (!bytes) {
            Error error = bytes.error();
            error.kind = ErrorKind::unwritable;
            return error;
        }
        traces.push_back({output, bytes->size(), sha256_hex(*bytes)});
    }
    return traces;
}

std::string wire_text(const Outcome& outcome) {
    Json json = to_json(outcome);
    json["kept"] = outcome.state == State::kept;
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Outcome> kept(const Job& job, const Recipe& recipe, const RunOptions& options) {
    Result<Record> record = read_record(options.folder / record_path(job.input.below));
    if (!record || !still_right(*record, job, recipe.command, recipe.options, options.folder)) return std::nullopt;
    record->outcome.state = State::kept;
    return std::move(record->outcome);
}

}  // namespace

Result<void> remember(const Job& job, const Recipe& recipe, const RunOptions& options, std::vector<FileTrace> inputs,
                      const Outcome& outcome) {
    return write_record(options.folder, job.input.below,
                        {recipe.command, recipe.options, std::string(version()),
                         printable(job.input.below.generic_string()), std::move(inputs), outcome});
}

std::string work_on(const Job& job, const Recipe& recipe, const RunOptions& options) {
    const bool writes = !options.folder.empty();
    if (options.resume && writes)
        if (const std::optional<Outcome> outcome = kept(job, recipe, options)) return wire_text(*outcome);
    if (const std::optional<Error> error = make_folders(job, options.folder)) return wire_text(failed(*error));
    if (!writes) return wire_text(recipe.work(job));

    const ReadTrace trace(job.input.path);
    Outcome outcome = recipe.work(job);
    if (!outcome.error) {
        Result<std::vector<FileTrace>> written = trace_outputs(job, options.folder);
        if (written)
            outcome.outputs = written.take();
        else
            outcome = failed(written.error());
    }
    const Result<void> remembered = remember(job, recipe, options, trace.traces(), outcome);
    if (!remembered && !outcome.error) outcome = failed(remembered.error());
    return wire_text(outcome);
}

Result<Outcome> parse_outcome(const std::string& text) {
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object())
        return Error{ErrorKind::malformed, "the worker's answer is not JSON", "", ""};
    Result<Outcome> outcome = outcome_from_json(json);
    if (outcome && json.value("kept", false)) outcome->state = State::kept;
    return outcome;
}

}  // namespace helixavatar::batch
