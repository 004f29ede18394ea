// SPDX-License-Identifier: MIT
#include <helixavatar/texture/materials.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include "texture/image_use.hpp"

namespace helixavatar::texture {
namespace {

using avatar::Json;
using Sorted = nlohmann::json;

/// Members in one order and every number as a double, so that equal values compare equal however they were spelled.
Sorted plain(const Json& value) {
    if (value.is_number()) return value.get<double>();
    if (value.is_array()) {
        Sorted out = Sorted::array();
        for (const Json& item : value) out.push_back(plain(item));
        return out;
    }
    if (!value.is_object()) return Sorted(value);
    Sorted out = Sorted::object();
    for (const auto& item : value.items()) out[item.key()] = plain(item.value());
    return out;
}

void drop_default(Sorted& object, const char* member, const Sorted& value) {
    const auto found = object.find(member);
    if (found != object.end() && *found == value) object.erase(found);
}

/// The material as the renderer sees it: glTF's defaults left out, texture indices given by content.
std::string appearance(const avatar::Material& material, const std::vector<int>& same_texture) {
    Json json = material.json;
    for (const avatar::TextureSlot& slot : material.slots) {
        const Json::json_pointer pointer(slot.pointer);
        const bool known = slot.texture >= 0 && static_cast<std::size_t>(slot.texture) < same_texture.size();
        if (json.contains(pointer) && json[pointer].is_object())
            json[pointer]["index"] = known ? same_texture[static_cast<std::size_t>(slot.texture)] : -1;
    }
    Sorted look = plain(json);
    if (!look.is_object()) return look.dump();
    look.erase("name");
    look.erase("extras");
    if (alpha_mode(material) != "MASK") look.erase("alphaCutoff");
    drop_default(look, "alphaMode", "OPAQUE");
    drop_default(look, "alphaCutoff", 0.5);
    drop_default(look, "doubleSided", false);
    drop_default(look, "emissiveFactor", {0.0, 0.0, 0.0});
    if (look.contains("pbrMetallicRoughness") && look["pbrMetallicRoughness"].is_object()) {
        Sorted& pbr = look["pbrMetallicRoughness"];
        drop_default(pbr, "baseColorFactor", {1.0, 1.0, 1.0, 1.0});
        drop_default(pbr, "metallicFactor", 1.0);
        drop_default(pbr, "roughnessFactor", 1.0);
    }
    drop_default(look, "pbrMetallicRoughness", Sorted::object());
    drop_default(look, "extensions", Sorted::object());
    return look.dump(-1, ' ', false, Sorted::error_handler_t::replace);
}

/// For each element the index of the first one with the same key.
template <class T, class Key>
std::vector<int> first_equal(const std::vector<T>& values, Key key) {
    std::map<std::string, int> first;
    std::vector<int> out;
    for (const T& value : values) out.push_back(first.emplace(key(value), static_cast<int>(out.size())).first->second);
    return out;
}

/// The same of images, whose bytes are too many to be a key.
std::vector<int> first_equal_image(const std::vector<avatar::Image>& images) {
    std::map<std::pair<std::string, std::size_t>, std::vector<int>> of_size;
    std::vector<int> out;
    for (const avatar::Image& image : images) {
        std::vector<int>& firsts = of_size[{image.mime, image.bytes.size()}];
        const auto same = std::find_if(firsts.begin(), firsts.end(), [&](int first) {
            return images[static_cast<std::size_t>(first)].bytes == image.bytes;
        });
        out.push_back(same != firsts.end() ? *same : static_cast<int>(out.size()));
        if (same == firsts.end()) firsts.push_back(out.back());
    }
    return out;
}

std::string shown_name(const avatar::Material& material, std::size_t index) {
    const std::string name = material.name();
    return name.empty() ? "material " + std::to_string(index) : "\"" + name + "\"";
}

}  // namespace

MaterialsOutput merge_equal_materials(avatar::Avatar avatar) {
    MaterialsOutput out;
    const std::vector<int> same_image = first_equal_image(avatar.images);
    for (avatar::Texture& texture : avatar.textures)
        if (texture.image >= 0 && static_cast<std::size_t>(texture.image) < same_image.size())
            texture.image = same_image[static_cast<std::size_t>(texture.image)];
    const std::vector<int> same_texture = first_equal(avatar.textures, [](const avatar::Texture& texture) {
        return std::to_string(texture.image) + (texture.sampler ? plain(*texture.sampler).dump() : "{}");
    });
    for (avatar::Material& material : avatar.materials)
        for (avatar::TextureSlot& slot : material.slots)
            if (slot.texture >= 0 && static_cast<std::size_t>(slot.texture) < same_texture.size())
                slot.texture = same_texture[static_cast<std::size_t>(slot.texture)];
    const std::vector<int> same_material = first_equal(
        avatar.materials, [&](const avatar::Material& material) { return appearance(material, same_texture); });

    std::map<int, bool> drawn;
    for (avatar::Level& level : avatar.levels)
        for (avatar::Surface& surface : level.surfaces) {
            if (surface.material < 0 || static_cast<std::size_t>(surface.material) >= same_material.size()) continue;
            drawn[surface.material] = true;
            surface.material = same_material[static_cast<std::size_t>(surface.material)];
        }
    for (std::size_t m = 0; m < same_material.size(); ++m) {
        const auto first = static_cast<std::size_t>(same_material[m]);
        if (first == m || !drawn[static_cast<int>(m)]) continue;
        out.notes.push_back("material " + shown_name(avatar.materials[m], m) + " draws the same as " +
                            shown_name(avatar.materials[first], first) + ": one material now");
    }
    out.avatar = std::move(avatar);
    return out;
}

}  // namespace helixavatar::texture
