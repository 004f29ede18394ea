// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>

#include <helixavatar/base/geometry.hpp>
#include <helixavatar/dynamics/vrm.hpp>

namespace helixavatar::dynamics {
namespace {

constexpr double kSoftest = 2, kSpan = 38;  // rad/s
constexpr double kFrame = 1.0 / 60;

/// What is left of a unit step after `t` seconds of a critically damped spring.
double critical_rest(double omega, double t) {
    return (1 + omega * t) * std::exp(-omega * t);
}

/// The critically damped spring whose answer lies closest to the overdamped one with poles -slow and -fast (1/s).
double closest_critical(double slow, double fast) {
    constexpr int kSamples = 64, kSteps = 400;
    const double window = 4 / slow;  // by then both are within 2 % of rest
    std::array<double, kSamples> wanted{};
    for (int i = 0; i < kSamples; ++i) {
        const double t = window * (i + 1) / kSamples;
        wanted[static_cast<std::size_t>(i)] =
            fast - slow > 1e-9 * fast ? (fast * std::exp(-slow * t) - slow * std::exp(-fast * t)) / (fast - slow)
                                      : critical_rest(slow, t);
    }
    double best = slow, least = -1;
    for (int step = 0; step <= kSteps; ++step) {
        const double omega =
            slow * std::pow(fast / slow, static_cast<double>(step) / kSteps) * (1 + step * 1.0 / kSteps);
        double error = 0;
        for (int i = 0; i < kSamples; ++i) {
            const double off = critical_rest(omega, window * (i + 1) / kSamples) - wanted[static_cast<std::size_t>(i)];
            error += off * off;
        }
        if (least < 0 || error < least) {
            least = error;
            best = omega;
        }
    }
    return best;
}

}  // namespace

double angular_frequency(double stiffness) {
    return kSoftest + kSpan * stiffness * stiffness;
}

double stiffness_of(double omega) {
    return std::sqrt(std::clamp((omega - kSoftest) / kSpan, 0.0, 1.0));
}

SpringFeel match_spring(double stiffness, double drag, double length) {
    // Near rest VRM's tail obeys x' = r (x + q (x - x_before)) each frame: q of the velocity survives the drag, and the
    // pull toward the rest axis followed by restoring the length shortens the deviation by r. The two roots of z² -
    // r(1+q) z + r q are its poles.
    const double q = 1 - std::clamp(std::isfinite(drag) ? drag : 1.0, 0.0, 1.0);
    const double pull = std::max(0.0, std::isfinite(stiffness) ? stiffness : 0.0) * kFrame;
    if (!(pull > 0) || !(length > 0)) return {0, q < 1 ? 1.0 : 0.0};
    const double r = length / (length + pull);
    const double sum = r * (1 + q), product = r * q;
    const double discriminant = sum * sum - 4 * product;
    if (discriminant < 0) {
        const double decay = -std::log(product) / (2 * kFrame);
        const double turn = std::acos(std::clamp(sum / (2 * std::sqrt(product)), -1.0, 1.0)) / kFrame;
        const double omega = std::hypot(decay, turn);
        return {stiffness_of(omega), std::clamp(decay / omega, 0.0, 1.0)};
    }
    constexpr double kFastest = 1e4;  // 1/s: a pole at z = 0 is over within the frame
    const double root = std::sqrt(discriminant);
    const double slow = -std::log((sum + root) / 2) / kFrame;
    const double second = (sum - root) / 2;
    const double fast = second > 0 ? std::min(kFastest, -std::log(second) / kFrame) : kFastest;
    return {stiffness_of(closest_critical(slow, std::max(fast, slow))), 1};
}

}  // namespace helixavatar::dynamics
