// SPDX-License-Identifier: MIT
// Textures in work while the levels are made: neither needs the other.
#pragma once

#include <future>
#include <set>

#include <helixavatar/texture/process.hpp>

namespace helixavatar::import {

class TexturesAhead {
public:
    /// Starts process_textures() on what the avatar looks like now, on another thread where there is a core for it.
    void start(const avatar::Avatar& avatar, const texture::TextureOptions& options);

    /// What process_textures() gives for this avatar: that of start(), unless a material is no longer drawn. Materials,
    /// textures and images must be as they were; nothing was started: they are processed here and now.
    Result<texture::TextureOutput> finish(avatar::Avatar avatar, const texture::TextureOptions& options);

private:
    std::set<int> drawn_;
    std::future<Result<texture::TextureOutput>> output_;
};

}  // namespace helixavatar::import
