// SPDX-License-Identifier: MIT
// A glTF material as numbers: what an atlas has to bake.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

#include "texture/resample.hpp"

namespace helixavatar::texture {

/// The textures of core glTF, each on its own.
enum class Layer : std::size_t { base, normal, rough_metal, occlusion, emissive };
inline constexpr std::size_t kLayers = 5;

struct LayerTexture {
    int image = -1;  ///< index into Avatar::images; -1: none
    int uv_set = 0;
    Wrap wrap_u = Wrap::repeat, wrap_v = Wrap::repeat;
    bool nearest = false;
};

enum class AlphaMode { opaque, mask, blend };

struct MaterialLook {
    std::string name;
    AlphaMode alpha = AlphaMode::opaque;
    float alpha_cutoff = 0.5F;
    bool double_sided = false;
    bool unlit = false;
    Vec4f base = Vec4f::Ones();  ///< linear
    float metallic = 1, roughness = 1;
    Vec3f emissive = Vec3f::Zero();  ///< linear, strength multiplied in
    float normal_scale = 1, occlusion_strength = 1;
    std::array<LayerTexture, kLayers> layers;
    std::string unbakable;          ///< why it cannot go into an atlas, or empty
    std::vector<std::string> lost;  ///< extensions and textures that an atlas drops

    const LayerTexture& layer(Layer which) const { return layers[static_cast<std::size_t>(which)]; }
    LayerTexture& layer(Layer which) { return layers[static_cast<std::size_t>(which)]; }
    bool textured() const;
    /// The UV set that the atlas follows: the base colour's, else that of the first texture there is.
    int uv_set() const;
};

/// `material`: index into Avatar::materials, or -1 for glTF's default material.
MaterialLook look_of(const avatar::Avatar& avatar, int material);

}  // namespace helixavatar::texture
