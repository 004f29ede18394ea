// SPDX-License-Identifier: MIT
#include <helixavatar/humanoid/gaze.hpp>

#include <algorithm>
#include <cmath>

#include <helixavatar/base/geometry.hpp>

namespace helixavatar::humanoid {
namespace {

double draw(const Random& random, const Range& range) {
    return between(random, range.low, range.high);
}

Offset within(const Random& random, const Offset& extent) {
    const double x = between(random, -extent.x, extent.x);
    return {x, between(random, -extent.y, extent.y)};
}

void approach(GazeLayer& layer, double rate, double seconds) {
    const double left = std::exp(-rate * seconds);
    layer.current.x = layer.goal.x + (layer.current.x - layer.goal.x) * left;
    layer.current.y = layer.goal.y + (layer.current.y - layer.goal.y) * left;
    layer.until -= seconds;
}

/// Looks at the other one, away, perhaps at something beside that, and back.
void draw_macro(GazeState& gaze, AvatarState state, const GazeConfig& config, const Random& random) {
    if (gaze.away && random() >= config.second_glance) {
        gaze.away = false;
        gaze.macro.goal = {};
        gaze.macro.until = draw(random, config.look_at[static_cast<std::size_t>(state)]);
        return;
    }
    if (gaze.away) {
        const Offset near = within(random, {config.second_glance_extent, config.second_glance_extent});
        gaze.macro.goal = {gaze.macro.goal.x + near.x, gaze.macro.goal.y + near.y};
    } else {
        gaze.macro.goal = within(random, config.macro_extent);
    }
    gaze.away = true;
    gaze.macro.until = draw(random, config.look_away);
}

}  // namespace

GazeState step_gaze(const GazeState& before, const GazeInput& input, const GazeConfig& config, const Random& random,
                    const GazeToggles& toggles) {
    if (!(input.seconds > 0) || !std::isfinite(input.seconds)) return before;
    GazeState gaze = before;
    approach(gaze.macro, config.macro_rate, input.seconds);
    approach(gaze.micro, config.micro_rate, input.seconds);
    approach(gaze.nano, config.nano_rate, input.seconds);
    if (gaze.macro.until <= 0) draw_macro(gaze, input.state, config, random);
    if (gaze.micro.until <= 0) {
        gaze.micro.goal = within(random, config.micro_extent);
        gaze.micro.until = draw(random, config.micro_every);
    }
    if (gaze.nano.until <= 0) {
        gaze.nano.goal = within(random, {config.nano_extent, config.nano_extent});
        gaze.nano.until = draw(random, config.nano_every);
    }
    gaze.combined = {};
    for (const auto& [layer, on] : {std::pair(&gaze.macro, toggles.macro), std::pair(&gaze.micro, toggles.micro),
                                    std::pair(&gaze.nano, toggles.nano)}) {
        if (!on) continue;
        gaze.combined.x += layer->current.x;
        gaze.combined.y += layer->current.y;
    }
    return gaze;
}

AnimationFrame gaze_shapes(const Offset& offset, double distance, double full_degrees) {
    AnimationFrame frame;
    if (!(distance > 0) || !(full_degrees > 0) || !std::isfinite(offset.x) || !std::isfinite(offset.y)) return frame;
    const auto share = [&](double cm) {
        return std::min(degrees(std::atan2(std::abs(cm), distance)) / full_degrees, 1.0);
    };
    const auto set = [&](std::string_view left_eye, std::string_view right_eye, double weight) {
        frame[*arkit_shape(left_eye)] = weight;
        frame[*arkit_shape(right_eye)] = weight;
    };
    if (offset.x > 0) set("eyeLookOutLeft", "eyeLookInRight", share(offset.x));
    if (offset.x < 0) set("eyeLookInLeft", "eyeLookOutRight", share(offset.x));
    if (offset.y > 0) set("eyeLookUpLeft", "eyeLookUpRight", share(offset.y));
    if (offset.y < 0) set("eyeLookDownLeft", "eyeLookDownRight", share(offset.y));
    return frame;
}

}  // namespace helixavatar::humanoid
