// SPDX-License-Identifier: MIT
#include <helixavatar/gltf/accessor_view.hpp>

#include "accessor_layout.hpp"

namespace helixavatar::gltf {

int component_count(std::string_view type) {
    if (type == "SCALAR") return 1;
    if (type == "VEC2") return 2;
    if (type == "VEC3") return 3;
    if (type == "VEC4" || type == "MAT2") return 4;
    if (type == "MAT3") return 9;
    if (type == "MAT4") return 16;
    return 0;
}

int component_bytes(int component_type) {
    switch (component_type) {
        case 5120:
        case 5121:
            return 1;
        case 5122:
        case 5123:
            return 2;
        case 5125:
        case 5126:
            return 4;
        default:
            return 0;
    }
}

ElementLayout element_layout(std::string_view type, int component_type) {
    const int components = component_count(type);
    const auto bytes = static_cast<std::size_t>(component_bytes(component_type));
    if (components == 0 || bytes == 0) return {};
    if (!type.starts_with("MAT")) return {components, 1, 0, components * bytes, components * bytes};
    const int rows = type[3] - '0';
    const std::size_t column = (rows * bytes + 3) / 4 * 4;
    return {rows, rows, column, rows * column, (rows - 1) * column + rows * bytes};
}

}  // namespace helixavatar::gltf
