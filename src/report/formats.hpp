// SPDX-License-Identifier: MIT
// One function a format.
#pragma once

#include <nlohmann/json.hpp>

#include <helixavatar/report/report.hpp>

namespace helixavatar::report {

std::string print_text(const std::vector<Judged>& judged, const PrintOptions& options);
std::string print_json(const std::vector<Judged>& judged, const PrintOptions& options);
std::string print_sarif(const std::vector<Judged>& judged, const PrintOptions& options);
std::string print_junit(const std::vector<Judged>& judged, const PrintOptions& options);
std::string print_github(const std::vector<Judged>& judged, const PrintOptions& options);

/// One file's part of helix/avatar-report@1. `own`: what the command itself measured, or null when preflight did.
nlohmann::ordered_json file_json(const Judged& judged, bool strict, const nlohmann::ordered_json* own = nullptr);

/// Totals over all inputs; an input that could not be judged counts as one error.
struct Totals {
    std::size_t files = 0, errors = 0, warnings = 0, not_measured = 0, infos = 0, failed = 0;
};
Totals total(const std::vector<Judged>& judged, bool strict);

bool passed(const Judged& judged, bool strict);

/// Valid UTF-8 without control characters (but tab): names come from files.
std::string clean(const std::string& text);

}  // namespace helixavatar::report
