// SPDX-License-Identifier: MIT
#include "texture/uv_patches.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace helixavatar::texture {
namespace {

/// A UV this far past a border is rounding, not a second tile.
constexpr double kBorderSlack = 1e-3;
/// UVs beyond this are stray (exporters write 1e38 for vertices without any).
constexpr double kStray = 4096;
/// More rectangles than this are not worth telling apart.
constexpr std::size_t kMaxPatches = 192;

struct Box {
    Vec2 low = Vec2::Constant(std::numeric_limits<double>::max());
    Vec2 high = Vec2::Constant(std::numeric_limits<double>::lowest());

    void add(const Vec2& p) {
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
    }
    void add(const Box& other) {
        low = low.cwiseMin(other.low);
        high = high.cwiseMax(other.high);
    }
};

template <class Visit>
void for_triangles(const avatar::Surface& surface, Visit visit) {
    for (const auto* list : {&surface.body, &surface.face})
        for (std::size_t i = 0; i + 2 < list->size(); i += 3) visit((*list)[i], (*list)[i + 1], (*list)[i + 2]);
}

std::uint32_t root_of(std::vector<std::uint32_t>& parent, std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

/// Vertices joined by triangles, by their first vertex.
std::vector<std::uint32_t> islands_of(const avatar::Surface& surface) {
    std::vector<std::uint32_t> parent(surface.positions.size());
    std::iota(parent.begin(), parent.end(), 0U);
    for_triangles(surface, [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        for (const std::uint32_t v : {b, c}) {
            const std::uint32_t x = root_of(parent, a), y = root_of(parent, v);
            parent[std::max(x, y)] = std::min(x, y);
        }
    });
    for (std::uint32_t v = 0; v < parent.size(); ++v) parent[v] = root_of(parent, v);
    return parent;
}

std::vector<bool> referenced(const avatar::Surface& surface) {
    std::vector<bool> used(surface.positions.size(), false);
    for_triangles(surface,
                  [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) { used[a] = used[b] = used[c] = true; });
    return used;
}

/// The whole number of tiles that brings `low` into 0..1; mirrored tiles only look the same two apart, clamped ones
/// never.
double tile_shift(double low, double high, Wrap wrap) {
    if (wrap == Wrap::clamp || (low >= -kBorderSlack && high <= 1 + kBorderSlack)) return 0;
    const double tile = std::floor(low + kBorderSlack);
    return wrap == Wrap::mirror ? 2 * std::floor(tile / 2) : tile;
}

/// The wrap mode that restricts shifting most, over the layers.
Wrap strictest(const MaterialLook& look, Wrap LayerTexture::*side) {
    Wrap found = Wrap::repeat;
    for (const LayerTexture& layer : look.layers)
        if (layer.image >= 0) found = std::max(found, layer.*side);
    return found;
}

/// UVs of a surface with every island shifted next to 0..1, or the reason against it.
std::string shift_islands(const MaterialLook& look, int max_repeats, SurfacePatches& map) {
    const avatar::Surface& surface = *map.surface;
    const auto set = static_cast<std::size_t>(look.uv_set());
    const std::vector<bool> used = referenced(surface);
    const std::vector<std::uint32_t> island = islands_of(surface);
    map.uv.assign(surface.positions.size(), Vec2::Zero());
    std::vector<Box> boxes(surface.positions.size());
    for (std::size_t v = 0; v < map.uv.size(); ++v) {
        if (!used[v] || set >= surface.uvs.size() || v >= surface.uvs[set].size()) continue;
        map.uv[v] = surface.uvs[set][v].cast<double>();
        if (!map.uv[v].allFinite() || map.uv[v].cwiseAbs().maxCoeff() > kStray) return "it has stray UV coordinates";
    }
    for (std::size_t v = 0; v < map.uv.size(); ++v)
        if (used[v]) boxes[island[v]].add(map.uv[v]);
    const Wrap wrap_u = strictest(look, &LayerTexture::wrap_u), wrap_v = strictest(look, &LayerTexture::wrap_v);
    for (std::size_t v = 0; v < map.uv.size(); ++v) {
        if (!used[v]) continue;
        const Box& box = boxes[island[v]];
        const Vec2 shift(tile_shift(box.low.x(), box.high.x(), wrap_u), tile_shift(box.low.y(), box.high.y(), wrap_v));
        map.uv[v] -= shift;
        const Vec2 low = box.low - shift, high = box.high - shift;
        const double repeats = std::max({high.x(), high.y(), -low.x(), -low.y(), 1.0}) - kBorderSlack;
        if (repeats > max_repeats)
            return "its texture repeats " + std::to_string(static_cast<long long>(std::ceil(repeats))) + " times";
    }
    return {};
}

/// Cells of UV space that triangles touch, and which of them hang together.
class CoverGrid {
public:
    CoverGrid(const Box& bounds, int cells) : low_(bounds.low), cells_(cells) {
        size_ = (bounds.high - bounds.low).cwiseMax(1e-9) * (1 + 1e-9);
        marks_.assign(static_cast<std::size_t>(cells + 1) * (cells + 1), 0);
    }

    /// Marks all cells of a box: corners of a difference table, summed later, so that a large triangle costs no more
    /// than a small one.
    void mark(const Box& box) {
        const auto [x0, y0] = cell(box.low);
        const auto [x1, y1] = cell(box.high);
        marks_[index(x0, y0)] += 1;
        marks_[index(x1 + 1, y0)] -= 1;
        marks_[index(x0, y1 + 1)] -= 1;
        marks_[index(x1 + 1, y1 + 1)] += 1;
    }

    /// Numbers the connected regions; returns how many there are.
    std::size_t label() {
        for (int y = 0; y <= cells_; ++y)
            for (int x = 1; x <= cells_; ++x) marks_[index(x, y)] += marks_[index(x - 1, y)];
        for (int y = 1; y <= cells_; ++y)
            for (int x = 0; x <= cells_; ++x) marks_[index(x, y)] += marks_[index(x, y - 1)];
        labels_.assign(marks_.size(), -1);
        std::size_t count = 0;
        std::vector<std::size_t> stack;
        for (int y = 0; y < cells_; ++y)
            for (int x = 0; x < cells_; ++x) {
                if (!open(index(x, y))) continue;
                stack.push_back(index(x, y));
                labels_[index(x, y)] = static_cast<int>(count);
                while (!stack.empty()) {
                    const std::size_t at = stack.back();
                    stack.pop_back();
                    const auto row = static_cast<std::size_t>(cells_ + 1);
                    // The extra row and column of the table hold no marks, so that no neighbour wraps around.
                    for (const std::size_t next : {at + 1, at - 1, at + row, at - row})
                        if (next < marks_.size() && open(next)) {
                            labels_[next] = static_cast<int>(count);
                            stack.push_back(next);
                        }
                }
                ++count;
            }
        return count;
    }

    int label_at(const Vec2& uv) const {
        const auto [x, y] = cell(uv);
        return labels_[index(x, y)];
    }

private:
    std::pair<int, int> cell(const Vec2& uv) const {
        const auto along = [&](double value, double low, double size) {
            return std::clamp(static_cast<int>((value - low) / size * cells_), 0, cells_ - 1);
        };
        return {along(uv.x(), low_.x(), size_.x()), along(uv.y(), low_.y(), size_.y())};
    }
    std::size_t index(int x, int y) const {
        return static_cast<std::size_t>(y) * (cells_ + 1) + static_cast<std::size_t>(x);
    }
    bool open(std::size_t at) const {
        const auto row = static_cast<std::size_t>(cells_ + 1);
        return at % row < row - 1 && at / row < row - 1 && marks_[at] > 0 && labels_[at] < 0;
    }

    Vec2 low_, size_;
    int cells_;
    std::vector<int> marks_, labels_;
};

struct Area {
    Box box;
    double world = 0;
};

/// Texels of the rectangle around a box, padding included.
double cost(const Box& box, Size reference, int padding) {
    const Vec2 size = box.high - box.low;
    return (size.x() * reference.width + 2 * padding) * (size.y() * reference.height + 2 * padding);
}

bool overlap(const Box& a, const Box& b) {
    return (a.low.array() <= b.high.array()).all() && (b.low.array() <= a.high.array()).all();
}

/// Joins areas while the joint rectangle is no larger than the two; `owner` follows (label → area).
void join_cheap(std::vector<Area>& areas, std::vector<int>& owner, Size reference, int padding) {
    for (bool joined = true; joined;) {
        joined = false;
        for (std::size_t a = 0; a < areas.size(); ++a)
            for (std::size_t b = a + 1; b < areas.size();) {
                Box both = areas[a].box;
                both.add(areas[b].box);
                const double apart = cost(areas[a].box, reference, padding) + cost(areas[b].box, reference, padding);
                if (!overlap(areas[a].box, areas[b].box) && cost(both, reference, padding) > apart) {
                    ++b;
                    continue;
                }
                areas[a].box = both;
                areas[a].world += areas[b].world;
                areas.erase(areas.begin() + static_cast<std::ptrdiff_t>(b));
                for (int& o : owner)
                    o = o == static_cast<int>(b) ? static_cast<int>(a) : o > static_cast<int>(b) ? o - 1 : o;
                joined = true;
            }
    }
}

template <class Visit>
void for_boxes(const std::vector<SurfacePatches>& maps, Visit visit) {
    for (const SurfacePatches& map : maps)
        for_triangles(*map.surface, [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
            Box box;
            for (const std::uint32_t v : {a, b, c}) box.add(map.uv[v]);
            visit(map, a, b, c, box);
        });
}

double world_area(const avatar::Surface& surface, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const Vec3f x = surface.positions[b] - surface.positions[a], y = surface.positions[c] - surface.positions[a];
    const double area = x.cast<double>().cross(y.cast<double>()).norm() / 2;
    return std::isfinite(area) ? area : 0;
}

Patch patch_of(const Area& area, std::size_t member, Size reference) {
    Patch patch;
    patch.member = member;
    const auto down = [](double uv, int size) { return std::floor(uv * size + 1e-6) / size; };
    const auto up = [](double uv, int size) { return std::ceil(uv * size - 1e-6) / size; };
    patch.uv = {down(area.box.low.x(), reference.width), down(area.box.low.y(), reference.height),
                up(area.box.high.x(), reference.width), up(area.box.high.y(), reference.height)};
    patch.uv.u1 = std::max(patch.uv.u1, patch.uv.u0 + 1.0 / reference.width);
    patch.uv.v1 = std::max(patch.uv.v1, patch.uv.v0 + 1.0 / reference.height);
    patch.texels_wide = (patch.uv.u1 - patch.uv.u0) * reference.width;
    patch.texels_high = (patch.uv.v1 - patch.uv.v0) * reference.height;
    patch.world_area = area.world;
    return patch;
}

void one_flat_patch(std::size_t member, std::vector<SurfacePatches>& found, std::vector<Patch>& patches) {
    Patch patch;
    patch.member = member;
    patch.flat = true;
    for (SurfacePatches& map : found) {
        map.uv.assign(map.surface->positions.size(), Vec2(0.5, 0.5));
        map.patch.assign(map.uv.size(), static_cast<int>(patches.size()));
    }
    patches.push_back(patch);
}

}  // namespace

std::string find_patches(const MaterialLook& look, std::size_t member, Size reference,
                         const std::vector<avatar::Surface*>& surfaces, const PatchLimits& limits,
                         std::vector<Patch>& patches, std::vector<SurfacePatches>& maps) {
    std::vector<SurfacePatches> found;
    for (avatar::Surface* surface : surfaces) found.push_back({surface, {}, {}});
    if (!look.textured()) {
        one_flat_patch(member, found, patches);
        std::move(found.begin(), found.end(), std::back_inserter(maps));
        return {};
    }
    Box all;
    for (SurfacePatches& map : found)
        if (std::string reason = shift_islands(look, limits.max_repeats, map); !reason.empty()) return reason;
    for_boxes(found, [&](const auto&, auto, auto, auto, const Box& box) { all.add(box); });
    if (all.low.x() > all.high.x()) return "it has no triangles";

    // From fine to coarse, until the islands that a cell apart tells apart are few enough.
    CoverGrid grid(all, 1);
    std::size_t labels = 0;
    for (int cells = 256; cells >= 1; cells /= 2) {
        grid = CoverGrid(all, cells);
        for_boxes(found, [&](const auto&, auto, auto, auto, const Box& box) { grid.mark(box); });
        labels = grid.label();
        if (labels <= kMaxPatches) break;
    }
    std::vector<Area> areas(labels);
    for_boxes(found, [&](const SurfacePatches& map, auto a, auto b, auto c, const Box& box) {
        Area& area = areas[static_cast<std::size_t>(grid.label_at(box.low))];
        area.box.add(box);
        area.world += world_area(*map.surface, a, b, c);
    });
    std::vector<int> owner(labels);
    std::iota(owner.begin(), owner.end(), 0);
    join_cheap(areas, owner, reference, limits.padding);

    const auto first = static_cast<int>(patches.size());
    for (SurfacePatches& map : found) map.patch.assign(map.uv.size(), -1);
    for (SurfacePatches& map : found)
        for_triangles(*map.surface, [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
            Box box;
            for (const std::uint32_t v : {a, b, c}) box.add(map.uv[v]);
            const int patch = first + owner[static_cast<std::size_t>(grid.label_at(box.low))];
            for (const std::uint32_t v : {a, b, c}) map.patch[v] = patch;
        });
    for (const Area& area : areas) patches.push_back(patch_of(area, member, reference));
    std::move(found.begin(), found.end(), std::back_inserter(maps));
    return {};
}

}  // namespace helixavatar::texture
