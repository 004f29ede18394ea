// SPDX-License-Identifier: MIT
#include "preflight/places.hpp"

#include <charconv>

#include "preflight/json_access.hpp"

namespace helixavatar::preflight {
namespace {

/// The first use that a mesh makes of an accessor: "POSITION of Body".
std::string accessor_name(const RuleContext& context, int accessor) {
    const Json& meshes = list(context.document.json, "meshes");
    for (std::size_t m = 0; m < meshes.size(); ++m) {
        for (const Json& primitive : list(meshes[m], "primitives")) {
            const std::string of = " of " + context.facts.mesh_label(static_cast<int>(m));
            if (index_member(primitive, "indices") == accessor) return "indices" + of;
            const auto used_by = [&](const Json& attributes) -> std::string {
                if (!attributes.is_object()) return {};
                for (const auto& attribute : attributes.items()) {
                    if (as_index(attribute.value()) == accessor) return attribute.key();
                }
                return {};
            };
            std::string attribute = used_by(member(primitive, "attributes"));
            if (!attribute.empty()) return attribute + of;
            for (const Json& target : list(primitive, "targets")) {
                attribute = used_by(target);
                if (!attribute.empty()) return attribute + " of a morph target" + of;
            }
        }
    }
    return {};
}

}  // namespace

std::string name_at(const RuleContext& context, const std::string& pointer) {
    const std::size_t second = pointer.find('/', 1);
    if (pointer.empty() || second == std::string::npos) return {};
    const std::string list_name = pointer.substr(1, second - 1);
    int index = -1;
    const char* end = pointer.data() + pointer.size();
    if (std::from_chars(pointer.data() + second + 1, end, index).ec != std::errc() || index < 0) return {};
    const Json& items = list(context.document.json, list_name.c_str());
    if (static_cast<std::size_t>(index) >= items.size()) return {};
    if (list_name == "accessors") return accessor_name(context, index);
    if (list_name == "scenes") return context.facts.scene_label(static_cast<std::size_t>(index));
    const std::string name = text_member(items[static_cast<std::size_t>(index)], "name");
    return list_name == "materials" && !name.empty() ? "material " + name : name;
}

}  // namespace helixavatar::preflight
