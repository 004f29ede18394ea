// SPDX-License-Identifier: MIT
#include "texture/pack_occlusion.hpp"

#include <algorithm>
#include <map>

#include <helixavatar/gltf/image_header.hpp>

#include "texture/encode.hpp"

namespace helixavatar::texture {
namespace {

using avatar::Json;

constexpr const char* kOcclusion = "/occlusionTexture";
constexpr const char* kMetallicRoughness = "/pbrMetallicRoughness/metallicRoughnessTexture";

/// UV set and transform of a textureInfo, everything that decides where its texels lie.
Json layout_of(const avatar::Material& material, const char* pointer) {
    const Json::json_pointer at(pointer);
    const Json info = material.json.contains(at) ? material.json[at] : Json::object();
    const Json extensions = info.is_object() && info.contains("extensions") ? info["extensions"] : Json::object();
    return {{"texCoord", info.is_object() ? info.value("texCoord", Json(0)) : Json(0)}, {"extensions", extensions}};
}

Result<Pixels> decode_data(const avatar::Image& image, const TextureOptions& options) {
    Result<Pixels> pixels = decode(image.bytes, options.limits);
    if (pixels) drop_alpha(*pixels);
    return pixels;
}

/// Both pictures in one, as large as the larger one; empty when that cannot be.
Bytes packed(const avatar::Image& occlusion, const avatar::Image& gloss, const TextureOptions& options) {
    Result<Pixels> red = decode_data(occlusion, options), rest = decode_data(gloss, options);
    if (!red || !rest) return {};
    const Size size =
        fitted_size(std::max(red->width, rest->width), std::max(red->height, rest->height), options.max_edge);
    for (Pixels* pixels : {&*red, &*rest})
        if (size != Size{pixels->width, pixels->height})
            *pixels = resample(*pixels, {}, size.width, size.height, Content::data);
    for (std::size_t i = 0; i < rest->rgba.size(); i += 4) rest->rgba[i] = red->rgba[i];
    Result<Bytes> png = encode_png(*rest);
    return png ? png.take() : Bytes{};
}

}  // namespace

void pack_occlusion(avatar::Avatar& avatar, const TextureOptions& options) {
    const std::vector<bool> used = gather_image_uses(avatar).material_used;
    std::map<std::pair<int, int>, int> made;  // textures (occlusion, gloss) → the packed one
    for (std::size_t m = 0; m < avatar.materials.size(); ++m) {
        avatar::Material& material = avatar.materials[m];
        const int first = material.texture(kOcclusion), second = material.texture(kMetallicRoughness);
        const avatar::Texture* occlusion = texture_at(avatar, first);
        const avatar::Texture* gloss = texture_at(avatar, second);
        if (!used[m] || !occlusion || !gloss || occlusion->image == gloss->image) continue;
        if (occlusion->sampler != gloss->sampler ||
            layout_of(material, kOcclusion) != layout_of(material, kMetallicRoughness))
            continue;
        auto known = made.find({first, second});
        if (known == made.end()) {
            const avatar::Image& gloss_image = avatar.images[static_cast<std::size_t>(gloss->image)];
            Bytes bytes = packed(avatar.images[static_cast<std::size_t>(occlusion->image)], gloss_image, options);
            if (bytes.empty()) continue;
            avatar::Texture texture{gloss->name, static_cast<int>(avatar.images.size()), gloss->sampler};
            avatar::Image image{gloss_image.name, "image/png", std::move(bytes)};
            avatar.images.push_back(std::move(image));
            avatar.textures.push_back(std::move(texture));
            known = made.emplace(std::pair(first, second), static_cast<int>(avatar.textures.size()) - 1).first;
        }
        for (avatar::TextureSlot& slot : material.slots)
            if (slot.pointer == kOcclusion || slot.pointer == kMetallicRoughness) slot.texture = known->second;
    }
}

}  // namespace helixavatar::texture
