// SPDX-License-Identifier: MIT
#include "preflight/repeated_geometry.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include <helixavatar/gltf/accessor_view.hpp>

#include "preflight/json_access.hpp"

namespace helixavatar::preflight {
namespace {

class Comparison {
public:
    explicit Comparison(const gltf::Document& document)
        : document_(document), looked_at_(list(document.json, "accessors").size(), false) {}

    void mesh(const Json& mesh, const std::string& level) {
        for (const Json& primitive : list(mesh, "primitives")) {
            const Json& draco = member(member(primitive, "extensions"), "KHR_draco_mesh_compression");
            if (draco.is_object()) {
                const int view = index_member(draco, "bufferView");
                compressed(element(list(document_.json, "bufferViews"), view), level);
                continue;
            }
            attributes(member(primitive, "attributes"), level);
            accessor(index_member(primitive, "indices"), level);
            for (const Json& target : list(primitive, "targets")) attributes(target, level);
        }
    }

    std::vector<RepeatedGeometry> take() {
        std::vector<RepeatedGeometry> out;
        for (auto& [level, repeated] : by_level_) out.push_back(std::move(repeated));
        std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
        return out;
    }

private:
    void attributes(const Json& object, const std::string& level) {
        if (!object.is_object()) return;
        for (const auto& entry : object.items()) accessor(as_index(entry.value()), level);
    }

    void accessor(int index, const std::string& level) {
        if (index < 0 || static_cast<std::size_t>(index) >= looked_at_.size() || looked_at_[index]) return;
        looked_at_[index] = true;
        const Json& json = list(document_.json, "accessors")[static_cast<std::size_t>(index)];
        const Json& view = element(list(document_.json, "bufferViews"), index_member(json, "bufferView"));
        for (const char* extension : {"EXT_meshopt_compression", "KHR_meshopt_compression"}) {
            const Json& packed = member(member(view, "extensions"), extension);
            if (packed.is_object()) return compressed(packed, level);
        }
        std::size_t begin = 0;
        const std::string_view bytes = contents(json, begin);
        note({text_member(json, "type"), index_member(json, "componentType"), bytes}, begin, level);
    }

    /// Compressed geometry is compared as it is stored: the same mesh, compressed twice alike, is the same bytes.
    void compressed(const Json& range, const std::string& level) {
        const int buffer = index_member(range, "buffer");
        if (buffer < 0 || static_cast<std::size_t>(buffer) >= document_.buffers.size()) return;
        const Bytes& data = document_.buffers[buffer];
        const std::size_t begin = count_member(range, "byteOffset"), size = count_member(range, "byteLength");
        if (begin > data.size() || size > data.size() - begin) return;
        note({"compressed", 0, {reinterpret_cast<const char*>(data.data()) + begin, size}}, begin, level);
    }

    using Key = std::tuple<std::string, int, std::string_view>;

    void note(const Key& key, std::size_t begin, const std::string& level) {
        const std::string_view bytes = std::get<std::string_view>(key);
        if (bytes.empty()) return;
        const auto [first, is_new] = known_.try_emplace(key, begin);
        if (is_new || first->second == begin) return;  // two accessors over the same bytes already share them
        RepeatedGeometry& repeated = by_level_[level];
        repeated.level = level;
        ++repeated.accessors;
        repeated.bytes += bytes.size();
    }

    /// An accessor's elements without what lies between them; empty when they are not plain bytes of a buffer.
    std::string_view contents(const Json& json, std::size_t& begin) {
        const std::size_t size = static_cast<std::size_t>(gltf::component_count(text_member(json, "type"))) *
                                 static_cast<std::size_t>(gltf::component_bytes(index_member(json, "componentType")));
        const std::size_t count = count_member(json, "count");
        const Json& view = element(list(document_.json, "bufferViews"), index_member(json, "bufferView"));
        const int buffer = index_member(view, "buffer");
        if (size == 0 || count == 0 || member(json, "sparse").is_object() || buffer < 0 ||
            static_cast<std::size_t>(buffer) >= document_.buffers.size())
            return {};
        const Bytes& data = document_.buffers[buffer];
        const std::size_t stride = std::max(size, count_member(view, "byteStride"));
        begin = count_member(view, "byteOffset") + count_member(json, "byteOffset");
        if (begin >= data.size() || data.size() - begin < size || (data.size() - begin - size) / stride < count - 1)
            return {};
        const char* from = reinterpret_cast<const char*>(data.data()) + begin;
        if (stride == size) return {from, size * count};
        std::string& packed = packed_.emplace_back();
        for (std::size_t i = 0; i < count; ++i) packed.append(from + i * stride, size);
        return packed;
    }

    const gltf::Document& document_;
    std::vector<bool> looked_at_;
    std::deque<std::string> packed_;    ///< interleaved elements; a deque, so that views into it stay good
    std::map<Key, std::size_t> known_;  ///< contents → where they begin
    std::map<std::string, RepeatedGeometry> by_level_;
};

}  // namespace

std::vector<RepeatedGeometry> repeated_geometry(const RuleContext& context) {
    const Facts& facts = context.facts;
    if (!facts.readable) return {};
    const Json& meshes = list(context.document.json, "meshes");
    Comparison comparison(context.document);
    // The nearest level first, so that what a farther level repeats is told of the farther one.
    for (std::size_t i = 0; i < facts.scenes.size(); ++i) {
        for (const int node : facts.scenes[i].instances)
            comparison.mesh(element(meshes, facts.nodes[node].mesh), facts.scene_label(i));
    }
    for (const Json& mesh : meshes) comparison.mesh(mesh, "meshes that no scene draws");
    return comparison.take();
}

}  // namespace helixavatar::preflight
