// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>

#include <helixavatar/avatar/document_io.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/base/log.hpp>
#include <helixavatar/base/version.hpp>
#include <helixavatar/import/import.hpp>
#include <helixavatar/lod/levels.hpp>
#include <helixavatar/rig/recognise.hpp>

#include "command.hpp"
#include "console.hpp"
#include "conversion_options.hpp"

namespace helixavatar::commands {
namespace {

struct LodWords {
    std::string source;
    std::string output;
    lod::LevelOptions levels;
    bool split_face = true;
};

ExitCode run_lod(const LodWords& words) {
    const Result<void> target = check_output(words.source, words.output);
    if (!target) return fail(target.error());
    const Result<import::Readable> readable = import::read_for_conversion(words.source, {});
    if (!readable) return fail(readable.error());
    Result<avatar::Avatar> read = avatar::read_avatar(readable->document);
    if (!read) return fail(read.error());
    for (const std::string& joint : rig::required_joints())
        if (read->find_joint(joint) < 0)
            return fail({ErrorKind::unconvertible, "the file is not on helix-humanoid@1: it has no joint " + joint,
                         words.source, "run `helixavatar import` or `helixavatar conform` on it first"});
    if (read->first_person_hide.empty() && words.split_face) read->first_person_hide.emplace_back(avatar::kFaceMesh);
    Result<lod::LevelsOutput> levels = lod::build_levels(read.take(), words.levels);
    if (!levels) return fail(levels.error());
    std::vector<std::string> warnings = levels->warnings;
    avatar::Avatar avatar = std::move(levels->avatar);
    if (words.split_face) {
        lod::FaceSplitOutput split = lod::split_face(std::move(avatar));
        avatar = std::move(split.avatar);
        warnings.insert(warnings.end(), split.warnings.begin(), split.warnings.end());
    }
    const Bytes glb = gltf::write_glb(avatar::write_avatar(avatar, {"helixavatar " + std::string(version())}));
    const Result<void> wrote = write_file_atomically(words.output, glb);
    if (!wrote) return fail(wrote.error());
    for (const std::string& warning : warnings) log::warn(warning);
    for (const avatar::Level& level : avatar.levels) {
        std::string line = level.name + ": " + std::to_string(level.triangles()) + " triangles";
        if (level.error) {
            char text[64];
            std::snprintf(text, sizeof text, ", error %.2f mm RMS, %.2f mm at most", level.error->rms_mm,
                          level.error->max_mm);
            line += text;
        }
        print(line + "\n");
    }
    print("\n");
    return judge_output(glb, words.output, {});
}

}  // namespace

Runner bind_lod(CLI::App& app) {
    auto words = std::make_shared<LodWords>();
    app.add_option("AVATAR", words->source, "a conformed avatar; its first scene is the source of every level")
        ->required()
        ->type_name("");
    app.add_option("-o,--output", words->output, "the avatar to write")->required()->type_name("FILE");
    app.add_option("--lod-tris", words->levels.triangles, "triangles of each level, nearest first")
        ->allow_extra_args(false)
        ->delimiter(',')
        ->check(within(1, 1e9))
        ->type_name("N,N,N")
        ->capture_default_str();
    app.add_flag("!--no-split-face", words->split_face, "do not cut the FaceMesh slice");
    return [words] { return run_lod(*words); };
}

}  // namespace helixavatar::commands
