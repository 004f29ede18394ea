// SPDX-License-Identifier: MIT
#include "preflight/buffer_use.hpp"

#include <algorithm>

#include <helixavatar/gltf/accessor_view.hpp>

#include "preflight/json_access.hpp"
#include "preflight/wording.hpp"

namespace helixavatar::preflight {
namespace {

/// Runs of fewer unused bytes are alignment.
constexpr std::size_t kAlignment = 4;

/// One bit a byte of a buffer.
class Coverage {
public:
    explicit Coverage(std::size_t bytes) : bytes_(bytes), words_((bytes + 63) / 64, 0) {}

    std::size_t size() const { return bytes_; }

    void mark(std::size_t begin, std::size_t end) {
        end = std::min(end, bytes_);
        while (begin < end) {
            const std::size_t bit = begin % 64;
            const std::size_t run = std::min<std::size_t>(64 - bit, end - begin);
            const std::uint64_t mask = run == 64 ? ~std::uint64_t{0} : ((std::uint64_t{1} << run) - 1) << bit;
            words_[begin / 64] |= mask;
            begin += run;
        }
    }

    bool marked(std::size_t at) const { return (words_[at / 64] >> (at % 64)) & 1; }

    /// Calls body(begin, end) for every unmarked run.
    template <class Body>
    void gaps(Body body) const {
        std::size_t at = 0;
        while (at < bytes_) {
            if (at % 64 == 0 && words_[at / 64] == ~std::uint64_t{0}) {
                at += 64;
                continue;
            }
            if (marked(at)) {
                ++at;
                continue;
            }
            const std::size_t begin = at;
            while (at < bytes_ && !marked(at)) ++at;
            body(begin, at);
        }
    }

private:
    std::size_t bytes_;
    std::vector<std::uint64_t> words_;
};

struct Span {
    int buffer = -1;
    std::size_t begin = 0, end = 0, stride = 0;
};

Span view_span(const Json& root, int view) {
    const Json& json = element(list(root, "bufferViews"), view);
    Span span;
    span.buffer = index_member(json, "buffer");
    span.begin = count_member(json, "byteOffset");
    span.end = span.begin + count_member(json, "byteLength");
    span.stride = count_member(json, "byteStride");
    return span;
}

class Marker {
public:
    explicit Marker(const gltf::Document& document) : root_(document.json) {
        for (const Bytes& buffer : document.buffers) coverages_.emplace_back(buffer.size());
        // A compressed view's fallback buffer holds no bytes of its own.
    }

    void view(int index) {
        const Span span = view_span(root_, index);
        if (Coverage* coverage = at(span.buffer)) coverage->mark(span.begin, span.end);
    }

    void accessor(int index) {
        const Json& json = element(list(root_, "accessors"), index);
        part(json, index_member(json, "bufferView"), element_bytes(json), count_member(json, "count"));
        const Json& sparse = member(json, "sparse");
        if (!sparse.is_object()) return;
        const std::size_t count = count_member(sparse, "count");
        const Json& indices = member(sparse, "indices");
        const Json& values = member(sparse, "values");
        const int type = index_member(indices, "componentType");
        part(indices, index_member(indices, "bufferView"), static_cast<std::size_t>(gltf::component_bytes(type)),
             count);
        part(values, index_member(values, "bufferView"), element_bytes(json), count);
    }

    std::vector<Coverage>& coverages() { return coverages_; }

    std::size_t element_bytes(const Json& json) const {
        return static_cast<std::size_t>(gltf::component_count(text_member(json, "type"))) *
               static_cast<std::size_t>(gltf::component_bytes(index_member(json, "componentType")));
    }

private:
    Coverage* at(int buffer) {
        return buffer >= 0 && static_cast<std::size_t>(buffer) < coverages_.size() ? &coverages_[buffer] : nullptr;
    }

    void part(const Json& json, int view, std::size_t bytes, std::size_t count) {
        if (view < 0) return;
        const Span span = view_span(root_, view);
        Coverage* coverage = at(span.buffer);
        if (!coverage || bytes == 0) return;
        const std::size_t begin = span.begin + count_member(json, "byteOffset");
        const std::size_t stride = span.stride ? span.stride : bytes;
        if (stride == bytes) {
            coverage->mark(begin, begin + bytes * std::min(count, coverage->size() / bytes + 1));
            return;
        }
        for (std::size_t i = 0, from = begin; i < count && from < coverage->size(); ++i, from += stride) {
            coverage->mark(from, from + bytes);
        }
    }

    const Json& root_;
    std::vector<Coverage> coverages_;
};

/// Accessors of meshes, skins and animations, and views that extensions name.
class References {
public:
    explicit References(const Json& root) {
        for (const Json& mesh : list(root, "meshes")) {
            for (const Json& primitive : list(mesh, "primitives")) {
                members(member(primitive, "attributes"));
                add(member(primitive, "indices"));
                for (const Json& target : list(primitive, "targets")) members(target);
            }
        }
        for (const Json& skin : list(root, "skins")) add(member(skin, "inverseBindMatrices"));
        for (const Json& animation : list(root, "animations")) {
            for (const Json& sampler : list(animation, "samplers")) {
                add(member(sampler, "input"));
                add(member(sampler, "output"));
            }
        }
        for (const Json& node : list(root, "nodes")) {
            members(member(member(member(node, "extensions"), "EXT_mesh_gpu_instancing"), "attributes"));
        }
    }

    std::set<int> accessors;

private:
    void add(const Json& value) {
        const int index = as_index(value);
        if (index >= 0) accessors.insert(index);
    }
    void members(const Json& object) {
        if (!object.is_object()) return;
        for (const auto& entry : object.items()) add(entry.value());
    }
};

/// Marks every bufferView that an `extensions` object names, anywhere in the JSON, and finds images that VRM shows.
void follow_extensions(const Json& value, bool inside, Marker& marker, BufferUse& use) {
    if (value.is_array()) {
        for (const Json& item : value) {
            if (item.is_structured()) follow_extensions(item, inside, marker, use);
        }
        return;
    }
    if (!value.is_object()) return;
    for (const auto& entry : value.items()) {
        const bool extension = inside || entry.key() == "extensions";
        const int index = inside ? as_index(entry.value()) : -1;
        if (index >= 0 && entry.key() == "bufferView") marker.view(index);
        if (index >= 0 && (entry.key() == "thumbnailImage" || entry.key() == "source" || entry.key() == "texture")) {
            use.other_images.insert(index);
        }
        if (entry.value().is_structured()) follow_extensions(entry.value(), extension, marker, use);
    }
}

void collect_gaps(const Json& root, Marker& marker, BufferUse& use) {
    const std::size_t views = list(root, "bufferViews").size();
    std::vector<Span> spans;
    for (std::size_t i = 0; i < views; ++i) spans.push_back(view_span(root, static_cast<int>(i)));
    std::vector<std::size_t> by_view(views, 0);
    for (std::size_t b = 0; b < marker.coverages().size(); ++b) {
        std::vector<int> order;
        for (std::size_t v = 0; v < views; ++v) {
            if (spans[v].buffer == static_cast<int>(b)) order.push_back(static_cast<int>(v));
        }
        std::sort(order.begin(), order.end(), [&](int x, int y) { return spans[x].begin < spans[y].begin; });
        std::size_t next = 0;
        int current = -1;
        use.total_bytes += marker.coverages()[b].size();
        marker.coverages()[b].gaps([&](std::size_t begin, std::size_t end) {
            if (end - begin < kAlignment) return;
            while (next < order.size() && spans[order[next]].begin <= begin) current = order[next++];
            use.unused_bytes += end - begin;
            if (current >= 0 && begin < spans[current].end)
                by_view[current] += end - begin;
            else
                use.outside_views += end - begin;
        });
    }
    for (std::size_t v = 0; v < views; ++v) {
        if (by_view[v]) use.views.emplace_back(static_cast<int>(v), by_view[v]);
    }
    std::stable_sort(use.views.begin(), use.views.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
}

}  // namespace

std::string BufferUse::where_text() const {
    std::vector<std::string> parts;
    for (const auto& [view, bytes] : views)
        parts.push_back("bufferView " + std::to_string(view) + ": " + megabytes(bytes));
    if (outside_views) parts.push_back("outside every bufferView: " + megabytes(outside_views));
    return parts.empty() ? std::string() : " (" + listed(parts, 4) + ")";
}

BufferUse measure_buffer_use(const gltf::Document& document) {
    const Json& root = document.json;
    BufferUse use;
    Marker marker(document);
    const References references(root);
    const Json& accessors = list(root, "accessors");
    for (std::size_t i = 0; i < accessors.size(); ++i) {
        const int index = static_cast<int>(i);
        marker.accessor(index);
        if (references.accessors.count(index)) continue;
        use.unused_accessors.emplace_back(index,
                                          marker.element_bytes(accessors[i]) * count_member(accessors[i], "count"));
    }
    for (const Json& image : list(root, "images")) {
        const int view = index_member(image, "bufferView");
        if (view >= 0) marker.view(view);
    }
    follow_extensions(root, false, marker, use);
    collect_gaps(root, marker, use);
    return use;
}

}  // namespace helixavatar::preflight
