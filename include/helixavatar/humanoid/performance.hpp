// SPDX-License-Identifier: MIT
// What a face does over a while: states from signals, gaze, blinks, and the visemes of a track.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <helixavatar/humanoid/animation.hpp>
#include <helixavatar/humanoid/gaze.hpp>
#include <helixavatar/humanoid/state.hpp>

namespace helixavatar::humanoid {

struct TimedSignal {
    double seconds = 0;
    Signal signal = Signal::reset;
};

/// A viseme (one of the fifteen: "sil", "PP", "FF", "TH", "DD", "kk", "CH", "SS", "nn", "RR", "aa", "E", "ih", "oh",
/// "ou") from its time until the next one's.
struct TimedViseme {
    double seconds = 0;
    std::string viseme;
    double weight = 1;  ///< 0..1
};

struct Script {
    std::vector<TimedSignal> signals;  ///< in order of time
    std::vector<TimedViseme> visemes;  ///< in order of time
};

/// A turn of a conversation: idle, listening, thinking, talking, idle again; spread over `seconds`.
Script demonstration(double seconds);

struct PerformanceOptions {
    double seconds = 20;
    double rate = 30;  ///< frames a second
    std::uint64_t seed = 1;
    double idle_timeout = 30;       ///< seconds of nothing until idling is passive
    double look_at_distance = 60;   ///< cm
    double full_gaze_degrees = 30;  ///< at which an eyeLook shape is 1
    Range blink_every{3.2, 5.3};    ///< seconds (reference text, "The capability ladder")
    double blink_close = 0.07, blink_hold = 0.04, blink_open = 0.14;
};

struct PerformanceFrame {
    AvatarState state = AvatarState::idle_active;
    AnimationFrame arkit;                   ///< gaze and blinks
    std::map<std::string, double> visemes;  ///< weights of those that are not 0
};

/// One frame each 1/rate s, the first at 0. The same options and script give the same frames.
std::vector<PerformanceFrame> perform(const Script& script, const PerformanceOptions& options);

}  // namespace helixavatar::humanoid
