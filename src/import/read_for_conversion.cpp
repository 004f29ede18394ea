// SPDX-License-Identifier: MIT
#include <algorithm>

#include <helixavatar/gltf/decode.hpp>
#include <helixavatar/gltf/structure_check.hpp>
#include <helixavatar/import/import.hpp>

namespace helixavatar::import {
namespace {

constexpr std::size_t kFaultsShown = 5;

/// The first faults in one error: a conversion stops here, `preflight` tells all.
Error structure_error(const Findings& findings) {
    Error error{ErrorKind::malformed, "", "",
                "run `helixavatar preflight` on the file for the whole list, then export it again"};
    std::size_t errors = 0;
    for (const Finding& finding : findings) {
        if (!gltf::prevents_reading(finding)) continue;
        ++errors;
        if (errors == 1) error.where = finding.where.pointer;
        if (errors <= kFaultsShown)
            error.message += (errors > 1 ? "; " : "") + finding.where.pointer + ": " + finding.message;
    }
    if (errors > kFaultsShown) error.message += "; and " + std::to_string(errors - kFaultsShown) + " more";
    return error;
}

}  // namespace

Result<gltf::Document> read_for_conversion(const std::filesystem::path& path, const Limits& limits) {
    Result<gltf::Document> document = gltf::read_document(path, limits);
    if (!document) return document.error();
    const Findings findings = gltf::check_structure(*document, {true, limits});
    if (std::any_of(findings.begin(), findings.end(), gltf::prevents_reading)) {
        Error error = structure_error(findings);
        error.where = path.string() + (error.where.empty() ? "" : ": " + error.where);
        return error;
    }
    Result<gltf::Document> plain = gltf::decompress(*document, limits);
    if (!plain) {
        Error error = plain.error();
        error.where = path.string() + (error.where.empty() ? "" : ": " + error.where);
        return error;
    }
    return plain;
}

}  // namespace helixavatar::import
