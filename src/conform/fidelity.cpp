// SPDX-License-Identifier: MIT
#include "fidelity.hpp"

#include <algorithm>
#include <cstdint>

#include "neighbours.hpp"

namespace helixavatar::conform {

namespace {

constexpr double kShortest = 0.8, kLongest = 1.25;  // conform.md §1.4
constexpr double kNoLength = 1e-7;                  // metres; shorter edges have no length to keep
constexpr std::size_t kNamedJoints = 5;
constexpr double kNamedShare = 0.8;  // of the stretched edges

struct Tally {
    std::size_t edges = 0, kept = 0, triangles = 0, flipped = 0;
    std::vector<std::size_t> stretched;  ///< by result joint
};

Neighbours edges_of(const avatar::Surface& surface) {
    std::vector<std::uint32_t> corners;
    for (const auto* triangles : {&surface.body, &surface.face})
        corners.insert(corners.end(), triangles->begin(),
                       triangles->begin() + static_cast<std::ptrdiff_t>(triangles->size() / 3 * 3));
    return find_edges(surface.positions.size(), corners);
}

void count_edge(const std::vector<Vec3f>& before, const avatar::Surface& after, std::size_t a, std::size_t b,
                Tally& tally) {
    const double old_length = (before[a] - before[b]).cast<double>().norm();
    const double new_length = (after.positions[a] - after.positions[b]).cast<double>().norm();
    if (old_length < kNoLength) return;
    ++tally.edges;
    const double ratio = new_length / old_length;
    if (ratio >= kShortest && ratio <= kLongest)
        ++tally.kept;
    else
        ++tally.stretched[after.influences[a].front().joint];
}

void count_edges(const std::vector<Vec3f>& before, const avatar::Surface& after, Tally& tally) {
    const Neighbours edges = edges_of(after);
    for (std::size_t a = 0; a < edges.size(); ++a)
        for (const std::uint32_t b : edges.of(a)) count_edge(before, after, a, b, tally);
}

void count_flips(const std::vector<Vec3f>& before, const avatar::Surface& after, const std::vector<Quat>& turns,
                 Tally& tally) {
    for (const auto* triangles : {&after.body, &after.face})
        for (std::size_t i = 0; i + 2 < triangles->size(); i += 3) {
            const std::uint32_t a = (*triangles)[i], b = (*triangles)[i + 1], c = (*triangles)[i + 2];
            const auto normal = [&](const std::vector<Vec3f>& p) -> Vec3 {
                return (p[b] - p[a]).cast<double>().cross((p[c] - p[a]).cast<double>());
            };
            const Vec3 was = normal(before);
            if (was.norm() <= kNoLength * kNoLength) continue;
            ++tally.triangles;
            const Vec3 expected = turns[a] * was + turns[b] * was + turns[c] * was;
            if (normal(after.positions).dot(expected) < 0) ++tally.flipped;
        }
}

}  // namespace

Fidelity measure_fidelity(const std::vector<std::vector<Vec3f>>& before, const avatar::Level& after,
                          const VertexTurns& turns, const std::vector<std::string>& joint_names) {
    Tally tally;
    tally.stretched.assign(joint_names.size(), 0);
    for (std::size_t s = 0; s < after.surfaces.size(); ++s) {
        count_edges(before[s], after.surfaces[s], tally);
        count_flips(before[s], after.surfaces[s], turns[s], tally);
    }
    Fidelity result;
    if (tally.edges > 0) result.edges_kept_share = static_cast<double>(tally.kept) / static_cast<double>(tally.edges);
    if (tally.triangles > 0)
        result.flipped_share = static_cast<double>(tally.flipped) / static_cast<double>(tally.triangles);

    std::vector<std::size_t> worst;
    for (std::size_t j = 0; j < tally.stretched.size(); ++j)
        if (tally.stretched[j] > 0) worst.push_back(j);
    std::stable_sort(worst.begin(), worst.end(),
                     [&](std::size_t a, std::size_t b) { return tally.stretched[a] > tally.stretched[b]; });
    const double all = static_cast<double>(tally.edges - tally.kept);
    double named = 0;
    for (const std::size_t j : worst) {
        if (result.stretched_joints.size() == kNamedJoints || named >= kNamedShare * all) break;
        result.stretched_joints.push_back(joint_names[j]);
        named += static_cast<double>(tally.stretched[j]);
    }
    return result;
}

}  // namespace helixavatar::conform
