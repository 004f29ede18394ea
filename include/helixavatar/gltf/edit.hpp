// SPDX-License-Identifier: MIT
// Changing a document in place: what is not named keeps its bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include <helixavatar/gltf/document.hpp>

namespace helixavatar::gltf {

/// Where an accessor's elements lie in a buffer.
struct AccessorPlace {
    std::size_t buffer = 0;
    std::size_t offset = 0;  ///< of the first element, bytes into the buffer
    std::size_t stride = 0;  ///< from element to element
    std::size_t count = 0;
    int components = 0;
    int component_type = 0;  ///< 5120...5126
    bool normalized = false;
};

/// Errors: malformed (out of range); unconvertible for elements that are not plainly there: sparse, without a
/// bufferView, compressed, a matrix with padded columns.
Result<AccessorPlace> place_of(const Document& document, std::size_t accessor);

/// Inserts bytes at a place inside or at the end of a view, which grows; its accessors behind the place move, and so do
/// the views behind it. The caller keeps alignment: insert multiples of what the strictest accessor behind asks for.
/// Requires a document without structure errors.
void insert_bytes(Document& document, std::size_t grown_view, std::size_t position, ByteView bytes);

/// Appends an accessor of floats at the end of the first buffer (made when there is none); returns its index. With
/// `min_max`, min and max are written, as animation times need.
std::size_t append_floats(Document& document, std::span<const float> values, std::string_view type, bool min_max);

}  // namespace helixavatar::gltf
