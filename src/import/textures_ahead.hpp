// SPDX-License-Identifier: MIT
// Textures in work while the body is conformed and its levels are made: neither needs the other.
#pragma once

#include <future>
#include <set>

#include <helixavatar/texture/process.hpp>

namespace helixavatar::import {

/// Materials that the surfaces of an avatar have.
std::set<int> drawn_materials(const avatar::Avatar& avatar);

class TexturesAhead {
public:
    /// Starts process_textures() on another thread, where there is a core for it, on what the avatar looks like now
    /// with its equal materials merged, when it is drawn in these materials. Does nothing when it was started already.
    void start(const avatar::Avatar& avatar, const std::set<int>& drawn, const texture::TextureOptions& options);

    /// What process_textures() gives for this avatar: that of start(), or made here and now when nothing was started or
    /// the avatar came to look otherwise.
    Result<texture::TextureOutput> finish(avatar::Avatar avatar, const texture::TextureOptions& options);

private:
    avatar::Avatar started_;  ///< what start() worked on, without its images
    std::future<Result<texture::TextureOutput>> output_;
};

}  // namespace helixavatar::import
