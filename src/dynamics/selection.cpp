// SPDX-License-Identifier: MIT
#include "dynamics/selection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dynamics/shell.hpp"

namespace helixavatar::dynamics {
namespace {

constexpr int kRings = 3;              // reference text: "diffused 3 rings over the welded mesh graph"
constexpr double kRingReach = 0.02;    // metres: a ring of a coarse level reaches no further than one of LOD0
constexpr double kLeastWeight = 0.01;  // below it a vertex moves a fraction of a millimetre and only costs a weight

bool holds(const std::vector<int>& list, int value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

double smoothstep(double low, double high, double value) {
    if (!(high > low)) return value >= high ? 1 : 0;
    const double t = std::clamp((value - low) / (high - low), 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

void add(JointWeights& weights, int joint, double weight) {
    for (JointWeight& known : weights)
        if (known.joint == joint) {
            known.weight += weight;
            return;
        }
    weights.push_back({joint, weight});
}

void normalise(JointWeights& weights) {
    std::erase_if(weights, [](const JointWeight& w) { return !(w.weight > 0); });
    double sum = 0;
    for (const JointWeight& w : weights) sum += w.weight;
    if (sum > 0)
        for (JointWeight& w : weights) w.weight /= sum;
    std::stable_sort(weights.begin(), weights.end(),
                     [](const JointWeight& a, const JointWeight& b) { return a.weight > b.weight; });
}

/// Metres along a chain of the nearest point on it; its first segment goes on above the root, so that what lies above
/// is negative.
double along(const std::vector<Vec3>& points, const Vec3& at) {
    double best = std::numeric_limits<double>::infinity(), place = 0, passed = 0;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const Vec3 bone = points[i + 1] - points[i];
        const double length = bone.norm();
        if (!(length > 0)) continue;
        const double low = i == 0 ? -std::numeric_limits<double>::infinity() : 0;
        const double high = i + 2 == points.size() ? std::numeric_limits<double>::infinity() : length;
        const double s = std::clamp((at - points[i]).dot(bone) / length, low, high);
        const double far = (points[i] + bone * (s / length) - at).norm();
        if (far < best) {
            best = far;
            place = passed + s;
        }
        passed += length;
    }
    return place;
}

/// The chain's point at a share of its length; outside 0..1 on its straight continuation.
Vec3 point_at(const std::vector<Vec3>& points, double metres) {
    double passed = 0;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const Vec3 bone = points[i + 1] - points[i];
        const double length = bone.norm();
        if (!(length > 0)) continue;
        if (metres <= passed + length || i + 2 == points.size()) return points[i] + bone * ((metres - passed) / length);
        passed += length;
    }
    return points.front();
}

double length(const std::vector<Vec3>& points) {
    double sum = 0;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) sum += (points[i + 1] - points[i]).norm();
    return sum;
}

/// Share of each joint at a place of its chain: the next one fades in around the joint, over the half bones on both
/// sides. What is left of 1 is the body's.
std::vector<double> shares_along(const std::vector<Vec3>& points, double metres) {
    std::vector<double> passed(points.size() - 1);
    double at = 0, before = 0;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const double bone = (points[i + 1] - points[i]).norm();
        const double half = (i == 0 ? bone : std::min(bone, before)) / 2;
        passed[i] = smoothstep(at - half, at + half, metres);
        before = bone;
        at += bone;
    }
    for (std::size_t i = 0; i + 1 < passed.size(); ++i) passed[i] -= passed[i + 1];
    return passed;
}

/// Hat functions: a vertex between its two nearest chains is shared by where it stands between them.
struct Neighbours {
    std::size_t first = 0, second = 0;
    double share_of_second = 0;
};

Neighbours between(const std::vector<PlacedChain>& chains, const Vec3& at) {
    std::vector<std::pair<double, std::size_t>> near;
    std::vector<Vec3> feet;
    for (std::size_t c = 0; c < chains.size(); ++c) {
        feet.push_back(point_at(chains[c].points, along(chains[c].points, at)));
        near.emplace_back((feet[c] - at).norm(), c);
    }
    std::sort(near.begin(), near.end());
    Neighbours out{near[0].second, near[0].second, 0};
    if (near.size() < 2) return out;
    out.second = near[1].second;
    const Vec3 gap = feet[out.second] - feet[out.first];
    if (gap.squaredNorm() > 0)
        out.share_of_second = std::clamp((at - feet[out.first]).dot(gap) / gap.squaredNorm(), 0.0, 1.0);
    return out;
}

/// Regions of the mask that no chain comes near are stray texels of clothing, not hair.
void drop_far_regions(const LevelMesh& level, const std::vector<PlacedChain>& chains, std::vector<bool>& masked) {
    constexpr double kNear = 0.05;  // metres
    std::vector<bool> seen(masked.size(), false);
    for (std::size_t start = 0; start < masked.size(); ++start) {
        if (!masked[start] || seen[start]) continue;
        std::vector<std::size_t> region{start};
        seen[start] = true;
        bool near = false;
        for (std::size_t i = 0; i < region.size(); ++i) {
            const Vec3& at = level.positions[static_cast<std::size_t>(level.vertices_of[region[i]].front())];
            for (const PlacedChain& chain : chains)
                near = near ||
                       (point_at(chain.points, std::clamp(along(chain.points, at), 0.0, length(chain.points))) - at)
                               .norm() < kNear;
            for (const int n : level.neighbours[region[i]]) {
                const auto next = static_cast<std::size_t>(n);
                if (!masked[next] || seen[next]) continue;
                seen[next] = true;
                region.push_back(next);
            }
        }
        if (!near)
            for (const std::size_t point : region) masked[point] = false;
    }
}

/// How far each point takes part, 0..1: masked points wholly, their surroundings less with every ring.
std::vector<double> eased(const LevelMesh& level, const std::vector<bool>& masked, const MaskSelect& mask) {
    std::vector<double> value(masked.begin(), masked.end());
    for (int ring = 0; ring < kRings; ++ring) {
        std::vector<double> next = value;
        for (std::size_t p = 0; p < value.size(); ++p) {
            const auto& around = level.neighbours[p];
            if (around.empty()) continue;
            const Vec3& at = level.positions[static_cast<std::size_t>(level.vertices_of[p].front())];
            double sum = value[p], shares = 1;
            for (const int n : around) {
                const auto beside = static_cast<std::size_t>(n);
                const double far =
                    (level.positions[static_cast<std::size_t>(level.vertices_of[beside].front())] - at).norm();
                const double share = std::min(1.0, kRingReach / far);
                sum += share * value[beside];
                shares += share;
            }
            const double mean = sum / shares;
            const bool barred =
                std::any_of(mask.exclude.begin(), mask.exclude.end(), [&](const Box& box) { return box.holds(at); });
            next[p] = barred ? 0 : mean;
        }
        value = std::move(next);
    }
    return value;
}

}  // namespace

void keep_four(JointWeights& weights, const std::vector<int>& kept, int first_fresh) {
    normalise(weights);
    // First to go: a body's smallest; then, only when all the body's are `kept`, a chain's smallest.
    while (weights.size() > avatar::kWrittenInfluences) {
        std::size_t gone = weights.size();
        for (std::size_t pass = 0; pass < 2 && gone == weights.size(); ++pass)
            for (std::size_t i = weights.size(); i-- > 0;) {
                const bool fresh = weights[i].joint >= first_fresh;
                if (fresh == (pass == 1) && !holds(kept, weights[i].joint)) {
                    gone = i;
                    break;
                }
            }
        if (gone == weights.size()) gone = weights.size() - 1;
        weights.erase(weights.begin() + static_cast<std::ptrdiff_t>(gone));
    }
    normalise(weights);
}

void steal_by_sphere(LevelMesh& level, const PlacedChain& chain, const SphereSelect& sphere,
                     const std::vector<int>& steal_from, std::vector<bool>& changed) {
    for (std::size_t v = 0; v < level.positions.size(); ++v) {
        JointWeights& weights = level.weights[v];
        double available = 0;
        for (const JointWeight& w : weights)
            if (holds(steal_from, w.joint)) available += w.weight;
        if (!(available > 0)) continue;
        std::vector<double> share(chain.joints.size(), 0);
        double sum = 0;
        for (std::size_t j = 0; j < share.size(); ++j) {
            const double far = (level.positions[v] - sphere.centers[j]).norm() / sphere.radius;
            sum += share[j] = sphere.max_weight * smoothstep(0, 1, 1 - far);
        }
        // Where spheres of one chain overlap they share what one of them may take.
        const double taken = std::min(sum, sphere.max_weight);
        if (!(taken * available > kLeastWeight)) continue;
        for (JointWeight& w : weights)
            if (holds(steal_from, w.joint)) w.weight *= 1 - taken;
        for (std::size_t j = 0; j < share.size(); ++j)
            if (share[j] > 0) add(weights, chain.joints[j], available * taken * share[j] / sum);
        changed[v] = true;
    }
}

std::vector<bool> masked_points(const LevelMesh& level, const LevelMesh& first, const MaskSelect& mask) {
    const std::size_t count = level.vertices_of.size();
    const std::vector<bool> shell =
        mask.shell ? shell_points(level, first, *mask.shell) : std::vector<bool>(count, true);
    std::vector<bool> in(count, false);
    for (std::size_t p = 0; p < count; ++p) {
        const Vec3& at = level.positions[static_cast<std::size_t>(level.vertices_of[p].front())];
        bool inside = at.y() >= mask.lowest && at.y() <= mask.highest && shell[p];
        for (const Box& box : mask.exclude) inside = inside && !box.holds(at);
        if (inside && mask.max_luminance) {
            // A place on a UV seam has several texels; all of them have to be dark.
            double most = -1;
            for (const int v : level.vertices_of[p]) {
                const float luminance = level.luminance[static_cast<std::size_t>(v)];
                if (!std::isnan(luminance)) most = std::max(most, static_cast<double>(luminance));
            }
            inside = most >= 0 && most < *mask.max_luminance;
        }
        in[p] = inside;
    }
    std::vector<bool> kept = in;
    for (std::size_t p = 0; p < count; ++p) {
        const auto& around = level.neighbours[p];
        const auto same = static_cast<double>(
            std::count_if(around.begin(), around.end(), [&](int n) { return in[static_cast<std::size_t>(n)]; }));
        if (in[p] && !around.empty()) kept[p] = same > mask.neighbour_majority * static_cast<double>(around.size());
    }
    return kept;
}

void take_by_mask(LevelMesh& level, const LevelMesh& first, const std::vector<PlacedChain>& chains,
                  const MaskSelect& mask, const std::vector<int>& arms, const std::vector<int>& kept,
                  std::vector<bool>& changed) {
    std::vector<bool> masked = masked_points(level, first, mask);
    drop_far_regions(level, chains, masked);
    const std::vector<double> part = eased(level, masked, mask);
    int first_fresh = std::numeric_limits<int>::max();
    for (const PlacedChain& chain : chains) first_fresh = std::min(first_fresh, chain.joints.front());
    for (std::size_t p = 0; p < part.size(); ++p) {
        if (!(part[p] > 0)) continue;
        const Vec3& at = level.positions[static_cast<std::size_t>(level.vertices_of[p].front())];
        const Neighbours hats = between(chains, at);
        JointWeights fresh;
        double taken = 0;
        for (const bool second : {false, true}) {
            const double hat = second ? hats.share_of_second : 1 - hats.share_of_second;
            const PlacedChain& chain = chains[second ? hats.second : hats.first];
            const std::vector<double> shares = shares_along(chain.points, along(chain.points, at));
            for (std::size_t j = 0; j < shares.size(); ++j) {
                const double weight = part[p] * hat * shares[j];
                if (!(weight > kLeastWeight)) continue;
                add(fresh, chain.joints[j], weight);
                taken += weight;
            }
        }
        if (!(taken > kLeastWeight)) continue;
        for (const int v : level.vertices_of[p]) {
            JointWeights& weights = level.weights[static_cast<std::size_t>(v)];
            double stripped = 0;
            for (JointWeight& w : weights) {
                if (holds(arms, w.joint)) {
                    stripped += w.weight * part[p] * (1 - taken);
                    w.weight *= 1 - part[p];
                }
                w.weight *= 1 - taken;
            }
            add(weights, chains.front().anchor, stripped);
            for (const JointWeight& w : fresh) add(weights, w.joint, w.weight);
            keep_four(weights, kept, first_fresh);
            changed[static_cast<std::size_t>(v)] = true;
        }
    }
}

}  // namespace helixavatar::dynamics
