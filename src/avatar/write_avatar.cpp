// SPDX-License-Identifier: MIT
#include <helixavatar/avatar/document_io.hpp>

#include <algorithm>
#include <map>
#include <set>

#include <helixavatar/gltf/document_builder.hpp>

namespace helixavatar::avatar {
namespace {

using gltf::DocumentBuilder;
using gltf::flat;
using Target = DocumentBuilder::Target;

Json numbers(const Vec3& v) {
    return Json::array({v.x(), v.y(), v.z()});
}
Json numbers(const Quat& q) {
    return Json::array({q.x(), q.y(), q.z(), q.w()});
}

/// Which materials, textures and images the levels use, and their places in the written file.
struct Renumbering {
    std::map<int, std::size_t> materials;
    std::map<int, std::size_t> textures;
    std::map<int, std::size_t> images;
};

class Writer {
public:
    Writer(const Avatar& avatar, const WriteOptions& options) : avatar_(avatar), options_(options) {}

    gltf::Document write() {
        if (!options_.generator.empty()) out_.json()["asset"]["generator"] = options_.generator;
        number_used();
        for (std::size_t i = 0; i < avatar_.levels.size(); ++i) write_level(avatar_.levels[i], i);
        out_.json()["scene"] = 0;
        write_materials();
        return out_.finish();
    }

private:
    void number_used() {
        std::set<int> used;
        for (const Level& level : avatar_.levels)
            for (const Surface& surface : level.surfaces)
                if (surface.material >= 0) used.insert(surface.material);
        std::set<int> textures;
        for (const int material : used) {
            numbering_.materials.emplace(material, numbering_.materials.size());
            for (const TextureSlot& slot : avatar_.materials[material].slots)
                if (slot.texture >= 0) textures.insert(slot.texture);
        }
        std::set<int> images;
        for (const int texture : textures) {
            numbering_.textures.emplace(texture, numbering_.textures.size());
            images.insert(avatar_.textures[texture].image);
        }
        for (const int image : images) numbering_.images.emplace(image, numbering_.images.size());
    }

    Json node_of(const Joint& joint) const {
        const Pose local = joint.parent < 0 ? joint.rest : avatar_.joints[joint.parent].rest.inverse() * joint.rest;
        Json node = {{"name", joint.name}};
        node["translation"] = numbers(local.translation);
        node["rotation"] = numbers(local.rotation);
        return node;
    }

    /// One copy of the skeleton; returns the node of each joint.
    std::vector<std::size_t> write_joints() {
        std::vector<std::size_t> nodes;
        for (const Joint& joint : avatar_.joints) {
            nodes.push_back(out_.add("nodes", node_of(joint)));
            if (joint.parent >= 0) out_.json()["nodes"][nodes[joint.parent]]["children"].push_back(nodes.back());
        }
        return nodes;
    }

    std::size_t inverse_bind_matrices() {
        if (ibm_accessor_) return *ibm_accessor_;
        std::vector<float> values;
        for (const Joint& joint : avatar_.joints) {
            if (!joint.skin) continue;
            const Mat4 inverse = joint.rest.inverse().matrix();
            for (int i = 0; i < 16; ++i) values.push_back(static_cast<float>(inverse(i % 4, i / 4)));
        }
        ibm_accessor_ = out_.add_floats(values, "MAT4", Target::none);
        return *ibm_accessor_;
    }

    std::size_t write_skin(const std::vector<std::size_t>& nodes) {
        Json joints = Json::array();
        std::size_t root = nodes.empty() ? 0 : nodes[0];
        for (std::size_t i = 0; i < avatar_.joints.size(); ++i)
            if (avatar_.joints[i].skin) joints.push_back(nodes[i]);
        return out_.add(
            "skins",
            {{"inverseBindMatrices", inverse_bind_matrices()}, {"skeleton", root}, {"joints", std::move(joints)}});
    }

    /// Joint index in the skin of each avatar joint.
    std::vector<std::uint16_t> skin_index() const {
        std::vector<std::uint16_t> index(avatar_.joints.size(), 0);
        std::uint16_t next = 0;
        for (std::size_t i = 0; i < avatar_.joints.size(); ++i)
            if (avatar_.joints[i].skin) index[i] = next++;
        return index;
    }

    void write_influences(const Surface& surface, Json& attributes) {
        const std::vector<std::uint16_t> index = skin_index();
        std::vector<std::uint16_t> joints;
        std::vector<float> weights;
        for (Influences influences : surface.influences) {
            limit_influences(influences, kWrittenInfluences);
            for (std::size_t k = 0; k < kWrittenInfluences; ++k) {
                joints.push_back(index[influences[k].joint]);
                weights.push_back(influences[k].weight);
                // The Khronos validator wants joint 0 where the weight is 0 (ACCESSOR_JOINTS_USED_ZERO_WEIGHT).
                if (!(influences[k].weight > 0)) joints.back() = 0;
            }
        }
        if (index.empty() || *std::max_element(index.begin(), index.end()) > 255) {
            attributes["JOINTS_0"] = out_.add_u16(joints, "VEC4", Target::vertex);
        } else {
            const Bytes narrow(joints.begin(), joints.end());
            attributes["JOINTS_0"] = out_.add("accessors", {{"bufferView", out_.add_view(narrow, Target::vertex)},
                                                            {"componentType", 5121},
                                                            {"count", surface.influences.size()},
                                                            {"type", "VEC4"}});
        }
        attributes["WEIGHTS_0"] = out_.add_floats(weights, "VEC4", Target::vertex);
    }

    Json write_attributes(const Surface& surface) {
        Json attributes;
        attributes["POSITION"] = out_.add_floats(flat(surface.positions), "VEC3", Target::vertex, true);
        if (!surface.normals.empty())
            attributes["NORMAL"] = out_.add_floats(flat(surface.normals), "VEC3", Target::vertex);
        if (!surface.tangents.empty())
            attributes["TANGENT"] = out_.add_floats(flat(surface.tangents), "VEC4", Target::vertex);
        for (std::size_t i = 0; i < surface.uvs.size(); ++i)
            attributes["TEXCOORD_" + std::to_string(i)] = out_.add_floats(flat(surface.uvs[i]), "VEC2", Target::vertex);
        if (!surface.colors.empty())
            attributes["COLOR_0"] = out_.add_floats(flat(surface.colors), "VEC4", Target::vertex);
        write_influences(surface, attributes);
        return attributes;
    }

    /// The accessors of one surface's vertices and morph targets, shared by its body and face slices.
    struct WrittenSurface {
        Json attributes;
        std::map<std::string, Json> targets;
    };

    Json target_of(const Surface& surface, const std::string& name) {
        const auto found = std::find_if(surface.morphs.begin(), surface.morphs.end(),
                                        [&](const MorphTarget& morph) { return morph.name == name; });
        const bool here = found != surface.morphs.end();
        const std::vector<Vec3f> zeros(here ? 0 : surface.positions.size(), Vec3f::Zero());
        Json target;
        target["POSITION"] = out_.add_morph_deltas(flat(here ? found->positions : zeros), true);
        // Either all targets of a primitive have normals or none: loaders take the base normals for a missing set.
        const bool with_normals =
            !surface.normals.empty() && std::any_of(surface.morphs.begin(), surface.morphs.end(),
                                                    [](const MorphTarget& morph) { return !morph.normals.empty(); });
        if (with_normals) {
            const bool has = here && !found->normals.empty();
            const std::vector<Vec3f> none(has ? 0 : surface.positions.size(), Vec3f::Zero());
            target["NORMAL"] = out_.add_morph_deltas(flat(has ? found->normals : none), false);
        }
        return target;
    }

    /// A mesh of the level's body or face slices; nothing when all of them are empty.
    std::optional<std::size_t> write_mesh(const Level& level, std::vector<WrittenSurface>& written, bool face_slice) {
        const std::vector<std::string> morphs = written_morphs(level, face_slice);
        // Every target of one mesh has the same attributes on all its primitives, or none has normals.
        Json primitives = Json::array();
        for (std::size_t i = 0; i < level.surfaces.size(); ++i) {
            const Surface& surface = level.surfaces[i];
            const std::vector<std::uint32_t>& slice = face_slice ? surface.face : surface.body;
            if (slice.empty()) continue;
            Json primitive = {{"attributes", written[i].attributes}, {"indices", out_.add_indices(slice)}};
            if (surface.material >= 0) primitive["material"] = numbering_.materials.at(surface.material);
            for (const std::string& name : morphs) {
                auto known = written[i].targets.find(name);
                if (known == written[i].targets.end())
                    known = written[i].targets.emplace(name, target_of(surface, name)).first;
                primitive["targets"].push_back(known->second);
            }
            primitives.push_back(std::move(primitive));
        }
        if (primitives.empty()) return std::nullopt;
        Json mesh = {{"name", face_slice ? kFaceMesh : kBodyMesh}, {"primitives", std::move(primitives)}};
        if (!morphs.empty()) {
            mesh["weights"] = std::vector<double>(morphs.size(), 0.0);
            mesh["extras"]["targetNames"] = morphs;
        }
        return out_.add("meshes", std::move(mesh));
    }

    void write_level(const Level& level, std::size_t number) {
        std::vector<WrittenSurface> written;
        // A level may have lost a small material altogether: then nothing of it is written.
        for (const Surface& surface : level.surfaces)
            written.push_back({surface.triangles() > 0 ? write_attributes(surface) : Json(), {}});
        const std::optional<std::size_t> body = write_mesh(level, written, false);
        const std::optional<std::size_t> face = write_mesh(level, written, true);
        const std::vector<std::size_t> nodes = write_joints();
        const std::size_t skin = write_skin(nodes);
        Json roots = Json::array();
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (avatar_.joints[i].parent < 0) roots.push_back(nodes[i]);
        if (body) roots.push_back(out_.add("nodes", {{"name", kBodyMesh}, {"mesh", *body}, {"skin", skin}}));
        if (face) roots.push_back(out_.add("nodes", {{"name", kFaceMesh}, {"mesh", *face}, {"skin", skin}}));
        Json scene = {{"name", level.name.empty() ? "lod" + std::to_string(number + 1) : level.name},
                      {"nodes", std::move(roots)}};
        if (!avatar_.first_person_hide.empty())
            scene["extras"]["helixAvatar"]["firstPersonHide"] = avatar_.first_person_hide;
        if (avatar_.face) scene["extras"]["helixFace"] = *avatar_.face;
        if (avatar_.dynamics) scene["extras"]["helixDynamics"] = *avatar_.dynamics;
        out_.add("scenes", std::move(scene));
    }

    void write_materials() {
        std::set<std::string> extensions;
        for (const auto& [from, to] : numbering_.materials) {
            Json material = avatar_.materials[from].json;
            for (const TextureSlot& slot : avatar_.materials[from].slots)
                if (slot.texture >= 0)
                    material[Json::json_pointer(slot.pointer)]["index"] = numbering_.textures.at(slot.texture);
            collect_extensions(material, extensions);
            out_.add("materials", std::move(material));
        }
        bool basisu = false;
        for (const auto& [from, to] : numbering_.textures) basisu |= write_texture(avatar_.textures[from], extensions);
        for (const auto& [from, to] : numbering_.images)
            out_.add_image(avatar_.images[from].bytes, avatar_.images[from].mime, avatar_.images[from].name);
        if (basisu) out_.json()["extensionsRequired"] = Json::array({"KHR_texture_basisu"});
        if (extensions.count("EXT_texture_webp")) out_.json()["extensionsRequired"].push_back("EXT_texture_webp");
        if (!extensions.empty())
            out_.json()["extensionsUsed"] = std::vector<std::string>(extensions.begin(), extensions.end());
    }

    /// True for a KTX2 texture, which has no fallback: the extension is then required.
    bool write_texture(const Texture& texture, std::set<std::string>& extensions) {
        Json json = Json::object();
        if (!texture.name.empty()) json["name"] = texture.name;
        if (texture.sampler) json["sampler"] = sampler_index(*texture.sampler);
        const std::size_t source = numbering_.images.at(texture.image);
        const std::string& mime = avatar_.images[texture.image].mime;
        const char* extension = mime == "image/ktx2"   ? "KHR_texture_basisu"
                                : mime == "image/webp" ? "EXT_texture_webp"
                                                       : nullptr;
        if (extension) {
            extensions.insert(extension);
            json["extensions"][extension]["source"] = source;
        } else {
            json["source"] = source;
        }
        out_.add("textures", std::move(json));
        return mime == "image/ktx2";
    }

    std::size_t sampler_index(const Json& sampler) {
        const Json& known = out_.json()["samplers"];
        for (std::size_t i = 0; i < known.size(); ++i)
            if (known[i] == sampler) return i;
        return out_.add("samplers", sampler);
    }

    static void collect_extensions(const Json& value, std::set<std::string>& names) {
        if (value.is_object()) {
            const auto found = value.find("extensions");
            if (found != value.end() && found->is_object())
                for (const auto& item : found->items()) names.insert(item.key());
        }
        if (value.is_structured())
            for (const auto& child : value) collect_extensions(child, names);
    }

    const Avatar& avatar_;
    const WriteOptions& options_;
    DocumentBuilder out_;
    Renumbering numbering_;
    std::optional<std::size_t> ibm_accessor_;
};

}  // namespace

gltf::Document write_avatar(const Avatar& avatar, const WriteOptions& options) {
    return Writer(avatar, options).write();
}

}  // namespace helixavatar::avatar
