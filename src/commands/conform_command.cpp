// SPDX-License-Identifier: MIT
#include <cstdio>

#include <CLI/CLI.hpp>

#include <helixavatar/base/file_io.hpp>
#include <helixavatar/base/log.hpp>

#include "command.hpp"
#include "console.hpp"
#include "conversion_options.hpp"

namespace helixavatar::commands {
namespace {

struct ConformWords {
    ConversionWords conversion;
    import::ImportOptions options;
    std::string source;
    std::string output;
};

std::string one_decimal(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

ExitCode run_conform(ConformWords& words) {
    const Result<void> target = check_output(words.source, words.output);
    if (!target) return fail(target.error());
    const Result<void> files = read_conversion_files(words.options, words.conversion);
    if (!files) return fail(files.error());
    const Result<import::Readable> readable = import::read_for_conversion(words.source, words.options.limits);
    if (!readable) return fail(readable.error());
    const Result<import::ConformedFile> out = import::conform_file(readable->document, words.options);
    if (!out) {
        Error error = out.error();
        error.where = words.source + (error.where.empty() ? "" : ": " + error.where);
        return fail(error);
    }
    const Bytes glb = gltf::write_glb(out->document);
    const Result<void> wrote = write_file_atomically(words.output, glb);
    if (!wrote) return fail(wrote.error());
    for (const std::string& warning : readable->mended) log::warn(warning);
    for (const std::string& warning : out->warnings) log::warn(warning);
    print("conformed  " + words.output + " (" + megabytes(glb.size()) +
          "): " + std::to_string(out->report.aimed.size()) + " joints turned, at most " +
          one_decimal(out->report.max_aim_degrees) + " degrees\n\n");
    preflight::PreflightOptions judge;
    judge.skeleton = words.options.skeleton;
    judge.profile = preflight::Profile::gate;
    return judge_output(glb, words.output, judge);
}

}  // namespace

Runner bind_conform(CLI::App& app) {
    auto words = std::make_shared<ConformWords>();
    app.add_option("SRC", words->source, "the character: .glb, .gltf, .vrm or .fbx")->required()->type_name("");
    app.add_option("-o,--output", words->output, "the GLB to write")->required()->type_name("FILE");
    add_conversion_options(app, words->options, words->conversion);
    return [words] { return run_conform(*words); };
}

}  // namespace helixavatar::commands
