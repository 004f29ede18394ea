// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <cstdio>

#include <helixavatar/base/file_io.hpp>
#include <helixavatar/base/log.hpp>

#include "command.hpp"
#include "console.hpp"
#include "conversion_options.hpp"
#include "explain.hpp"
#include "many_files.hpp"

namespace helixavatar::commands {
namespace {

struct ImportWords {
    ConversionWords conversion;
    import::ImportOptions options;
    ManyWords files;
    std::string receipt;
    std::string face_map_file;
    std::string provenance_file;
    std::string ktx2 = "auto";
    std::string atlas = "auto";
    std::string quality = "balanced";
    bool no_ktx2 = false;
    bool explain = false;
    const CLI::App* app = nullptr;  ///< for which options were given
};

void add_output_options(CLI::App& app, ImportWords& words) {
    add_file_options(app, words.files, "SRC", "the character: .glb, .gltf, .vrm or .fbx",
                     "the avatar to write, named NAME.web.glb by convention; a folder for many");
    app.add_option("--receipt", words.receipt,
                   "where the receipt goes (default: NAME.avatar-import.json beside the avatar)")
        ->type_name("FILE");
    app.add_option("--name", words.options.name, "name of the avatar (default: from the output's name)")
        ->type_name("NAME");
    app.add_option("--provenance", words.provenance_file,
                   "JSON with sourceUrl, license and licenseUrl, kept in the receipt")
        ->type_name("FILE");
    app.add_flag("--explain", words.explain, "show how each joint was recognised; with no -o, do nothing else");
}

void add_content_options(CLI::App& app, ImportWords& words) {
    app.add_option("--lod-tris", words.options.lod_triangles, "triangles of each level, nearest first")
        ->allow_extra_args(false)
        ->delimiter(',')
        ->check(within(1, 1e9))
        ->type_name("N,N,N")
        ->capture_default_str();
    app.add_option("--max-texture", words.options.textures.max_edge, "longest texture edge in pixels")
        ->check(CLI::Range(4, 16384))
        ->type_name("PX")
        ->capture_default_str();
    app.add_option("--ktx2", words.ktx2, "auto: when an encoder is found; require: fail without one; off")
        ->check(CLI::IsMember({"auto", "require", "off"}))
        ->capture_default_str()
        ->type_name("MODE");
    app.add_flag("--no-ktx2", words.no_ktx2, "the same as --ktx2=off: PNG and JPEG, the same geometry byte for byte");
    app.add_option("--texture-quality", words.quality, "effort of the KTX2 encoder")
        ->check(CLI::IsMember({"fast", "balanced", "best"}))
        ->capture_default_str()
        ->type_name("LEVEL");
    app.add_flag("!--no-cache", words.options.textures.cache,
                 "do not keep or use encoded textures in $XDG_CACHE_HOME/helixavatar/textures, at most 1 GiB");
    app.add_option("--atlas", words.atlas, "merge materials into an atlas; auto: only when over a gate")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str()
        ->type_name("WHEN");
    app.add_flag("--fit", words.options.fit,
                 "into every budget: atlas, texture edges and codecs, triangles a level; or exit 4 and no file");
    app.add_flag("!--no-split-face", words.options.split_face, "do not cut the FaceMesh slice");
    app.add_option("--face-map", words.face_map_file, "JSON that names the face's morphs and bones")->type_name("FILE");
    app.add_option("--first-person-hide", words.options.first_person_hide,
                   "a further mesh that the first-person camera hides; may be given several times")
        ->type_name("NAME")
        ->allow_extra_args(false);
    app.add_option("--declared-height", words.options.declared_height,
                   "height in metres that the listing will state; judged, not applied")
        ->check(within(0.1, 10.0))
        ->type_name("METRES");
}

Result<void> read_files(ImportWords& words) {
    const Result<void> conversion = read_conversion_files(words.options, words.conversion);
    if (!conversion) return conversion;
    if (!words.face_map_file.empty()) {
        const Result<std::string> text = read_text(words.face_map_file);
        if (!text) return text.error();
        Result<gltf::Json> json = gltf::parse_json(*text);
        if (!json)
            return Error{ErrorKind::usage, "the face map is not JSON: " + json.error().message, words.face_map_file,
                         json.error().hint};
        words.options.face_map = json.take();
    }
    if (!words.provenance_file.empty()) {
        const Result<std::string> text = read_text(words.provenance_file);
        if (!text) return text.error();
        Result<gltf::Json> json = import::parse_provenance(*text);
        if (!json) {
            Error error = json.error();
            error.where = words.provenance_file + (error.where.empty() ? "" : ": " + error.where);
            return error;
        }
        words.options.provenance = json.take();
    }
    return {};
}

void read_words(ImportWords& words) {
    import::ImportOptions& options = words.options;
    options.textures.ktx2 = !words.no_ktx2 && words.ktx2 != "off";
    options.textures.ktx2_required = words.ktx2 == "require" && !words.no_ktx2;
    options.atlas = words.atlas == "always"  ? import::AtlasMode::always
                    : words.atlas == "never" ? import::AtlasMode::never
                                             : import::AtlasMode::automatic;
    options.textures.quality = words.quality == "fast"   ? texture::Quality::fast
                               : words.quality == "best" ? texture::Quality::best
                                                         : texture::Quality::balanced;
    options.lod_triangles_given = words.app->count("--lod-tris") > 0;
}

std::string summary(const gltf::Json& receipt, const std::filesystem::path& output,
                    const std::filesystem::path& receipt_path, bool ktx2_wanted) {
    const gltf::Json& source = receipt["source"];
    std::string levels;
    for (const gltf::Json& lod : receipt["lods"]) levels += (levels.empty() ? "" : " / ") + lod["triangles"].dump();
    std::string text;
    text += "avatar     " + output.string() + " (" + megabytes(receipt["output"]["bytes"].get<std::size_t>()) + ")\n";
    text += "receipt    " + receipt_path.string() + "\n";
    text += "source     " + source["file"].get<std::string>() + ": " + source["rig"]["family"].get<std::string>() +
            " rig, " + amount(source["triangles"], "triangle") + ", " + amount(source["materials"], "material") + "\n";
    const gltf::Json& conformed = receipt["transforms"]["conformed"];
    text += "pose       " + conformed["sourcePose"].get<std::string>() + "-pose source, " +
            conformed["restAimed"].dump() + " joints turned, at most " + conformed["maxAimDegrees"].dump() +
            " degrees\n";
    text += "levels     " + levels + " triangles\n";
    text += "face       " + receipt["face"]["capability"].get<std::string>() + "\n";
    const bool ktx2 = receipt["ktx2"]["enabled"].get<bool>();
    text += std::string("textures   ") + amount(receipt["textures"].size(), "image") +
            (ktx2 ? ", KTX2" : ", PNG and JPEG") +
            // Said here too, for -q takes away the warning and not the loss.
            (!ktx2 && ktx2_wanted && !receipt["textures"].empty() ? " because no KTX2 encoder was found" : "") + "\n";
    return text;
}

/// A fit's budgets before and after, and what was given up.
std::string fit_text(const gltf::Json& fit) {
    if (fit.is_null()) return {};
    std::string text = "fit        budget         limit      before       after\n";
    for (const gltf::Json& budget : fit["budgets"]) {
        char line[120];
        std::snprintf(line, sizeof line, "           %-12s %8zu  %10zu  %10zu\n",
                      budget["id"].get<std::string>().c_str(), budget["limit"].get<std::size_t>(),
                      budget["before"].get<std::size_t>(), budget["after"].get<std::size_t>());
        text += line;
    }
    for (const gltf::Json& what : fit["gaveUp"]) text += "gave up    " + what.get<std::string>() + "\n";
    return text;
}

std::filesystem::path receipt_beside(const std::filesystem::path& output) {
    return output.parent_path() / (avatar_name(output) + ".avatar-import.json");
}

/// The avatar that a receipt speaks of, or empty.
std::string avatar_of_receipt(const std::filesystem::path& receipt) {
    const Result<std::string> text = read_text(receipt);
    if (!text) return {};
    const Result<gltf::Json> json = gltf::parse_json(*text);
    if (!json || !json->is_object()) return {};
    const auto output = json->find("output");
    if (output == json->end() || !output->is_object()) return {};
    const auto file = output->find("file");
    return file != output->end() && file->is_string() ? file->get<std::string>() : std::string();
}

/// The output is a GLB by its name, and its receipt is not that of another avatar beside it (a.glb, a.web.glb).
Result<void> check_names(const std::filesystem::path& output, const std::filesystem::path& receipt) {
    std::string extension = output.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (extension != ".glb")
        return Error{ErrorKind::usage, "an avatar is written as GLB, and the output's name does not end in .glb",
                     output.string(),
                     "name it " + std::filesystem::path(output).replace_extension(".web.glb").string()};
    const std::string other = avatar_of_receipt(receipt);
    if (!other.empty() && other != output.filename().string() && std::filesystem::exists(output.parent_path() / other))
        return Error{ErrorKind::usage, "the receipt belongs to another avatar, " + other, receipt.string(),
                     "give this one's receipt another name with --receipt, or the avatar another name"};
    return {};
}

/// Neither output takes the place of a file that was given, and the receipt not that of the avatar.
Result<void> check_outputs(const ImportWords& words, const std::filesystem::path& source,
                           const std::filesystem::path& output, const std::filesystem::path& receipt) {
    if (receipt.lexically_normal() == output.lexically_normal() || same_file(receipt, output))
        return Error{ErrorKind::usage, "the receipt and the avatar are one file", receipt.string(),
                     "give --receipt another name"};
    for (const std::filesystem::path& given :
         {source, std::filesystem::path(words.face_map_file), std::filesystem::path(words.provenance_file),
          std::filesystem::path(words.conversion.bone_map_file),
          std::filesystem::path(words.conversion.skeleton_file)}) {
        if (given.empty()) continue;
        for (const std::filesystem::path& written : {output, receipt}) {
            const Result<void> checked = check_output(given, written);
            if (!checked) return checked;
        }
    }
    return check_names(output, receipt);
}

bool over_a_budget(const preflight::Report& report) {
    const preflight::Budgets limits;
    const preflight::Measured& now = report.measured;
    return now.triangles > limits.triangles || now.draw_calls > limits.draw_calls ||
           now.file_bytes > limits.file_bytes || now.materials > limits.materials ||
           now.largest_texture_edge > limits.texture_edge;
}

/// A face map that is wrong is named in place of the character that it was given for.
Error in_file_at_fault(const ImportWords& words, const std::filesystem::path& source, Error error) {
    constexpr std::string_view kFaceMap = "face map ";
    if (!error.where.starts_with(kFaceMap)) return in_file(source, std::move(error));
    error.where.erase(0, kFaceMap.size());
    return in_file(words.face_map_file, std::move(error));
}

/// One character, whole: the avatar first, then the receipt, which never speaks of a file that is not there.
Result<Made> import_file(const ImportWords& words, const std::filesystem::path& source,
                         const std::filesystem::path& output) {
    const std::filesystem::path receipt =
        words.receipt.empty() ? receipt_beside(output) : std::filesystem::path(words.receipt);
    const Result<void> target = check_outputs(words, source, output, receipt);
    if (!target) return target.error();
    const Result<import::Readable> readable = import::read_for_conversion(source, words.options.limits);
    if (!readable) return readable.error();
    import::ImportOptions options = words.options;
    if (options.name.empty()) options.name = avatar_name(output);
    options.judged_as = (words.files.many() ? output.lexically_relative(words.files.output) : output).generic_string();
    Result<import::ImportOutput> out =
        import::import_avatar(readable->document, source_file(source, *readable), output.filename().string(), options);
    if (!out) return in_file_at_fault(words, source, out.error());
    const Result<void> wrote = write_file_atomically(output, out->glb);
    if (!wrote) return wrote.error();
    const Result<void> noted = write_file_atomically(
        receipt, as_bytes(out->receipt.dump(2, ' ', false, gltf::Json::error_handler_t::replace) + "\n"));
    if (!noted) return noted.error();
    for (const char* section : {"transforms", "textures", "ktx2", "atlas"})
        log::debug(std::string(section) + ": " + out->receipt[section].dump());
    Made made;
    made.text =
        summary(out->receipt, output, receipt, words.options.textures.ktx2) + fit_text(out->receipt["fit"]) + "\n";
    made.warnings = out->warnings;
    made.glb = std::move(out->glb);
    if (!words.options.fit && over_a_budget(out->report))
        made.advice = "what to do: import again with --fit, which brings the avatar inside every budget\n";
    made.verdict = std::move(out->report);
    return made;
}

/// The camera hides by mesh name, and an imported avatar has just two meshes: any other name would hide nothing.
Result<void> check_hidden_names(const std::vector<std::string>& names) {
    for (const std::string& name : names)
        if (std::string(avatar::kBodyMesh).find(name) == std::string::npos &&
            std::string(avatar::kFaceMesh).find(name) == std::string::npos)
            return Error{
                ErrorKind::usage, "no mesh of the avatar would be called \"" + name + "\"", "--first-person-hide",
                std::string("import merges all meshes into ") + avatar::kBodyMesh + " and " + avatar::kFaceMesh +
                    "; what is weighted to the head goes into " + avatar::kFaceMesh + ", which is hidden anyway"};
    return {};
}

/// How each joint was recognised.
Result<std::string> explain_file(const ImportWords& words, const std::filesystem::path& source) {
    const Result<import::Readable> readable = import::read_for_conversion(source, words.options.limits);
    if (!readable) return readable.error();
    const Result<import::Understood> understood = import::understand(readable->document, words.options);
    if (!understood) return in_file(source, understood.error());
    return explain_mapping(*understood);
}

/// Options that mean one file.
Result<void> check_many(const ImportWords& words) {
    const std::pair<const char*, bool> single[] = {
        {"--receipt", !words.receipt.empty()}, {"--name", !words.options.name.empty()}, {"--explain", words.explain}};
    for (const auto& [option, given] : single)
        if (given && words.files.many())
            return Error{ErrorKind::usage, std::string(option) + " is for one file", option,
                         "leave it out, or name one input and one output file"};
    return {};
}

/// The encoder shapes the textures: another one, or none, is other work.
std::string encoder_digest(const texture::TextureOptions& options) {
    if (!options.ktx2) return {};
    const std::filesystem::path encoder = texture::find_encoder(options.encoder);
    const Result<Bytes> bytes = read_file(encoder);
    return "encoder " + (bytes ? sha256_hex(*bytes) : std::string("none"));
}

ExitCode run_import(const CLI::App& app, ImportWords& words) {
    const Result<void> hidden = check_hidden_names(words.options.first_person_hide);
    if (!hidden) return fail(hidden.error());
    const Result<void> single = check_many(words);
    if (!single) return fail(single.error());
    read_words(words);
    const Result<void> files = read_files(words);
    if (!files) return fail(files.error());
    if (words.explain && !words.files.inputs.empty()) {
        const Result<std::string> mapping = explain_file(words, words.files.inputs[0]);
        if (!mapping) return fail(mapping.error());
        print(*mapping);
        if (words.files.output.empty()) return ExitCode::ok;
    }
    Conversion conversion;
    conversion.extensions = kCharacterExtensions;
    conversion.outputs = [](const std::filesystem::path& below) {
        const std::filesystem::path avatar = renamed(below, ".web.glb");
        return std::vector<std::filesystem::path>{avatar, receipt_beside(avatar)};
    };
    conversion.convert = [&](const std::filesystem::path& source, const std::filesystem::path& output) {
        return import_file(words, source, output);
    };
    if (words.files.many()) conversion.surroundings = encoder_digest(words.options.textures);
    return run_conversion(app, words.files, conversion);
}

}  // namespace

Runner bind_import(CLI::App& app) {
    auto words = std::make_shared<ImportWords>();
    words->app = &app;
    add_output_options(app, *words);
    add_conversion_options(app, words->options, words->conversion);
    add_content_options(app, *words);
    return [words, &app] { return run_import(app, *words); };
}

}  // namespace helixavatar::commands
