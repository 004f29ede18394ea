// SPDX-License-Identifier: MIT
// Numbers for places: equal places get equal numbers, in the order in which they are first named.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include <helixavatar/base/geometry.hpp>

namespace helixavatar {

/// The bits of a place, with -0 and 0 as one.
inline std::array<std::uint32_t, 3> place_bits(const Vec3f& place) {
    const Vec3f clean = place + Vec3f::Zero();
    std::array<std::uint32_t, 3> bits;
    std::memcpy(bits.data(), clean.data(), sizeof bits);
    return bits;
}

/// A hash table with open addressing: a map costs more than all that is done with a vertex otherwise.
template <std::size_t Words>
class PlaceNumbers {
public:
    using Key = std::array<std::uint32_t, Words>;

    explicit PlaceNumbers(std::size_t most) {
        std::size_t size = 16;
        while (size < 2 * most) size *= 2;
        slots_.assign(size, kFree);
        keys_.reserve(most);
    }

    /// The key's number; a key that was not seen before gets the next one. At most as many keys as the table is made
    /// for.
    std::uint32_t operator()(const Key& key) {
        std::size_t slot = hash(key) & (slots_.size() - 1);
        while (slots_[slot] != kFree) {
            if (keys_[slots_[slot]] == key) return slots_[slot];
            slot = (slot + 1) & (slots_.size() - 1);
        }
        const auto number = static_cast<std::uint32_t>(keys_.size());
        slots_[slot] = number;
        keys_.push_back(key);
        return number;
    }

    std::size_t size() const { return keys_.size(); }

private:
    static constexpr std::uint32_t kFree = 0xffffffff;

    static std::size_t hash(const Key& key) {
        std::uint64_t sum = 0;
        for (const std::uint32_t word : key) {
            sum = (sum ^ word) * 0x9e3779b97f4a7c15U;  // the golden ratio's bits: every one of a word's reaches the top
            sum ^= sum >> 32;
        }
        return static_cast<std::size_t>(sum);
    }

    std::vector<std::uint32_t> slots_;
    std::vector<Key> keys_;
};

}  // namespace helixavatar
