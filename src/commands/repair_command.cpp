// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>

#include <helixavatar/base/file_io.hpp>
#include <helixavatar/gltf/structure_check.hpp>
#include <helixavatar/lod/repair.hpp>
#include <helixavatar/preflight/preflight.hpp>

#include "command.hpp"
#include "console.hpp"
#include "many_files.hpp"

namespace helixavatar::commands {
namespace {

/// The first structure error, if any: an in-place edit must not touch a document that it cannot walk safely.
Result<void> sound(const gltf::Document& document, const std::string& path) {
    for (const Finding& finding : gltf::check_structure(document))
        if (gltf::prevents_reading(finding))
            return Error{ErrorKind::malformed, finding.message, path + ": " + finding.where.pointer,
                         "run `helixavatar preflight` for the whole list"};
    return {};
}

Result<Made> repair(const std::filesystem::path& source, const std::filesystem::path& output) {
    const Result<void> target = check_output(source, output);
    if (!target) return target.error();
    const Result<gltf::Document> document = gltf::read_document(source);
    if (!document) return document.error();
    const Result<void> checked = sound(*document, source.string());
    if (!checked) return checked.error();
    const Result<lod::RepairOutput> out = lod::repair_lod_skeletons(*document);
    if (!out) return in_file(source, out.error());
    const Bytes glb = gltf::write_glb(out->document);
    const Result<void> wrote = write_file_atomically(output, glb);
    if (!wrote) return wrote.error();
    std::string text;
    for (const std::string& change : out->changes) text += "changed  " + change + "\n";
    if (out->changes.empty()) text = "nothing to repair: every LOD scene has its own skeleton\n";
    return Made{text + "\n", {}, glb, {}};
}

}  // namespace

Runner bind_repair_lod_skeletons(CLI::App& app) {
    auto words = std::make_shared<ManyWords>();
    add_file_options(app, *words, "AVATAR", "the avatar GLB", "the GLB to write; a folder for many");
    return [words, &app] {
        const auto outputs = [](const std::filesystem::path& below) {
            return std::vector<std::filesystem::path>{std::filesystem::path(below).replace_extension(".glb")};
        };
        return run_conversion(app, *words, {{".glb", ".gltf", ".vrm"}, outputs, repair, {}});
    };
}

}  // namespace helixavatar::commands
