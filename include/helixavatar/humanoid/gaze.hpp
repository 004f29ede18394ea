// SPDX-License-Identifier: MIT
// Where the eyes wander: three layers of offset on a plane before the face, each running after a goal that it draws
// anew. Centimetres; +x is the avatar's left, +y is up; (0, 0) is who it looks at.
#pragma once

#include <array>

#include <helixavatar/humanoid/animation.hpp>
#include <helixavatar/humanoid/random.hpp>
#include <helixavatar/humanoid/state.hpp>

namespace helixavatar::humanoid {

struct Offset {
    double x = 0, y = 0;  ///< cm
};

struct Range {
    double low = 0, high = 0;
};

/// Our own values: the text that describes the layers gives none. Times in seconds, extents in cm at 60 cm distance.
struct GazeConfig {
    /// How long the eyes stay on the other one before they look away, by state (kAvatarStates' order): who listens
    /// looks longest, who thinks looks away.
    std::array<Range, 5> look_at{{{2.5, 6}, {1.5, 4}, {4, 9}, {0.8, 2}, {2, 5}}};
    Range look_away{0.5, 1.4};
    Offset macro_extent{22, 12};
    double second_glance = 0.35;  ///< chance that a look away is followed by another one close by
    double second_glance_extent = 6;
    Range micro_every{0.4, 1.4};
    Offset micro_extent{3.2, 2.4};  ///< from eye to eye and brow of the other one
    Range nano_every{0.05, 0.2};
    double nano_extent = 0.25;
    double macro_rate = 14, micro_rate = 30, nano_rate = 40;  ///< 1/s: what is left of the way decays by e^(-rate·t)
};

/// One layer: where it is, where it wants to be, when it draws again.
struct GazeLayer {
    Offset current, goal;
    double until = 0;  ///< seconds until the next draw
};

struct GazeState {
    GazeLayer macro, micro, nano;
    bool away = false;  ///< macro: looking elsewhere
    Offset combined;    ///< sum of the layers that are on
};

struct GazeInput {
    double seconds = 0;  ///< since the step before
    AvatarState state = AvatarState::idle_active;
};

struct GazeToggles {
    bool macro = true, micro = true, nano = true;
};

/// Pure: every draw comes from `random`. A step that is not finite or not over 0 changes nothing.
GazeState step_gaze(const GazeState& gaze, const GazeInput& input, const GazeConfig& config, const Random& random,
                    const GazeToggles& toggles = {});

/// The eight eyeLook shapes of an offset on a plane `distance` cm away, 1 at `full_degrees`. Looking to the avatar's
/// left turns its left eye out and its right eye in.
AnimationFrame gaze_shapes(const Offset& offset, double distance, double full_degrees);

}  // namespace helixavatar::humanoid
