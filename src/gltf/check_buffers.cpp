// SPDX-License-Identifier: MIT
// buffers, bufferViews, accessors: what lies where.
#include <algorithm>
#include <set>

#include <helixavatar/gltf/accessor_view.hpp>

#include "accessor_layout.hpp"
#include "check_context.hpp"
#include "json_read.hpp"
#include "uri.hpp"

namespace helixavatar::gltf {
namespace {

constexpr const char* kBuffer = "file-buffer";
constexpr const char* kView = "file-buffer-view";
constexpr const char* kAccessor = "file-accessor";

/// Documents made in memory may say more than they hold; of files the container reader has spoken already (`noted`).
void check_buffer_data(CheckContext& context, const Json& buffer, const std::string& at, std::size_t index,
                       const std::set<std::string>& noted) {
    if (noted.contains(at) || noted.contains(at + "/uri")) return;
    if (extension(buffer, "EXT_meshopt_compression") || extension(buffer, "KHR_meshopt_compression")) return;
    const std::size_t held = index < context.document.buffers.size() ? context.document.buffers[index].size() : 0;
    const std::size_t said = whole_member_or(buffer, "byteLength", 0);
    if (held < said)
        context.error(kBuffer, at, "the buffer holds fewer bytes than its byteLength says",
                      "BUFFER_BYTE_LENGTH_MISMATCH", std::to_string(held), std::to_string(said), "bytes");
}

bool is_compressed(const Json& view) {
    return extension(view, "EXT_meshopt_compression") || extension(view, "KHR_meshopt_compression");
}

void check_view_bounds(CheckContext& context, const Json& view, const std::string& pointer) {
    const auto buffer = whole_member(view, "buffer");
    const Json* json = buffer ? element(context.json, "buffers", *buffer) : nullptr;
    const auto size = json ? whole_member(*json, "byteLength") : std::nullopt;
    if (!size) return;
    const std::size_t offset = whole_member_or(view, "byteOffset", 0);
    const std::size_t length = whole_member_or(view, "byteLength", 0);
    if (offset >= *size)
        context.error(kView, pointer + "/byteOffset", "the bufferView begins past the end of its buffer",
                      "BUFFER_VIEW_TOO_LONG", std::to_string(offset), std::to_string(*size), "bytes");
    else if (length > *size - offset)
        context.error(kView, pointer + "/byteLength", "the bufferView reaches past the end of its buffer",
                      "BUFFER_VIEW_TOO_LONG", std::to_string(length), std::to_string(*size - offset), "bytes");
}

void check_meshopt(CheckContext& context, const Json& view, const std::string& pointer) {
    const Json* coded = extension(view, "EXT_meshopt_compression");
    if (!coded) return;
    const std::string at = pointer + "/extensions/EXT_meshopt_compression";
    check_members(context, kView, *coded, at,
                  {{"buffer", Kind::reference, true, 0, 0, false, "buffers"},
                   {"byteOffset", Kind::whole, false, 0},
                   {"byteLength", Kind::whole, true, 1},
                   {"byteStride", Kind::whole, true, 1, 256},
                   {"count", Kind::whole, true, 1},
                   {"mode", Kind::text, true},
                   {"filter", Kind::text}});
    check_view_bounds(context, *coded, at);
}

/// One reading of elements from a bufferView: the accessor's own, or a sparse part's.
struct Reading {
    std::size_t offset = 0;
    std::size_t count = 0;
    std::size_t component = 1;  ///< bytes of one component
    ElementLayout layout;
    bool sparse = false;
};

void check_reading(CheckContext& context, const Json& view, const std::string& pointer, const Reading& r) {
    const std::size_t start = whole_member_or(view, "byteOffset", 0);
    const std::size_t length = whole_member_or(view, "byteLength", 0);
    const std::size_t stride =
        r.sparse ? r.layout.size : std::max<std::size_t>(whole_member_or(view, "byteStride", r.layout.size), 1);
    if (r.offset % r.component != 0)
        context.error(kAccessor, pointer + "/byteOffset", "the byteOffset is no multiple of the component size",
                      "ACCESSOR_OFFSET_ALIGNMENT", std::to_string(r.offset), std::to_string(r.component), "bytes");
    // Unsigned wrap-around does no harm here: component sizes divide 2^64.
    if ((start + r.offset) % r.component != 0)
        context.error(
            kAccessor, pointer, "accessor and bufferView together do not begin at a multiple of the component size",
            "ACCESSOR_TOTAL_OFFSET_ALIGNMENT", std::to_string(start + r.offset), std::to_string(r.component), "bytes");
    if (r.layout.columns > 1 && r.offset % 4 != 0)
        context.error(kAccessor, pointer + "/byteOffset", "matrices do not begin at a multiple of four bytes",
                      "ACCESSOR_MATRIX_ALIGNMENT", std::to_string(r.offset), "4", "bytes");
    if (stride < r.layout.size) {
        context.error(kAccessor, pointer, "the bufferView's byteStride is smaller than one element",
                      "ACCESSOR_SMALL_BYTESTRIDE", std::to_string(stride), std::to_string(r.layout.size), "bytes");
        return;
    }
    const std::size_t room = r.offset <= length ? length - r.offset : 0;
    if (room < r.layout.used || r.count - 1 > (room - r.layout.used) / stride)
        context.error(kAccessor, pointer, "the accessor reaches past the end of its bufferView", "ACCESSOR_TOO_LONG",
                      std::to_string(r.count),
                      std::to_string(room < r.layout.used ? 0 : (room - r.layout.used) / stride + 1), "elements");
}

void check_sparse_part(CheckContext& context, const Json& part, const std::string& pointer, std::size_t count,
                       const ElementLayout& layout, std::size_t component) {
    const auto index = whole_member(part, "bufferView");
    const Json* view = index ? element(context.json, "bufferViews", *index) : nullptr;
    if (!view || layout.size == 0 || count == 0) return;
    if (view->contains("byteStride") || view->contains("target"))
        context.error(kAccessor, pointer + "/bufferView", "a bufferView of sparse data has a byteStride or a target",
                      "BUFFER_VIEW_INVALID_BYTE_STRIDE");
    check_reading(context, *view, pointer, {whole_member_or(part, "byteOffset", 0), count, component, layout, true});
}

void check_sparse(CheckContext& context, const Json& accessor, const std::string& pointer, const ElementLayout& layout,
                  std::size_t component) {
    const Json* sparse = member(accessor, "sparse");
    if (!sparse || !sparse->is_object()) return;
    const std::string at = pointer + "/sparse";
    check_members(context, kAccessor, *sparse, at,
                  {{"count", Kind::whole, true, 1}, {"indices", Kind::object, true}, {"values", Kind::object, true}});
    const std::size_t count = whole_member_or(*sparse, "count", 0);
    const std::size_t total = whole_member_or(accessor, "count", 0);
    if (count > total)
        context.error(kAccessor, at + "/count", "the sparse part sets more elements than the accessor has",
                      "ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE", std::to_string(count), std::to_string(total), "elements");
    const Json* indices = member(*sparse, "indices");
    const Json* values = member(*sparse, "values");
    if (indices && indices->is_object()) {
        check_members(context, kAccessor, *indices, at + "/indices",
                      {{"bufferView", Kind::reference, true, 0, 0, false, "bufferViews"},
                       {"byteOffset", Kind::whole, false, 0},
                       {"componentType", Kind::whole, true, 0}});
        check_choice(context, kAccessor, *indices, at + "/indices", "componentType", {5121U, 5123U, 5125U});
        const int type = static_cast<int>(std::min<std::size_t>(whole_member_or(*indices, "componentType", 0), 9999));
        check_sparse_part(context, *indices, at + "/indices", count, element_layout("SCALAR", type),
                          static_cast<std::size_t>(std::max(1, component_bytes(type))));
    }
    if (values && values->is_object()) {
        check_members(
            context, kAccessor, *values, at + "/values",
            {{"bufferView", Kind::reference, true, 0, 0, false, "bufferViews"}, {"byteOffset", Kind::whole, false, 0}});
        check_sparse_part(context, *values, at + "/values", count, layout, component);
    }
}

void check_accessor(CheckContext& context, const Json& accessor, const std::string& pointer) {
    const std::string_view type = text_member(accessor, "type");
    const std::size_t components = static_cast<std::size_t>(component_count(type));
    check_members(context, kAccessor, accessor, pointer,
                  {{"bufferView", Kind::reference, false, 0, 0, false, "bufferViews"},
                   {"byteOffset", Kind::whole, false, 0},
                   {"componentType", Kind::whole, true, 0},
                   {"count", Kind::whole, true, 1},
                   {"type", Kind::text, true},
                   {"normalized", Kind::boolean},
                   {"sparse", Kind::object},
                   {"min", Kind::numbers, false, -DBL_MAX, DBL_MAX, false, nullptr, components},
                   {"max", Kind::numbers, false, -DBL_MAX, DBL_MAX, false, nullptr, components}});
    check_choice(context, kAccessor, accessor, pointer, "type",
                 {"SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"});
    check_choice(context, kAccessor, accessor, pointer, "componentType", {5120U, 5121U, 5122U, 5123U, 5125U, 5126U});
    const int component_type =
        static_cast<int>(std::min<std::size_t>(whole_member_or(accessor, "componentType", 0), 9999));
    const Json* normalized = member(accessor, "normalized");
    if (normalized && *normalized == true && (component_type == 5125 || component_type == 5126))
        context.error(kAccessor, pointer + "/normalized", "only 8-bit and 16-bit integers may be normalized",
                      "ACCESSOR_NORMALIZED_INVALID");
    const ElementLayout layout = element_layout(type, component_type);
    const auto component = static_cast<std::size_t>(std::max(1, component_bytes(component_type)));
    check_sparse(context, accessor, pointer, layout, component);
    if (!accessor.contains("bufferView")) {
        if (accessor.contains("byteOffset"))
            context.error(kAccessor, pointer + "/byteOffset", "byteOffset stands without bufferView",
                          "UNSATISFIED_DEPENDENCY");
        return;
    }
    const auto index = whole_member(accessor, "bufferView");
    const Json* view = index ? element(context.json, "bufferViews", *index) : nullptr;
    const std::size_t count = whole_member_or(accessor, "count", 0);
    if (!view || layout.size == 0 || count == 0) return;
    check_reading(context, *view, pointer,
                  {whole_member_or(accessor, "byteOffset", 0), count, component, layout, false});
}

}  // namespace

void check_buffers(CheckContext& context) {
    std::set<std::string> noted;
    for (const Finding& finding : context.document.container_findings) noted.insert(finding.where.pointer);
    for_each_object(
        context, kBuffer, context.json, "buffers", "",
        [&](const Json& buffer, const std::string& at, std::size_t index) {
            check_members(context, kBuffer, buffer, at, {{"uri", Kind::text}, {"byteLength", Kind::whole, true, 1}});
            check_buffer_data(context, buffer, at, index, noted);
            const std::string_view uri = text_member(buffer, "uri");
            if (uri_scheme(uri) != "data") return;
            const auto mime = data_uri_mime(uri);
            if (!mime.empty() && mime != "application/octet-stream" && mime != "application/gltf-buffer")
                context.error(kBuffer, at + "/uri", "the data URI of a buffer has another MIME type than a buffer's",
                              "BUFFER_DATA_URI_MIME_TYPE_INVALID", mime.substr(0, 60), "application/octet-stream");
        });
}

void check_buffer_views(CheckContext& context) {
    for_each_object(context, kView, context.json, "bufferViews", "",
                    [&](const Json& view, const std::string& at, std::size_t) {
                        check_members(context, kView, view, at,
                                      {{"buffer", Kind::reference, true, 0, 0, false, "buffers"},
                                       {"byteOffset", Kind::whole, false, 0},
                                       {"byteLength", Kind::whole, true, 1},
                                       {"byteStride", Kind::whole, false, is_compressed(view) ? 1.0 : 4.0, 252},
                                       {"target", Kind::whole, false, 0}});
                        check_choice(context, kView, view, at, "target", {34962U, 34963U});
                        check_view_bounds(context, view, at);
                        check_meshopt(context, view, at);
                        const auto stride = whole_member(view, "byteStride");
                        if (!stride) return;
                        if (*stride % 4 != 0)
                            context.error(kView, at + "/byteStride", "the byteStride is no multiple of four",
                                          "VALUE_MULTIPLE_OF", std::to_string(*stride), "4", "bytes");
                        if (*stride > whole_member_or(view, "byteLength", *stride))
                            context.error(kView, at + "/byteStride", "the byteStride is larger than the bufferView",
                                          "BUFFER_VIEW_TOO_BIG_BYTE_STRIDE", std::to_string(*stride),
                                          std::to_string(whole_member_or(view, "byteLength", 0)), "bytes");
                        if (whole_member(view, "target") == std::size_t{34963})
                            context.error(kView, at + "/byteStride", "a bufferView of indices has a byteStride",
                                          "BUFFER_VIEW_INVALID_BYTE_STRIDE");
                    });
}

void check_accessors(CheckContext& context) {
    std::size_t without_data = 0;
    for_each_object(context, kAccessor, context.json, "accessors", "",
                    [&](const Json& accessor, const std::string& at, std::size_t) {
                        check_accessor(context, accessor, at);
                        if (accessor.contains("bufferView")) return;
                        const std::size_t count = whole_member_or(accessor, "count", 0);
                        without_data = count > SIZE_MAX - without_data ? SIZE_MAX : without_data + count;
                    });
    // Zeros cost the file nothing and the reader everything.
    const std::size_t limit = context.options.limits.vertices * 16;
    if (without_data > limit)
        context.error(kAccessor, "/accessors", "accessors without data claim more elements than will be read", "",
                      std::to_string(without_data), std::to_string(limit), "elements");
}

}  // namespace helixavatar::gltf
