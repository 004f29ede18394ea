// SPDX-License-Identifier: MIT
#include "texture/pack_patches.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace helixavatar::texture {
namespace {

/// Rectangles lie on whole compressed blocks, in a large picture also when a channel is stored at a quarter of the
/// size: a block of ETC1S holds one hue only.
constexpr int kBlock = 4;
int grid_for(Size size) {
    return std::max(size.width, size.height) >= kHalvableEdge ? kBlock << kMaxHalvings : kBlock;
}

/// The least share of the resolution that is kept for the sake of a smaller picture.
constexpr double kSpareShare = 0.85;
/// Core of a patch of one colour, pixels.
constexpr int kFlatCore = 4;

/// Bottom-left packing against a skyline; rectangles are never turned, for that would turn tangent space.
class Skyline {
public:
    explicit Skyline(Size size) : size_(size), segments_{{0, 0, size.width}} {}

    bool place(int width, int height, int& x, int& y) {
        std::size_t best = segments_.size();
        int best_y = size_.height;
        for (std::size_t i = 0; i < segments_.size(); ++i) {
            const int at = height_over(i, width);
            if (at < 0 || at + height > size_.height || at >= best_y) continue;
            best = i;
            best_y = at;
        }
        if (best == segments_.size()) return false;
        x = segments_[best].x;
        y = best_y;
        raise(best, width, best_y + height);
        return true;
    }

private:
    struct Segment {
        int x, y, width;
    };

    /// The lowest y at which a rectangle of that width fits from segment i on, or -1.
    int height_over(std::size_t i, int width) const {
        if (segments_[i].x + width > size_.width) return -1;
        int highest = 0;
        for (int left = width; left > 0; left -= segments_[i++].width) highest = std::max(highest, segments_[i].y);
        return highest;
    }

    void raise(std::size_t i, int width, int y) {
        const int x = segments_[i].x;
        int left = width;
        while (left > 0 && segments_[i].width <= left) {
            left -= segments_[i].width;
            segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(i));
        }
        if (left > 0) {
            segments_[i].x += left;
            segments_[i].width -= left;
        }
        segments_.insert(segments_.begin() + static_cast<std::ptrdiff_t>(i), {x, y, width});
    }

    Size size_;
    std::vector<Segment> segments_;
};

double density(const Patch& patch) {
    return std::sqrt(patch.texels_wide * patch.texels_high / std::max(patch.world_area, 1e-8));
}

/// The square root evens out only half of the differences: an eye may stay finer than a torso.
double scale_at(const Patch& patch, double density_limit) {
    return std::min(1.0, std::sqrt(density_limit / density(patch)));
}

void size_patch(Patch& patch, double scale, int padding, int grid) {
    const auto core = [&](double texels) {
        return patch.flat ? kFlatCore : std::max(2, static_cast<int>(std::lround(texels * scale)));
    };
    patch.core_width = core(patch.texels_wide);
    patch.core_height = core(patch.texels_high);
    const auto whole = [&](int pixels) { return (pixels + 2 * padding + grid - 1) / grid * grid; };
    patch.width = whole(patch.core_width);
    patch.height = whole(patch.core_height);
}

/// Eight pixels keep two mip levels clean; one-colour patches are read at the finest level anyway.
int padding_for(Size size) {
    return std::clamp(std::max(size.width, size.height) / 16, 4, 8);
}

/// How much resolution is kept.
struct Keep {
    double density = 0;  ///< pixels a metre beyond which patches are made smaller
    double share = 1;    ///< of what is left, for all alike

    double scale(const Patch& patch) const { return patch.flat ? 1 : share * scale_at(patch, density); }
};

bool try_pack(std::vector<Patch>& patches, const Keep& keep, Size size) {
    double area = 0;
    for (Patch& patch : patches) {
        size_patch(patch, keep.scale(patch), padding_for(size), grid_for(size));
        area += static_cast<double>(patch.width) * patch.height;
    }
    if (area > static_cast<double>(size.width) * size.height) return false;
    std::vector<std::size_t> order(patches.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return patches[a].height != patches[b].height ? patches[a].height > patches[b].height
                                                      : patches[a].width > patches[b].width;
    });
    Skyline skyline(size);
    return std::all_of(order.begin(), order.end(), [&](std::size_t i) {
        return skyline.place(patches[i].width, patches[i].height, patches[i].x, patches[i].y);
    });
}

/// The largest value between one that packs and one that does not, on a logarithmic scale; the patches are left packed
/// by it.
template <class MakeKeep>
Keep most_that_packs(std::vector<Patch>& patches, Size size, double packs, double fails, MakeKeep make) {
    for (int i = 0; i < 24; ++i) {
        const double middle = std::sqrt(packs * fails);
        (try_pack(patches, make(middle), size) ? packs : fails) = middle;
    }
    try_pack(patches, make(packs), size);
    return make(packs);
}

PackedSize described(const std::vector<Patch>& patches, const Keep& keep, Size size) {
    PackedSize out{size, padding_for(size), 1};
    for (const Patch& patch : patches) out.scale = std::min(out.scale, keep.scale(patch));
    return out;
}

}  // namespace

bool pack_patches(std::vector<Patch>& patches, int max_edge, PackedSize& out) {
    double finest = 1e-6;
    for (const Patch& patch : patches)
        if (!patch.flat) finest = std::max(finest, density(patch));
    const auto at_share = [&](double share) { return Keep{finest, share}; };
    const auto at_density = [](double limit) { return Keep{limit, 1}; };
    int cap = kBlock;
    while (cap * 2 <= max_edge) cap *= 2;
    for (int edge = kBlock; edge <= cap; edge *= 2)
        for (const Size size : {Size{edge, std::max(kBlock, edge / 2)}, Size{edge, edge}}) {
            if (try_pack(patches, at_share(1), size)) {
                out = described(patches, at_share(1), size);
                return true;
            }
            // In a large picture a little resolution goes where that halves it.
            if (edge < kHalvableEdge || !try_pack(patches, at_share(kSpareShare), size)) continue;
            out = described(patches, most_that_packs(patches, size, kSpareShare, 1, at_share), size);
            return true;
        }
    const Size size{cap, cap};
    const double coarsest = 1e-9 * finest;
    if (!try_pack(patches, at_density(coarsest), size)) return false;
    out = described(patches, most_that_packs(patches, size, coarsest, finest, at_density), size);
    return true;
}

}  // namespace helixavatar::texture
