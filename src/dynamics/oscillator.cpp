// SPDX-License-Identifier: MIT
#include <cmath>

#include <helixavatar/dynamics/solver.hpp>

namespace helixavatar::dynamics {

Oscillator advance(const Oscillator& state, const Vec3& from, const Vec3& to, double omega, double ratio,
                   double seconds) {
    // A target that moves at a constant speed is followed at that speed, 2ζ/ω of it behind; what differs from that dies
    // out freely.
    const Vec3 speed = (to - from) / seconds;
    const Vec3 behind = 2 * ratio / omega * speed;
    const Vec3 offset = state.position - (from - behind);
    const Vec3 drift = state.velocity - speed;
    const double decay = ratio * omega;
    const double fade = std::exp(-decay * seconds);
    constexpr double kNearlyCritical = 1e-8;
    const double rest = 1 - ratio * ratio;
    const Vec3 push = drift + decay * offset;
    Vec3 position, velocity;
    if (rest > kNearlyCritical) {
        const double turn = omega * std::sqrt(rest);
        const double c = std::cos(turn * seconds), s = std::sin(turn * seconds);
        position = fade * (offset * c + push / turn * s);
        velocity = fade * (-offset * turn * s + push * c) - decay * position;
    } else {
        position = fade * (offset + push * seconds);
        velocity = fade * push - decay * position;
    }
    return {to - behind + position, speed + velocity};
}

}  // namespace helixavatar::dynamics
