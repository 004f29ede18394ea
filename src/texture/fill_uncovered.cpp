// SPDX-License-Identifier: MIT
// Push-pull filling: averages of covered pixels go up a pyramid, and come down into the holes.
#include <algorithm>
#include <cmath>

#include "texture/resample.hpp"

namespace helixavatar::texture {
namespace {

struct Layer {
    int width = 0, height = 0;
    std::vector<Vec4f> mean;    ///< of the covered pixels below
    std::vector<float> weight;  ///< 0: nothing below is covered

    std::size_t at(int x, int y) const { return static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x); }
};

Layer halved(const Layer& fine) {
    Layer coarse;
    coarse.width = (fine.width + 1) / 2;
    coarse.height = (fine.height + 1) / 2;
    coarse.mean.assign(static_cast<std::size_t>(coarse.width) * coarse.height, Vec4f::Zero());
    coarse.weight.assign(coarse.mean.size(), 0);
    for (int y = 0; y < fine.height; ++y)
        for (int x = 0; x < fine.width; ++x) {
            const float weight = fine.weight[fine.at(x, y)];
            if (weight <= 0) continue;
            coarse.mean[coarse.at(x / 2, y / 2)] += weight * fine.mean[fine.at(x, y)];
            coarse.weight[coarse.at(x / 2, y / 2)] += weight;
        }
    for (std::size_t i = 0; i < coarse.mean.size(); ++i) {
        if (coarse.weight[i] <= 0) continue;
        coarse.mean[i] /= coarse.weight[i];
        coarse.weight[i] = std::min(coarse.weight[i], 1.0F);
    }
    return coarse;
}

}  // namespace

void fill_uncovered(Pixels& pixels, const std::vector<bool>& covered, bool with_alpha) {
    if (std::find(covered.begin(), covered.end(), true) == covered.end()) return;
    Layer base;
    base.width = pixels.width;
    base.height = pixels.height;
    base.mean.resize(covered.size(), Vec4f::Zero());
    base.weight.resize(covered.size(), 0);
    for (std::size_t i = 0; i < covered.size(); ++i) {
        if (!covered[i]) continue;
        for (int c = 0; c < 4; ++c) base.mean[i][c] = pixels.rgba[i * 4 + static_cast<std::size_t>(c)];
        base.weight[i] = 1;
    }
    std::vector<Layer> pyramid{std::move(base)};
    while (pyramid.back().width > 1 || pyramid.back().height > 1) pyramid.push_back(halved(pyramid.back()));
    for (std::size_t level = pyramid.size() - 1; level-- > 0;) {
        Layer& fine = pyramid[level];
        const Layer& coarse = pyramid[level + 1];
        for (int y = 0; y < fine.height; ++y)
            for (int x = 0; x < fine.width; ++x)
                if (fine.weight[fine.at(x, y)] <= 0) fine.mean[fine.at(x, y)] = coarse.mean[coarse.at(x / 2, y / 2)];
    }
    for (std::size_t i = 0; i < covered.size(); ++i) {
        if (covered[i]) continue;
        for (int c = 0; c < (with_alpha ? 4 : 3); ++c)
            pixels.rgba[i * 4 + static_cast<std::size_t>(c)] =
                static_cast<std::uint8_t>(std::lround(std::clamp(pyramid.front().mean[i][c], 0.0F, 255.0F)));
    }
}

void bleed_under_alpha(Pixels& pixels) {
    if (!pixels.has_alpha) return;
    std::vector<bool> covered(pixels.rgba.size() / 4);
    for (std::size_t i = 0; i < covered.size(); ++i) covered[i] = pixels.rgba[i * 4 + 3] != 0;
    fill_uncovered(pixels, covered, false);
}

}  // namespace helixavatar::texture
