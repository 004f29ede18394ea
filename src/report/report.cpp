// SPDX-License-Identifier: MIT
#include <helixavatar/report/report.hpp>

#include "report/formats.hpp"

namespace helixavatar::report {
namespace {

/// Length of the valid UTF-8 sequence at `at`, or 0.
std::size_t sequence_length(const std::string& text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const unsigned lead = byte(at);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xC2 && lead < 0xE0 ? 2
                               : lead >= 0xE0 && lead < 0xF0 ? 3
                               : lead >= 0xF0 && lead < 0xF5 ? 4
                                                             : 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0) != 0x80) return 0;
    }
    const unsigned second = byte(at + 1);
    if (lead == 0xE0 && second < 0xA0) return 0;
    if (lead == 0xED && second >= 0xA0) return 0;  // surrogates
    if (lead == 0xF0 && second < 0x90) return 0;
    if (lead == 0xF4 && second >= 0x90) return 0;
    return length;
}

}  // namespace

std::string clean(const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = sequence_length(text, at);
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
