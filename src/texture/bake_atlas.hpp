// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "texture/image_store.hpp"
#include "texture/pack_patches.hpp"

namespace helixavatar::texture {

/// The pictures of one atlas; a channel that is the same everywhere has a factor instead.
struct BakedAtlas {
    std::optional<Pixels> base;  ///< sRGB, alpha for masked and blended ones
    std::optional<Pixels> normal;
    std::optional<Pixels> orm;
    std::optional<Pixels> emissive;
    bool has_occlusion = false;  ///< some material's occlusion is in the red of `orm`
    Vec4f base_factor = Vec4f::Ones();
    float metallic = 1, roughness = 1;
    Vec3f emissive_factor = Vec3f::Zero();
    float emissive_strength = 1;  ///< above 1: KHR_materials_emissive_strength
};

/// Marks the patches whose texels are one colour in every layer. Errors: those of the store.
Result<void> find_flat_patches(std::vector<Patch>& patches, const std::vector<MaterialLook>& looks, ImageStore& store);

/// Bakes packed patches. `alpha`: how the atlas is drawn. Errors: those of the store.
Result<BakedAtlas> bake_atlas(const std::vector<Patch>& patches, const PackedSize& packed,
                              const std::vector<MaterialLook>& looks, AlphaMode alpha, ImageStore& store);

}  // namespace helixavatar::texture
