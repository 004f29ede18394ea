// SPDX-License-Identifier: MIT
#include <helixavatar/avatar/avatar.hpp>

#include <algorithm>
#include <cstring>

#include <helixavatar/avatar/bone_map.hpp>

namespace helixavatar::avatar {
namespace {

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> ends) {
    return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return text.ends_with(end); });
}

template <class T>
void append(Bytes& out, const std::vector<T>& values) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(values.data());
    const std::uint64_t count = values.size();
    const auto* size = reinterpret_cast<const std::uint8_t*>(&count);
    out.insert(out.end(), size, size + sizeof count);
    out.insert(out.end(), first, first + values.size() * sizeof(T));
}

}  // namespace

std::size_t Level::triangles() const {
    std::size_t sum = 0;
    for (const Surface& surface : surfaces) sum += surface.triangles();
    return sum;
}

std::size_t Level::vertices() const {
    std::size_t sum = 0;
    for (const Surface& surface : surfaces) sum += surface.positions.size();
    return sum;
}

std::size_t Level::draw_calls() const {
    std::size_t sum = 0;
    for (const Surface& surface : surfaces) sum += (surface.body.empty() ? 0U : 1U) + (surface.face.empty() ? 0U : 1U);
    return sum;
}

const char* to_string(TextureRole role) {
    switch (role) {
        case TextureRole::base_color:
            return "baseColor";
        case TextureRole::normal:
            return "normal";
        case TextureRole::occlusion_roughness_metallic:
            return "orm";
        case TextureRole::emissive:
            return "emissive";
        case TextureRole::other_color:
            return "color";
        case TextureRole::other_data:
            return "data";
    }
    return "data";
}

bool is_srgb(TextureRole role) {
    return role == TextureRole::base_color || role == TextureRole::emissive || role == TextureRole::other_color;
}

TextureRole role_of(std::string_view slot_pointer) {
    if (slot_pointer == "/pbrMetallicRoughness/baseColorTexture") return TextureRole::base_color;
    if (slot_pointer == "/emissiveTexture") return TextureRole::emissive;
    if (slot_pointer == "/occlusionTexture" || slot_pointer == "/pbrMetallicRoughness/metallicRoughnessTexture")
        return TextureRole::occlusion_roughness_metallic;
    if (ends_with_any(slot_pointer, {"ormalTexture"})) return TextureRole::normal;  // also clearcoatNormalTexture
    // The colour textures of the KHR_materials_* family; all their other textures hold linear data.
    if (ends_with_any(slot_pointer,
                      {"/specularColorTexture", "/sheenColorTexture", "/diffuseTexture", "/specularGlossinessTexture",
                       "/diffuseTransmissionColorTexture", "/multiscatterColorTexture"}))
        return TextureRole::other_color;
    return TextureRole::other_data;
}

std::string Material::name() const {
    const auto found = json.find("name");
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

int Material::texture(std::string_view pointer) const {
    for (const TextureSlot& slot : slots)
        if (slot.pointer == pointer) return slot.texture;
    return -1;
}

int Avatar::find_joint(std::string_view joint_name) const {
    for (std::size_t i = 0; i < joints.size(); ++i)
        if (joints[i].name == joint_name) return static_cast<int>(i);
    return -1;
}

Bounds bounds(const Level& level) {
    Bounds box;
    for (const Surface& surface : level.surfaces) {
        for (const Vec3f& position : surface.positions) {
            const Vec3 p = position.cast<double>();
            box.low = box.empty ? p : box.low.cwiseMin(p).eval();
            box.high = box.empty ? p : box.high.cwiseMax(p).eval();
            box.empty = false;
        }
    }
    return box;
}

float limit_influences(Influences& influences, std::size_t keep) {
    for (std::size_t i = 0; i < influences.size(); ++i)
        for (std::size_t j = i + 1; j < influences.size(); ++j)
            if (influences[i].joint == influences[j].joint) {
                influences[i].weight += influences[j].weight;
                influences[j].weight = 0;
            }
    std::sort(influences.begin(), influences.end(), [](const Influence& a, const Influence& b) {
        return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
    });
    double total = 0;
    double kept = 0;
    for (std::size_t i = 0; i < influences.size(); ++i) {
        total += influences[i].weight;
        if (i < keep) kept += influences[i].weight;
    }
    for (std::size_t i = 0; i < influences.size(); ++i) {
        if (i >= keep || !(influences[i].weight > 0))
            influences[i] = {};
        else
            influences[i].weight = static_cast<float>(influences[i].weight / kept);
    }
    return total > 0 ? static_cast<float>(1 - kept / total) : 0.0F;
}

std::vector<std::string> written_morphs(const Level& level, bool face_slice) {
    std::vector<std::string> names;
    for (const Surface& surface : level.surfaces) {
        const std::vector<std::uint32_t>& slice = face_slice ? surface.face : surface.body;
        for (const MorphTarget& morph : surface.morphs) {
            if (std::find(names.begin(), names.end(), morph.name) != names.end()) continue;
            const bool moves = std::any_of(slice.begin(), slice.end(), [&](std::uint32_t v) {
                return v < morph.positions.size() && !morph.positions[v].isZero(0);
            });
            if (moves) names.push_back(morph.name);
        }
    }
    return names;
}

std::string digest(const Level& level) {
    Bytes all;
    for (const Surface& surface : level.surfaces) {
        append(all, surface.positions);
        append(all, surface.normals);
        append(all, surface.tangents);
        for (const auto& uv : surface.uvs) append(all, uv);
        append(all, surface.colors);
        // Member by member: the padding of Influence has no defined value.
        std::vector<float> flat;
        for (const Influences& influences : surface.influences)
            for (const Influence& influence : influences)
                flat.insert(flat.end(), {static_cast<float>(influence.joint), influence.weight});
        append(all, flat);
        for (const MorphTarget& morph : surface.morphs) {
            append(all, morph.positions);
            append(all, morph.normals);
        }
        append(all, surface.body);
        append(all, surface.face);
    }
    return sha256_hex(all);
}

const char* to_string(MappedBy how) {
    switch (how) {
        case MappedBy::name:
            return "name";
        case MappedBy::topology:
            return "topology";
        case MappedBy::geometry:
            return "geometry";
        case MappedBy::override_file:
            return "override";
        case MappedBy::derived:
            return "derived";
    }
    return "derived";
}

const BoneMatch* BoneMap::find(std::string_view canonical) const {
    for (const BoneMatch& match : matches)
        if (match.canonical == canonical) return &match;
    return nullptr;
}

int BoneMap::source(std::string_view canonical) const {
    const BoneMatch* match = find(canonical);
    return match ? match->source : -1;
}

}  // namespace helixavatar::avatar
