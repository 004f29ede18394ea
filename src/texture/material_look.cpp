// SPDX-License-Identifier: MIT
#include "texture/material_look.hpp"

#include <algorithm>
#include <cmath>

#include "texture/image_use.hpp"

namespace helixavatar::texture {
namespace {

using avatar::Json;

constexpr std::array<const char*, kLayers> kPointers{"/pbrMetallicRoughness/baseColorTexture", "/normalTexture",
                                                     "/pbrMetallicRoughness/metallicRoughnessTexture",
                                                     "/occlusionTexture", "/emissiveTexture"};

const Json* find(const Json& json, const std::string& pointer) {
    const Json::json_pointer path(pointer);
    return json.contains(path) ? &json[path] : nullptr;
}

float number(const Json& json, const std::string& pointer, float otherwise) {
    const Json* value = find(json, pointer);
    if (!value || !value->is_number()) return otherwise;
    const float got = value->get<float>();
    return std::isfinite(got) ? got : otherwise;
}

template <int N>
Eigen::Matrix<float, N, 1> vector(const Json& json, const std::string& pointer, Eigen::Matrix<float, N, 1> value) {
    for (int c = 0; c < N; ++c)
        value[c] = std::clamp(number(json, pointer + "/" + std::to_string(c), value[c]), 0.0F, 1.0F);
    return value;
}

/// glTF sampler constants (OpenGL's).
Wrap wrap_of(const std::optional<Json>& sampler, const char* member) {
    const float mode = sampler ? number(*sampler, std::string("/") + member, 10497) : 10497;
    return mode == 33071 ? Wrap::clamp : mode == 33648 ? Wrap::mirror : Wrap::repeat;
}

LayerTexture layer_texture(const avatar::Avatar& avatar, const avatar::Material& material, const std::string& pointer) {
    LayerTexture out;
    const avatar::Texture* texture = texture_at(avatar, material.texture(pointer));
    if (!texture) return out;
    out.image = texture->image;
    out.uv_set = static_cast<int>(std::clamp(number(material.json, pointer + "/texCoord", 0), 0.0F, 8.0F));
    out.wrap_u = wrap_of(texture->sampler, "wrapS");
    out.wrap_v = wrap_of(texture->sampler, "wrapT");
    out.nearest = texture->sampler && number(*texture->sampler, "/magFilter", 0) == 9728;
    return out;
}

void note_extensions(const Json& json, MaterialLook& look) {
    const auto extensions = json.find("extensions");
    if (extensions == json.end() || !extensions->is_object()) return;
    for (const auto& item : extensions->items()) {
        if (item.key() == "KHR_materials_unlit")
            look.unlit = true;
        else if (item.key() == "KHR_materials_transmission")
            look.unbakable = "it lets light through (KHR_materials_transmission)";
        else if (item.key() != "KHR_materials_emissive_strength")
            look.lost.push_back(item.key());
    }
}

/// Only one UV set survives; a texture on another one cannot follow.
void drop_other_uv_sets(MaterialLook& look) {
    const int kept = look.uv_set();
    for (std::size_t i = 0; i < kLayers; ++i) {
        LayerTexture& layer = look.layers[i];
        if (layer.image < 0 || layer.uv_set == kept) continue;
        look.lost.push_back(std::string(kPointers[i] + 1) + " on UV set " + std::to_string(layer.uv_set));
        layer = {};
    }
}

}  // namespace

bool MaterialLook::textured() const {
    return std::any_of(layers.begin(), layers.end(), [](const LayerTexture& layer) { return layer.image >= 0; });
}

int MaterialLook::uv_set() const {
    for (const LayerTexture& layer : layers)
        if (layer.image >= 0) return layer.uv_set;
    return 0;
}

MaterialLook look_of(const avatar::Avatar& avatar, int material) {
    MaterialLook look;
    if (material < 0 || static_cast<std::size_t>(material) >= avatar.materials.size()) {
        look.name = "default material";
        return look;
    }
    const avatar::Material& source = avatar.materials[static_cast<std::size_t>(material)];
    const Json& json = source.json;
    look.name = source.name().empty() ? "material " + std::to_string(material) : source.name();
    const std::string mode = alpha_mode(source);
    look.alpha = mode == "MASK" ? AlphaMode::mask : mode == "BLEND" ? AlphaMode::blend : AlphaMode::opaque;
    look.alpha_cutoff = number(json, "/alphaCutoff", 0.5F);
    const Json* two_sided = find(json, "/doubleSided");
    look.double_sided = two_sided && two_sided->is_boolean() && two_sided->get<bool>();
    look.base = vector<4>(json, "/pbrMetallicRoughness/baseColorFactor", look.base);
    look.metallic = std::clamp(number(json, "/pbrMetallicRoughness/metallicFactor", 1), 0.0F, 1.0F);
    look.roughness = std::clamp(number(json, "/pbrMetallicRoughness/roughnessFactor", 1), 0.0F, 1.0F);
    look.emissive = vector<3>(json, "/emissiveFactor", look.emissive) *
                    std::max(0.0F, number(json, "/extensions/KHR_materials_emissive_strength/emissiveStrength", 1));
    look.normal_scale = number(json, "/normalTexture/scale", 1);
    look.occlusion_strength = std::clamp(number(json, "/occlusionTexture/strength", 1), 0.0F, 1.0F);
    for (std::size_t i = 0; i < kLayers; ++i) look.layers[i] = layer_texture(avatar, source, kPointers[i]);
    if (look.emissive.isZero()) look.layer(Layer::emissive) = {};
    if (look.normal_scale == 0) look.layer(Layer::normal) = {};
    if (look.occlusion_strength == 0) look.layer(Layer::occlusion) = {};
    note_extensions(json, look);
    drop_other_uv_sets(look);
    return look;
}

}  // namespace helixavatar::texture
