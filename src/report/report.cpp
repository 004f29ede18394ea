// SPDX-License-Identifier: MIT
#include <helixavatar/report/report.hpp>

#include <helixavatar/base/printable.hpp>

#include "report/formats.hpp"

namespace helixavatar::report {
std::string clean(const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_length(text, at);
        const unsigned char lead = static_cast<unsigned char>(text[at]);
        if (length == 0) {
            out += "\xEF\xBF\xBD";
            ++at;
        } else if (length == 1 && (lead < 0x20 || lead == 0x7F)) {
            out += ' ';
            ++at;
        } else {
            out.append(text, at, length);
            at += length;
        }
    }
    return out;
}

Result<Format> parse_format(const std::string& name) {
    if (name == "text") return Format::text;
    if (name == "json") return Format::json;
    if (name == "sarif") return Format::sarif;
    if (name == "junit") return Format::junit;
    if (name == "github") return Format::github;
    return Error{
        ErrorKind::usage, "there is no report format named " + name, {}, "use text, json, sarif, junit or github"};
}

bool passed(const Judged& judged, bool strict) {
    return judged.outcome && !judged.outcome->failed(strict);
}

Totals total(const std::vector<Judged>& judged, bool strict) {
    Totals totals;
    totals.files = judged.size();
    for (const Judged& one : judged) {
        totals.failed += !passed(one, strict);
        if (!one.outcome) {
            ++totals.errors;
            continue;
        }
        totals.errors += one.outcome->count(Severity::error);
        totals.warnings += one.outcome->count(Severity::warning);
        totals.not_measured += one.outcome->count(Severity::not_measured);
        totals.infos += one.outcome->count(Severity::info);
    }
    return totals;
}

std::string print(const std::vector<Judged>& judged, const PrintOptions& options) {
    switch (options.format) {
        case Format::text:
            return print_text(judged, options);
        case Format::json:
            return print_json(judged, options);
        case Format::sarif:
            return print_sarif(judged, options);
        case Format::junit:
            return print_junit(judged, options);
        case Format::github:
            return print_github(judged, options);
    }
    return {};
}

}  // namespace helixavatar::report
