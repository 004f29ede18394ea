// SPDX-License-Identifier: MIT
#include "console.hpp"

#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include <helixavatar/base/file_io.hpp>
#include <helixavatar/base/log.hpp>
#include <helixavatar/base/printable.hpp>
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
    std::string text = printable(error.where) + (error.where.empty() ? "" : ": ") + error.message;
    if (!error.hint.empty()) text += "\n  what to do: " + error.hint;
    log::error(text);
    return exit_code_for(error.kind);
}

Error in_file(const fs::path& file, Error error) {
    if (error.where.find(file.string()) == std::string::npos)
        error.where = file.string() + (error.where.empty() ? "" : ": " + error.where);
    return error;
}

std::string megabytes(std::size_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f MiB", static_cast<double>(bytes) / (1024.0 * 1024.0));
    return text;
}

std::string amount(std::size_t count, const std::string& one, const std::string& many) {
    return std::to_string(count) + " " + (count == 1 ? one : many.empty() ? one + "s" : many);
}

Result<void> check_output(const fs::path& input, const fs::path& output) {
    if (output.empty())
        return Error{ErrorKind::usage, "no output named", "", "add -o NAME.web.glb, or another name"};
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

ExitCode judge_output(const Bytes& glb, const fs::path& path, const preflight::PreflightOptions& options) {
    std::vector<report::Judged> judged;
    judged.push_back({path.string(), preflight::judge(glb, path.string(), options)});
    report::PrintOptions shown;
    shown.color = color_wanted();
    print(report::print(judged, shown));
    if (!judged[0].outcome) return exit_code_for(judged[0].outcome.error().kind);
    return judged[0].outcome->failed(false) ? ExitCode::judged_bad : ExitCode::ok;
}

}  // namespace helixavatar::commands
