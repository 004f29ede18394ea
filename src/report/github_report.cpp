// SPDX-License-Identifier: MIT
// GitHub workflow commands: one annotation a finding.
#include "report/formats.hpp"

namespace helixavatar::report {
namespace {

std::string escaped(const std::string& text, bool property) {
    std::string out;
    for (const char c : clean(text)) {
        if (c == '%')
            out += "%25";
        else if (property && c == ':')
            out += "%3A";
        else if (property && c == ',')
            out += "%2C";
        else
            out += c;
    }
    return out;
}

const char* command_of(Severity severity, bool strict) {
    switch (severity) {
        case Severity::error:
            return "error";
        case Severity::warning:
            return strict ? "error" : "warning";
        case Severity::not_measured:
            return strict ? "error" : "warning";
        case Severity::info:
            return "notice";
    }
    return "notice";
}

std::string annotation(const char* command, const std::string& file, const std::string& title,
                       const std::string& message) {
    return std::string("::") + command + " file=" + escaped(file, true) + ",title=" + escaped(title, true) +
           "::" + escaped(message, false) + "\n";
}

std::string annotations(const Judged& judged, bool strict) {
    if (!judged.outcome) {
        const Error& error = judged.outcome.error();
        return annotation("error", judged.file, "cannot be judged",
                          error.message + (error.hint.empty() ? "" : ". Fix: " + error.hint));
    }
    std::string out;
    for (const Finding& finding : judged.outcome->findings) {
        std::string text =
            finding.severity == Severity::not_measured ? "not measured: " + finding.message : finding.message;
        if (!finding.where.pointer.empty()) text += " (" + finding.where.pointer + ")";
        if (finding.count > 1) text += " and " + std::to_string(finding.count - 1) + " more";
        if (!finding.fix.empty()) text += " Fix: " + finding.fix;
        out += annotation(command_of(finding.severity, strict), judged.file, finding.rule, text);
    }
    return out;
}

}  // namespace

std::string print_github(const std::vector<Judged>& judged, const PrintOptions& options) {
    std::string out;
    for (const Judged& one : judged) out += annotations(one, options.strict);
    const Totals totals = total(judged, options.strict);
    return out + (totals.failed ? "FAIL" : "PASS") + "  " + std::to_string(totals.files) + " files, " +
           std::to_string(totals.failed) + " failed, " + std::to_string(totals.errors) + " errors, " +
           std::to_string(totals.warnings) + " warnings, " + std::to_string(totals.not_measured) + " not measured\n";
}

}  // namespace helixavatar::report
