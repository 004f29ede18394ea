// SPDX-License-Identifier: MIT
#include <helixavatar/batch/record.hpp>

#include <algorithm>

#include <helixavatar/base/file_io.hpp>
#include <helixavatar/base/printable.hpp>
#include <helixavatar/base/version.hpp>

#include "batch/wire.hpp"

namespace helixavatar::batch {
namespace {

namespace fs = std::filesystem;

constexpr const char* kContract = "helix/batch-record@1";

/// True when the file still has the bytes that the trace tells of.
bool unchanged(const fs::path& file, const FileTrace& trace) {
    std::error_code error;
    if (fs::file_size(file, error) != trace.bytes || error) return false;
    const Result<Bytes> bytes = read_file(file);
    return bytes && sha256_hex(*bytes) == trace.sha256;
}

}  // namespace

fs::path record_path(const fs::path& below) {
    // A digest: the place itself may be too long for a further ending, or no UTF-8.
    return fs::path(kRecordFolder) / (sha256_hex(as_bytes(below.generic_string())).substr(0, 40) + ".json");
}

Result<void> write_record(const fs::path& folder, const fs::path& below, const Record& record) {
    const Json outcome = to_json(record.outcome);
    Json json = {{"contract", kContract},     {"tool", {{"name", "helixavatar"}, {"version", record.tool_version}}},
                 {"command", record.command}, {"options", record.options},
                 {"source", record.source},   {"inputs", traces_json(record.inputs)}};
    json.update(outcome);
    const fs::path path = folder / record_path(below);
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    return write_file_atomically(path, as_bytes(json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"));
}

Result<Record> read_record(const fs::path& file) {
    const Result<Bytes> bytes = read_file(file);
    if (!bytes) return bytes.error();
    const Result<Json> json = gltf::parse_json({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
    if (!json) return json.error();
    try {
        if (json->at("contract") != kContract)
            return Error{ErrorKind::malformed, "not a batch record", file.string(), ""};
        Record record;
        record.command = json->at("command").get<std::string>();
        record.options = json->at("options").get<std::string>();
        record.tool_version = json->at("tool").at("version").get<std::string>();
        record.source = json->at("source").get<std::string>();
        record.inputs = traces_from(json->at("inputs"));
        Result<Outcome> outcome = outcome_from_json(*json);
        if (!outcome) return outcome.error();
        record.outcome = outcome.take();
        return record;
    } catch (const Json::exception& error) {
        return Error{ErrorKind::malformed, std::string("not a batch record: ") + error.what(), file.string(), ""};
    }
}

std::vector<Record> read_records(const fs::path& folder) {
    std::vector<Record> records;
    std::error_code error;
    for (fs::directory_iterator it(folder / kRecordFolder, error), end; !error && it != end; it.increment(error)) {
        Result<Record> record = read_record(it->path());
        if (record) records.push_back(record.take());
    }
    std::sort(records.begin(), records.end(), [](const Record& a, const Record& b) {
        return std::tie(a.source, a.command) < std::tie(b.source, b.command);
    });
    return records;
}

bool still_right(const Record& record, const Job& job, const std::string& command, const std::string& options,
                 const fs::path& folder) {
    const Outcome& outcome = record.outcome;
    if (record.command != command || record.options != options || record.tool_version != version()) return false;
    if (outcome.code != ExitCode::ok && outcome.code != ExitCode::judged_bad) return false;
    if (record.inputs.empty() || outcome.outputs.size() != job.outputs.size()) return false;
    for (std::size_t i = 0; i < record.inputs.size(); ++i) {
        const fs::path file = i == 0 ? job.input.path : job.input.path.parent_path() / record.inputs[i].file;
        if (!unchanged(file, record.inputs[i])) return false;
    }
    for (std::size_t i = 0; i < job.outputs.size(); ++i)
        if (!unchanged(folder / job.outputs[i], outcome.outputs[i])) return false;
    return true;
}

}  // namespace helixavatar::batch
