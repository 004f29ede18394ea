// SPDX-License-Identifier: MIT
#include "dynamics/shell.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace helixavatar::dynamics {
namespace {

const Vec3& place_of(const LevelMesh& level, std::size_t point) {
    return level.positions[static_cast<std::size_t>(level.vertices_of[point].front())];
}

/// Points by cells of a grid, for the nearest one.
class Grid {
public:
    explicit Grid(const LevelMesh& level) : level_(level) {
        for (std::size_t p = 0; p < level.vertices_of.size(); ++p)
            if (!level.neighbours[p].empty()) cells_[cell(place_of(level, p))].push_back(p);
    }

    /// Index of the nearest point, or -1 when none lies within kRings cells.
    int nearest(const Vec3& at) const {
        const Cell middle = cell(at);
        double best = std::numeric_limits<double>::infinity();
        int found = -1;
        for (int ring = 0; ring <= kRings; ++ring) {
            // What lies in a farther ring is at least that many cells away.
            if (found >= 0 && best < (ring - 1) * kCell) break;
            for (int x = -ring; x <= ring; ++x)
                for (int y = -ring; y <= ring; ++y)
                    for (int z = -ring; z <= ring; ++z) {
                        if (std::max({std::abs(x), std::abs(y), std::abs(z)}) != ring) continue;
                        const auto list = cells_.find({middle[0] + x, middle[1] + y, middle[2] + z});
                        if (list == cells_.end()) continue;
                        for (const std::size_t p : list->second) {
                            const double far = (place_of(level_, p) - at).norm();
                            if (far >= best) continue;
                            best = far;
                            found = static_cast<int>(p);
                        }
                    }
        }
        return found;
    }

private:
    static constexpr double kCell = 0.02;  // metres
    static constexpr int kRings = 4;
    using Cell = std::array<int, 3>;

    static Cell cell(const Vec3& p) {
        const auto index = [](double value) {
            return static_cast<int>(std::clamp(std::floor(value / kCell), -1e6, 1e6));
        };
        return {index(p.x()), index(p.y()), index(p.z())};
    }

    const LevelMesh& level_;
    std::map<Cell, std::vector<std::size_t>> cells_;
};

}  // namespace

std::vector<bool> shell_points(const LevelMesh& level, const LevelMesh& first, const Vec3& place) {
    int shell = -1;
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t p = 0; p < first.vertices_of.size(); ++p) {
        const double far = (place_of(first, p) - place).norm();
        if (far >= best || first.neighbours[p].empty()) continue;
        best = far;
        shell = first.piece[p];
    }
    std::vector<bool> in(level.vertices_of.size(), false);
    if (&level == &first) {
        for (std::size_t p = 0; p < in.size(); ++p) in[p] = level.piece[p] == shell;
        return in;
    }
    const Grid grid(first);
    std::map<int, std::pair<std::size_t, std::size_t>> votes;  // piece → points nearest to the shell, points
    for (std::size_t p = 0; p < in.size(); ++p) {
        auto& [near, all] = votes[level.piece[p]];
        ++all;
        const int nearest = grid.nearest(place_of(level, p));
        if (nearest >= 0 && first.piece[static_cast<std::size_t>(nearest)] == shell) ++near;
    }
    for (std::size_t p = 0; p < in.size(); ++p) {
        const auto& [near, all] = votes[level.piece[p]];
        in[p] = near * 2 > all;
    }
    return in;
}

}  // namespace helixavatar::dynamics
