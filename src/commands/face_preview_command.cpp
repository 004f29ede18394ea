// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>

#include <helixavatar/base/file_io.hpp>
#include <helixavatar/base/log.hpp>
#include <helixavatar/face/face.hpp>
#include <helixavatar/face/preview.hpp>

#include "command.hpp"
#include "console.hpp"
#include "conversion_options.hpp"
#include "opened_avatar.hpp"

namespace helixavatar::commands {
namespace {

struct PreviewWords {
    std::string avatar, output, script;
    humanoid::PerformanceOptions performance;
};

Result<humanoid::Script> read_script(const PreviewWords& words) {
    if (words.script.empty()) return humanoid::demonstration(words.performance.seconds);
    const Result<std::string> text = read_text(words.script);
    if (!text) return text.error();
    const Result<gltf::Json> json = gltf::parse_json(*text);
    if (!json) return Error{ErrorKind::usage, "the script is not JSON: " + json.error().message, words.script, ""};
    face::ParsedScript parsed = face::parse_script(*json);
    for (const Finding& finding : parsed.findings)
        if (finding.severity == Severity::error)
            return Error{ErrorKind::usage, finding.message, words.script + ": " + finding.where.pointer, finding.fix};
    return std::move(parsed.script);
}

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text.empty() ? "none" : text;
}

ExitCode run_preview(const PreviewWords& words) {
    if (const Result<void> target = check_output(words.avatar, words.output); !target) return fail(target.error());
    Result<OpenedAvatar> opened = open_avatar(words.avatar);
    if (!opened) return fail(opened.error());
    const auto& manifest = opened->avatar.face;
    if (!manifest)
        return fail({ErrorKind::unconvertible, "the avatar has no face: it stays mute and never blinks", words.avatar,
                     "import it from a source with face shapes, or name them with --face-map"});
    for (const Finding& finding : face::check_face(*manifest, &opened->avatar, "/scenes/0/extras/helixFace", 0))
        if (finding.severity == Severity::error)
            return fail(
                {ErrorKind::unconvertible, finding.message, words.avatar + ": " + finding.where.pointer, finding.fix});
    const Result<humanoid::Script> script = read_script(words);
    if (!script) return fail(script.error());
    opened->document.json.erase("animations");  // of the avatar's own: a viewer is to find the face
    const auto frames = humanoid::perform(*script, words.performance);
    const face::BakedFace baked = face::bake_face(opened->document, *manifest, frames, words.performance.rate, "face");
    const Result<void> wrote = write_file_atomically(words.output, gltf::write_glb(opened->document));
    if (!wrote) return fail(wrote.error());
    print("preview    " + words.output + ", " + std::to_string(frames.size()) + " frames\n");
    print("capability " + (*manifest)["capability"].get<std::string>() + "\n");
    print("moves      " + listed(baked.moved) + "\n");
    if (baked.mute) print("mouth      mute: no viseme, vowel or jaw moves\n");
    if (!baked.blinks) print("eyes       never blink\n");
    if (!baked.looks) print("gaze       fixed\n");
    if (!baked.still.empty()) print("not used   " + listed(baked.still) + "\n");
    return ExitCode::ok;
}

}  // namespace

Runner bind_face_preview(CLI::App& app) {
    auto words = std::make_shared<PreviewWords>();
    app.add_option("AVATAR", words->avatar, "an avatar GLB with a face")->required()->type_name("");
    app.add_option("-o,--output", words->output, "the GLB to write, with the face as an animation")
        ->required()
        ->type_name("FILE");
    app.add_option("--seconds", words->performance.seconds, "how long")
        ->check(within(0.5, 600))
        ->capture_default_str()
        ->type_name("S");
    app.add_option("--seed", words->performance.seed, "the same seed gives the same file")
        ->capture_default_str()
        ->type_name("N");
    app.add_option("--script", words->script,
                   "JSON with signals, visemes and phonemes over time (default: a turn of a conversation)")
        ->type_name("FILE");
    return [words] { return run_preview(*words); };
}

}  // namespace helixavatar::commands
