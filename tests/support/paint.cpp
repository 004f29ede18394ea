// SPDX-License-Identifier: MIT
#include "support/paint.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include <stb_image_write.h>

#include <helixavatar/base/parallel.hpp>

namespace helixavatar::test {
namespace {

constexpr std::uint32_t kNone = ~0u;

float cross2(const Vec2f& a, const Vec2f& b) {
    return a.x() * b.y() - a.y() * b.x();
}

struct Barycentric {
    float a = 0, b = 0, c = 0;
};

std::optional<Barycentric> inside(const std::array<Vec2f, 3>& corner, const Vec2f& at) {
    const float area = cross2(corner[1] - corner[0], corner[2] - corner[0]);
    if (std::abs(area) < 1e-12f) return std::nullopt;
    const float b = cross2(at - corner[0], corner[2] - corner[0]) / area;
    const float c = cross2(corner[1] - corner[0], at - corner[0]) / area;
    const float a = 1 - b - c;
    const float slack = -1e-4f;
    if (a < slack || b < slack || c < slack) return std::nullopt;
    return Barycentric{a, b, c};
}

/// Triangle under each texel's centre; the later triangle wins where two claim one.
std::vector<std::uint32_t> rasterise(const HumanoidBody& body, int size) {
    std::vector<std::uint32_t> owner(static_cast<std::size_t>(size) * size, kNone);
    for (std::size_t t = 0; t < body.triangles.size() / 3; ++t) {
        std::array<Vec2f, 3> corner;
        for (int k = 0; k < 3; ++k) corner[k] = body.uvs[body.triangles[3 * t + k]] * static_cast<float>(size);
        const Vec2f low = corner[0].cwiseMin(corner[1]).cwiseMin(corner[2]);
        const Vec2f high = corner[0].cwiseMax(corner[1]).cwiseMax(corner[2]);
        for (int y = std::max(0, static_cast<int>(low.y() - 0.5f));
             y <= std::min(size - 1, static_cast<int>(high.y() + 0.5f)); ++y)
            for (int x = std::max(0, static_cast<int>(low.x() - 0.5f));
                 x <= std::min(size - 1, static_cast<int>(high.x() + 0.5f)); ++x)
                if (inside(corner, {static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f}))
                    owner[static_cast<std::size_t>(y) * size + x] = static_cast<std::uint32_t>(t);
    }
    return owner;
}

struct Canvas {
    int size = 0;
    std::vector<std::uint32_t> owner;
    std::vector<Vec3f> color;
    std::vector<float> height;
};

void fill(Canvas& canvas, const HumanoidBody& body, const Field& field) {
    const int size = canvas.size;
    parallel_for(static_cast<std::size_t>(size), [&](std::size_t row) {
        for (int x = 0; x < size; ++x) {
            const std::size_t texel = row * size + x;
            const std::uint32_t t = canvas.owner[texel];
            if (t == kNone) continue;
            std::array<Vec2f, 3> corner;
            const std::uint32_t* v = &body.triangles[3 * t];
            for (int k = 0; k < 3; ++k) corner[k] = body.uvs[v[k]] * static_cast<float>(size);
            const auto w = inside(corner, {static_cast<float>(x) + 0.5f, static_cast<float>(row) + 0.5f});
            if (!w) continue;
            const auto blend = [&](const auto& list) {
                return (list[v[0]] * w->a + list[v[1]] * w->b + list[v[2]] * w->c);
            };
            const Vec3f p = blend(body.positions);
            const Vec3f n = blend(body.normals);
            const Appearance look = appearance(field, p, n.normalized(), blend(body.openness));
            canvas.color[texel] = look.color;
            canvas.height[texel] = look.height;
        }
    });
}

/// Grows the painted area outwards, so that filtering and mip maps find no border.
void pad(Canvas& canvas, int texels) {
    const int size = canvas.size;
    for (int round = 0; round < texels; ++round) {
        const std::vector<std::uint32_t> before = canvas.owner;
        parallel_for(static_cast<std::size_t>(size), [&](std::size_t row) {
            const int y = static_cast<int>(row);
            for (int x = 0; x < size; ++x) {
                const std::size_t texel = row * size + x;
                if (before[texel] != kNone) continue;
                for (const auto& [dx, dy] : {std::pair(-1, 0), std::pair(1, 0), std::pair(0, -1), std::pair(0, 1)}) {
                    const int nx = x + dx;
                    const int ny = y + dy;
                    if (nx < 0 || ny < 0 || nx >= size || ny >= size) continue;
                    const std::size_t from = static_cast<std::size_t>(ny) * size + nx;
                    if (before[from] == kNone) continue;
                    canvas.owner[texel] = before[from];
                    canvas.color[texel] = canvas.color[from];
                    canvas.height[texel] = canvas.height[from];
                    break;
                }
            }
        });
    }
}

std::uint8_t to_byte(float unit) {
    return static_cast<std::uint8_t>(std::lround(std::clamp(unit, 0.0f, 1.0f) * 255));
}

void write_texel(Bytes& rgb, std::size_t texel, const Vec3f& unit) {
    for (int c = 0; c < 3; ++c) rgb[3 * texel + c] = to_byte(unit[c]);
}

/// Normals of the relief, by its slope between neighbouring texels of one chart.
Bytes normal_map(const Canvas& canvas, const HumanoidBody& body) {
    const int size = canvas.size;
    Bytes rgb(canvas.color.size() * 3);
    parallel_for(static_cast<std::size_t>(size), [&](std::size_t row) {
        for (int x = 0; x < size; ++x) {
            const std::size_t texel = row * size + x;
            Vec3f n = Vec3f::UnitZ();
            if (canvas.owner[texel] != kNone) {
                const auto chart = [&](std::uint32_t t) { return body.charts[body.triangles[3 * t]]; };
                const std::uint16_t own = chart(canvas.owner[texel]);
                const float metres = 2 * body.chart_list[own].texel_metres / static_cast<float>(size);
                const auto height = [&](int tx, int ty) {
                    if (tx < 0 || ty < 0 || tx >= size || ty >= size) return canvas.height[texel];
                    const std::size_t other = static_cast<std::size_t>(ty) * size + tx;
                    const bool same = canvas.owner[other] != kNone && chart(canvas.owner[other]) == own;
                    return same ? canvas.height[other] : canvas.height[texel];
                };
                const int y = static_cast<int>(row);
                // Texture rows run down, the map's green points up.
                n = Vec3f((height(x - 1, y) - height(x + 1, y)) / metres,
                          (height(x, y + 1) - height(x, y - 1)) / metres, 1)
                        .normalized();
            }
            write_texel(rgb, texel, (0.5f * (n + Vec3f::Ones())).eval());
        }
    });
    return rgb;
}

}  // namespace

Bytes encode_png(const Bytes& rgb, int width, int height) {
    Bytes out;
    const auto append = [](void* context, void* data, int count) {
        auto& bytes = *static_cast<Bytes*>(context);
        const auto* from = static_cast<const std::uint8_t*>(data);
        bytes.insert(bytes.end(), from, from + count);
    };
    if (!stbi_write_png_to_func(append, &out, width, height, 3, rgb.data(), width * 3))
        throw std::runtime_error("PNG encoding failed");
    return out;
}

PaintedTextures paint(const HumanoidBody& body, const Field& field, int size) {
    if (size < 4 || size > 8192) throw std::invalid_argument("a texture edge is 4 to 8192 texels");
    Canvas canvas{size, rasterise(body, size), {}, {}};
    canvas.color.assign(canvas.owner.size(), Vec3f::Constant(0.5f));
    canvas.height.assign(canvas.owner.size(), 0.0f);
    fill(canvas, body, field);
    pad(canvas, std::max(2, size / 256));
    Bytes color(canvas.color.size() * 3);
    for (std::size_t i = 0; i < canvas.color.size(); ++i) write_texel(color, i, canvas.color[i]);
    return {encode_png(color, size, size), encode_png(normal_map(canvas, body), size, size)};
}

}  // namespace helixavatar::test
