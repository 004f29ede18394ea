// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

namespace helixavatar::humanoid {

/// Draws from 0 (in) to 1 (out). Everything random here takes one, so that a seed decides it.
using Random = std::function<double()>;

/// SplitMix64: the same numbers on every machine.
Random seeded(std::uint64_t seed);

/// A draw between two bounds.
inline double between(const Random& random, double low, double high) {
    return low + (high - low) * random();
}

}  // namespace helixavatar::humanoid
