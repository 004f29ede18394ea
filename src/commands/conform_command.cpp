// SPDX-License-Identifier: MIT
#include <cstdio>

#include <CLI/CLI.hpp>

#include <helixavatar/base/file_io.hpp>

#include "command.hpp"
#include "console.hpp"
#include "conversion_options.hpp"
#include "many_files.hpp"

namespace helixavatar::commands {
namespace {

struct ConformWords {
    ConversionWords conversion;
    import::ImportOptions options;
    ManyWords files;
};

std::string one_decimal(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

Result<Made> conform_file(const ConformWords& words, const std::filesystem::path& source,
                          const std::filesystem::path& output) {
    const Result<void> target = check_output(source, output);
    if (!target) return target.error();
    const Result<import::Readable> readable = import::read_for_conversion(source, words.options.limits);
    if (!readable) return readable.error();
    const Result<import::ConformedFile> out = import::conform_file(readable->document, words.options);
    if (!out) return in_file(source, out.error());
    const Bytes glb = gltf::write_glb(out->document);
    const Result<void> wrote = write_file_atomically(output, glb);
    if (!wrote) return wrote.error();
    std::vector<std::string> warnings = readable->mended;
    warnings.insert(warnings.end(), out->warnings.begin(), out->warnings.end());
    preflight::PreflightOptions judge;
    judge.skeleton = words.options.skeleton;
    judge.profile = preflight::Profile::gate;
    return Made{"conformed  " + output.string() + " (" + megabytes(glb.size()) +
                    "): " + std::to_string(out->report.aimed.size()) + " joints turned, at most " +
                    one_decimal(out->report.max_aim_degrees) + " degrees\n\n",
                std::move(warnings), glb, judge};
}

ExitCode run_conform(const CLI::App& app, ConformWords& words) {
    const Result<void> files = read_conversion_files(words.options, words.conversion);
    if (!files) return fail(files.error());
    Conversion conversion;
    conversion.extensions = kCharacterExtensions;
    conversion.outputs = [](const std::filesystem::path& below) {
        return std::vector<std::filesystem::path>{renamed(below, ".glb")};
    };
    conversion.convert = [&](const std::filesystem::path& source, const std::filesystem::path& output) {
        return conform_file(words, source, output);
    };
    return run_conversion(app, words.files, conversion);
}

}  // namespace

Runner bind_conform(CLI::App& app) {
    auto words = std::make_shared<ConformWords>();
    add_file_options(app, words->files, "SRC", "the character: .glb, .gltf, .vrm or .fbx",
                     "the GLB to write; a folder for many");
    add_conversion_options(app, words->options, words->conversion);
    return [words, &app] { return run_conform(app, *words); };
}

}  // namespace helixavatar::commands
