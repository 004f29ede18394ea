// SPDX-License-Identifier: MIT
#include "source_parts.hpp"

#include <cmath>

#include <helixavatar/gltf/image_header.hpp>

namespace helixavatar::avatar {
namespace {

/// Every textureInfo of a material: any object with an integer "index" under a member that ends in "Texture".
void find_slots(const Json& value, const std::string& pointer, std::vector<TextureSlot>& slots) {
    if (!value.is_object()) return;
    for (const auto& item : value.items()) {
        if (item.key() == "extras") continue;
        const std::string here = pointer + "/" + item.key();
        const Json& child = item.value();
        if (item.key().ends_with("Texture") && child.is_object() && child.contains("index") &&
            child["index"].is_number_integer())
            slots.push_back({here, child["index"].get<int>()});
        else
            find_slots(child, here, slots);
    }
}

/// An empty array is what a few exporters write for "none".
Vec2 pair_or(const Json& object, const char* key, const Vec2& fallback) {
    const auto found = object.find(key);
    if (found == object.end() || found->size() != 2) return fallback;
    return {(*found)[0].get<double>(), (*found)[1].get<double>()};
}

UvSet uv_set_of(const Json& info) {
    UvSet set;
    set.texcoord = info.value("texCoord", 0);
    const auto extensions = info.find("extensions");
    if (extensions == info.end() || !extensions->contains("KHR_texture_transform")) return set;
    const Json& transform = (*extensions)["KHR_texture_transform"];
    set.texcoord = transform.value("texCoord", set.texcoord);
    set.rotation = transform.value("rotation", 0.0);
    set.offset = pair_or(transform, "offset", set.offset);
    set.scale = pair_or(transform, "scale", set.scale);
    return set;
}

/// Points every slot at the UV set that the surfaces will carry, and takes the baked transform off.
std::vector<UvSet> renumber_uv_sets(Material& material) {
    std::vector<UvSet> sets;
    for (const TextureSlot& slot : material.slots) {
        Json& info = material.json[Json::json_pointer(slot.pointer)];
        const UvSet set = uv_set_of(info);
        std::size_t at = 0;
        while (at < sets.size() && !(sets[at] == set)) ++at;
        if (at == sets.size()) sets.push_back(set);
        if (at == 0)
            info.erase("texCoord");
        else
            info["texCoord"] = at;
        if (info.contains("extensions")) {
            info["extensions"].erase("KHR_texture_transform");
            if (info["extensions"].empty()) info.erase("extensions");
        }
    }
    return sets;
}

int image_of(const Json& texture) {
    const auto extensions = texture.find("extensions");
    if (extensions != texture.end())
        for (const char* name : {"KHR_texture_basisu", "EXT_texture_webp"})
            if (extensions->contains(name) && (*extensions)[name].contains("source"))
                return (*extensions)[name]["source"].get<int>();
    return texture.value("source", -1);
}

}  // namespace

Result<SourceMaterials> read_materials(const gltf::Document& document, std::vector<std::string>& warnings) {
    SourceMaterials out;
    const Json& json = document.json;
    for (const Json& entry : json.value("materials", Json::array())) {
        Material material{entry, {}};
        find_slots(entry, "", material.slots);
        out.uv_sets.push_back(renumber_uv_sets(material));
        out.materials.push_back(std::move(material));
    }
    const Json samplers = json.value("samplers", Json::array());
    for (const Json& entry : json.value("textures", Json::array())) {
        Texture texture;
        texture.name = entry.value("name", "");
        texture.image = image_of(entry);
        if (texture.image >= static_cast<int>(count_of(json, "images"))) texture.image = -1;
        const int sampler = entry.value("sampler", -1);
        if (sampler >= 0 && static_cast<std::size_t>(sampler) < samplers.size()) texture.sampler = samplers[sampler];
        out.textures.push_back(std::move(texture));
    }
    for (std::size_t i = 0; i < count_of(json, "images"); ++i) {
        Image image;
        image.name = json["images"][i].value("name", "");
        const Result<ByteView> bytes = gltf::image_bytes(document, i);
        if (!bytes) return bytes.error();
        image.bytes.assign(bytes->begin(), bytes->end());
        const Result<gltf::ImageHeader> header = gltf::read_image_header(*bytes);
        if (!header) {
            Error error = header.error();
            error.where = "/images/" + std::to_string(i) + (image.name.empty() ? "" : " (" + image.name + ")");
            return error;
        }
        image.mime = gltf::mime_type(header->format);
        out.images.push_back(std::move(image));
    }
    // A texture without an image draws white in every loader: the slot may as well be empty.
    for (Material& material : out.materials) {
        std::erase_if(material.slots, [&](const TextureSlot& slot) {
            const bool empty = slot.texture < 0 || static_cast<std::size_t>(slot.texture) >= out.textures.size() ||
                               out.textures[slot.texture].image < 0;
            if (!empty) return false;
            const Json::json_pointer pointer(slot.pointer);
            material.json[pointer.parent_pointer()].erase(pointer.back());
            warnings.push_back("material \"" + material.name() + "\": " + slot.pointer +
                               " names a texture without an image; it was left out");
            return true;
        });
    }
    return out;
}

}  // namespace helixavatar::avatar
