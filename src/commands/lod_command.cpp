// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>

#include <helixavatar/avatar/document_io.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/base/log.hpp>
#include <helixavatar/base/version.hpp>
#include <helixavatar/import/import.hpp>
#include <helixavatar/lod/levels.hpp>
#include <helixavatar/lod/measure.hpp>
#include <helixavatar/report/report.hpp>
#include <helixavatar/rig/recognise.hpp>

#include "command.hpp"
#include "console.hpp"
#include "conversion_options.hpp"
#include "level_table.hpp"
#include "many_files.hpp"

namespace helixavatar::commands {
namespace {

struct LodWords {
    ManyWords files;
    std::string source;  ///< of the file in work
    std::string output;
    std::string against;
    std::string format = "text";
    lod::LevelOptions levels;
    bool split_face = true;
    bool measure = false;
    bool json() const { return format == "json"; }
};

constexpr const char* kGenerator = "helixavatar ";  ///< and a version, in every file that this program writes

/// `own`, when given, tells whether this program wrote the file.
Result<avatar::Avatar> read_conformed(const std::string& path, bool* own = nullptr) {
    const Result<import::Readable> readable = import::read_for_conversion(path, {});
    if (!readable) return readable.error();
    if (own != nullptr) {
        const gltf::Json asset = readable->document.json.value("asset", gltf::Json::object());
        const gltf::Json generator = asset.is_object() ? asset.value("generator", gltf::Json()) : gltf::Json();
        *own =
            readable->mended.empty() && generator.is_string() && generator.get<std::string>().rfind(kGenerator, 0) == 0;
    }
    Result<avatar::Avatar> read = avatar::read_avatar(readable->document);
    if (!read) return read.error();
    for (const std::string& joint : rig::required_joints())
        if (read->find_joint(joint) < 0)
            return Error{ErrorKind::unconvertible, "the file is not on helix-humanoid@1: it has no joint " + joint,
                         path, "run `helixavatar import` or `helixavatar conform` on it first"};
    return read;
}

gltf::Json document_of(const LodWords& words, const std::vector<lod::LevelMeasure>& measured) {
    return {{"tool", {{"name", "helixavatar"}, {"version", version()}}},
            {"command", "lod"},
            {"file", words.output.empty() ? words.source : words.output},
            {"against", words.against.empty() ? words.source : words.against},
            {"levels", levels_json(measured)}};
}

/// The levels of a file as they are.
ExitCode measure_only(const LodWords& words) {
    const Result<avatar::Avatar> read = read_conformed(words.source);
    if (!read) return fail(read.error());
    const Result<avatar::Avatar> against = words.against.empty() ? *read : read_conformed(words.against);
    if (!against) return fail(against.error());
    const std::vector<lod::LevelMeasure> measured = lod::measure_levels(*read, *against);
    print(words.json() ? document_of(words, measured).dump(2) + "\n" : levels_text(measured));
    return ExitCode::ok;
}

struct Built {
    avatar::Avatar avatar;
    std::vector<std::string> warnings;
    std::vector<lod::LevelMeasure> measured;
    bool kept = false;  ///< this program made these levels, and nothing is to be done
};

bool same(const avatar::Avatar& a, const avatar::Avatar& b) {
    return a.first_person_hide == b.first_person_hide &&
           std::equal(a.levels.begin(), a.levels.end(), b.levels.begin(), b.levels.end(),
                      [](const avatar::Level& x, const avatar::Level& y) {
                          return x.name == y.name && avatar::digest(x) == avatar::digest(y);
                      });
}

Result<Built> build(const LodWords& words) {
    bool own = false;
    Result<avatar::Avatar> read = read_conformed(words.source, &own);
    if (!read) return read.error();
    const avatar::Avatar source = *read;
    if (read->first_person_hide.empty() && words.split_face) read->first_person_hide.emplace_back(avatar::kFaceMesh);
    Result<lod::LevelsOutput> levels = lod::build_levels(read.take(), words.levels);
    if (!levels) return levels.error();
    Built built{std::move(levels->avatar), levels->warnings, {}, levels->kept};
    if (words.split_face) {
        lod::FaceSplitOutput split = lod::split_face(std::move(built.avatar));
        built.avatar = std::move(split.avatar);
        built.warnings.insert(built.warnings.end(), split.warnings.begin(), split.warnings.end());
    }
    built.kept = built.kept && own && same(built.avatar, source);
    if (!words.measure) return built;
    const Result<avatar::Avatar> against = words.against.empty() ? source : read_conformed(words.against);
    if (!against) return against.error();
    built.measured = lod::measure_levels(built.avatar, *against);
    return built;
}

std::string level_lines(const avatar::Avatar& avatar) {
    std::string text;
    for (const avatar::Level& level : avatar.levels) {
        text += level.name + ": " + std::to_string(level.triangles()) + " triangles";
        if (level.error) {
            char error[64];
            std::snprintf(error, sizeof error, ", error %.2f mm RMS, %.2f mm at most", level.error->rms_mm,
                          level.error->max_mm);
            text += error;
        }
        text += "\n";
    }
    return text;
}

/// The judgement, the measured levels and the warnings as one JSON document.
ExitCode judge_as_json(const LodWords& words, const Built& built, const Bytes& glb) {
    report::PrintOptions shown;
    shown.format = report::Format::json;
    shown.command = "lod";
    const Result<preflight::Report> outcome = preflight::judge(glb, words.output, {});
    gltf::Json document = document_of(words, built.measured);
    if (!words.measure) document.erase("against");
    if (!words.measure) document.erase("levels");
    document["warnings"] = built.warnings;
    document["report"] = gltf::Json::parse(report::print({{words.output, outcome}}, shown), nullptr, false);
    print(document.dump(2) + "\n");
    if (!outcome) return exit_code_for(outcome.error().kind);
    return outcome->failed(false) ? ExitCode::judged_bad : ExitCode::ok;
}

/// Builds the levels of one file and writes them.
Result<Bytes> write_levels(const LodWords& words, Built& built) {
    const Result<void> target = check_output(words.source, words.output);
    if (!target) return target.error();
    Result<Built> made = build(words);
    if (!made) return in_file(words.source, made.error());
    built = made.take();
    Bytes glb = gltf::write_glb(avatar::write_avatar(built.avatar, {kGenerator + std::string(version())}));
    // What has its levels already comes out as it went in, byte for byte.
    const Result<Bytes> given = built.kept ? read_file(words.source) : Result<Bytes>(Bytes{});
    if (given && given->size() > 4 && std::equal(given->begin(), given->begin() + 4, "glTF")) glb = *given;
    const Result<void> wrote = write_file_atomically(words.output, glb);
    if (!wrote) return wrote.error();
    return glb;
}

Result<Made> lod_file(LodWords words, const std::filesystem::path& source, const std::filesystem::path& output) {
    words.source = source.string();
    words.output = output.string();
    Built built;
    Result<Bytes> glb = write_levels(words, built);
    if (!glb) return glb.error();
    return Made{(words.measure ? levels_text(built.measured) : level_lines(built.avatar)) + "\n",
                std::move(built.warnings),
                glb.take(),
                {}};
}

ExitCode run_as_json(const LodWords& words) {
    Built built;
    const Result<Bytes> glb = write_levels(words, built);
    if (!glb) return fail(glb.error());
    for (const std::string& warning : built.warnings) log::warn(warning);
    return judge_as_json(words, built, *glb);
}

ExitCode run_lod(const CLI::App& app, LodWords& words) {
    if (!words.files.many() && !words.files.inputs.empty()) {
        const Result<void> alone = check_alone(words.files);
        if (!alone) return fail(alone.error());
        words.source = words.files.inputs.front();
        words.output = words.files.output;
        if (words.output.empty() && words.measure) return measure_only(words);
        if (words.output.empty())
            return fail({ErrorKind::usage, "no output was named", words.source,
                         "give -o FILE, or --measure to see how far the levels that it has are from the first"});
        if (words.json()) return run_as_json(words);
    } else if (words.measure || words.json()) {
        return fail({ErrorKind::usage, "--measure and --format json are for one file", "",
                     "leave them out; --summary FILE.json says what became of many"});
    }
    Conversion conversion;
    conversion.extensions = {".glb", ".gltf", ".vrm"};
    conversion.outputs = [](const std::filesystem::path& below) {
        return std::vector<std::filesystem::path>{renamed(below, ".web.glb")};
    };
    conversion.convert = [&](const std::filesystem::path& source, const std::filesystem::path& output) {
        return lod_file(words, source, output);
    };
    return run_conversion(app, words.files, conversion);
}

}  // namespace

Runner bind_lod(CLI::App& app) {
    auto words = std::make_shared<LodWords>();
    add_file_options(app, words->files, "AVATAR", "a conformed avatar; its first scene is the source of every level",
                     "the avatar to write; a folder for many");
    app.add_option("--lod-tris", words->levels.triangles, "triangles of each level, nearest first")
        ->allow_extra_args(false)
        ->delimiter(',')
        ->check(within(1, 1e9))
        ->type_name("N,N,N")
        ->capture_default_str();
    app.add_flag("--auto", words->levels.automatic,
                 "choose the levels: spend the triangle budget on the detail that the source has")
        ->excludes("--lod-tris");
    app.add_flag("--measure", words->measure,
                 "measure every level: distance at rest and in poses, normals, UVs, outline; without -o those that the "
                 "file has");
    app.add_option("--against", words->against, "measure against the first scene of this avatar, not of AVATAR")
        ->type_name("FILE");
    app.add_option("--format", words->format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str()
        ->type_name("NAME");
    app.add_flag("!--no-split-face", words->split_face, "do not cut the FaceMesh slice");
    return [words, &app] { return run_lod(app, *words); };
}

}  // namespace helixavatar::commands
