// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string_view>

#include <helixavatar/gltf/decode.hpp>
#include <helixavatar/gltf/structure_check.hpp>
#include <helixavatar/import/import.hpp>

namespace helixavatar::import {
namespace {

constexpr std::size_t kFaultsShown = 5;

/// Faults that converting mends or leaves behind: weights are renormalised, normals made unit length, bounds written
/// anew, turns normalised, animations and cameras dropped. What cannot be mended (a missing accessor, an index past the
/// end, a position that is no number) stays an error.
constexpr std::string_view kMended[] = {"ACCESSOR_WEIGHTS_NON_NORMALIZED",
                                        "ACCESSOR_WEIGHTS_NEGATIVE",
                                        "ACCESSOR_ELEMENT_OUT_OF_",
                                        "ACCESSOR_MIN_MISMATCH",
                                        "ACCESSOR_MAX_MISMATCH",
                                        "ACCESSOR_VECTOR3_NON_UNIT",
                                        "ACCESSOR_INVALID_SIGN",
                                        "ACCESSOR_NON_CLAMPED",
                                        "ACCESSOR_INVALID_IBM",
                                        "ROTATION_NON_UNIT",
                                        "SKIN_SKELETON_INVALID",
                                        "SKIN_NO_COMMON_ROOT",
                                        "NODE_SKIN_NO_SCENE",
                                        "NODE_WEIGHTS_INVALID",
                                        "MESH_INVALID_WEIGHTS_COUNT",
                                        "MATERIAL_ALPHA_CUTOFF_INVALID_MODE",
                                        "UNUSED_EXTENSION_REQUIRED",
                                        "BUFFER_VIEW_TARGET_OVERRIDE",
                                        "ACCESSOR_TOTAL_OFFSET_ALIGNMENT",
                                        "ACCESSOR_OFFSET_ALIGNMENT",
                                        "MESH_PRIMITIVE_ACCESSOR_UNALIGNED",
                                        "MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS",
                                        "MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE",
                                        "SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE",
                                        "MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE"};

bool is_mended(const Finding& finding) {
    if (finding.rule == "file-animation" || finding.rule == "file-camera") return true;
    if (finding.where.pointer.starts_with("/animations/") || finding.where.pointer.starts_with("/cameras/"))
        return true;
    const std::size_t code = finding.message.rfind('[');
    if (code == std::string::npos) return false;
    const std::string_view rest = std::string_view(finding.message).substr(code + 1);
    return std::any_of(std::begin(kMended), std::end(kMended),
                       [&](std::string_view known) { return rest.starts_with(known); });
}

/// The first faults in one error: a conversion stops here, `preflight` tells all.
Result<void> refuse_unsafe(const Findings& findings, Readable& out) {
    Error error{ErrorKind::malformed, "", "",
                "run `helixavatar preflight` on the file for the whole list, then export it again"};
    std::size_t errors = 0;
    for (const Finding& finding : findings) {
        if (finding.severity != Severity::error) continue;
        if (is_mended(finding)) {
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
