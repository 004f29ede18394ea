// SPDX-License-Identifier: MIT
#include "relax.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>

namespace helixavatar::conform {

namespace {

// A little inside 0.8 and 1.25, so that rounding and the rounds left open do not decide.
constexpr double kShortest = 0.83, kLongest = 1.2;
constexpr int kRounds = 40;
// Metres. Where the source was skinned into its pose its folds come out by being pulled long again: only so little is
// let go that a body from another pose stays the same body (conform.md §1.2 allows it 3 mm).
constexpr double kFarthest = 0.002;
// Metres, and shares of the way to the neighbours' mean: a coarsely bound armpit is creased by about a finger's width.
constexpr double kUnfoldFarthest = 0.02, kUnfoldStep = 0.25;
constexpr int kUnfoldRounds = 60;

using Key = std::array<std::uint32_t, 6>;

Key place_of(const Vec3f& before, const Vec3f& after) {
    const Vec3f a = before + Vec3f::Zero(), b = after + Vec3f::Zero();  // -0 and 0 are one place
    Key key;
    std::memcpy(key.data(), a.data(), 3 * sizeof(float));
    std::memcpy(key.data() + 3, b.data(), 3 * sizeof(float));
    return key;
}

bool held_by_several(const avatar::Influences& influences, const std::vector<Follow>& follow) {
    int only = -1;
    for (const avatar::Influence& influence : influences) {
        if (influence.weight <= 0) continue;
        const int joint = follow[influence.joint].joint;
        if (only >= 0 && joint != only) return true;
        only = joint;
    }
    return false;
}

struct Edge {
    std::uint32_t a, b;
    double length;
    bool operator<(const Edge& other) const { return a != other.a ? a < other.a : b < other.b; }
    bool operator==(const Edge& other) const { return a == other.a && b == other.b; }
};

class Net {
public:
    Net(avatar::Level& level, const std::vector<std::vector<Vec3f>>& before, const VertexTurns& turns,
        const RigidParts& parts, const std::vector<Follow>& follow)
        : level_(level) {
        std::map<Key, std::uint32_t> at;
        for (std::size_t s = 0; s < level.surfaces.size(); ++s) {
            const avatar::Surface& surface = level.surfaces[s];
            knot_.emplace_back();
            for (std::size_t v = 0; v < surface.positions.size(); ++v) {
                const auto [found, fresh] = at.emplace(place_of(before[s][v], surface.positions[v]),
                                                       static_cast<std::uint32_t>(position_.size()));
                if (fresh) {
                    position_.push_back(surface.positions[v].cast<double>());
                    free_.push_back(1);
                    source_.push_back(before[s][v].cast<double>());
                    turn_.push_back(turns[s][v]);
                }
                if (parts.part[s][v] >= 0 || !held_by_several(surface.influences[v], follow)) free_[found->second] = 0;
                knot_[s].push_back(found->second);
            }
        }
        for (std::size_t s = 0; s < level.surfaces.size(); ++s)
            for (const auto* triangles : {&level.surfaces[s].body, &level.surfaces[s].face})
                for (std::size_t i = 0; i + 2 < triangles->size(); i += 3)
                    add_triangle(
                        {knot_[s][(*triangles)[i]], knot_[s][(*triangles)[i + 1]], knot_[s][(*triangles)[i + 2]]});
        std::sort(edges_.begin(), edges_.end());
        edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    }

    void run() {
        posed_ = position_;
        for (int round = 0; round < kRounds; ++round)
            if (!once()) break;
        while (put_back_folded()) {
        }
        unfold();
        for (std::size_t s = 0; s < knot_.size(); ++s)
            for (std::size_t v = 0; v < knot_[s].size(); ++v)
                if (free_[knot_[s][v]]) level_.surfaces[s].positions[v] = position_[knot_[s][v]].cast<float>();
    }

private:
    using Triangle = std::array<std::uint32_t, 3>;

    void add_triangle(const Triangle& triangle) {
        for (std::size_t k = 0; k < 3; ++k) add_edge(triangle[k], triangle[(k + 1) % 3]);
        if (free_[triangle[0]] || free_[triangle[1]] || free_[triangle[2]]) triangles_.push_back(triangle);
    }

    static Vec3 normal(const Triangle& t, const std::vector<Vec3>& at) {
        return (at[t[1]] - at[t[0]]).cross(at[t[2]] - at[t[0]]);
    }

    /// No triangle may turn over by being let go: its corners go back, and with them what that folds. Each knot goes
    /// back once at most, so this ends.
    bool put_back_folded() {
        bool any = false;
        for (const Triangle& triangle : triangles_) {
            if (normal(triangle, position_).dot(normal(triangle, posed_)) >= 0) continue;
            for (const std::uint32_t knot : triangle) {
                any = any || position_[knot] != posed_[knot];
                position_[knot] = posed_[knot];
            }
        }
        return any;
    }

    /// Whether re-posing turned a triangle over, measured as the receipt does.
    bool turned_over(const Triangle& t) const {
        const Vec3 was = normal(t, source_);
        return normal(t, position_).dot(turn_[t[0]] * was + turn_[t[1]] * was + turn_[t[2]] * was) < 0;
    }

    std::vector<const Triangle*> all_turned_over() const {
        std::vector<const Triangle*> found;
        for (const Triangle& triangle : triangles_)
            if (turned_over(triangle)) found.push_back(&triangle);
        return found;
    }

    /// Smooths around triangles that are turned over. Kept when fewer are left; what is far from them never moves.
    void unfold() {
        std::size_t least = all_turned_over().size();
        if (least == 0) return;
        std::vector<std::vector<std::uint32_t>> neighbours(position_.size());
        for (const Edge& edge : edges_) {
            neighbours[edge.a].push_back(edge.b);
            neighbours[edge.b].push_back(edge.a);
        }
        const std::vector<Vec3> relaxed = position_;
        std::vector<Vec3> best = position_;
        for (int round = 0; round < kUnfoldRounds && least > 0; ++round) {
            std::vector<std::uint32_t> moved;
            for (const Triangle* triangle : all_turned_over())
                moved.insert(moved.end(), triangle->begin(), triangle->end());
            std::sort(moved.begin(), moved.end());
            moved.erase(std::unique(moved.begin(), moved.end()), moved.end());
            const std::vector<Vec3> from = position_;
            for (const std::uint32_t knot : moved) {
                if (!free_[knot] || neighbours[knot].empty()) continue;
                Vec3 mean = Vec3::Zero();
                for (const std::uint32_t other : neighbours[knot]) mean += from[other];
                mean /= static_cast<double>(neighbours[knot].size());
                Vec3 off = from[knot] + kUnfoldStep * (mean - from[knot]) - relaxed[knot];
                if (off.norm() > kUnfoldFarthest) off *= kUnfoldFarthest / off.norm();
                position_[knot] = relaxed[knot] + off;
            }
            const std::size_t left = all_turned_over().size();
            if (left >= least) continue;
            least = left;
            best = position_;
        }
        position_ = std::move(best);
    }

    void add_edge(std::uint32_t a, std::uint32_t b) {
        if (a == b || (!free_[a] && !free_[b])) return;
        const double length = (source_[a] - source_[b]).norm();
        if (length > 0) edges_.push_back({std::min(a, b), std::max(a, b), length});
    }

    /// Every edge asks its ends for half of what it lacks; a knot does the mean of what it is asked, so that the order
    /// of vertices and the split into meshes change nothing.
    bool once() {
        bool any = false;
        std::vector<Vec3> asked(position_.size(), Vec3::Zero());
        std::vector<double> askers(position_.size(), 0);
        for (const Edge& edge : edges_) {
            const Vec3 along = position_[edge.b] - position_[edge.a];
            const double now = along.norm();
            const double wanted = std::clamp(now, kShortest * edge.length, kLongest * edge.length);
            if (now == wanted || !(now > 0)) continue;
            any = true;
            const Vec3 pull = (now - wanted) / (free_[edge.a] + free_[edge.b]) / now * along;
            asked[edge.a] += pull;
            asked[edge.b] -= pull;
            askers[edge.a] += 1;
            askers[edge.b] += 1;
        }
        for (std::size_t knot = 0; knot < position_.size(); ++knot) {
            if (!free_[knot] || askers[knot] == 0) continue;
            Vec3 off = position_[knot] + asked[knot] / askers[knot] - posed_[knot];
            if (off.norm() > kFarthest) off *= kFarthest / off.norm();
            position_[knot] = posed_[knot] + off;
        }
        return any;
    }

    avatar::Level& level_;
    std::vector<std::vector<std::uint32_t>> knot_;  ///< of each surface's vertices
    std::vector<Vec3> position_, posed_, source_;   ///< of each knot
    std::vector<Quat> turn_;
    std::vector<char> free_;
    std::vector<Edge> edges_;
    std::vector<Triangle> triangles_;
};

}  // namespace

void relax(avatar::Level& level, const std::vector<std::vector<Vec3f>>& before, const VertexTurns& turns,
           const RigidParts& parts, const std::vector<Follow>& follow) {
    Net(level, before, turns, parts, follow).run();
}

}  // namespace helixavatar::conform
