// SPDX-License-Identifier: MIT
// Frames of ARKit's face shapes, and how layers of them become one.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string_view>

namespace helixavatar::humanoid {

/// ARKit's 52 blend shape locations, in Apple's order.
inline constexpr std::array<std::string_view, 52> kArkitShapes{
    "eyeBlinkLeft",      "eyeLookDownLeft",    "eyeLookInLeft",
    "eyeLookOutLeft",    "eyeLookUpLeft",      "eyeSquintLeft",
    "eyeWideLeft",       "eyeBlinkRight",      "eyeLookDownRight",
    "eyeLookInRight",    "eyeLookOutRight",    "eyeLookUpRight",
    "eyeSquintRight",    "eyeWideRight",       "jawForward",
    "jawLeft",           "jawRight",           "jawOpen",
    "mouthClose",        "mouthFunnel",        "mouthPucker",
    "mouthLeft",         "mouthRight",         "mouthSmileLeft",
    "mouthSmileRight",   "mouthFrownLeft",     "mouthFrownRight",
    "mouthDimpleLeft",   "mouthDimpleRight",   "mouthStretchLeft",
    "mouthStretchRight", "mouthRollLower",     "mouthRollUpper",
    "mouthShrugLower",   "mouthShrugUpper",    "mouthPressLeft",
    "mouthPressRight",   "mouthLowerDownLeft", "mouthLowerDownRight",
    "mouthUpperUpLeft",  "mouthUpperUpRight",  "browDownLeft",
    "browDownRight",     "browInnerUp",        "browOuterUpLeft",
    "browOuterUpRight",  "cheekPuff",          "cheekSquintLeft",
    "cheekSquintRight",  "noseSneerLeft",      "noseSneerRight",
    "tongueOut"};

/// Index into kArkitShapes.
std::optional<std::size_t> arkit_shape(std::string_view name);

/// Sparse: shape index → weight 0..1.
using AnimationFrame = std::map<std::size_t, double>;

enum class LayerMode {
    add,      ///< onto what the layers below gave
    override  ///< in its stead, by `weight`: a blink closes a lid that a gaze also moves
};

struct AnimationLayer {
    AnimationFrame frame;
    LayerMode mode = LayerMode::add;
    double weight = 1;  ///< 0..1
};

/// Layers in order, the first lowest; every channel of the result is clamped to [0, 1]. Numbers that are not finite and
/// channels that are none count for nothing.
AnimationFrame composite(std::span<const AnimationLayer> layers);

}  // namespace helixavatar::humanoid
