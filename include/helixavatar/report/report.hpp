// SPDX-License-Identifier: MIT
// Findings in, bytes out: the shapes in which a judgement is printed (cli.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <helixavatar/base/result.hpp>
#include <helixavatar/preflight/preflight.hpp>

namespace helixavatar::report {

enum class Format { text, json, sarif, junit, github };

/// The format of that name. Errors: usage, listing the names.
Result<Format> parse_format(const std::string& name);

/// One judged input: its report, or the error that kept it from being judged.
struct Judged {
    std::string file;
    Result<preflight::Report> outcome;
};

struct PrintOptions {
    Format format = Format::text;
    std::string command = "preflight";
    bool strict = false;
    bool color = false;
    bool verbose = false;  ///< text: also what passed and what was measured
    /// JSON: what a command that runs no preflight measured, one entry a file (null: nothing); printed instead of
    /// preflight's measures, which nobody took.
    std::optional<std::vector<gltf::Json>> measured;
};

/// The whole report of a run, ending in a newline.
std::string print(const std::vector<Judged>& judged, const PrintOptions& options);

/// A judgement as JSON, to be handed from process to process or kept: one file's part of helix/avatar-report@1, and the
/// kind of the error where there is no report.
nlohmann::ordered_json pack(const Judged& judged, bool strict);
/// What pack() gave: it prints the same in every format. Errors: malformed.
Result<Judged> unpack(const nlohmann::ordered_json& json);

}  // namespace helixavatar::report
