// SPDX-License-Identifier: MIT
#include <helixavatar/dynamics/probe.hpp>

#include <algorithm>
#include <cmath>

namespace helixavatar::dynamics {
namespace {

/// The value that `share` of the sorted samples do not exceed, linear between neighbours.
double quantile(const std::vector<double>& sorted, double share) {
    if (sorted.empty()) return 0;
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(place);
    const double rest = place - static_cast<double>(low);
    return low + 1 < sorted.size() ? sorted[low] * (1 - rest) + sorted[low + 1] * rest : sorted.back();
}

}  // namespace

std::vector<ChainSwing> probe(const avatar::Avatar& avatar, const Manifest& manifest, const Motion& motion,
                              const ProbeOptions& options) {
    const double step = 1 / options.rate;
    const auto steps = [&](double seconds) {
        return static_cast<std::size_t>(std::llround(std::max(0.0, seconds) * options.rate));
    };
    const std::size_t settle = steps(options.settle), measured = std::max<std::size_t>(1, steps(options.seconds));
    Solver solver(avatar, manifest);
    solver.reset(motion(0));
    std::vector<std::vector<double>> swings(manifest.chains.size());
    std::vector<std::size_t> at_limit(manifest.chains.size(), 0), collisions(manifest.chains.size(), 0);
    for (std::size_t i = 1; i <= settle + measured; ++i) {
        solver.step(motion(static_cast<double>(i) * step), step);
        if (i <= settle) continue;
        std::vector<double> largest(manifest.chains.size(), 0);
        std::vector<bool> limited(manifest.chains.size(), false);
        for (const JointMotion& joint : solver.motions()) {
            largest[joint.chain] = std::max(largest[joint.chain], joint.swing_degrees);
            limited[joint.chain] = limited[joint.chain] || joint.at_limit;
            collisions[joint.chain] += joint.collided ? 1 : 0;
        }
        for (std::size_t c = 0; c < largest.size(); ++c) {
            swings[c].push_back(largest[c]);
            at_limit[c] += limited[c] ? 1 : 0;
        }
    }
    std::vector<ChainSwing> result;
    for (std::size_t c = 0; c < swings.size(); ++c) {
        ChainSwing swing;
        swing.chain = manifest.chains[c].id;
        const std::size_t kept = std::min(options.samples_kept, swings[c].size());
        for (std::size_t i = 0; i < kept; ++i) swing.samples.push_back(swings[c][i * swings[c].size() / kept]);
        std::sort(swings[c].begin(), swings[c].end());
        swing.p50 = quantile(swings[c], 0.5);
        swing.p95 = quantile(swings[c], 0.95);
        swing.max = swings[c].back();
        swing.limit_share = static_cast<double>(at_limit[c]) / static_cast<double>(measured);
        swing.collisions = collisions[c];
        result.push_back(std::move(swing));
    }
    return result;
}

double allowed_difference(const Chain& chain, double degrees) {
    constexpr double kShare = 0.05, kStiffShare = 0.15, kDegrees = 0.5, kStiff = 0.8, kHardlyDamped = 0.2;
    double stiffest = 0, least_damped = 1;
    for (const double stop : chain.stiffness.stops) stiffest = std::max(stiffest, stop);
    for (const double stop : chain.damping.stops) least_damped = std::min(least_damped, stop);
    const double share = stiffest > kStiff && least_damped < kHardlyDamped ? kStiffShare : kShare;
    return std::max(kDegrees, share * degrees);
}

bool rates_agree(const Chain& chain, const ChainSwing& a, const ChainSwing& b) {
    return std::abs(a.p50 - b.p50) <= allowed_difference(chain, std::max(a.p50, b.p50)) &&
           std::abs(a.p95 - b.p95) <= allowed_difference(chain, std::max(a.p95, b.p95));
}

}  // namespace helixavatar::dynamics
