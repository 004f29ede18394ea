// SPDX-License-Identifier: MIT
#include "extremities.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

namespace helixavatar::conform {

namespace {

constexpr double kFarthestShare = 0.15;
constexpr std::size_t kFewestVertices = 8;
constexpr double kSamePlace = 1e-5;  // metres
constexpr double kSameDistance = 1e-3;

using Place = std::array<long long, 3>;

/// Positions of the vertices that the given source joints hold by more than half, each place once, in a fixed order.
std::vector<Vec3> vertices_of(const avatar::Avatar& source, const std::vector<char>& joints) {
    std::set<Place> seen;
    std::vector<Vec3> points;
    if (source.levels.empty()) return points;
    for (const avatar::Surface& surface : source.levels.front().surfaces)
        for (std::size_t v = 0; v < surface.influences.size(); ++v) {
            double held = 0;
            for (const avatar::Influence& influence : surface.influences[v])
                if (influence.joint < joints.size() && joints[influence.joint]) held += influence.weight;
            if (held <= 0.5) continue;
            const Vec3 point = surface.positions[v].cast<double>();
            Place place;
            for (std::size_t i = 0; i < 3; ++i) place[i] = std::llround(point[static_cast<int>(i)] / kSamePlace);
            if (seen.insert(place).second) points.push_back(point);
        }
    return points;
}

std::optional<Reach> reach(const std::vector<Vec3>& points, const Vec3& start, double farthest_allowed, bool level) {
    std::vector<std::pair<double, std::size_t>> by_distance;
    for (std::size_t i = 0; i < points.size(); ++i) {
        Vec3 offset = points[i] - start;
        if (level) offset.y() = 0;
        if (offset.norm() <= farthest_allowed) by_distance.push_back({offset.norm(), i});
    }
    if (by_distance.size() < kFewestVertices) return std::nullopt;
    std::sort(by_distance.begin(), by_distance.end(), std::greater<>());
    const auto count = static_cast<std::size_t>(std::ceil(kFarthestShare * static_cast<double>(by_distance.size())));
    // All that are as far as the last of them, so that a mirrored part has the mirrored reach.
    const double far_enough = (1 - kSameDistance) * by_distance[count - 1].first;
    Reach result;
    double farthest = 0;
    for (const auto& [distance, i] : by_distance) {
        if (distance < far_enough) break;
        result.tip += points[i];
        farthest += 1;
    }
    result.tip /= farthest;
    result.lowest = points.front().y();
    for (const Vec3& point : points) {
        result.lowest = std::min(result.lowest, point.y());
        const Vec3 offset(point.x() - start.x(), 0, point.z() - start.z());
        if (offset.z() > 0) result.ahead += offset.norm() * offset;
    }
    result.ahead = result.ahead.norm() > 0 ? Vec3(result.ahead.normalized()) : Vec3(Vec3::Zero());
    return result;
}

}  // namespace

Extremities measure_extremities(const avatar::Avatar& source, const Body& body, const std::vector<Follow>& follow) {
    Extremities result;
    const auto at = [&](int joint) -> const Vec3& { return body.from[static_cast<std::size_t>(joint)]; };
    for (std::size_t side = 0; side < kSides; ++side) {
        const Arm& arm = body.roles.arms[side];
        const Leg& leg = body.roles.legs[side];
        const double forearm = (at(arm.hand) - at(arm.lower.joint)).norm();
        const double calf = (at(leg.foot) - at(leg.calf.joint)).norm();

        std::vector<char> own(source.joints.size(), 0), hand(own), foot(own);
        for (std::size_t j = 0; j < follow.size(); ++j) {
            own[j] = follow[j].joint == arm.hand && follow[j].mapped;
            hand[j] = follow[j].joint == arm.hand;
            foot[j] = follow[j].joint == leg.foot || follow[j].joint == leg.ball;
        }
        // Things held hang from joints of their own: they count only where the hand itself has no vertices.
        result.hands[side] = reach(vertices_of(source, own), at(arm.hand), forearm, false);
        if (!result.hands[side]) result.hands[side] = reach(vertices_of(source, hand), at(arm.hand), forearm, false);
        result.feet[side] = reach(vertices_of(source, foot), at(leg.foot), calf, true);
    }
    return result;
}

}  // namespace helixavatar::conform
