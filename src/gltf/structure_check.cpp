// SPDX-License-Identifier: MIT
#include <helixavatar/gltf/structure_check.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string_view>

#include "check_context.hpp"
#include "file_finding.hpp"

namespace helixavatar::gltf {
namespace {

/// What a reader trips over wherever it stands in the geometry, the skeleton or the buffers.
constexpr std::array<std::string_view, 27> kPreventing = {"ACCESSOR_INDEX_OOB",
                                                          "ACCESSOR_INDEX_PRIMITIVE_RESTART",
                                                          "ACCESSOR_INVALID_FLOAT",
                                                          "ACCESSOR_JOINTS_INDEX_OOB",
                                                          "ACCESSOR_SMALL_BYTESTRIDE",
                                                          "ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE",
                                                          "ACCESSOR_TOO_LONG",
                                                          "ARRAY_LENGTH_NOT_IN_LIST",
                                                          "ARRAY_TYPE_MISMATCH",
                                                          "BUFFER_BYTE_LENGTH_MISMATCH",
                                                          "BUFFER_MISSING_GLB_DATA",
                                                          "BUFFER_VIEW_TOO_LONG",
                                                          "INVALID_IBM_ACCESSOR_COUNT",
                                                          "INVALID_URI",
                                                          "IO_ERROR",
                                                          "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT",
                                                          "MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT",
                                                          "MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH",
                                                          "MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT",
                                                          "MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT",
                                                          "NODE_LOOP",
                                                          "NODE_PARENT_OVERRIDE",
                                                          "SKIN_IBM_INVALID_FORMAT",
                                                          "TYPE_MISMATCH",
                                                          "UNDEFINED_PROPERTY",
                                                          "UNKNOWN_ASSET_MAJOR_VERSION",
                                                          "UNRESOLVED_REFERENCE"};

/// Families whose faults leave the body whole.
constexpr std::array<std::string_view, 7> kHarmlessFamilies = {
    "file-animation", "file-camera", "file-container", "file-extension", "file-image", "file-material", "file-texture"};

/// Families of those that nobody reads on.
constexpr std::array<std::string_view, 3> kUnreadFamilies = {"file-animation", "file-camera", "file-container"};

/// A value of another type than its readers take, wherever it stands.
constexpr std::array<std::string_view, 3> kTypeFaults = {"ARRAY_LENGTH_NOT_IN_LIST", "ARRAY_TYPE_MISMATCH",
                                                         "TYPE_MISMATCH"};

bool is_one_of(std::span<const std::string_view> list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

bool has_code_of(std::span<const std::string_view> codes, const Finding& finding) {
    return std::any_of(codes.begin(), codes.end(), [&](std::string_view code) {
        return finding.message.find(std::string("[").append(code).append("]")) != std::string::npos;
    });
}

}  // namespace

bool prevents_reading(const Finding& finding) {
    if (finding.severity != Severity::error) return false;
    if (is_one_of(kHarmlessFamilies, finding.rule))
        return !is_one_of(kUnreadFamilies, finding.rule) && has_code_of(kTypeFaults, finding);
    // Without a code: a limit of this program.
    if (!finding.message.ends_with(']')) return true;
    return has_code_of(kPreventing, finding);
}

Findings check_structure(const Document& document, const StructureCheckOptions& options) {
    Findings findings = document.container_findings;
    CheckContext context(document, options);
    if (!document.json.is_object()) {
        context.error("file-json", "", "the JSON is no object", "TYPE_MISMATCH");
    } else {
        for (const auto part :
             {check_asset, check_names, check_extension_lists, check_extension_objects, check_known_extensions, check_buffers,
              check_buffer_views, check_accessors, check_images, check_textures, check_materials, check_cameras,
              check_meshes, check_nodes, check_scenes, check_skins, check_animations})
            part(context);
        if (options.accessor_values) check_values(context);
    }
    Findings structure = context.take();
    findings.insert(findings.end(), std::make_move_iterator(structure.begin()),
                    std::make_move_iterator(structure.end()));
    return findings;
}

}  // namespace helixavatar::gltf
