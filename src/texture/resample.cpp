// SPDX-License-Identifier: MIT
#include "texture/resample.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

#include <helixavatar/texture/pixel_statistics.hpp>

namespace helixavatar::texture {
namespace {

using Row = std::vector<Vec4f>;

/// Keeps the colour of transparent texels alive: their weight in an average is this instead of nothing.
constexpr float kHiddenWeight = 1.0F / 1024;

const std::array<float, 256>& linear_of_srgb() {
    static const std::array<float, 256> table = [] {
        std::array<float, 256> values{};
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double s = static_cast<double>(i) / 255;
            values[i] = static_cast<float>(s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4));
        }
        return values;
    }();
    return table;
}

/// Fine enough that every 8-bit code comes back as itself: the steepest part of the curve has 20 entries a code.
constexpr int kLinearSteps = 65535;

const std::vector<std::uint8_t>& srgb_of_linear() {
    static const std::vector<std::uint8_t> table = [] {
        std::vector<std::uint8_t> values(kLinearSteps + 1);
        for (int i = 0; i <= kLinearSteps; ++i) {
            const double l = static_cast<double>(i) / kLinearSteps;
            const double s = l <= 0.0031308 ? l * 12.92 : 1.055 * std::pow(l, 1 / 2.4) - 0.055;
            values[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(std::lround(s * 255));
        }
        return values;
    }();
    return table;
}

std::uint8_t to_byte(float value) {
    return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0F, 1.0F) * 255));
}

Vec4f load(const std::uint8_t* p, Content content) {
    constexpr float k = 1.0F / 255;
    if (content == Content::data) return {p[0] * k, p[1] * k, p[2] * k, p[3] * k};
    if (content == Content::normal) return {p[0] * 2 * k - 1, p[1] * 2 * k - 1, p[2] * 2 * k - 1, p[3] * k};
    const auto& table = linear_of_srgb();
    const float weight = p[3] * k * (1 - kHiddenWeight) + kHiddenWeight;
    return {table[p[0]] * weight, table[p[1]] * weight, table[p[2]] * weight, weight};
}

void store(const Vec4f& value, Content content, std::uint8_t* p) {
    if (content == Content::data) {
        for (int c = 0; c < 4; ++c) p[c] = to_byte(value[c]);
        return;
    }
    if (content == Content::normal) {
        const Vec3f v = value.head<3>();
        const float length = v.norm();
        const Vec3f unit = length > 1e-6F ? Vec3f(v / length) : Vec3f(0, 0, 1);
        for (int c = 0; c < 3; ++c) p[c] = to_byte(unit[c] * 0.5F + 0.5F);
        p[3] = to_byte(value[3]);
        return;
    }
    const auto& table = srgb_of_linear();
    const float weight = std::max(value[3], kHiddenWeight / 4);
    for (int c = 0; c < 3; ++c) {
        const float light = std::clamp(value[c] / weight, 0.0F, 1.0F);
        p[c] = table[static_cast<std::size_t>(std::lround(light * kLinearSteps))];
    }
    p[3] = to_byte((value[3] - kHiddenWeight) / (1 - kHiddenWeight));
}

float catmull_rom(double x) {
    x = std::abs(x);
    if (x < 1) return static_cast<float>((1.5 * x - 2.5) * x * x + 1);
    if (x < 2) return static_cast<float>(((-0.5 * x + 2.5) * x - 4) * x + 2);
    return 0;
}

int wrapped(long long index, int size, Wrap wrap) {
    if (wrap == Wrap::clamp) return static_cast<int>(std::clamp<long long>(index, 0, size - 1));
    const long long period = wrap == Wrap::mirror ? 2LL * size : size;
    long long at = index % period;
    if (at < 0) at += period;
    return static_cast<int>(at < size ? at : period - 1 - at);
}

/// The source texels that one output pixel is mixed from: weights[i] belongs to texel first + i, before wrapping.
struct Taps {
    long long first = 0;
    std::vector<float> weights;
};

std::vector<Taps> taps_along(double from, double to, int size, int count) {
    std::vector<Taps> all(static_cast<std::size_t>(count));
    const double step = (to - from) * size / count;
    const double widen = std::max(1.0, std::abs(step));
    for (int i = 0; i < count; ++i) {
        const double centre = from * size + (i + 0.5) * step - 0.5;
        Taps& taps = all[static_cast<std::size_t>(i)];
        taps.first = static_cast<long long>(std::ceil(centre - 2 * widen));
        const auto last = static_cast<long long>(std::floor(centre + 2 * widen));
        float sum = 0;
        for (long long x = taps.first; x <= last; ++x) {
            taps.weights.push_back(catmull_rom((static_cast<double>(x) - centre) / widen));
            sum += taps.weights.back();
        }
        for (float& weight : taps.weights) weight /= sum;
    }
    return all;
}

/// Source rows, filtered across, made when first asked for; the rows of one output row stay in the ring.
class FilteredRows {
public:
    FilteredRows(const Pixels& source, std::vector<Taps> across, Content content, Wrap wrap_u, Wrap wrap_v,
                 std::size_t ring)
        : source_(source),
          across_(std::move(across)),
          content_(content),
          wrap_u_(wrap_u),
          wrap_v_(wrap_v),
          rows_(ring),
          held_(ring, kNone),
          loaded_(static_cast<std::size_t>(source.width)) {}

    const Row& row(long long y) {
        const auto ring = static_cast<long long>(rows_.size());
        const auto slot = static_cast<std::size_t>(((y % ring) + ring) % ring);
        if (held_[slot] != y) {
            filter(wrapped(y, source_.height, wrap_v_), rows_[slot]);
            held_[slot] = y;
        }
        return rows_[slot];
    }

private:
    void filter(int y, Row& out) {
        const std::uint8_t* line = source_.rgba.data() + static_cast<std::size_t>(y) * source_.width * 4;
        for (int x = 0; x < source_.width; ++x) loaded_[static_cast<std::size_t>(x)] = load(line + x * 4, content_);
        out.assign(across_.size(), Vec4f::Zero());
        for (std::size_t i = 0; i < across_.size(); ++i) {
            const Taps& taps = across_[i];
            Vec4f sum = Vec4f::Zero();
            for (std::size_t t = 0; t < taps.weights.size(); ++t) {
                const int x = wrapped(taps.first + static_cast<long long>(t), source_.width, wrap_u_);
                sum += taps.weights[t] * loaded_[static_cast<std::size_t>(x)];
            }
            out[i] = sum;
        }
    }

    static constexpr long long kNone = std::numeric_limits<long long>::min();
    const Pixels& source_;
    std::vector<Taps> across_;
    Content content_;
    Wrap wrap_u_, wrap_v_;
    std::vector<Row> rows_;
    std::vector<long long> held_;
    Row loaded_;
};

/// The texel offset when the region's texels map one to one onto `count` pixels.
std::optional<long long> whole_offset(double from, double to, int size, int count) {
    const double start = from * size;
    const double rounded = std::round(start);
    if (std::abs(start - rounded) > 1e-6 || std::abs((to - from) * size - count) > 1e-6) return std::nullopt;
    return static_cast<long long>(rounded);
}

void copy_texels(const Pixels& source, long long x0, long long y0, Wrap wrap_u, Wrap wrap_v, Pixels& out) {
    for (int y = 0; y < out.height; ++y) {
        const auto line = static_cast<std::size_t>(wrapped(y0 + y, source.height, wrap_v)) * source.width;
        for (int x = 0; x < out.width; ++x) {
            const std::size_t from = (line + static_cast<std::size_t>(wrapped(x0 + x, source.width, wrap_u))) * 4;
            const std::size_t to = (static_cast<std::size_t>(y) * out.width + static_cast<std::size_t>(x)) * 4;
            std::copy_n(source.rgba.begin() + static_cast<std::ptrdiff_t>(from), 4,
                        out.rgba.begin() + static_cast<std::ptrdiff_t>(to));
        }
    }
}

}  // namespace

Content content_of(avatar::TextureRole role) {
    if (role == avatar::TextureRole::normal) return Content::normal;
    return avatar::is_srgb(role) ? Content::color : Content::data;
}

Pixels resample(const Pixels& source, const Region& region, int width, int height, Content content, Wrap wrap_u,
                Wrap wrap_v) {
    Pixels out;
    out.width = width;
    out.height = height;
    out.rgba.resize(static_cast<std::size_t>(width) * height * 4);
    const auto x0 = whole_offset(region.u0, region.u1, source.width, width);
    const auto y0 = whole_offset(region.v0, region.v1, source.height, height);
    if (x0 && y0) {
        copy_texels(source, *x0, *y0, wrap_u, wrap_v, out);
    } else {
        const std::vector<Taps> down = taps_along(region.v0, region.v1, source.height, height);
        std::size_t ring = 1;
        for (const Taps& taps : down) ring = std::max(ring, taps.weights.size());
        FilteredRows rows(source, taps_along(region.u0, region.u1, source.width, width), content, wrap_u, wrap_v, ring);
        Row sum(static_cast<std::size_t>(width));
        for (int y = 0; y < height; ++y) {
            const Taps& taps = down[static_cast<std::size_t>(y)];
            std::fill(sum.begin(), sum.end(), Vec4f::Zero());
            for (std::size_t t = 0; t < taps.weights.size(); ++t) {
                const Row& row = rows.row(taps.first + static_cast<long long>(t));
                for (std::size_t x = 0; x < sum.size(); ++x) sum[x] += taps.weights[t] * row[x];
            }
            std::uint8_t* line = out.rgba.data() + static_cast<std::size_t>(y) * width * 4;
            for (std::size_t x = 0; x < sum.size(); ++x) store(sum[x], content, line + x * 4);
        }
    }
    if (!source.has_alpha) drop_alpha(out);
    find_alpha(out);
    return out;
}

Size fitted_size(int width, int height, int max_edge) {
    const int cap = std::max(4, max_edge);
    const double scale = std::min(1.0, static_cast<double>(cap) / std::max(width, height));
    const auto edge = [&](int pixels) {
        int fitted = 4;
        // The nearest power of two by ratio: up from 2^n × √2.
        while (fitted * 2 <= cap && pixels * scale > fitted * 1.4142135623730951) fitted *= 2;
        return fitted;
    };
    return {edge(width), edge(height)};
}

bool is_uniform(const Pixels& pixels) {
    for (std::size_t i = 4; i < pixels.rgba.size(); ++i)
        if (pixels.rgba[i] != pixels.rgba[i - 4]) return false;
    return true;
}

void find_alpha(Pixels& pixels) {
    // A row at a time as whole words: most pictures have no alpha, and all of it has to be looked at to know.
    const std::size_t stride = std::max<std::size_t>(4, 4 * static_cast<std::size_t>(std::max(pixels.width, 0)));
    pixels.has_alpha = false;
    for (std::size_t row = 0; row + stride <= pixels.rgba.size() && !pixels.has_alpha; row += stride) {
        std::uint32_t all = 0xffffffff;
        for (std::size_t i = 0; i < stride; i += 4) {
            std::uint32_t pixel;
            std::memcpy(&pixel, pixels.rgba.data() + row + i, sizeof pixel);
            all &= pixel;
        }
        std::uint8_t channels[4];
        std::memcpy(channels, &all, sizeof channels);
        pixels.has_alpha = channels[3] != 255;
    }
}

void invert_green(Pixels& pixels) {
    for (std::size_t i = 1; i < pixels.rgba.size(); i += 4)
        pixels.rgba[i] = static_cast<std::uint8_t>(255 - pixels.rgba[i]);
}

void drop_alpha(Pixels& pixels) {
    for (std::size_t i = 3; i < pixels.rgba.size(); i += 4) pixels.rgba[i] = 255;
    pixels.has_alpha = false;
}

}  // namespace helixavatar::texture
