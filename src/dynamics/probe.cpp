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

/// The samples with as many between them, on a smooth curve through them, as bring a rate to about kEvenRate: so a
/// quantile is one of the time and not of the moments at which a slow rate happens to look.
std::vector<double> evened(const std::vector<double>& samples, double rate) {
    constexpr double kEvenRate = 240;
    const auto parts = static_cast<std::size_t>(std::max(1.0, std::round(kEvenRate / rate)));
    const double most = samples.empty() ? 0 : *std::max_element(samples.begin(), samples.end());
    std::vector<double> even;
    even.reserve(samples.size() * parts);
    for (std::size_t i = 0; i + 1 < samples.size(); ++i) {
        const double a = samples[i], b = samples[i + 1];
        const double before = i > 0 ? samples[i - 1] : a, after = i + 2 < samples.size() ? samples[i + 2] : b;
        for (std::size_t part = 0; part < parts; ++part) {
            const double t = static_cast<double>(part) / static_cast<double>(parts);
            const double smooth =
                a +
                0.5 * t * (b - before + t * (2 * before - 5 * a + 4 * b - after + t * (3 * (a - b) + after - before)));
            even.push_back(std::clamp(smooth, 0.0, most));
        }
    }
    if (!samples.empty()) even.push_back(samples.back());
    return even;
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
        std::vector<double> sorted = evened(swings[c], options.rate);
        std::sort(sorted.begin(), sorted.end());
        swing.p50 = quantile(sorted, 0.5);
        swing.p95 = quantile(sorted, 0.95);
        swing.max = sorted.back();
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
