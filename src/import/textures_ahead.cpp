// SPDX-License-Identifier: MIT
#include "textures_ahead.hpp"

#include <algorithm>
#include <set>

#include <helixavatar/base/parallel.hpp>
#include <helixavatar/texture/materials.hpp>

namespace helixavatar::import {
namespace {

using avatar::Avatar;

/// Materials, textures and images, and a surface without vertices for each material that is drawn.
Avatar without_geometry(const Avatar& avatar, const std::set<int>& drawn) {
    Avatar bare;
    bare.materials = avatar.materials;
    bare.textures = avatar.textures;
    bare.images = avatar.images;
    bare.levels.emplace_back();
    for (const int material : drawn) bare.levels.back().surfaces.emplace_back().material = material;
    return bare;
}

bool same_look(const Avatar& a, const Avatar& b) {
    const auto same_slot = [](const avatar::TextureSlot& x, const avatar::TextureSlot& y) {
        return x.pointer == y.pointer && x.texture == y.texture;
    };
    const auto same_material = [&](const avatar::Material& x, const avatar::Material& y) {
        return x.json == y.json &&
               std::equal(x.slots.begin(), x.slots.end(), y.slots.begin(), y.slots.end(), same_slot);
    };
    const auto same_texture = [](const avatar::Texture& x, const avatar::Texture& y) {
        return x.image == y.image && x.sampler == y.sampler;
    };
    return drawn_materials(a) == drawn_materials(b) &&
           std::equal(a.materials.begin(), a.materials.end(), b.materials.begin(), b.materials.end(), same_material) &&
           std::equal(a.textures.begin(), a.textures.end(), b.textures.begin(), b.textures.end(), same_texture);
}

}  // namespace

std::set<int> drawn_materials(const Avatar& avatar) {
    std::set<int> drawn;
    for (const avatar::Level& level : avatar.levels)
        for (const avatar::Surface& surface : level.surfaces) drawn.insert(surface.material);
    return drawn;
}

void TexturesAhead::start(const Avatar& avatar, const std::set<int>& drawn, const texture::TextureOptions& options) {
    if (output_.valid() || threads_at_hand() < 2) return;
    Avatar bare = texture::merge_equal_materials(without_geometry(avatar, drawn)).avatar;
    started_.materials = bare.materials;
    started_.textures = bare.textures;
    started_.levels = bare.levels;
    output_ = std::async(std::launch::async, [bare = std::move(bare), options]() mutable {
        return texture::process_textures(std::move(bare), options);
    });
}

Result<texture::TextureOutput> TexturesAhead::finish(Avatar avatar, const texture::TextureOptions& options) {
    if (!output_.valid() || !same_look(avatar, started_)) return texture::process_textures(std::move(avatar), options);
    Result<texture::TextureOutput> output = output_.get();
    if (!output) return output;
    avatar.materials = std::move(output->avatar.materials);
    avatar.textures = std::move(output->avatar.textures);
    avatar.images = std::move(output->avatar.images);
    output->avatar = std::move(avatar);
    return output;
}

}  // namespace helixavatar::import
