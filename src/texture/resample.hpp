// SPDX-License-Identifier: MIT
// Filtered resizing and cropping of 8-bit images, aware of what the numbers mean.
#pragma once

#include <helixavatar/texture/process.hpp>

namespace helixavatar::texture {

/// What the channels mean, hence how they may be averaged.
enum class Content {
    color,   ///< sRGB-encoded colour: filtered as light, weighted by alpha
    normal,  ///< tangent-space vectors: filtered as vectors and brought back to unit length
    data     ///< independent linear channels
};

Content content_of(avatar::TextureRole role);

/// How the image goes on outside 0..1; the glTF wrap modes.
enum class Wrap { repeat, mirror, clamp };

/// A part of the image in UV units (0..1 across, v down the rows); may reach outside 0..1.
struct Region {
    double u0 = 0, v0 = 0, u1 = 1, v1 = 1;
};

/// The region as width × height pixels (Catmull-Rom, widened when shrinking). Texels that map one to one are copied as
/// they are. Requires a non-empty source and positive sizes.
Pixels resample(const Pixels& source, const Region& region, int width, int height, Content content,
                Wrap wrap_u = Wrap::repeat, Wrap wrap_v = Wrap::repeat);

/// The size that an image gets: longer edge at most max_edge with the shape kept, each edge to the nearest power of
/// two, 4 at least (a compressed block is 4 × 4). Requires positive sizes.
struct Size {
    int width = 0, height = 0;
    bool operator==(const Size&) const = default;
};
Size fitted_size(int width, int height, int max_edge);

/// True when all pixels are equal.
bool is_uniform(const Pixels& pixels);

/// Sets has_alpha by looking.
void find_alpha(Pixels& pixels);

/// Turns a normal map whose green points down (green_points_down()) the right way up.
void invert_green(Pixels& pixels);

/// Makes every pixel opaque.
void drop_alpha(Pixels& pixels);

/// Gives the colour of covered neighbours to the pixels that are not covered, so that filtering never mixes in a hidden
/// colour. `covered`: one flag a pixel. Alpha is filled too when `with_alpha`. Nothing is covered: nothing changes.
void fill_uncovered(Pixels& pixels, const std::vector<bool>& covered, bool with_alpha);

/// fill_uncovered() for the colours under fully transparent pixels.
void bleed_under_alpha(Pixels& pixels);

}  // namespace helixavatar::texture
