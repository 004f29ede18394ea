// SPDX-License-Identifier: MIT
#include <helixavatar/texture/pixel_statistics.hpp>

#include <algorithm>
#include <cmath>

#include "texture/resample.hpp"

namespace helixavatar::texture {
namespace {

constexpr int kGrid = 256;
/// Pixels; where the slopes of a map that hides them at full size are looked at.
constexpr int kSmallEdge = 128;
/// Less slope than this proves nothing: of the real characters' maps one that is nearly flat has 0.011.
constexpr double kLeastRelief = 0.02;

struct Grid {
    const Pixels& pixels;
    int columns, rows;

    explicit Grid(const Pixels& source)
        : pixels(source), columns(std::min(source.width, kGrid)), rows(std::min(source.height, kGrid)) {}

    const std::uint8_t* at(int column, int row) const {
        const std::size_t x = static_cast<std::size_t>(column) * pixels.width / columns;
        const std::size_t y = static_cast<std::size_t>(row) * pixels.height / rows;
        return pixels.rgba.data() + 4 * (y * pixels.width + x);
    }
};

bool is_background(const std::uint8_t* pixel) {
    return pixel[3] == 0 || (pixel[0] == 0 && pixel[1] == 0 && pixel[2] == 0);
}

Vec3 vector_of(const std::uint8_t* pixel) {
    return Vec3(pixel[0], pixel[1], pixel[2]) / 127.5 - Vec3::Ones();
}

void gather_colors(const Grid& grid, PixelStatistics& out) {
    std::size_t unit = 0, blue = 0, grey = 0, looked_at = 0;
    Vec3 squares = Vec3::Zero();
    for (int row = 0; row < grid.rows; ++row) {
        for (int column = 0; column < grid.columns; ++column) {
            const std::uint8_t* pixel = grid.at(column, row);
            ++looked_at;
            if (is_background(pixel)) continue;
            ++out.sampled;
            const Vec3 vector = vector_of(pixel);
            const double length = vector.norm();
            unit += length > 0.85 && length < 1.15 && vector.z() > 0;
            blue += pixel[2] >= pixel[0] && pixel[2] >= pixel[1];
            const auto [low, high] = std::minmax({pixel[0], pixel[1], pixel[2]});
            grey += high - low <= 8;
            out.mean += vector;
            squares += vector.cwiseAbs2();
        }
    }
    if (looked_at) out.background_share = 1 - static_cast<double>(out.sampled) / static_cast<double>(looked_at);
    if (!out.sampled) return;
    const double count = static_cast<double>(out.sampled);
    out.unit_share = static_cast<double>(unit) / count;
    out.blue_share = static_cast<double>(blue) / count;
    out.grey_share = static_cast<double>(grey) / count;
    out.mean /= count;
    const Vec3 variance = (squares / count - out.mean.cwiseAbs2()).cwiseMax(0);
    out.deviation = std::sqrt(variance.sum());
    out.blue_deviation = std::sqrt(variance.z());
}

/// Slopes of the height field that a normal belongs to, along columns and along rows (downward).
bool slopes(const std::uint8_t* pixel, double& along, double& down) {
    if (is_background(pixel)) return false;
    const Vec3 vector = vector_of(pixel);
    if (vector.z() < 0.2) return false;
    along = -vector.x() / vector.z();
    down = vector.y() / vector.z();  // +y is up in the image when green is as glTF has it, rows run down
    return true;
}

/// In a field of slopes of a real height, d(along)/d(down) equals d(down)/d(along): the sign of their correlation tells
/// whether green is the right way up. Neighbouring pixels are compared, so the grid samples full-resolution pairs.
void gather_curl(const Pixels& pixels, PixelStatistics& out) {
    if (pixels.width < 3 || pixels.height < 3) return;
    const int step_x = std::max(1, pixels.width / kGrid), step_y = std::max(1, pixels.height / kGrid);
    const auto at = [&](int x, int y) {
        return pixels.rgba.data() + 4 * (static_cast<std::size_t>(y) * pixels.width + x);
    };
    double product = 0, first = 0, second = 0;
    std::size_t count = 0;
    for (int y = 1; y + 1 < pixels.height; y += step_y) {
        for (int x = 1; x + 1 < pixels.width; x += step_x) {
            double up_p, up_q, low_p, low_q, left_p, left_q, right_p, right_q;
            if (!slopes(at(x, y - 1), up_p, up_q) || !slopes(at(x, y + 1), low_p, low_q) ||
                !slopes(at(x - 1, y), left_p, left_q) || !slopes(at(x + 1, y), right_p, right_q)) {
                continue;
            }
            const double a = low_p - up_p;
            const double b = right_q - left_q;
            product += a * b;
            first += a * a;
            second += b * b;
            ++count;
        }
    }
    if (count == 0 || first <= 0 || second <= 0) return;
    out.curl_agreement = product / std::sqrt(first * second);
    out.relief = std::sqrt((first + second) / (2 * static_cast<double>(count)));
}

}  // namespace

PixelStatistics pixel_statistics(const Pixels& pixels) {
    PixelStatistics out;
    const std::size_t needed = 4 * static_cast<std::size_t>(std::max(pixels.width, 0)) * std::max(pixels.height, 0);
    if (needed == 0 || pixels.rgba.size() < needed) return out;
    gather_colors(Grid(pixels), out);
    gather_curl(pixels, out);
    // A large smooth map changes by less than a code from pixel to pixel: its slopes show at a smaller size.
    const int edge = std::max(pixels.width, pixels.height);
    const bool undecided = out.relief < kLeastRelief || std::abs(out.curl_agreement) < -kGreenIsDown;
    if (edge > kSmallEdge && undecided && normal_look(out) == NormalLook::normal) {
        const auto scaled = [&](int pixel_count) { return std::max(3, pixel_count * kSmallEdge / edge); };
        gather_curl(resample(pixels, {}, scaled(pixels.width), scaled(pixels.height), Content::normal), out);
    }
    return out;
}

// The thresholds, from the maps of the real test characters: their normal maps have a unit share of 1.00, a blue share
// of 0.92 and more and a mean within 0.03 of straight up (in x and y); their colour maps a unit share of 0.21 at most.
NormalLook normal_look(const PixelStatistics& s) {
    if (s.sampled == 0) return NormalLook::empty;
    const double tilt = s.mean.head<2>().norm();
    if (s.grey_share > 0.9) return NormalLook::grey;
    if (s.mean.z() < -0.9 && s.blue_deviation < 0.05) return NormalLook::two_channel;
    if (s.unit_share >= 0.75 && s.blue_share >= 0.85 && tilt < 0.25 && s.mean.z() > 0.6) {
        return s.deviation < 0.02 ? NormalLook::flat_normal : NormalLook::normal;
    }
    // (0.5, 0.5, 1) turned into sRGB is (0.735, 0.735, 1).
    if (s.blue_share > 0.85 && s.mean.z() > 0.7 && std::abs(s.mean.x() - 0.47) < 0.12 &&
        std::abs(s.mean.y() - 0.47) < 0.12) {
        return NormalLook::encoded;
    }
    return NormalLook::other;
}

// Of the real characters' maps, those baked for glTF reach an agreement of 0.65 and 0.95; one that is nearly flat
// (relief 0.011) is left alone: so little slope proves nothing.
bool green_points_down(const PixelStatistics& s) {
    return normal_look(s) == NormalLook::normal && s.relief >= kLeastRelief && s.curl_agreement <= kGreenIsDown;
}

const char* describe(NormalLook look) {
    switch (look) {
        case NormalLook::normal:
            return "a tangent-space normal map";
        case NormalLook::flat_normal:
            return "a flat tangent-space normal map";
        case NormalLook::grey:
            return "a grey image, such as a height or bump map";
        case NormalLook::two_channel:
            return "a two-channel normal map whose blue is empty";
        case NormalLook::encoded:
            return "a normal map that was converted to sRGB";
        case NormalLook::empty:
            return "black or transparent everywhere";
        case NormalLook::other:
            return "a colour image";
    }
    return "a colour image";
}

}  // namespace helixavatar::texture
