// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>

#include <CLI/CLI.hpp>

#include <helixavatar/base/file_io.hpp>
#include <helixavatar/base/printable.hpp>
#include <helixavatar/dynamics/check.hpp>
#include <helixavatar/report/report.hpp>

#include "command.hpp"
#include "console.hpp"
#include "many_files.hpp"
#include "opened_avatar.hpp"

namespace helixavatar::commands {
namespace {

struct DynamicsWords {
    ManyWords files;
    std::string against;
    std::string format = "text";
    bool strict = false;
    bool fix = false;
};

/// What a file's manifest came to beside its findings.
struct Counted {
    std::string line;
    gltf::Json json;
};

/// Without an avatar a chain's joints cannot be counted: then each counts for one at least.
std::string summary_line(const dynamics::Summary& s) {
    return std::to_string(s.chains) + " chains of 64, " + std::to_string(s.joints) + " joints of 192, " +
           std::to_string(s.colliders) + " colliders of 64, " + std::to_string(s.collision_checks) +
           " collision checks of 1024" +
           (s.exact ? "" : " (joints and checks at least: give --against AVATAR for the true numbers)");
}

Counted counted(const gltf::Json& manifest, const avatar::Avatar* avatar) {
    const dynamics::Summary summary = dynamics::summarise(manifest, avatar);
    return {summary_line(summary), dynamics::to_json(summary)};
}

Findings no_manifest() {
    Finding finding;
    finding.rule = "no-dynamics";
    finding.severity = Severity::warning;
    finding.message = "no scene has extras.helixDynamics: nothing of this avatar swings";
    finding.fix = "write a manifest, or leave it: a stiff avatar is allowed";
    return {finding};
}

Result<Findings> check_glb(ByteView bytes, const std::filesystem::path& folder, Counted& summary) {
    Result<OpenedAvatar> opened = open_avatar(bytes, folder);
    if (!opened) return opened.error();
    Findings findings = dynamics::check_scenes(opened->document.json);
    if (!opened->avatar.dynamics) return findings.empty() ? no_manifest() : findings;
    const Findings more =
        dynamics::check_against(*opened->avatar.dynamics, opened->avatar, "/scenes/0/extras/helixDynamics");
    findings.insert(findings.end(), more.begin(), more.end());
    summary = counted(*opened->avatar.dynamics, &opened->avatar);
    return findings;
}

Result<Findings> check_json(ByteView bytes, const avatar::Avatar* against, Counted& summary) {
    const Result<gltf::Json> json = gltf::parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (!json) return json.error();
    Findings findings = dynamics::check_manifest(*json, "");
    if (against) {
        const Findings more = dynamics::check_against(*json, *against, "");
        findings.insert(findings.end(), more.begin(), more.end());
    }
    summary = counted(*json, against);
    return findings;
}

bool is_manifest(const std::string& file) {
    return std::filesystem::path(file).extension() == ".json";
}

report::Judged judge_one(const std::string& file, const avatar::Avatar* against, Counted& summary) {
    const Result<Bytes> bytes = read_file(file);
    if (!bytes) return {file, bytes.error()};
    Result<Findings> findings = is_manifest(file)
                                    ? check_json(*bytes, against, summary)
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

ExitCode run_dynamics(const CLI::App& app, const DynamicsWords& words);

/// The file with every safe correction made, and what they were.
struct Fixed {
    Bytes bytes;
    std::vector<std::string> changes;
};

Result<Fixed> fix_manifest(ByteView bytes, const avatar::Avatar* against) {
    const Result<gltf::Json> json = gltf::parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (!json) return json.error();
    dynamics::Corrected corrected = against ? dynamics::correct(*json, *against) : dynamics::correct(*json);
    const std::string text = corrected.manifest.dump(2) + "\n";
    return Fixed{Bytes(text.begin(), text.end()), std::move(corrected.changes)};
}

Result<Fixed> fix_glb(ByteView bytes, const std::filesystem::path& folder) {
    Result<OpenedAvatar> opened = open_avatar(bytes, folder);
    if (!opened) return opened.error();
    // The file as it was given, compressed or not: only its scenes change.
    Result<gltf::Document> document = gltf::parse_document(bytes, folder);
    if (!document) return document.error();
    dynamics::CorrectedScenes corrected = dynamics::correct_scenes(document->json, &opened->avatar);
    document->json = std::move(corrected.document);
    return Fixed{gltf::write_glb(*document), std::move(corrected.changes)};
}

ExitCode run_fix(const CLI::App& app, const DynamicsWords& words, const avatar::Avatar* against) {
    if (words.files.inputs.size() != 1 || words.files.many() || words.files.output.empty())
        return fail({ErrorKind::usage, "--fix takes one file and -o", "", "run it once for each file"});
    const std::string& file = words.files.inputs.front();
    const Result<void> target = check_output(file, words.files.output);
    if (!target) return fail(target.error());
    const Result<Bytes> bytes = read_file(file);
    if (!bytes) return fail(bytes.error());
    const Result<Fixed> fixed =
        is_manifest(file) ? fix_manifest(*bytes, against) : fix_glb(*bytes, std::filesystem::path(file).parent_path());
    if (!fixed) {
        Error error = fixed.error();
        error.where = file + (error.where.empty() ? "" : ": " + error.where);
        return fail(error);
    }
    const Result<void> wrote = write_file_atomically(words.files.output, fixed->bytes);
    if (!wrote) return fail(wrote.error());
    DynamicsWords again = words;
    again.fix = false;
    again.files.inputs = {words.files.output};
    again.files.output.clear();
    if (words.format == "text") {
        for (const std::string& change : fixed->changes) print("changed  " + change + "\n");
        if (fixed->changes.empty()) print("nothing to correct by itself; what is left needs a decision\n");
        print("\n");
    }
    return run_dynamics(app, again);
}

ExitCode run_dynamics(const CLI::App& app, const DynamicsWords& words) {
    const Result<report::Format> format = report::parse_format(words.format);
    if (!format) return fail(format.error());
    std::optional<OpenedAvatar> against;
    if (!words.against.empty()) {
        Result<OpenedAvatar> opened = open_avatar(words.against);
        if (!opened) return fail(opened.error());
        against = opened.take();
    }
    const avatar::Avatar* const body = against ? &against->avatar : nullptr;
    if (words.fix) return run_fix(app, words, body);
    if (!words.files.output.empty() && !words.files.many())
        return fail({ErrorKind::usage, "-o only goes with --fix: validating one file writes nothing", "",
                     "add --fix; or name several files, and a folder for their reports"});
    Judgement judgement;
    judgement.extensions = {".glb", ".gltf", ".vrm"};
    judgement.report_ending = ".dynamics.json";
    judgement.judge = [&](const std::string& file, Aside& aside) {
        Counted summary;
        report::Judged judged = judge_one(file, body, summary);
        if (!summary.line.empty()) aside.line = printable(file) + ": " + summary.line + "\n";
        aside.measured = std::move(summary.json);
        return judged;
    };
    judgement.measures_itself = true;
    judgement.shown.format = *format;
    judgement.shown.command = "dynamics-validate";
    judgement.shown.strict = words.strict;
    judgement.shown.color = color_wanted();
    return run_judgement(app, words.files, judgement);
}

}  // namespace

Runner bind_dynamics_validate(CLI::App& app) {
    auto words = std::make_shared<DynamicsWords>();
    add_file_options(app, words->files, "FILE", "an avatar (.glb) or a manifest (.json)",
                     "the corrected file, with --fix; or a folder for the reports of many, one a file");
    app.add_option("--against", words->against, "the avatar that manifest files are meant for")->type_name("AVATAR");
    app.add_option("--format", words->format, "text, json, sarif, junit or github")
        ->capture_default_str()
        ->type_name("NAME");
    app.add_flag("--fix", words->fix,
                 "write the corrections that cannot be wrong to a new file: sideways endpoints, copies on every LOD "
                 "scene, minPixels");
    app.add_flag("--strict", words->strict, "a warning fails too");
    return [words, &app] { return run_dynamics(app, *words); };
}

}  // namespace helixavatar::commands
