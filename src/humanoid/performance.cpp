// SPDX-License-Identifier: MIT
#include <helixavatar/humanoid/performance.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace helixavatar::humanoid {
namespace {

constexpr double kVisemeBlend = 0.06;  // seconds over which one viseme becomes the next

/// How far the lids are closed `since` seconds after a blink began.
double closed(double since, const PerformanceOptions& options) {
    if (since < 0) return 0;
    if (since < options.blink_close) return since / options.blink_close;
    since -= options.blink_close;
    if (since < options.blink_hold) return 1;
    since -= options.blink_hold;
    return std::max(0.0, 1 - since / options.blink_open);
}

/// Weights at a time: each viseme fades in at its start and out at the next one's.
std::map<std::string, double> visemes_at(const std::vector<TimedViseme>& track, double t) {
    std::map<std::string, double> weights;
    for (std::size_t i = 0; i < track.size(); ++i) {
        const auto past = [&](double time) { return std::clamp((t - time) / kVisemeBlend + 0.5, 0.0, 1.0); };
        const double end = i + 1 < track.size() ? past(track[i + 1].seconds) : 0;
        const double weight = track[i].weight * (past(track[i].seconds) - end);
        if (weight > 0) weights[track[i].viseme] = std::min(1.0, weights[track[i].viseme] + weight);
    }
    return weights;
}

}  // namespace

Script demonstration(double seconds) {
    const auto at = [&](double share) { return share * seconds; };
    Script script;
    script.signals = {{at(0.2), Signal::listening_started},
                      {at(0.4), Signal::listening_stopped},
                      {at(0.5), Signal::talking_started},
                      {at(0.85), Signal::talking_stopped}};
    // All fifteen, in an order that opens and closes the mouth as speech does.
    constexpr std::array<const char*, 16> kSyllables{"PP", "aa", "nn", "E",  "SS", "oh", "kk", "ih",
                                                     "RR", "ou", "FF", "aa", "TH", "DD", "CH", "ih"};
    constexpr double kViseme = 0.14;  // seconds, about seven a second
    double t = at(0.5);
    for (std::size_t i = 0; t < at(0.85) - kViseme; ++i, t += kViseme)
        script.visemes.push_back({t, kSyllables[i % kSyllables.size()], 1});
    script.visemes.push_back({t, "sil", 1});
    return script;
}

std::vector<PerformanceFrame> perform(const Script& script, const PerformanceOptions& options) {
    const Random random = seeded(options.seed);
    const auto frames = static_cast<std::size_t>(std::llround(options.seconds * options.rate)) + 1;
    std::vector<PerformanceFrame> out;
    AvatarState state = AvatarState::idle_active;
    GazeState gaze;
    gaze.macro.until = between(random, 1, 2);  // the first look is at who is there
    double blink = between(random, options.blink_every.low, options.blink_every.high) / 2, quiet_since = 0;
    std::size_t next = 0;
    for (std::size_t i = 0; i < frames; ++i) {
        const double t = static_cast<double>(i) / options.rate;
        while (next < script.signals.size() && script.signals[next].seconds <= t) {
            state = next_state(state, script.signals[next].signal);
            quiet_since = script.signals[next++].seconds;
        }
        if (t - quiet_since >= options.idle_timeout) state = next_state(state, Signal::idle_timeout);
        gaze = step_gaze(gaze, {1 / options.rate, state}, {}, random);
        if (t > blink + options.blink_close + options.blink_hold + options.blink_open)
            blink += between(random, options.blink_every.low, options.blink_every.high);
        const double lid = closed(t - blink, options);
        std::array<AnimationLayer, 2> layers{
            AnimationLayer{gaze_shapes(gaze.combined, options.look_at_distance, options.full_gaze_degrees)},
            AnimationLayer{{{*arkit_shape("eyeBlinkLeft"), lid}, {*arkit_shape("eyeBlinkRight"), lid}},
                           LayerMode::override}};
        out.push_back({state, composite(layers), visemes_at(script.visemes, t)});
    }
    return out;
}

}  // namespace helixavatar::humanoid
