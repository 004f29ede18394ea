// SPDX-License-Identifier: MIT
// Findings in, bytes out: the shapes in which a judgement is printed (cli.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

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

}  // namespace helixavatar::report
