// SPDX-License-Identifier: MIT
#include <algorithm>

#include <helixavatar/gltf/decode.hpp>
#include <helixavatar/gltf/structure_check.hpp>
#include <helixavatar/import/import.hpp>

namespace helixavatar::import {
namespace {

constexpr std::size_t kFaultsShown = 5;

/// The first faults in one error: a conversion stops here, `preflight` tells all.
Result<void> refuse_unsafe(const Findings& findings, Readable& out) {
    Error error{ErrorKind::malformed, "", "",
                "run `helixavatar preflight` on the file for the whole list, then export it again"};
    std::size_t errors = 0;
    for (const Finding& finding : findings) {
        if (finding.severity != Severity::error) continue;
        if (!gltf::prevents_reading(finding)) {
            if (!finding.where.pointer.starts_with("/animations/")) out.mended.push_back("mended: " + finding.message);
            continue;
        }
        ++errors;
        if (errors == 1) error.where = finding.where.pointer;
        if (errors <= kFaultsShown) error.message += (errors > 1 ? "; " : "") + finding.message;
    }
    if (errors == 0) return {};
    if (errors > kFaultsShown) error.message += "; and " + std::to_string(errors - kFaultsShown) + " more";
    return error;
}

}  // namespace

Result<Readable> read_for_conversion(const std::filesystem::path& path, const Limits& limits) {
    const auto at = [&](Error error) {
        error.where = path.string() + (error.where.empty() ? "" : ": " + error.where);
        return error;
    };
    Result<gltf::Document> document = gltf::read_document(path, limits);
    if (!document) return document.error();
    Readable out;
    const Result<void> safe = refuse_unsafe(fold_repeats(gltf::check_structure(*document, {true, limits})), out);
    if (!safe) return at(safe.error());
    Result<gltf::Document> plain = gltf::decompress(*document, limits);
    if (!plain) return at(plain.error());
    out.document = plain.take();
    return out;
}

}  // namespace helixavatar::import
