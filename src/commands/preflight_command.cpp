// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>

#include <iostream>
#include <iterator>

#include <helixavatar/base/file_io.hpp>
#include <helixavatar/base/log.hpp>
#include <helixavatar/report/report.hpp>

#include "command.hpp"
#include "console.hpp"
#include "conversion_options.hpp"
#include "many_files.hpp"
#include "project_file.hpp"

namespace helixavatar::commands {
namespace {

struct PreflightWords {
    ConversionWords conversion;
    preflight::PreflightOptions options;
    ManyWords files;
    std::string profile = "publish";
    std::string format = "text";
    std::string explain;
    bool strict = false;
    bool list_rules = false;
    bool verbose = false;
    bool no_pixels = false;
    std::string project_file;
    bool no_project_file = false;
};

Result<Bytes> read_input(const std::string& name, const Limits& limits) {
    if (name != "-") return read_file(name, limits);
    Bytes bytes;
    char buffer[65536];
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, stdin)) {
        bytes.insert(bytes.end(), buffer, buffer + got);
        if (bytes.size() > limits.file_bytes)
            return Error{ErrorKind::unreadable,
                         "standard input has more than " + std::to_string(limits.file_bytes) + " bytes", "-", ""};
    }
    return bytes;
}

Result<void> take_project_settings(const PreflightWords& words, CLI::App& app) {
    std::optional<std::filesystem::path> file;
    if (!words.project_file.empty())
        file = words.project_file;
    else if (!words.no_project_file)
        file = find_project_file(".");
    if (!file) return {};
    log::info("settings from " + file->string());
    return apply_project_file(*file, app);
}

/// Said once, not for every file.
Result<void> check_rules(const preflight::PreflightOptions& options) {
    for (const std::vector<std::string>* ids : {&options.only, &options.ignore})
        for (const std::string& id : *ids) {
            const Result<std::string> known = preflight::explain(id);
            if (!known) return known.error();
        }
    return {};
}

report::Judged judge_file(const PreflightWords& words, const std::string& file) {
    Result<Bytes> bytes = read_input(file, words.options.limits);
    if (!bytes) return {file, bytes.error()};
    return {file, preflight::judge(bytes.take(), file, words.options)};
}

ExitCode run_preflight(PreflightWords& words, CLI::App& app) {
    if (words.list_rules) {
        print(preflight::rules_text());
        return ExitCode::ok;
    }
    if (!words.explain.empty()) {
        const Result<std::string> text = preflight::explain(words.explain);
        if (!text) return fail(text.error());
        print(*text);
        return ExitCode::ok;
    }
    if (words.files.inputs.empty())
        return fail({ErrorKind::usage, "no avatar named", "", "name files, folders or globs, or - for standard input"});
    const Result<void> settings = take_project_settings(words, app);
    if (!settings) return fail(settings.error());
    const Result<report::Format> format = report::parse_format(words.format);
    if (!format) return fail(format.error());
    import::ImportOptions skeleton_only;
    const Result<void> skeleton = read_conversion_files(skeleton_only, words.conversion);
    if (!skeleton) return fail(skeleton.error());
    words.options.skeleton = skeleton_only.skeleton;
    words.options.profile = words.profile == "gate" ? preflight::Profile::gate : preflight::Profile::publish;
    words.options.pixel_guards = !words.no_pixels;
    const Result<void> rules = check_rules(words.options);
    if (!rules) return fail(rules.error());

    Judgement judgement;
    judgement.extensions = {".glb", ".gltf", ".vrm"};
    judgement.report_ending = ".preflight.json";
    judgement.judge = [&](const std::string& file, Aside&) { return judge_file(words, file); };
    judgement.shown.format = *format;
    judgement.shown.strict = words.strict;
    judgement.shown.color = color_wanted();
    judgement.shown.verbose = words.verbose;
    return run_judgement(app, words.files, judgement);
}

}  // namespace

Runner bind_preflight(CLI::App& app) {
    auto words = std::make_shared<PreflightWords>();
    preflight::PreflightOptions& options = words->options;
    add_file_options(app, words->files, "AVATAR", "the avatar, or - for standard input",
                     "a folder for the reports as JSON, one a file (default: none)");
    app.add_option("--profile", words->profile, "publish: everything; gate: only what the platform refuses")
        ->check(CLI::IsMember({"publish", "gate"}))
        ->capture_default_str()
        ->type_name("NAME");
    app.add_option("--format", words->format, "text, json, sarif, junit or github")
        ->capture_default_str()
        ->type_name("NAME");
    app.add_flag("--strict", words->strict, "a warning or a not-measured fails too");
    app.add_flag("--measured", words->verbose, "text: also what passed and what was measured");
    app.add_flag("--no-pixels", words->no_pixels, "do not decode textures (the material guards end as not-measured)");
    app.add_option("--only", options.only, "judge by these rules only")
        ->allow_extra_args(false)
        ->delimiter(',')
        ->type_name("ID,...");
    app.add_option("--ignore", options.ignore, "leave these rules out")
        ->allow_extra_args(false)
        ->delimiter(',')
        ->type_name("ID,...");
    app.add_option("--max-triangles", options.budgets.triangles, "triangles over all levels")
        ->capture_default_str()
        ->type_name("N");
    app.add_option("--max-draw-calls", options.budgets.draw_calls, "draw calls over all levels")
        ->capture_default_str()
        ->type_name("N");
    app.add_option("--max-bytes", options.budgets.file_bytes, "bytes of the file")
        ->capture_default_str()
        ->type_name("N");
    app.add_option("--max-materials", options.budgets.materials, "materials")->capture_default_str()->type_name("N");
    app.add_option("--max-texture-edge", options.budgets.texture_edge, "pixels of the longest texture edge")
        ->capture_default_str()
        ->type_name("PX");
    app.add_option("--declared-height", options.declared_height, "height in metres that the listing states")
        ->type_name("METRES");
    add_skeleton_option(app, words->conversion);
    add_limit_options(app, options.limits);
    app.add_option("--project", words->project_file,
                   "settings to use (default: .helixavatar.toml of this folder or the nearest above)")
        ->type_name("FILE");
    app.add_flag("--no-project", words->no_project_file, "do not look for a .helixavatar.toml");
    app.add_flag("--list-rules", words->list_rules, "print the catalogue of rules and stop");
    app.add_option("--explain", words->explain, "print one rule's page and stop")->type_name("ID");
    return [words, &app] { return run_preflight(*words, app); };
}

}  // namespace helixavatar::commands
