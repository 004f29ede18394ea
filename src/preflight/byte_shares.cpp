// SPDX-License-Identifier: MIT
// Whose the file's bytes are.
#include <algorithm>
#include <map>
#include <set>

#include <helixavatar/gltf/accessor_view.hpp>

#include "preflight/buffer_use.hpp"
#include "preflight/explainer.hpp"
#include "preflight/json_access.hpp"
#include "preflight/wording.hpp"

namespace helixavatar::preflight {
namespace {

class Bookkeeper {
public:
    explicit Bookkeeper(const gltf::Document& document)
        : root_(document.json), booked_(list(root_, "accessors").size(), false) {}

    /// An accessor's bytes go to whoever names it first.
    void accessor(const std::string& owner, int index) {
        if (index < 0 || static_cast<std::size_t>(index) >= booked_.size() || booked_[index]) return;
        booked_[index] = true;
        const Json& json = list(root_, "accessors")[static_cast<std::size_t>(index)];
        const std::size_t element =
            static_cast<std::size_t>(gltf::component_count(text_member(json, "type"))) *
            static_cast<std::size_t>(gltf::component_bytes(index_member(json, "componentType")));
        const int view = index_member(json, "bufferView");
        if (view >= 0) book(owner, scaled(view, element * count_member(json, "count")));
        const Json& sparse = member(json, "sparse");
        if (sparse.is_object()) {
            const int type = index_member(member(sparse, "indices"), "componentType");
            book(owner,
                 count_member(sparse, "count") * (element + static_cast<std::size_t>(gltf::component_bytes(type))));
        }
    }

    void view(const std::string& owner, int index) {
        book(owner, count_member(element(list(root_, "bufferViews"), index), "byteLength"));
    }

    void book(const std::string& owner, std::size_t bytes) {
        bytes_[owner] += bytes;
        total_ += bytes;
    }

    const std::map<std::string, std::size_t>& bytes() const { return bytes_; }
    std::size_t total() const { return total_; }

private:
    /// Bytes of an accessor as they stand in the file when its view is compressed.
    std::size_t scaled(int view, std::size_t plain) const {
        const Json& json = element(list(root_, "bufferViews"), view);
        const Json& extensions = member(json, "extensions");
        for (const char* name : {"EXT_meshopt_compression", "KHR_meshopt_compression"}) {
            const std::size_t packed = count_member(member(extensions, name), "byteLength");
            const std::size_t whole = count_member(json, "byteLength");
            if (packed && whole)
                return static_cast<std::size_t>(static_cast<double>(plain) *
                                                (static_cast<double>(packed) / static_cast<double>(whole)));
        }
        return plain;
    }

    const Json& root_;
    std::vector<bool> booked_;
    std::map<std::string, std::size_t> bytes_;
    std::size_t total_ = 0;
};

void book_mesh(const Json& mesh, const std::string& level, Bookkeeper& books) {
    for (const Json& primitive : list(mesh, "primitives")) {
        const Json& draco = member(member(primitive, "extensions"), "KHR_draco_mesh_compression");
        if (draco.is_object()) books.view("geometry of " + level, index_member(draco, "bufferView"));
        const Json& attributes = member(primitive, "attributes");
        if (attributes.is_object()) {
            for (const auto& attribute : attributes.items())
                books.accessor("geometry of " + level, as_index(attribute.value()));
        }
        books.accessor("geometry of " + level, index_member(primitive, "indices"));
        for (const Json& target : list(primitive, "targets")) {
            if (!target.is_object()) continue;
            for (const auto& delta : target.items())
                books.accessor("morph targets of " + level, as_index(delta.value()));
        }
    }
}

}  // namespace

std::vector<Measured::Share> byte_shares(const RuleContext& context) {
    const Facts& facts = context.facts;
    const Json& root = context.document.json;
    const Json& meshes = list(root, "meshes");
    Bookkeeper books(context.document);
    std::set<int> booked;
    for (std::size_t i = 0; i < facts.scenes.size(); ++i) {
        for (const int node : facts.scenes[i].instances) {
            const int mesh = facts.nodes[node].mesh;
            if (booked.insert(mesh).second)
                book_mesh(meshes[static_cast<std::size_t>(mesh)], facts.scene_label(i), books);
        }
    }
    for (std::size_t m = 0; m < meshes.size(); ++m) {
        if (!booked.count(static_cast<int>(m))) book_mesh(meshes[m], "meshes that no scene draws", books);
    }
    for (const Json& skin : list(root, "skins")) books.accessor("skins", index_member(skin, "inverseBindMatrices"));
    for (const Json& animation : list(root, "animations")) {
        for (const Json& sampler : list(animation, "samplers")) {
            books.accessor("animations", index_member(sampler, "input"));
            books.accessor("animations", index_member(sampler, "output"));
        }
    }
    for (const ImageFacts& image : facts.images) {
        if (image.bytes) books.book("texture " + image.name, image.bytes);
    }
    std::size_t unused = 0;
    if (facts.readable) unused = measure_buffer_use(context.document).unused_bytes;
    if (unused) books.book("bytes that nothing refers to", unused);
    std::vector<Measured::Share> shares;
    for (const auto& [name, bytes] : books.bytes()) shares.push_back({"file-size", name, bytes});
    if (context.file_bytes > books.total())
        shares.push_back({"file-size", "JSON, headers and padding", context.file_bytes - books.total()});
    return shares;
}

}  // namespace helixavatar::preflight
