// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

namespace helixavatar::gltf {

/// How one element lies in its buffer. Matrix columns start at multiples of four bytes, so that a MAT2 or MAT3 of
/// one-byte components, and a MAT3 of two-byte ones, hold padding (glTF 2.0, 3.6.2.4).
struct ElementLayout {
    int rows = 0;                   ///< components of a column
    int columns = 0;                ///< 1 for scalars and vectors
    std::size_t column_stride = 0;  ///< bytes from one column to the next
    std::size_t size = 0;  ///< bytes of the element, padding included; 0 when type or component type is unknown
    std::size_t used = 0;  ///< bytes up to the last component: what must be there of the last element
};

ElementLayout element_layout(std::string_view type, int component_type);

}  // namespace helixavatar::gltf
