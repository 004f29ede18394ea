// SPDX-License-Identifier: MIT
// Bounds-checked reading of accessors: strides, sparse parts, normalised integers, KHR_mesh_quantization.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <helixavatar/gltf/document.hpp>

namespace helixavatar::gltf {

struct ElementLayout;

/// Components of "SCALAR", "VEC2", ... "MAT4"; 0 for anything else.
int component_count(std::string_view type);
/// Bytes of a componentType (5120...5126); 0 for anything else.
int component_bytes(int component_type);

/// Where an accessor's elements lie; points into the document, which must outlive it.
class AccessorView {
public:
    /// Errors: malformed when anything would reach past its buffer, when an accessor without data claims more than
    /// `limits.vertices` elements, or when the accessor is compressed (see decompress()).
    static Result<AccessorView> open(const Document& document, std::size_t accessor, const Limits& limits = {});

    std::size_t count() const { return count_; }
    int components() const { return components_; }
    int component_type() const { return component_type_; }
    bool normalized() const { return normalized_; }
    /// True when the accessor has no bytes of its own: every element that no sparse part sets is zero.
    bool all_zeros() const { return data_.empty(); }

    /// count × components numbers, matrices column by column; normalised integers as the specification's signed or
    /// unsigned fractions.
    std::vector<float> floats() const;
    /// The same without the fractions: integers as they are stored (of 32 bits: rounded to a float).
    std::vector<float> stored_values() const;
    /// count × components unsigned integers. A value that is none (negative, fractional, not finite) reads as
    /// 0xFFFFFFFF, which is past every range.
    std::vector<std::uint32_t> unsigned_integers() const;

private:
    template <class Out, class Convert>
    std::vector<Out> read(Convert convert) const;

    struct SparsePart {
        ByteView indices;
        int index_type = 0;
        ByteView values;
        std::size_t stride = 0;  ///< of the values
        std::size_t count = 0;
    };
    static Result<SparsePart> open_sparse(const Document& document, const Json& sparse, std::size_t accessor,
                                          std::size_t count, const ElementLayout& layout);

    ByteView data_;  ///< from the first element; empty: all zeros
    std::size_t stride_ = 0;
    std::size_t count_ = 0;
    int components_ = 0;
    int component_type_ = 0;
    bool normalized_ = false;
    int rows_ = 0;                   ///< components of one column; a vector is one column
    std::size_t column_stride_ = 0;  ///< bytes between columns: columns of matrices start at multiples of four
    SparsePart sparse_;
};

}  // namespace helixavatar::gltf
