// SPDX-License-Identifier: MIT
#include "support/surface_nets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <helixavatar/base/parallel.hpp>

namespace helixavatar::test {
namespace {

constexpr int kBlock = 8;

/// Where an axis is finer than the rest.
struct Fine {
    float from, to, factor;
};

std::vector<float> ticks(float from, float to, float cell, const std::vector<Fine>& fine) {
    std::vector<float> out{from};
    while (out.back() < to || out.size() % kBlock != 1) {
        float step = cell;
        for (const Fine& range : fine)
            if (out.back() >= range.from && out.back() < range.to) step = cell * range.factor;
        out.push_back(out.back() + step);
    }
    return out;
}

class Nets {
public:
    Nets(const Field& field, float cell) : field_(field) {
        // The first two planes lie on both sides of X = 0, so that the vertices between them are on it.
        const float first = 0.25f * cell;
        axis_[0] = ticks(first, field.bounds().max().x(), cell, {{0.0f, 0.09f, 0.5f}, {0.44f, 0.60f, 0.65f}});
        axis_[0].insert(axis_[0].begin(), -first);
        while (axis_[0].size() % kBlock != 1) axis_[0].push_back(axis_[0].back() + cell);
        axis_[1] = ticks(field.bounds().min().y(), field.bounds().max().y(), cell,
                         {{0.86f, 1.06f, 0.65f}, {1.57f, 1.715f, 0.5f}});
        axis_[2] = ticks(field.bounds().min().z(), field.bounds().max().z(), cell,
                         {{0.065f, 0.14f, 0.7f}, {0.14f, 0.29f, 0.65f}});
        for (int c = 0; c < 3; ++c) {
            count_[c] = static_cast<int>(axis_[c].size());
            blocks_[c] = (count_[c] - 1) / kBlock;
        }
        samples_.assign(static_cast<std::size_t>(count_[0]) * count_[1] * count_[2],
                        std::numeric_limits<float>::quiet_NaN());
    }

    HalfShell run() {
        sample_near_surface();
        place_vertices();
        connect();
        settle();
        return std::move(shell_);
    }

private:
    std::size_t at(int x, int y, int z) const { return (static_cast<std::size_t>(z) * count_[1] + y) * count_[0] + x; }
    Vec3f point(int x, int y, int z) const { return {axis_[0][x], axis_[1][y], axis_[2][z]}; }

    /// Only blocks that the surface may cross are sampled; each layer of blocks by itself, so that threads never meet.
    void sample_near_surface() {
        std::vector<std::vector<std::array<int, 3>>> found(blocks_[2]);
        parallel_for(static_cast<std::size_t>(blocks_[2]), [&](std::size_t layer) {
            const int bz = static_cast<int>(layer);
            for (int by = 0; by < blocks_[1]; ++by)
                for (int bx = 0; bx < blocks_[0]; ++bx) {
                    const Vec3f low = point(bx * kBlock, by * kBlock, bz * kBlock);
                    const Vec3f high = point((bx + 1) * kBlock, (by + 1) * kBlock, (bz + 1) * kBlock);
                    // Lofts understate distance where they taper: twice the half diagonal is on the safe side.
                    if (std::abs(field_.distance(0.5f * (low + high))) < (high - low).norm())
                        found[layer].push_back({bx, by, bz});
                }
        });
        for (auto& layer : found) active_.insert(active_.end(), layer.begin(), layer.end());
        // A corner plane shared by two layers would be written twice: even layers first, then odd ones.
        for (int parity = 0; parity < 2; ++parity)
            parallel_for(found.size(), [&](std::size_t layer) {
                if (static_cast<int>(layer % 2) != parity) return;
                for (const auto& block : found[layer]) sample_block(block);
            });
    }

    void sample_block(const std::array<int, 3>& block) {
        for (int z = block[2] * kBlock; z <= (block[2] + 1) * kBlock; ++z)
            for (int y = block[1] * kBlock; y <= (block[1] + 1) * kBlock; ++y)
                for (int x = block[0] * kBlock; x <= (block[0] + 1) * kBlock; ++x) {
                    float& sample = samples_[at(x, y, z)];
                    if (std::isnan(sample)) sample = field_.distance(point(x, y, z));
                }
    }

    void place_vertices() {
        vertex_.assign(samples_.size(), -1);
        for (const auto& block : active_)
            for (int z = block[2] * kBlock; z < (block[2] + 1) * kBlock; ++z)
                for (int y = block[1] * kBlock; y < (block[1] + 1) * kBlock; ++y)
                    for (int x = block[0] * kBlock; x < (block[0] + 1) * kBlock; ++x) place_vertex(x, y, z);
    }

    /// The mean of the places where the surface crosses the cell's edges.
    void place_vertex(int x, int y, int z) {
        std::array<float, 8> corner{};
        int inside = 0;
        for (int c = 0; c < 8; ++c) {
            corner[c] = samples_[at(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2))];
            inside += corner[c] < 0;
        }
        if (inside == 0 || inside == 8) return;
        Vec3f sum = Vec3f::Zero();
        int crossings = 0;
        for (int a = 0; a < 8; ++a)
            for (int bit = 1; bit < 8; bit <<= 1) {
                const int b = a | bit;
                if (b == a || (corner[a] < 0) == (corner[b] < 0)) continue;
                const float t = corner[a] / (corner[a] - corner[b]);
                const Vec3f pa = point(x + (a & 1), y + (a >> 1 & 1), z + (a >> 2));
                const Vec3f pb = point(x + (b & 1), y + (b >> 1 & 1), z + (b >> 2));
                sum += pa + t * (pb - pa);
                ++crossings;
            }
        Vec3f p = sum / static_cast<float>(crossings);
        if (x == 0) p.x() = 0;
        vertex_[at(x, y, z)] = static_cast<int>(shell_.positions.size());
        shell_.positions.push_back(p);
    }

    void connect() {
        for (const auto& block : active_)
            for (int z = std::max(block[2] * kBlock, 1); z < (block[2] + 1) * kBlock; ++z)
                for (int y = std::max(block[1] * kBlock, 1); y < (block[1] + 1) * kBlock; ++y)
                    for (int x = std::max(block[0] * kBlock, 1); x < (block[0] + 1) * kBlock; ++x)
                        for (int c = 0; c < 3; ++c) connect_edge({x, y, z}, c);
    }

    /// Two triangles across the grid edge that leaves `from` along axis c, when the surface crosses it.
    void connect_edge(const std::array<int, 3>& from, int c) {
        std::array<int, 3> to = from;
        ++to[c];
        const float a = samples_[at(from[0], from[1], from[2])];
        const float b = samples_[at(to[0], to[1], to[2])];
        if ((a < 0) == (b < 0)) return;
        const int u = (c + 1) % 3;
        const int v = (c + 2) % 3;
        std::array<std::uint32_t, 4> quad{};
        const std::array<std::array<int, 2>, 4> around = {{{-1, -1}, {0, -1}, {0, 0}, {-1, 0}}};
        for (int i = 0; i < 4; ++i) {
            std::array<int, 3> cell = from;
            cell[u] += around[i][0];
            cell[v] += around[i][1];
            const int vertex = vertex_[at(cell[0], cell[1], cell[2])];
            if (vertex < 0) return;
            quad[i] = static_cast<std::uint32_t>(vertex);
        }
        if (a >= 0) std::swap(quad[1], quad[3]);  // the outside is where the field is positive
        const auto& p = shell_.positions;
        const bool other = (p[quad[1]] - p[quad[3]]).squaredNorm() < (p[quad[0]] - p[quad[2]]).squaredNorm();
        for (const int i : other ? std::array{0, 1, 3, 1, 2, 3} : std::array{0, 1, 2, 0, 2, 3})
            shell_.triangles.push_back(quad[i]);
    }

    /// Evens the vertices out along the surface and moves them onto it.
    void settle() {
        const std::size_t count = shell_.positions.size();
        std::vector<Vec3f> sum(count);
        std::vector<float> weight(count);
        for (int round = 0; round < 3; ++round) {
            std::fill(sum.begin(), sum.end(), Vec3f::Zero());
            std::fill(weight.begin(), weight.end(), 0.0f);
            for (std::size_t i = 0; i < shell_.triangles.size(); i += 3)
                for (int k = 0; k < 3; ++k) {
                    const std::uint32_t here = shell_.triangles[i + k];
                    for (int other = 1; other < 3; ++other)
                        sum[here] += shell_.positions[shell_.triangles[i + (k + other) % 3]];
                    weight[here] += 2;
                }
            const float pull = round < 2 ? 0.4f : 0.0f;
            parallel_for((count + 4095) / 4096, [&](std::size_t chunk) {
                for (std::size_t i = chunk * 4096; i < std::min(count, (chunk + 1) * 4096); ++i) {
                    Vec3f p = shell_.positions[i];
                    const bool middle = p.x() == 0;
                    if (weight[i] > 0 && pull > 0) {
                        const Vec3f n = field_.normal(p, 0.0005f);
                        Vec3f move = pull * (sum[i] / weight[i] - p);
                        move -= n.dot(move) * n;
                        p += move;
                    }
                    const float d = field_.distance(p);
                    if (std::abs(d) < 0.01f) p -= 0.9f * d * field_.normal(p, 0.0003f);
                    p.x() = middle ? 0 : std::max(p.x(), 1e-5f);
                    shell_.positions[i] = p;
                }
            });
        }
    }

    const Field& field_;
    std::array<std::vector<float>, 3> axis_;
    std::array<int, 3> count_{};
    std::array<int, 3> blocks_{};
    std::vector<float> samples_;
    std::vector<std::array<int, 3>> active_;
    std::vector<int> vertex_;  ///< of the cell whose lowest corner is there
    HalfShell shell_;
};

}  // namespace

HalfShell polygonise(const Field& field, float cell) {
    return Nets(field, cell).run();
}

}  // namespace helixavatar::test
