// SPDX-License-Identifier: MIT
#include <helixavatar/humanoid/animation.hpp>

#include <algorithm>
#include <cmath>

namespace helixavatar::humanoid {

std::optional<std::size_t> arkit_shape(std::string_view name) {
    const auto found = std::find(kArkitShapes.begin(), kArkitShapes.end(), name);
    if (found == kArkitShapes.end()) return {};
    return static_cast<std::size_t>(found - kArkitShapes.begin());
}

AnimationFrame composite(std::span<const AnimationLayer> layers) {
    AnimationFrame out;
    for (const AnimationLayer& layer : layers) {
        if (!std::isfinite(layer.weight)) continue;
        const double weight = std::clamp(layer.weight, 0.0, 1.0);
        for (const auto& [shape, value] : layer.frame) {
            if (shape >= kArkitShapes.size() || !std::isfinite(value)) continue;
            double& channel = out[shape];
            channel = layer.mode == LayerMode::add ? channel + weight * value : channel + weight * (value - channel);
        }
    }
    for (auto& [shape, value] : out) value = std::clamp(value, 0.0, 1.0);
    return out;
}

}  // namespace helixavatar::humanoid
