// SPDX-License-Identifier: MIT
#include "console.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <glob.h>
#include <unistd.h>

#include <helixavatar/base/file_io.hpp>
#include <helixavatar/base/log.hpp>
#include <helixavatar/report/report.hpp>

namespace helixavatar::commands {

namespace fs = std::filesystem;

void print(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
        std::exit(static_cast<int>(ExitCode::unwritable));
}

bool color_wanted() {
    return isatty(1) && !std::getenv("NO_COLOR") && !std::getenv("CI");
}

ExitCode fail(const Error& error) {
    std::string text = error.where.empty() ? error.message : error.where + ": " + error.message;
    if (!error.hint.empty()) text += "\n  what to do: " + error.hint;
    log::error(text);
    return exit_code_for(error.kind);
}

std::string megabytes(std::size_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f MiB", static_cast<double>(bytes) / (1024.0 * 1024.0));
    return text;
}

std::string counted(std::size_t count, const std::string& one, const std::string& many) {
    return std::to_string(count) + " " + (count == 1 ? one : many.empty() ? one + "s" : many);
}

Result<void> check_output(const fs::path& input, const fs::path& output) {
    if (same_file(input, output))
        return Error{ErrorKind::usage, "the output is the input file; an input is never overwritten", output.string(),
                     "give -o another name"};
    std::error_code ignored;
    if (fs::is_directory(output, ignored))
        return Error{ErrorKind::usage, "the output is a folder", output.string(), "give -o a file name"};
    if (fs::exists(output, ignored) && !fs::is_regular_file(output, ignored))
        return Error{ErrorKind::usage, "the output is a device or pipe, which a file would take the place of",
                     output.string(), "give -o a file name"};
    const fs::path folder = output.parent_path();
    if (!folder.empty() && !fs::is_directory(folder, ignored))
        return Error{ErrorKind::unwritable, "the output's folder does not exist", folder.string(),
                     "make the folder first"};
    return {};
}

Result<std::string> read_text(const fs::path& path) {
    Result<Bytes> bytes = read_file(path);
    if (!bytes) {
        Error error = bytes.error();
        error.kind = ErrorKind::usage;
        return error;
    }
    return std::string(bytes->begin(), bytes->end());
}

namespace {

bool is_avatar_name(const fs::path& path) {
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension == ".glb" || extension == ".gltf" || extension == ".vrm";
}

/// Everything below a folder that looks like an avatar, sorted; symbolic links to folders are not followed (they may
/// loop).
void walk(const fs::path& folder, std::vector<std::string>& out) {
    std::vector<std::string> found;
    std::error_code error;
    for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
         it != end; it.increment(error))
        if (is_avatar_name(it->path()) && fs::is_regular_file(it->path(), error)) found.push_back(it->path().string());
    std::sort(found.begin(), found.end());
    out.insert(out.end(), found.begin(), found.end());
}

}  // namespace

Result<std::vector<std::string>> expand_inputs(const std::vector<std::string>& arguments) {
    std::vector<std::string> files;
    for (const std::string& argument : arguments) {
        std::error_code ignored;
        const std::size_t before = files.size();
        if (argument == "-" || (!fs::is_directory(argument, ignored) && fs::exists(argument, ignored))) {
            files.push_back(argument);
            continue;
        }
        if (fs::is_directory(argument, ignored)) {
            walk(argument, files);
            if (files.size() == before)
                return Error{ErrorKind::unreadable, "the folder holds no .glb, .gltf or .vrm file", argument,
                             "name the files themselves"};
            continue;
        }
        glob_t matches{};
        if (argument.find_first_of("*?[") != std::string::npos && glob(argument.c_str(), 0, nullptr, &matches) == 0)
            files.insert(files.end(), matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
        globfree(&matches);
        if (files.size() == before) files.push_back(argument);  // judged as unreadable, with the others still judged
    }
    return files;
}

ExitCode judge_output(const Bytes& glb, const fs::path& path, const preflight::PreflightOptions& options) {
    return print_judged(path, preflight::judge(glb, path.string(), options));
}

ExitCode print_judged(const fs::path& path, Result<preflight::Report> outcome) {
    std::vector<report::Judged> judged;
    judged.push_back({path.string(), std::move(outcome)});
    report::PrintOptions shown;
    shown.color = color_wanted();
    print(report::print(judged, shown));
    if (!judged[0].outcome) return exit_code_for(judged[0].outcome.error().kind);
    return judged[0].outcome->failed(false) ? ExitCode::judged_bad : ExitCode::ok;
}

}  // namespace helixavatar::commands
