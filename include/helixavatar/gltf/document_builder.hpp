// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <helixavatar/gltf/document.hpp>

namespace helixavatar::gltf {

/// Vectors of fixed size, one after the other, as add_floats() takes them.
template <class V>
std::vector<float> flat(const std::vector<V>& values) {
    std::vector<float> out;
    out.reserve(values.size() * V::RowsAtCompileTime);
    for (const V& value : values) out.insert(out.end(), value.data(), value.data() + V::RowsAtCompileTime);
    return out;
}

/// Grows a document: every byte added is referred to, every view is aligned to four.
class DocumentBuilder {
public:
    DocumentBuilder();                            ///< from nothing
    explicit DocumentBuilder(Document document);  ///< from what is there, less what nothing refers to; see compact()

    Json& json() { return document_.json; }

    /// Appends to an array of the root ("nodes", "meshes"...), which is made when it is missing; returns the index.
    std::size_t add(const char* array, Json object);

    enum class Target { none = 0, vertex = 34962, index = 34963 };

    std::size_t add_view(ByteView bytes, Target target, std::size_t stride = 0);

    /// Tightly packed accessors, one bufferView each. `min_max`: also write min and max (POSITION and animation input
    /// need it).
    std::size_t add_floats(std::span<const float> values, std::string_view type, Target target, bool min_max = false);
    std::size_t add_u16(std::span<const std::uint16_t> values, std::string_view type, Target target);
    /// Triangle indices: written as u16 when every index is below 65535, else u32.
    std::size_t add_indices(std::span<const std::uint32_t> values);
    /// VEC3 deltas of a morph target: sparse when that is smaller, without any bytes when all are zero. min and max
    /// written.
    std::size_t add_morph_deltas(std::span<const float> values, bool min_max);

    /// An image in a bufferView.
    std::size_t add_image(ByteView bytes, std::string_view mime, std::string_view name);

    /// The finished document; the builder is empty afterwards.
    Document finish();

private:
    Document document_;
};

}  // namespace helixavatar::gltf
