// SPDX-License-Identifier: MIT
// What an image's pixels say about whether it is a tangent-space normal map.
#pragma once

#include <helixavatar/base/geometry.hpp>
#include <helixavatar/texture/pixels.hpp>

namespace helixavatar::texture {

/// Over a grid of at most 256 x 256 pixels; transparent and pure black ones are background and left out.
/// A pixel is read as the vector 2 rgb − 1.
struct PixelStatistics {
    std::size_t sampled = 0;      ///< pixels that are no background
    double background_share = 0;  ///< of all pixels looked at
    double unit_share = 0;        ///< vectors of length 0.85 to 1.15 that point out of the surface (z > 0)
    double blue_share = 0;        ///< pixels whose blue is the largest channel
    double grey_share = 0;        ///< pixels whose channels differ by 8 of 255 at most
    Vec3 mean = Vec3::Zero();     ///< mean vector
    double deviation = 0;         ///< root mean square distance of the vectors from their mean
    double blue_deviation = 0;    ///< standard deviation of the z component
    /// Correlation of the two mixed derivatives of the height field that the map would belong to, −1 to 1; 0 where it
    /// is flat. A map whose green points up (as glTF has it) gives a positive value, one whose green points down a
    /// negative one.
    double curl_agreement = 0;
    double relief = 0;  ///< root mean square of those derivatives; no evidence when near 0
};

PixelStatistics pixel_statistics(const Pixels& pixels);

enum class NormalLook {
    normal,       ///< a tangent-space normal map
    flat_normal,  ///< one that says "no relief" everywhere
    grey,         ///< a grey or height image
    two_channel,  ///< x and y only, blue is empty
    encoded,      ///< a normal map that was converted to or saved as sRGB colours
    empty,        ///< nothing but background
    other
};

NormalLook normal_look(const PixelStatistics& statistics);

/// A map whose curl_agreement is at most this is built on a green that points down.
inline constexpr double kGreenIsDown = -0.4;

/// True when the slopes prove that a normal map has its green channel upside down (DirectX style).
bool green_points_down(const PixelStatistics& statistics);

const char* describe(NormalLook look);  ///< "a grey image, such as a height or bump map"

}  // namespace helixavatar::texture
