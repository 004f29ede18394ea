// SPDX-License-Identifier: MIT
#include <helixavatar/gltf/accessor_view.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "accessor_layout.hpp"
#include "json_read.hpp"

namespace helixavatar::gltf {
namespace {

static_assert(std::endian::native == std::endian::little, "glTF buffers are little-endian and are read in place");

Error malformed(std::size_t accessor, const std::string& message, const char* below = "") {
    return {ErrorKind::malformed, message, "/accessors/" + std::to_string(accessor) + below, ""};
}

struct ViewBytes {
    ByteView bytes;
    std::size_t stride = 0;  ///< 0: tightly packed
};

/// The bytes of a bufferView, or why there are none.
Result<ViewBytes> view_bytes(const Document& document, const Json& holder, std::size_t accessor, const char* below) {
    const auto index = whole_member(holder, "bufferView");
    const Json* view = index ? element(document.json, "bufferViews", *index) : nullptr;
    if (!view) return malformed(accessor, "the accessor names a bufferView that does not exist", below);
    if (extension(*view, "EXT_meshopt_compression") || extension(*view, "KHR_meshopt_compression"))
        return malformed(accessor, "the accessor's bufferView is compressed; decompress the document first", below);
    const auto buffer = whole_member(*view, "buffer");
    if (!buffer || *buffer >= document.buffers.size())
        return malformed(accessor, "the accessor's bufferView names a buffer that does not exist", below);
    const ByteView data = document.buffers[*buffer];
    const std::size_t offset = whole_member_or(*view, "byteOffset", 0);
    const std::size_t length = whole_member_or(*view, "byteLength", 0);
    if (offset > data.size() || length > data.size() - offset)
        return malformed(accessor, "the accessor's bufferView reaches past the end of its buffer", below);
    return ViewBytes{data.subspan(offset, length), whole_member_or(*view, "byteStride", 0)};
}

/// The part of `view` that holds `count` elements from the accessor's byteOffset on; `stride` is made definite.
Result<ByteView> elements(const ViewBytes& view, std::size_t& stride, const Json& holder, std::size_t count,
                          const ElementLayout& layout, std::size_t accessor, const char* below) {
    stride = view.stride ? view.stride : layout.size;
    if (stride < layout.size)
        return malformed(accessor, "the bufferView's byteStride is smaller than one element of the accessor", below);
    const std::size_t offset = whole_member_or(holder, "byteOffset", 0);
    const std::size_t room = offset <= view.bytes.size() ? view.bytes.size() - offset : 0;
    // Divided, not multiplied: count × stride may overflow.
    if (room < layout.used || (count - 1) > (room - layout.used) / stride)
        return malformed(accessor, "the accessor reaches past the end of its bufferView", below);
    return view.bytes.subspan(offset, (count - 1) * stride + layout.used);
}

/// True when a Draco stream supplies this accessor's data, which the accessor alone does not tell.
bool draco_supplies(const Json& json, std::size_t accessor) {
    const Json* meshes = member(json, "meshes");
    if (!meshes || !meshes->is_array()) return false;
    for (const Json& mesh : *meshes) {
        const Json* primitives = member(mesh, "primitives");
        if (!primitives || !primitives->is_array()) continue;
        for (const Json& primitive : *primitives) {
            const Json* draco = extension(primitive, "KHR_draco_mesh_compression");
            if (!draco) continue;
            if (whole_member(primitive, "indices") == accessor) return true;
            const Json* coded = member(*draco, "attributes");
            const Json* attributes = member(primitive, "attributes");
            if (!coded || !coded->is_object() || !attributes || !attributes->is_object()) continue;
            for (const auto& [semantic, index] : attributes->items())
                if (coded->contains(semantic) && whole_number(index) == accessor) return true;
        }
    }
    return false;
}

bool lists_draco(const Json& json) {
    const Json* used = member(json, "extensionsUsed");
    return used && used->is_array() &&
           std::find(used->begin(), used->end(), "KHR_draco_mesh_compression") != used->end();
}

template <class T>
T load(const std::uint8_t* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

std::uint32_t load_index(const std::uint8_t* from, int type) {
    if (type == 5121) return *from;
    if (type == 5123) return load<std::uint16_t>(from);
    return load<std::uint32_t>(from);
}

/// Calls body(T{}) with the C++ type of the component type.
template <class Body>
void with_component(int component_type, Body body) {
    switch (component_type) {
        case 5120:
            body(std::int8_t{});
            break;
        case 5121:
            body(std::uint8_t{});
            break;
        case 5122:
            body(std::int16_t{});
            break;
        case 5123:
            body(std::uint16_t{});
            break;
        case 5125:
            body(std::uint32_t{});
            break;
        default:
            body(float{});
            break;
    }
}

template <class T>
float as_fraction(T value) {
    return std::max(static_cast<float>(value) / static_cast<float>(std::numeric_limits<T>::max()), -1.0F);
}

template <class T>
std::uint32_t as_unsigned(T value) {
    constexpr std::uint32_t kNone = 0xFFFFFFFFU;
    if constexpr (std::is_floating_point_v<T>) {
        return value >= 0 && value < 4294967296.0F && value == std::floor(value) ? static_cast<std::uint32_t>(value)
                                                                                 : kNone;
    } else {
        return value < T{0} ? kNone : static_cast<std::uint32_t>(value);
    }
}

}  // namespace

Result<AccessorView> AccessorView::open(const Document& document, std::size_t accessor, const Limits& limits) {
    const Json* json = element(document.json, "accessors", accessor);
    if (!json) return malformed(accessor, "the accessor does not exist");
    AccessorView view;
    const std::string_view type = text_member(*json, "type");
    const std::size_t component_type = whole_member_or(*json, "componentType", 0);
    view.component_type_ = component_type <= 5126 ? static_cast<int>(component_type) : 0;
    const ElementLayout layout = element_layout(type, view.component_type_);
    if (layout.size == 0) return malformed(accessor, "the accessor's type or componentType is unknown");
    view.components_ = component_count(type);
    view.rows_ = layout.rows;
    view.column_stride_ = layout.column_stride;
    view.count_ = whole_member_or(*json, "count", 0);
    if (view.count_ == 0) return malformed(accessor, "the accessor's count is missing or zero");
    const Json* normalized = member(*json, "normalized");
    view.normalized_ = normalized && normalized->is_boolean() && normalized->get<bool>();

    if (member(*json, "bufferView")) {
        const auto bytes = view_bytes(document, *json, accessor, "");
        if (!bytes) return bytes.error();
        const auto data = elements(*bytes, view.stride_, *json, view.count_, layout, accessor, "");
        if (!data) return data.error();
        view.data_ = *data;
    } else {
        if (view.count_ > limits.vertices)
            return malformed(accessor, "the accessor has no data and claims " + std::to_string(view.count_) +
                                           " elements; the limit is " + std::to_string(limits.vertices));
        if (lists_draco(document.json) && draco_supplies(document.json, accessor))
            return malformed(accessor, "the accessor's data are in a Draco stream; decompress the document first");
    }
    if (const Json* sparse = member(*json, "sparse")) {
        auto part = open_sparse(document, *sparse, accessor, view.count_, layout);
        if (!part) return part.error();
        view.sparse_ = part.take();
    }
    return view;
}

Result<AccessorView::SparsePart> AccessorView::open_sparse(const Document& document, const Json& sparse,
                                                           std::size_t accessor, std::size_t count,
                                                           const ElementLayout& layout) {
    const Json* indices = member(sparse, "indices");
    const Json* values = member(sparse, "values");
    SparsePart part;
    part.count = whole_member_or(sparse, "count", 0);
    if (!indices || !values || part.count == 0 || part.count > count)
        return malformed(accessor, "the accessor's sparse part is incomplete or sets more elements than there are",
                         "/sparse");
    const std::size_t index_type = whole_member_or(*indices, "componentType", 0);
    if (index_type != 5121 && index_type != 5123 && index_type != 5125)
        return malformed(accessor, "the sparse indices are no unsigned integers", "/sparse/indices/componentType");
    part.index_type = static_cast<int>(index_type);
    const ElementLayout index_layout = element_layout("SCALAR", part.index_type);
    const auto index_view = view_bytes(document, *indices, accessor, "/sparse/indices");
    if (!index_view) return index_view.error();
    const auto value_view = view_bytes(document, *values, accessor, "/sparse/values");
    if (!value_view) return value_view.error();
    std::size_t index_stride = 0;
    // Sparse parts are always tight; a byteStride there is a fault that the structure check reports.
    const auto index_bytes =
        elements({index_view->bytes, 0}, index_stride, *indices, part.count, index_layout, accessor, "/sparse/indices");
    if (!index_bytes) return index_bytes.error();
    const auto value_bytes =
        elements({value_view->bytes, 0}, part.stride, *values, part.count, layout, accessor, "/sparse/values");
    if (!value_bytes) return value_bytes.error();
    part.indices = *index_bytes;
    part.values = *value_bytes;
    return part;
}

template <class Out, class Convert>
std::vector<Out> AccessorView::read(Convert convert) const {
    std::vector<Out> out(count_ * static_cast<std::size_t>(components_), Out{});
    const int columns = components_ / rows_;
    with_component(component_type_, [&]<class T>(T) {
        const auto read_element = [&](const std::uint8_t* from, Out* to) {
            for (int c = 0; c < columns; ++c)
                for (int r = 0; r < rows_; ++r) *to++ = convert(load<T>(from + c * column_stride_ + r * sizeof(T)));
        };
        if (!data_.empty()) {
            if (std::is_same_v<T, Out> && stride_ == components_ * sizeof(T)) {
                std::memcpy(out.data(), data_.data(), data_.size());
            } else {
                for (std::size_t i = 0; i < count_; ++i)
                    read_element(data_.data() + i * stride_, out.data() + i * components_);
            }
        }
        const std::size_t index_bytes = sparse_.count ? sparse_.indices.size() / sparse_.count : 0;
        for (std::size_t i = 0; i < sparse_.count; ++i) {
            const std::uint32_t at = load_index(sparse_.indices.data() + i * index_bytes, sparse_.index_type);
            if (at < count_) read_element(sparse_.values.data() + i * sparse_.stride, out.data() + at * components_);
        }
    });
    return out;
}

std::vector<float> AccessorView::stored_values() const {
    return read<float>([](auto value) { return static_cast<float>(value); });
}

std::vector<float> AccessorView::floats() const {
    if (!normalized_ || component_type_ == 5126 || component_type_ == 5125) return stored_values();
    return read<float>([](auto value) { return as_fraction(value); });
}

std::vector<std::uint32_t> AccessorView::unsigned_integers() const {
    return read<std::uint32_t>([](auto value) { return as_unsigned(value); });
}

}  // namespace helixavatar::gltf
