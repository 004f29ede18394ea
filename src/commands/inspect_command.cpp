// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>

#include <helixavatar/import/inspect.hpp>

#include "command.hpp"
#include "console.hpp"
#include "conversion_options.hpp"
#include "explain.hpp"

namespace helixavatar::commands {
namespace {

using gltf::Json;

struct InspectWords {
    ConversionWords conversion;
    import::ImportOptions options;
    std::string file;
    bool json = false;
};

std::string line(const std::string& label, const std::string& value) {
    std::string text = label;
    text.resize(std::max<std::size_t>(12, text.size() + 1), ' ');
    return text + value + "\n";
}

std::string number(const Json& value, const char* format) {
    if (!value.is_number()) return "unknown";
    char text[40];
    std::snprintf(text, sizeof text, format, value.get<double>());
    return text;
}

std::string names(const Json& list, std::size_t most = 12) {
    std::string text;
    for (std::size_t i = 0; i < list.size() && i < most; ++i) text += (i ? ", " : "") + list[i].get<std::string>();
    if (list.size() > most) text += ", ... (" + std::to_string(list.size()) + ")";
    return text.empty() ? "none" : text;
}

std::string texture_lines(const Json& facts) {
    std::string text;
    for (const Json& image : facts["textures"]) {
        char row[200];
        std::snprintf(row, sizeof row, "  %-28s %-10s %5d x %-5d %-10s GPU %s, as KTX2 %s\n",
                      image["name"].get<std::string>().substr(0, 28).c_str(), image["role"].get<std::string>().c_str(),
                      image["width"].get<int>(), image["height"].get<int>(), image["mime"].get<std::string>().c_str(),
                      megabytes(image["gpuBytes"].get<std::size_t>()).c_str(),
                      megabytes(image["gpuBytesKtx2"].get<std::size_t>()).c_str());
        text += row;
    }
    return text;
}

std::string rig_lines(const Json& rig) {
    if (rig.contains("refused")) return line("rig", "not recognised: " + rig["refused"].get<std::string>());
    std::string text = line("rig", rig["family"].get<std::string>() + " (" + number(rig["confidence"], "%.2f") + "), " +
                                       rig["mapped"].dump() + " of 68 joints found");
    text += line("height", number(rig["height"], "%.3f") + " in the file's units");
    text += line("facing",
                 rig["facing"].get<std::string>() + " (yaw " + number(rig["yawDegrees"], "%.1f") + " degrees off +Z)");
    text +=
        line("pose", rig["pose"].get<std::string>() + "-pose: upper arms " + number(rig["armDegrees"][0], "%.1f") +
                         " and " + number(rig["armDegrees"][1], "%.1f") + " degrees from straight down (left, right)");
    return text;
}

std::string first_person_lines(const Json& facts) {
    if (!facts.contains("firstPerson")) return {};
    std::string text;
    for (const Json& thing : facts["firstPerson"]["beforeEyes"]) {
        const bool on_head = thing["onHead"].get<bool>(), hidden = thing["hidden"].get<bool>();
        const char* const what =
            hidden    ? "hidden by firstPersonHide"
            : on_head ? "hangs from the head: import hides it with FaceMesh; else name it in firstPersonHide"
                      : "does not hang from the head: it stays in view unless firstPersonHide names it";
        text += line(text.empty() ? "eyes see" : "", thing["mesh"].get<std::string>() + " (" + what + ")");
    }
    return text;
}

std::string as_text(const Json& facts) {
    std::string text;
    text += line("file", facts["file"].get<std::string>() + ", " + facts["format"].get<std::string>() + ", " +
                             megabytes(facts["bytes"].get<std::size_t>()));
    if (facts["generator"].is_string()) text += line("generator", facts["generator"].get<std::string>());
    text += rig_lines(facts["rig"]);
    text += line("meshes", amount(facts["meshes"], "mesh", "meshes") + ", " + amount(facts["drawCalls"], "draw") +
                               ", " + amount(facts["triangles"], "triangle") + ", " +
                               amount(facts["vertices"], "vertex", "vertices"));
    text += line("materials", std::to_string(facts["materials"].size()) + ": " + names(facts["materials"]));
    text += line("textures", amount(facts["textures"].size(), "image") + ", GPU memory " +
                                 megabytes(facts["gpuBytes"].get<std::size_t>()) + " as they are, " +
                                 megabytes(facts["gpuBytesKtx2"].get<std::size_t>()) + " as KTX2");
    text += texture_lines(facts);
    text += line("morphs", std::to_string(facts["morphTargets"].size()) + ": " + names(facts["morphTargets"]));
    text += line(
        "face", facts["face"]["capability"].get<std::string>() + "; channels: " + names(facts["face"]["channels"], 24));
    if (!facts["face"]["derived"].is_null() && !facts["face"]["derived"].empty())
        text += line("", "made from other shapes: " + names(facts["face"]["derived"], 24));
    text += first_person_lines(facts);
    text += line("animations", names(facts["animations"]));
    text += line("extensions", names(facts["extensions"]));
    for (const Json& note : facts["notes"]) text += line("note", note.get<std::string>());
    return text;
}

ExitCode run_inspect(InspectWords& words) {
    const Result<void> files = read_conversion_files(words.options, words.conversion);
    if (!files) return fail(files.error());
    const Result<import::Readable> readable = import::read_for_conversion(words.file, words.options.limits);
    if (!readable) return fail(readable.error());
    const Result<import::Inspection> seen =
        import::inspect(readable->document, source_file(words.file, *readable), words.options);
    if (!seen) {
        Error error = seen.error();
        error.where = words.file + (error.where.empty() ? "" : ": " + error.where);
        return fail(error);
    }
    if (words.json) {
        print(seen->facts.dump(2, ' ', false, gltf::Json::error_handler_t::replace) + "\n");
        return ExitCode::ok;
    }
    print(as_text(seen->facts));
    if (seen->recognised) print("\njoints\n" + joint_tree(*seen->recognised));
    return ExitCode::ok;
}

}  // namespace

Runner bind_inspect(CLI::App& app) {
    auto words = std::make_shared<InspectWords>();
    app.add_option("FILE", words->file, "a .glb, .gltf, .vrm or .fbx")->required()->type_name("");
    app.add_flag("--json", words->json, "print JSON");
    add_conversion_options(app, words->options, words->conversion);
    return [words] { return run_inspect(*words); };
}

}  // namespace helixavatar::commands
