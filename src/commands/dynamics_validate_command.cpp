// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>

#include <CLI/CLI.hpp>

#include <helixavatar/avatar/document_io.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/dynamics/check.hpp>
#include <helixavatar/gltf/decode.hpp>
#include <helixavatar/gltf/structure_check.hpp>
#include <helixavatar/report/report.hpp>

#include "command.hpp"
#include "console.hpp"

namespace helixavatar::commands {
namespace {

struct DynamicsWords {
    std::vector<std::string> inputs;
    std::string against;
    std::string format = "text";
    bool strict = false;
};

/// The avatar of a GLB with its document, for checks against geometry.
struct Opened {
    gltf::Document document;
    avatar::Avatar avatar;
};

Result<Opened> open_avatar(ByteView bytes, const std::filesystem::path& folder) {
    Result<gltf::Document> document = gltf::parse_document(bytes, folder);
    if (!document) return document.error();
    for (const Finding& finding : gltf::check_structure(*document))
        if (finding.severity == Severity::error)
            return Error{ErrorKind::malformed, finding.message, finding.where.pointer, ""};
    Result<gltf::Document> plain = gltf::decompress(*document);
    if (!plain) return plain.error();
    Result<avatar::Avatar> avatar = avatar::read_avatar(*plain);
    if (!avatar) return avatar.error();
    return Opened{plain.take(), avatar.take()};
}

/// Without an avatar a chain's joints cannot be counted: then each counts for one at least.
std::string summary_line(const dynamics::Summary& s, bool exact) {
    return std::to_string(s.chains) + " chains of 64, " + std::to_string(s.joints) + " joints of 192, " +
           std::to_string(s.colliders) + " colliders of 64, " + std::to_string(s.collision_checks) +
           " collision checks of 1024" +
           (exact ? "" : " (joints and checks at least: give --against AVATAR for the true numbers)");
}

Findings no_manifest() {
    Finding finding;
    finding.rule = "no-dynamics";
    finding.severity = Severity::warning;
    finding.message = "no scene has extras.helixDynamics: nothing of this avatar swings";
    finding.fix = "write a manifest, or leave it: a stiff avatar is allowed";
    return {finding};
}

Result<Findings> check_glb(ByteView bytes, const std::filesystem::path& folder, std::string& summary) {
    Result<Opened> opened = open_avatar(bytes, folder);
    if (!opened) return opened.error();
    Findings findings = dynamics::check_scenes(opened->document.json);
    if (!opened->avatar.dynamics) return findings.empty() ? no_manifest() : findings;
    const Findings more =
        dynamics::check_against(*opened->avatar.dynamics, opened->avatar, "/scenes/0/extras/helixDynamics");
    findings.insert(findings.end(), more.begin(), more.end());
    summary = summary_line(dynamics::summarise(*opened->avatar.dynamics, &opened->avatar), true);
    return findings;
}

Result<Findings> check_json(ByteView bytes, const avatar::Avatar* against, std::string& summary) {
    const Result<gltf::Json> json = gltf::parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (!json) return json.error();
    Findings findings = dynamics::check_manifest(*json, "");
    if (against) {
        const Findings more = dynamics::check_against(*json, *against, "");
        findings.insert(findings.end(), more.begin(), more.end());
    }
    summary = summary_line(dynamics::summarise(*json, against), against != nullptr);
    return findings;
}

report::Judged judge_one(const std::string& file, const avatar::Avatar* against, std::string& summary) {
    const Result<Bytes> bytes = read_file(file);
    if (!bytes) return {file, bytes.error()};
    const bool is_manifest = std::filesystem::path(file).extension() == ".json";
    Result<Findings> findings = is_manifest ? check_json(*bytes, against, summary)
                                            : check_glb(*bytes, std::filesystem::path(file).parent_path(), summary);
    if (!findings) {
        Error error = findings.error();
        if (error.where.find(file) == std::string::npos)
            error.where = file + (error.where.empty() ? "" : ": " + error.where);
        return {file, error};
    }
    preflight::Report report;
    report.file = file;
    report.findings = fold_repeats(findings.take());
    std::stable_sort(report.findings.begin(), report.findings.end(), [](const Finding& a, const Finding& b) {
        return (a.severity == Severity::error) > (b.severity == Severity::error);
    });
    return {file, std::move(report)};
}

ExitCode run_dynamics(const DynamicsWords& words) {
    const Result<report::Format> format = report::parse_format(words.format);
    if (!format) return fail(format.error());
    std::optional<Opened> against;
    if (!words.against.empty()) {
        const Result<Bytes> bytes = read_file(words.against);
        if (!bytes) return fail(bytes.error());
        Result<Opened> opened = open_avatar(*bytes, std::filesystem::path(words.against).parent_path());
        if (!opened) {
            Error error = opened.error();
            error.where = words.against + ": " + error.where;
            return fail(error);
        }
        against = opened.take();
    }
    const Result<std::vector<std::string>> files = expand_inputs(words.inputs);
    if (!files) return fail(files.error());
    std::vector<report::Judged> judged;
    std::string summaries;
    ExitCode code = ExitCode::ok;
    for (const std::string& file : *files) {
        std::string summary;
        judged.push_back(judge_one(file, against ? &against->avatar : nullptr, summary));
        const report::Judged& last = judged.back();
        code = worse(code, !last.outcome                        ? exit_code_for(last.outcome.error().kind)
                           : last.outcome->failed(words.strict) ? ExitCode::judged_bad
                                                                : ExitCode::ok);
        if (!summary.empty()) summaries += file + ": " + summary + "\n";
    }
    report::PrintOptions shown;
    shown.format = *format;
    shown.command = "dynamics-validate";
    shown.strict = words.strict;
    shown.color = color_wanted();
    print(report::print(judged, shown));
    if (*format == report::Format::text) print(summaries);
    return code;
}

}  // namespace

Runner bind_dynamics_validate(CLI::App& app) {
    auto words = std::make_shared<DynamicsWords>();
    app.add_option("FILE", words->inputs, "avatars (.glb) or manifests (.json); files, folders or globs")
        ->required()
        ->type_name("...");
    app.add_option("--against", words->against, "the avatar that manifest files are meant for")->type_name("AVATAR");
    app.add_option("--format", words->format, "text, json, sarif, junit or github")
        ->capture_default_str()
        ->type_name("NAME");
    app.add_flag("--strict", words->strict, "a warning fails too");
    return [words] { return run_dynamics(*words); };
}

}  // namespace helixavatar::commands
