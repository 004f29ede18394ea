// SPDX-License-Identifier: MIT
#include <helixavatar/base/place_numbers.hpp>

#include "relax.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "neighbours.hpp"

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

using Numbers = PlaceNumbers<6>;

Numbers::Key place_of(const Vec3f& before, const Vec3f& after) {
    const auto a = place_bits(before), b = place_bits(after);
    return {a[0], a[1], a[2], b[0], b[1], b[2]};
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

class Net {
public:
    Net(avatar::Level& level, const std::vector<std::vector<Vec3f>>& before, const VertexTurns& turns,
        const RigidParts& parts, const std::vector<Follow>& follow)
        : level_(level) {
        std::size_t vertices = 0;
        for (const avatar::Surface& surface : level.surfaces) vertices += surface.positions.size();
        Numbers numbers(vertices);
        for (std::size_t s = 0; s < level.surfaces.size(); ++s) {
            const avatar::Surface& surface = level.surfaces[s];
            knot_.emplace_back();
            knot_[s].reserve(surface.positions.size());
            for (std::size_t v = 0; v < surface.positions.size(); ++v) {
                const std::uint32_t knot = numbers(place_of(before[s][v], surface.positions[v]));
                if (knot == position_.size()) {
                    position_.push_back(surface.positions[v].cast<double>());
                    free_.push_back(1);
                    source_.push_back(before[s][v].cast<double>());
                    turn_.push_back(turns[s][v]);
                }
                if (parts.part[s][v] >= 0 || !held_by_several(surface.influences[v], follow)) free_[knot] = 0;
                knot_[s].push_back(knot);
            }
        }
        for (std::size_t s = 0; s < level.surfaces.size(); ++s)
            for (const auto* triangles : {&level.surfaces[s].body, &level.surfaces[s].face})
                for (std::size_t i = 0; i + 2 < triangles->size(); i += 3)
                    add_triangle(
                        {knot_[s][(*triangles)[i]], knot_[s][(*triangles)[i + 1]], knot_[s][(*triangles)[i + 2]]});
        neighbours_ = find_neighbours(position_.size(), corners_);
    }

    void run() {
        posed_ = position_;
        stir_all();
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

    /// A triangle whose corners all stay is left out: what can move has its edges in the others.
    void add_triangle(const Triangle& triangle) {
        if (free_[triangle[0]] || free_[triangle[1]] || free_[triangle[2]])
            corners_.insert(corners_.end(), triangle.begin(), triangle.end());
    }

    std::size_t triangle_count() const { return corners_.size() / 3; }

    Triangle triangle(std::size_t number) const {
        return {corners_[3 * number], corners_[3 * number + 1], corners_[3 * number + 2]};
    }

    static Vec3 normal(const Triangle& t, const std::vector<Vec3>& at) {
        return (at[t[1]] - at[t[0]]).cross(at[t[2]] - at[t[0]]);
    }

    /// No triangle may turn over by being let go: its corners go back, and with them what that folds. Each knot goes
    /// back once at most, so this ends.
    bool put_back_folded() {
        bool any = false;
        for (std::size_t number = 0; number < triangle_count(); ++number) {
            const Triangle t = triangle(number);
            if (!moved_[t[0]] && !moved_[t[1]] && !moved_[t[2]]) continue;
            if (normal(t, position_).dot(normal(t, posed_)) >= 0) continue;
            for (const std::uint32_t knot : t) {
                any = any || position_[knot] != posed_[knot];
                position_[knot] = posed_[knot];
            }
        }
        return any;
    }

    /// The way that each triangle would face if it had turned as its own vertices did; as the receipt measures it.
    void expect_normals() {
        expected_.reserve(triangle_count());
        for (std::size_t number = 0; number < triangle_count(); ++number) {
            const Triangle t = triangle(number);
            const Vec3 was = normal(t, source_);
            expected_.push_back(turn_[t[0]] * was + turn_[t[1]] * was + turn_[t[2]] * was);
        }
    }

    bool turned_over(std::uint32_t number) const {
        return normal(triangle(number), position_).dot(expected_[number]) < 0;
    }

    /// Those of `before` that are still turned over, and what moving these knots turned over.
    std::vector<std::uint32_t> turned_over_now(const std::vector<std::uint32_t>& before,
                                               const std::vector<std::uint32_t>& knots) {
        std::vector<std::uint32_t> looked_at = before;
        for (const std::uint32_t knot : knots) {
            const auto around = triangles_.of(knot);
            looked_at.insert(looked_at.end(), around.begin(), around.end());
        }
        std::sort(looked_at.begin(), looked_at.end());
        looked_at.erase(std::unique(looked_at.begin(), looked_at.end()), looked_at.end());
        std::erase_if(looked_at, [&](std::uint32_t number) { return !turned_over(number); });
        return looked_at;
    }

    /// The corners of these triangles that may move and have somewhere to go.
    std::vector<std::uint32_t> free_corners(const std::vector<std::uint32_t>& triangles) const {
        std::vector<std::uint32_t> knots;
        for (const std::uint32_t number : triangles)
            for (const std::uint32_t knot : triangle(number))
                if (free_[knot]) knots.push_back(knot);
        std::sort(knots.begin(), knots.end());
        knots.erase(std::unique(knots.begin(), knots.end()), knots.end());
        return knots;
    }

    /// The knot drawn toward the mean of its neighbours; where it is when none has a distance.
    Vec3 smoothed(std::uint32_t knot, const Vec3& relaxed) const {
        Vec3 mean = Vec3::Zero();
        std::size_t count = 0;
        for (const std::uint32_t other : neighbours_.of(knot)) {
            if (!((source_[knot] - source_[other]).norm() > 0)) continue;
            mean += position_[other];
            ++count;
        }
        if (count == 0) return position_[knot];
        mean /= static_cast<double>(count);
        Vec3 off = position_[knot] + kUnfoldStep * (mean - position_[knot]) - relaxed;
        if (off.norm() > kUnfoldFarthest) off *= kUnfoldFarthest / off.norm();
        return relaxed + off;
    }

    /// Smooths around triangles that are turned over. Kept when fewer are left; what is far from them never moves.
    void unfold() {
        expect_normals();
        std::vector<std::uint32_t> over;
        for (std::uint32_t number = 0; number < triangle_count(); ++number)
            if (turned_over(number)) over.push_back(number);
        std::size_t least = over.size();
        if (least == 0) return;
        triangles_ = find_triangles(position_.size(), corners_);
        const std::vector<Vec3> relaxed = position_;
        std::vector<Vec3> best = position_;
        std::vector<std::uint32_t> since_best;
        std::vector<Vec3> to;
        for (int round = 0; round < kUnfoldRounds && least > 0; ++round) {
            const std::vector<std::uint32_t> moved = free_corners(over);
            to.clear();
            for (const std::uint32_t knot : moved) to.push_back(smoothed(knot, relaxed[knot]));
            for (std::size_t i = 0; i < moved.size(); ++i) position_[moved[i]] = to[i];
            since_best.insert(since_best.end(), moved.begin(), moved.end());
            over = turned_over_now(over, moved);
            if (over.size() >= least) continue;
            least = over.size();
            for (const std::uint32_t knot : since_best) best[knot] = position_[knot];
            since_best.clear();
        }
        position_ = std::move(best);
    }

    void stir_all() {
        moved_.assign(position_.size(), 0);
        waiting_.assign(position_.size(), 0);
        for (std::uint32_t knot = 0; knot < position_.size(); ++knot)
            if (free_[knot]) await(knot);
    }

    void await(std::uint32_t knot) {
        if (!free_[knot] || waiting_[knot]) return;
        waiting_[knot] = 1;
        stirred_.push_back(knot);
    }

    /// What the edges at a knot ask of it, summed, and how many ask: each asks its ends for half of what it lacks.
    std::pair<Vec3, std::size_t> asked(std::uint32_t knot) const {
        // Squares settle nearly all edges; what is within a rounding of the bounds is measured.
        constexpr double kSlack = 1e-9, kSurelyLonger = kShortest * kShortest + kSlack,
                         kSurelyShorter = kLongest * kLongest - kSlack;
        Vec3 sum = Vec3::Zero();
        std::size_t askers = 0;
        for (const std::uint32_t other : neighbours_.of(knot)) {
            const std::uint32_t a = std::min(knot, other), b = std::max(knot, other);
            const Vec3 along = position_[b] - position_[a], was = source_[a] - source_[b];
            const double now2 = along.squaredNorm(), was2 = was.squaredNorm();
            if (now2 > kSurelyLonger * was2 && now2 < kSurelyShorter * was2) continue;
            const double length = was.norm(), now = along.norm();
            if (!(length > 0)) continue;
            const double wanted = std::clamp(now, kShortest * length, kLongest * length);
            if (now == wanted || !(now > 0)) continue;
            const Vec3 pull = (now - wanted) / (free_[a] + free_[b]) / now * along;
            sum += knot == a ? pull : Vec3(-pull);
            ++askers;
        }
        return {sum, askers};
    }

    /// A knot does the mean of what it is asked, so that the order of vertices and the split into meshes change
    /// nothing. Looked at are the knots that were asked the last time, and their neighbours: elsewhere nothing changed.
    bool once() {
        const std::vector<std::uint32_t> now = std::exchange(stirred_, {});
        for (const std::uint32_t knot : now) waiting_[knot] = 0;
        std::vector<std::pair<std::uint32_t, Vec3>> to;
        for (const std::uint32_t knot : now) {
            const auto [sum, askers] = asked(knot);
            if (askers == 0) continue;
            Vec3 off = position_[knot] + sum / static_cast<double>(askers) - posed_[knot];
            if (off.norm() > kFarthest) off *= kFarthest / off.norm();
            to.emplace_back(knot, posed_[knot] + off);
        }
        for (const auto& [knot, place] : to) {
            position_[knot] = place;
            moved_[knot] = 1;
            await(knot);
            for (const std::uint32_t other : neighbours_.of(knot)) await(other);
        }
        return !to.empty();
    }

    avatar::Level& level_;
    std::vector<std::vector<std::uint32_t>> knot_;  ///< of each surface's vertices
    std::vector<Vec3> position_, posed_, source_;   ///< of each knot
    std::vector<Quat> turn_;
    std::vector<char> free_, moved_;
    std::vector<std::uint32_t> corners_;  ///< knots, three to a triangle
    Neighbours neighbours_, triangles_;   ///< of each knot
    std::vector<Vec3> expected_;          ///< normals, one a triangle
    std::vector<std::uint32_t> stirred_;  ///< knots that the next round looks at
    std::vector<char> waiting_;           ///< 1: in `stirred_`
};

}  // namespace

void relax(avatar::Level& level, const std::vector<std::vector<Vec3f>>& before, const VertexTurns& turns,
           const RigidParts& parts, const std::vector<Follow>& follow) {
    Net(level, before, turns, parts, follow).run();
}

}  // namespace helixavatar::conform
