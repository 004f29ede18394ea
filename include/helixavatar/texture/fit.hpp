// SPDX-License-Identifier: MIT
// Textures within a number of bytes: the largest edges and the best codecs that fit together.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <helixavatar/texture/process.hpp>

namespace helixavatar::texture {

struct Ladder;

/// What textures would cost, from their headers alone: no image is decoded or encoded.
class TextureForecast {
public:
    /// Requires options as process_textures() will get them.
    TextureForecast(const avatar::Avatar& avatar, const TextureOptions& options);
    ~TextureForecast();
    TextureForecast(const TextureForecast&) = delete;
    TextureForecast& operator=(const TextureForecast&) = delete;

    /// What has to be given up for all images to fit together: 0 nothing, 1 about the half of every base colour's edge;
    /// infinite when not even the smallest pictures fit.
    double loss_within(std::size_t bytes) const;

private:
    std::unique_ptr<std::vector<Ladder>> ladders_;
};

struct FittedTextures {
    TextureOutput output;
    std::vector<std::string> given_up;  ///< in words for the creator: "baseColor texture \"Skin\": 1024 pixels instead
                                        ///< of 2048"
    std::size_t bytes = 0;              ///< of all images together
    bool fits = true;                   ///< false: these are the smallest pictures, and still too large
};

/// As process_textures(), but all images together take at most `bytes`. Base colours get the better codec (UASTC) when
/// there is room. An image is encoded once at its largest promising edge; smaller ones are cut from its mip levels.
/// Errors: as process_textures().
Result<FittedTextures> fit_textures(avatar::Avatar avatar, const TextureOptions& options, std::size_t bytes);

}  // namespace helixavatar::texture
