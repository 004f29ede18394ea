// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>

#include <helixavatar/base/file_io.hpp>
#include <helixavatar/gltf/structure_check.hpp>
#include <helixavatar/lod/repair.hpp>

#include "command.hpp"
#include "console.hpp"

namespace helixavatar::commands {
namespace {

struct RepairWords {
    std::string source;
    std::string output;
};

/// The first structure error, if any: an in-place edit must not touch a document that it cannot walk safely.
Result<void> sound(const gltf::Document& document, const std::string& path) {
    for (const Finding& finding : gltf::check_structure(document))
        if (gltf::prevents_reading(finding))
            return Error{ErrorKind::malformed, finding.message, path + ": " + finding.where.pointer,
                         "run `helixavatar preflight` for the whole list"};
    return {};
}

ExitCode run_repair(const RepairWords& words) {
    const Result<void> target = check_output(words.source, words.output);
    if (!target) return fail(target.error());
    const Result<gltf::Document> document = gltf::read_document(words.source);
    if (!document) return fail(document.error());
    const Result<void> checked = sound(*document, words.source);
    if (!checked) return fail(checked.error());
    const Result<lod::RepairOutput> out = lod::repair_lod_skeletons(*document);
    if (!out) {
        Error error = out.error();
        error.where = words.source + (error.where.empty() ? "" : ": " + error.where);
        return fail(error);
    }
    const Bytes glb = gltf::write_glb(out->document);
    const Result<void> wrote = write_file_atomically(words.output, glb);
    if (!wrote) return fail(wrote.error());
    for (const std::string& change : out->changes) print("changed  " + change + "\n");
    if (out->changes.empty()) print("nothing to repair: every LOD scene has its own skeleton\n");
    print("\n");
    return judge_output(glb, words.output, {});
}

}  // namespace

Runner bind_repair_lod_skeletons(CLI::App& app) {
    auto words = std::make_shared<RepairWords>();
    app.add_option("AVATAR", words->source, "the avatar GLB")->required()->type_name("");
    app.add_option("-o,--output", words->output, "the GLB to write")->required()->type_name("FILE");
    return [words] { return run_repair(*words); };
}

}  // namespace helixavatar::commands
