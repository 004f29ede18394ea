// SPDX-License-Identifier: MIT
// Textures of the person, computed from places on the figure: the same at every size and triangle count.
#pragma once

#include <helixavatar/base/bytes.hpp>

#include "support/body.hpp"

namespace helixavatar::test {

/// Look of one place.
struct Appearance {
    Vec3f color = Vec3f::Zero();  ///< sRGB, 0..1
    float height = 0;             ///< relief above the surface, metres
};

/// `p`, `normal`: place on the surface at rest; `openness` as in HumanoidBody.
Appearance appearance(const Field& field, const Vec3f& p, const Vec3f& normal, float openness);

struct PaintedTextures {
    Bytes base_color;  ///< PNG, RGB 8 bit
    Bytes normal;      ///< PNG, RGB 8 bit, tangent space, +Y up (glTF), unit vectors
};

/// `size`: edge in texels, 4 to 8192.
PaintedTextures paint(const HumanoidBody& body, const Field& field, int size);

Bytes encode_png(const Bytes& rgb, int width, int height);

}  // namespace helixavatar::test
