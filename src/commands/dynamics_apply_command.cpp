// SPDX-License-Identifier: MIT
#include <cstdio>

#include <CLI/CLI.hpp>

#include <helixavatar/base/file_io.hpp>
#include <helixavatar/base/log.hpp>
#include <helixavatar/dynamics/apply.hpp>
#include <helixavatar/gltf/image_header.hpp>
#include <helixavatar/gltf/structure_check.hpp>
#include <helixavatar/texture/process.hpp>

#include "command.hpp"
#include "console.hpp"
#include "opened_avatar.hpp"

namespace helixavatar::commands {
namespace {

struct ApplyWords {
    std::string source, spec, output, twin_file;
    bool dry_run = false, suggest = false;
};

/// Large enough to tell hair from skin at a vertex.
constexpr int kColourEdge = 1024;

std::optional<dynamics::Picture> decoded(const avatar::Avatar& avatar, int image) {
    const Bytes& bytes = avatar.images[static_cast<std::size_t>(image)].bytes;
    const auto format = gltf::recognise_image(bytes);
    const bool compressed = format && *format == gltf::ImageFormat::ktx2;
    Result<texture::Pixels> pixels = compressed ? texture::decode_ktx2(bytes, kColourEdge) : texture::decode(bytes);
    if (!pixels) {
        log::warn("the base colour cannot be read: " + pixels.error().message);
        return {};
    }
    return dynamics::Picture{pixels->width, pixels->height, std::move(pixels->rgba)};
}

Result<dynamics::ApplySpec> read_spec(const std::string& path) {
    const Result<std::string> text = read_text(path);
    if (!text) return text.error();
    const Result<gltf::Json> json = gltf::parse_json(*text);
    if (!json) return Error{ErrorKind::usage, "the spec is not JSON: " + json.error().message, path, ""};
    dynamics::ParsedSpec parsed = dynamics::parse_spec(*json);
    std::string faults;
    for (const Finding& finding : parsed.findings)
        if (finding.severity == Severity::error)
            faults += (faults.empty() ? "" : "; ") + (finding.where.pointer.empty() ? "/" : finding.where.pointer) +
                      ": " + finding.message + (finding.fix.empty() ? "" : " (" + finding.fix + ")");
    if (!faults.empty()) return Error{ErrorKind::usage, faults, path, "docs/DYNAMICS.md has the spec's shape"};
    return std::move(parsed.spec);
}

/// A twin's colours stand at the avatar's vertices only when both are one geometry, byte for byte.
bool same_surface(const avatar::Avatar& a, const avatar::Avatar& b) {
    if (a.levels.size() != b.levels.size() || a.images.size() != b.images.size()) return false;
    for (std::size_t i = 0; i < a.levels.size(); ++i) {
        if (a.levels[i].surfaces.size() != b.levels[i].surfaces.size()) return false;
        for (std::size_t s = 0; s < a.levels[i].surfaces.size(); ++s)
            if (a.levels[i].surfaces[s].positions != b.levels[i].surfaces[s].positions) return false;
    }
    return true;
}

std::string taken_table(const dynamics::Applied& applied) {
    std::string text = "vertices taken (weight)\n";
    for (const dynamics::TakenVertices& taken : applied.taken) {
        text += "  " + taken.chain + ":";
        for (std::size_t i = 0; i < taken.vertices.size(); ++i) {
            char entry[64];
            std::snprintf(entry, sizeof entry, "  LOD%zu %zu (%.1f)", i, taken.vertices[i], taken.weight[i]);
            text += entry;
        }
        text += "\n";
    }
    return text;
}

/// The gates that the source kept and the result does not, in words.
std::string newly_over(const Bytes& before, const Bytes& after, const std::string& path) {
    preflight::PreflightOptions options;
    options.profile = preflight::Profile::gate;
    options.pixel_guards = false;
    const auto was = preflight::judge(before, path, options), now = preflight::judge(after, path, options);
    if (!was || !now) return !now ? now.error().message : "";
    std::string over;
    for (const Finding& finding : now->findings) {
        const auto had = [&](const Finding& f) { return f.rule == finding.rule && f.severity == Severity::error; };
        if (finding.severity == Severity::error && std::none_of(was->findings.begin(), was->findings.end(), had))
            over += (over.empty() ? "" : "; ") + finding.message;
    }
    return over;
}

ExitCode run_suggest(const ApplyWords& words, const avatar::Avatar& avatar) {
    const dynamics::Suggestion suggestion = dynamics::suggest(avatar);
    for (const std::string& reason : suggestion.reasons) log::info(reason);
    const std::string text = suggestion.spec.dump(2) + "\n";
    if (suggestion.reasons.empty())
        log::warn("nothing proposed: no auxiliary joints, no loose hair or skirt" +
                  std::string(words.output.empty() ? "" : "; no file was written"));
    if (words.output.empty()) {
        print(text);
        return ExitCode::ok;
    }
    if (suggestion.reasons.empty()) return ExitCode::ok;
    const Result<void> wrote = write_file_atomically(words.output, as_bytes(text));
    if (!wrote) return fail(wrote.error());
    for (const std::string& reason : suggestion.reasons) print("proposed  " + reason + "\n");
    return ExitCode::ok;
}

Result<void> check_words(const ApplyWords& words) {
    if (words.suggest != words.spec.empty())
        return Error{ErrorKind::usage, words.suggest ? "--suggest makes a spec and takes none" : "no spec named", "",
                     "give --spec FILE, or --suggest to get one proposed"};
    if (words.suggest && words.output.ends_with(".glb"))
        return Error{ErrorKind::usage, "--suggest writes a spec, which is JSON and no avatar", words.output,
                     "name it chains.json; once edited, --spec chains.json -o FILE.glb applies it"};
    if (!words.suggest && !words.dry_run && words.output.empty())
        return Error{ErrorKind::usage, "no output named", "", "add -o NAME.web.glb, or --dry-run"};
    for (const std::string& given : {words.source, words.spec})
        if (!given.empty() && !words.output.empty())
            if (const Result<void> target = check_output(given, words.output); !target) return target;
    return {};
}

ExitCode run_apply(const ApplyWords& words) {
    if (const Result<void> checked = check_words(words); !checked) return fail(checked.error());
    const Result<Bytes> bytes = read_file(words.source);
    if (!bytes) return fail(bytes.error());
    const std::filesystem::path folder = std::filesystem::path(words.source).parent_path();
    const auto in_source = [&](Error error) {
        error.where = words.source + (error.where.empty() ? "" : ": " + error.where);
        return fail(error);
    };
    const Result<OpenedAvatar> opened = open_avatar(*bytes, folder);
    if (!opened) return in_source(opened.error());
    if (words.suggest) return run_suggest(words, opened->avatar);
    const Result<dynamics::ApplySpec> spec = read_spec(words.spec);
    if (!spec) return fail(spec.error());
    // The file as it stands, not the decompressed copy: what is not named keeps its bytes.
    const Result<gltf::Document> document = gltf::parse_document(*bytes, folder);
    if (!document) return in_source(document.error());
    std::optional<OpenedAvatar> twin;
    if (!words.twin_file.empty()) {
        Result<OpenedAvatar> read = open_avatar(words.twin_file);
        if (!read) return fail(read.error());
        twin = read.take();
        if (!same_surface(twin->avatar, opened->avatar))
            return fail({ErrorKind::usage, "the twin is not the same geometry", words.twin_file,
                         "import the same source with the same flags and --no-ktx2"});
    }
    const avatar::Avatar& coloured = twin ? twin->avatar : opened->avatar;
    const Result<dynamics::Applied> applied =
        dynamics::apply(*document, opened->avatar, *spec, [&](int image) -> std::optional<dynamics::Picture> {
            if (static_cast<std::size_t>(image) >= coloured.images.size()) return {};
            return decoded(coloured, image);
        });
    if (!applied) return in_source(applied.error());
    for (const std::string& note : applied->notes) log::warn(note);
    print(taken_table(*applied));
    if (words.dry_run) return ExitCode::ok;
    const Bytes glb = gltf::write_glb(applied->document);
    if (const std::string over = newly_over(*bytes, glb, words.output); !over.empty())
        return in_source({ErrorKind::unconvertible,
                          "with these chains the file would be refused, nothing was written: " + over, "",
                          "use fewer chains or joints, or free what the message names"});
    const Result<void> wrote = write_file_atomically(words.output, glb);
    if (!wrote) return fail(wrote.error());
    print("file       " + std::to_string(bytes->size()) + " -> " + std::to_string(glb.size()) + " bytes\n\n");
    return judge_output(glb, words.output, {});
}

}  // namespace

Runner bind_dynamics_apply(CLI::App& app) {
    auto words = std::make_shared<ApplyWords>();
    app.add_option("AVATAR", words->source, "the imported avatar GLB")->required()->type_name("");
    app.add_option("--spec", words->spec, "JSON: chains by world positions, what they take, how they feel")
        ->type_name("FILE");
    app.add_option("-o,--output", words->output, "the avatar to write; with --suggest, the spec")->type_name("FILE");
    app.add_option("--twin", words->twin_file,
                   "a twin of the avatar imported with --no-ktx2, whose base colours masks read (default: the avatar's "
                   "own)")
        ->type_name("TWIN");
    app.add_flag("--dry-run", words->dry_run, "show the vertices that each chain takes on each LOD and write nothing");
    app.add_flag("--suggest", words->suggest,
                 "propose chains from auxiliary joints and loose hair or skirt pieces, as a spec to edit");
    return [words] { return run_apply(*words); };
}

}  // namespace helixavatar::commands
