// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include <helixavatar/base/geometry.hpp>
#include <helixavatar/dynamics/vrm.hpp>

namespace helixavatar::dynamics {
namespace {

constexpr double kSoftest = 2, kSpan = 38;  // rad/s
constexpr double kFrame = 1.0 / 60;

/// What is left of a unit step after `t` seconds of a spring of damping ratio 0..1 that starts at rest.
double step_rest(double omega, double ratio, double t) {
    const double turn = omega * std::sqrt(std::max(0.0, 1 - ratio * ratio));
    const double sway = turn * t > 1e-6 ? std::sin(turn * t) / turn : t;
    return std::exp(-ratio * omega * t) * (std::cos(turn * t) + ratio * omega * sway);
}

/// VRM's answer to a unit step, a value a frame. Near rest its tail obeys x' = r (x + q (x - x_before)): q of the
/// velocity survives the drag, and the pull toward the rest axis, followed by restoring the length, shortens the
/// deviation by r.
std::vector<double> vrm_answer(double q, double r) {
    constexpr int kFrames = 240;
    std::vector<double> answer;
    double before = 1, now = 1;
    for (int i = 0; i < kFrames; ++i) {
        const double next = r * (now + q * (now - before));
        before = now;
        now = next;
        answer.push_back(now);
    }
    return answer;
}

/// What a solver that moves targets linearly over a frame shows of it: the step takes the first frame, so the answer is
/// the mean over the frame (Simpson's rule).
double frame_rest(double omega, double ratio, double frame) {
    const double begin = step_rest(omega, ratio, kFrame * (frame - 1)),
                 middle = step_rest(omega, ratio, kFrame * (frame - 0.5)),
                 end = step_rest(omega, ratio, kFrame * frame);
    return (begin + 4 * middle + end) / 6;
}

double mismatch(const std::vector<double>& wanted, double omega, double ratio) {
    double error = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double off = frame_rest(omega, ratio, static_cast<double>(i + 1)) - wanted[i];
        error += off * off;
    }
    return error;
}

}  // namespace

double angular_frequency(double stiffness) {
    return kSoftest + kSpan * stiffness * stiffness;
}

double stiffness_of(double omega) {
    return std::sqrt(std::clamp((omega - kSoftest) / kSpan, 0.0, 1.0));
}

SpringFeel match_spring(double stiffness, double drag, double length) {
    const double q = 1 - std::clamp(std::isfinite(drag) ? drag : 1.0, 0.0, 1.0);
    const double pull = std::max(0.0, std::isfinite(stiffness) ? stiffness : 0.0) * kFrame;
    if (!(pull > 0) || !(length > 0)) return {0, q < 1 ? 1.0 : 0.0};
    const std::vector<double> wanted = vrm_answer(q, length / (length + pull));
    // Least squares by a coarse grid, then by halving steps around its best place.
    SpringFeel best;
    double least = -1;
    const auto attempt = [&](double stiff, double damped) {
        const SpringFeel tried{std::clamp(stiff, 0.0, 1.0), std::clamp(damped, 0.0, 1.0)};
        const double error = mismatch(wanted, angular_frequency(tried.stiffness), tried.damping);
        if (least >= 0 && error >= least) return;
        least = error;
        best = tried;
    };
    constexpr int kGrid = 10;
    for (int i = 0; i <= kGrid; ++i)
        for (int j = 0; j <= kGrid; ++j) attempt(i / double{kGrid}, j / double{kGrid});
    for (double step = 0.5 / kGrid; step > 1e-4; step /= 2) {
        const SpringFeel centre = best;
        for (const int i : {-1, 0, 1})
            for (const int j : {-1, 0, 1}) attempt(centre.stiffness + i * step, centre.damping + j * step);
    }
    return best;
}

}  // namespace helixavatar::dynamics
