// SPDX-License-Identifier: MIT
#include <helixavatar/humanoid/random.hpp>

namespace helixavatar::humanoid {

Random seeded(std::uint64_t seed) {
    return [state = seed]() mutable {
        state += 0x9E3779B97F4A7C15ULL;
        std::uint64_t z = state;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        z ^= z >> 31;
        return static_cast<double>(z >> 11) * 0x1.0p-53;
    };
}

}  // namespace helixavatar::humanoid
