// SPDX-License-Identifier: MIT
// Pictures, avatars and environments for the texture tests.
#pragma once

#include <array>
#include <functional>
#include <string>

#include <helixavatar/texture/process.hpp>

namespace pictures {

using helixavatar::Bytes;
using helixavatar::texture::Pixels;
using Rgba = std::array<int, 4>;

/// A PNG written chunk by chunk, samples not packed: any bit depth (8, 16) and colour type (2 RGB, 3 palette, 6 RGBA).
struct PngOptions {
    int bits = 8;
    int color_type = 6;
    std::vector<Rgba> palette;  ///< for colour type 3, whose pixels give the index as red
};
Bytes png(int width, int height, const std::function<Rgba(int x, int y)>& pixel, const PngOptions& options = {});

/// The normals of round bumps, as PNG; `up`: 1 as glTF has green, -1 as DirectX has it.
Bytes round_bumps(int edge, int up);

Bytes fixture(const std::string& name);  ///< from fixtures/texture

Rgba at(const Pixels& pixels, int x, int y);
double psnr(const Pixels& a, const Pixels& b);  ///< over RGB, decibels

/// An avatar of one triangle a material; add() makes materials with textures.
class Scene {
public:
    Scene() { avatar.levels.emplace_back(); }
    int image(Bytes bytes, std::string mime, std::string name = "picture");
    int texture(int image);
    /// A material with textures at the slot pointers, its surface under it.
    int material(const std::vector<std::pair<std::string, int>>& slots, helixavatar::avatar::Json json = {});
    helixavatar::avatar::Avatar avatar;
};

inline const std::string kBaseColor = "/pbrMetallicRoughness/baseColorTexture";
inline const std::string kMetallicRoughness = "/pbrMetallicRoughness/metallicRoughnessTexture";
inline const std::string kNormal = "/normalTexture";
inline const std::string kOcclusion = "/occlusionTexture";
inline const std::string kEmissive = "/emissiveTexture";

/// Sets an environment variable until it goes; a null value takes the variable away.
class ScopedVariable {
public:
    ScopedVariable(const char* name, const char* value);
    ~ScopedVariable();
    ScopedVariable(const ScopedVariable&) = delete;
    ScopedVariable& operator=(const ScopedVariable&) = delete;

private:
    std::string name_;
    std::optional<std::string> before_;
};

/// An executable shell script with that body.
std::filesystem::path script(const std::filesystem::path& folder, const std::string& name, const std::string& body);

/// The KTX2 encoder of this machine; empty, and said on standard output, when there is none.
std::filesystem::path encoder_or_skip();

}  // namespace pictures
