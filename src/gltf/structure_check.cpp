// SPDX-License-Identifier: MIT
#include <helixavatar/gltf/structure_check.hpp>

#include "check_context.hpp"
#include "file_finding.hpp"

namespace helixavatar::gltf {

Findings check_structure(const Document& document, const StructureCheckOptions& options) {
    Findings findings = document.container_findings;
    CheckContext context(document, options);
    if (!document.json.is_object()) {
        context.error("file-json", "", "the JSON is no object", "TYPE_MISMATCH");
    } else {
        for (const auto part :
             {check_asset, check_extension_lists, check_extension_objects, check_known_extensions, check_buffers,
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
