// SPDX-License-Identifier: MIT
#include "textures_ahead.hpp"

#include <helixavatar/base/parallel.hpp>

namespace helixavatar::import {
namespace {

std::set<int> drawn_materials(const avatar::Avatar& avatar) {
    std::set<int> drawn;
    for (const avatar::Level& level : avatar.levels)
        for (const avatar::Surface& surface : level.surfaces) drawn.insert(surface.material);
    return drawn;
}

/// As many materials, textures and images, and a surface without vertices for each material that is drawn.
avatar::Avatar without_geometry(const avatar::Avatar& avatar, const std::set<int>& drawn) {
    avatar::Avatar bare;
    bare.materials = avatar.materials;
    bare.textures = avatar.textures;
    bare.images = avatar.images;
    bare.levels.emplace_back();
    for (const int material : drawn) bare.levels.back().surfaces.emplace_back().material = material;
    return bare;
}

}  // namespace

void TexturesAhead::start(const avatar::Avatar& avatar, const texture::TextureOptions& options) {
    if (threads_at_hand() < 2) return;
    drawn_ = drawn_materials(avatar);
    output_ = std::async(std::launch::async, [bare = without_geometry(avatar, drawn_), options]() mutable {
        return texture::process_textures(std::move(bare), options);
    });
}

Result<texture::TextureOutput> TexturesAhead::finish(avatar::Avatar avatar, const texture::TextureOptions& options) {
    if (!output_.valid() || drawn_materials(avatar) != drawn_)
        return texture::process_textures(std::move(avatar), options);
    Result<texture::TextureOutput> output = output_.get();
    if (!output) return output;
    avatar.materials = std::move(output->avatar.materials);
    avatar.textures = std::move(output->avatar.textures);
    avatar.images = std::move(output->avatar.images);
    output->avatar = std::move(avatar);
    return output;
}

}  // namespace helixavatar::import
