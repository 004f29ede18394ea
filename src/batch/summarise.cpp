// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>

#include <helixavatar/base/file_io.hpp>
#include <helixavatar/base/printable.hpp>
#include <helixavatar/batch/summary.hpp>

namespace helixavatar::batch {
namespace {

namespace fs = std::filesystem;

SummaryLine from_receipt(const Json& receipt, const fs::path& folder) {
    SummaryLine line{receipt.at("source").at("file"), {}};
    const Json& output = receipt.at("output");
    line.outcome.outputs.push_back(
        {folder / output.at("file").get<std::string>(), output.at("bytes"), output.at("sha256")});
    line.outcome.warnings = receipt.at("warnings").get<std::vector<std::string>>();
    return line;
}

SummaryLine from_report(const Json& file) {
    SummaryLine line{file.at("file"), {}};
    Outcome& outcome = line.outcome;
    outcome.code = file.at("verdict") == "pass" ? ExitCode::ok : ExitCode::judged_bad;
    if (file.contains("error")) {
        const Json& error = file.at("error");
        const auto text = [](const Json& json) { return json.is_null() ? std::string() : json.get<std::string>(); };
        outcome.error =
            Error{ErrorKind::malformed, error.at("message"), text(error.at("where")), text(error.at("hint"))};
        outcome.code = ExitCode::bad_input;
    }
    for (const Json& finding : file.at("findings")) {
        const std::string severity = finding.at("severity");
        outcome.errors += severity == "error";
        outcome.found_warnings += severity == "warning";
        outcome.not_measured += severity == "not-measured";
        if (severity == "error")
            outcome.faults.push_back(finding.at("rule").get<std::string>() + ": " +
                                     finding.at("message").get<std::string>());
    }
    return line;
}

/// Takes a receipt or report into the summary; any other JSON is passed over.
void take_file(const fs::path& file, const fs::path& below, std::vector<SummaryLine>& lines) {
    const Result<Bytes> bytes = read_file(file);
    if (!bytes) return;
    const Result<Json> json = gltf::parse_json({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
    if (!json || !json->is_object()) return;
    try {
        const Json contract = json->value("contract", Json());
        if (contract == "helix/avatar-import-receipt@1") lines.push_back(from_receipt(*json, below.parent_path()));
        if (contract == "helix/avatar-report@1")
            for (const Json& one : json->at("files")) lines.push_back(from_report(one));
    } catch (const Json::exception&) {
        // Not what its contract says: nothing to add up.
    }
}

}  // namespace

Result<Summary> summarise(const fs::path& folder) {
    Summary summary;
    std::set<std::string> spoken_of;
    for (const Record& record : read_records(folder)) {
        if (summary.lines.empty()) summary.command = record.command;
        if (summary.command != record.command) summary.command.clear();
        for (const FileTrace& output : record.outcome.outputs) spoken_of.insert(output.file.native());
        summary.lines.push_back({record.source, record.outcome});
    }
    std::error_code error;
    fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error);
    if (error)
        return Error{ErrorKind::unreadable, "cannot look into the folder: " + error.message(), folder.string(),
                     "name the folder that -o named"};
    for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
        if (it->path().filename() == kRecordFolder) it.disable_recursion_pending();
        const fs::path below = it->path().lexically_relative(folder);
        if (it->path().extension() == ".json" && it->is_regular_file(error) &&
            spoken_of.count(printable(below.native())) == 0)
            take_file(it->path(), below, summary.lines);
    }
    if (summary.lines.empty())
        return Error{ErrorKind::unreadable, "the folder holds no record, receipt or report of helixavatar",
                     folder.string(), "name the folder that -o named"};
    std::stable_sort(summary.lines.begin(), summary.lines.end(),
                     [](const SummaryLine& a, const SummaryLine& b) { return a.source < b.source; });
    return summary;
}

}  // namespace helixavatar::batch
