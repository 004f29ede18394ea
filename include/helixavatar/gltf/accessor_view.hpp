// SPDX-License-Identifier: MIT
// Bounds-checked reading of accessors: strides, sparse parts, normalised integers, KHR_mesh_quantization.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <helixavatar/gltf/document.hpp>

namespace helixavatar::gltf {

/// Components of "SCALAR", "VEC2", ... "MAT4"; 0 for anything else.
int component_count(std::string_view type);
/// Bytes of a componentType (5120...5126); 0 for anything else.
int component_bytes(int component_type);

/// Where an accessor's elements lie; points into the document, which must outlive it.
class AccessorView {
public:
    /// Errors: malformed when anything would reach past its buffer, or the accessor is compressed (see decompress()).
    static Result<AccessorView> open(const Document& document, std::size_t accessor);

    std::size_t count() const { return count_; }
    int components() const { return components_; }
    int component_type() const { return component_type_; }
    bool normalized() const { return normalized_; }

    /// count × components numbers; normalised integers as the specification's signed or unsigned fractions.
    std::vector<float> floats() const;
    /// count × components unsigned integers (unsigned component types; floats are refused by open_indices callers).
    std::vector<std::uint32_t> unsigned_integers() const;

private:
    template <class Out, class Convert>
    std::vector<Out> read(Convert convert) const;

    struct SparsePart {
        ByteView indices;
        int index_type = 0;
        ByteView values;
        std::size_t count = 0;
    };
    ByteView data_;  ///< from the first element; empty: all zeros
    std::size_t stride_ = 0;
    std::size_t count_ = 0;
    int components_ = 0;
    int component_type_ = 0;
    bool normalized_ = false;
    SparsePart sparse_;
};

}  // namespace helixavatar::gltf
