// SPDX-License-Identifier: MIT
#include <helixavatar/base/place_numbers.hpp>

#include "rigid_parts.hpp"

#include <array>
#include <cstdint>
#include <numeric>

namespace helixavatar::conform {

namespace {

class Pieces {
public:
    explicit Pieces(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }

    std::size_t find(std::size_t i) {
        while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    void join(std::size_t a, std::size_t b) {
        a = find(a);
        b = find(b);
        // The smaller number stays the root, whatever the order of joining.
        if (a < b) parent_[b] = a;
        if (b < a) parent_[a] = b;
    }

private:
    std::vector<std::size_t> parent_;
};

/// The only joint of a vertex, or -1.
int only_joint(const avatar::Influences& influences) {
    int joint = -1;
    for (const avatar::Influence& influence : influences) {
        if (influence.weight <= 0) continue;
        if (joint >= 0 && joint != influence.joint) return -1;
        joint = influence.joint;
    }
    return joint;
}

}  // namespace

RigidParts find_rigid_parts(const avatar::Level& level) {
    std::vector<std::size_t> first{0};
    for (const avatar::Surface& surface : level.surfaces) first.push_back(first.back() + surface.positions.size());
    Pieces pieces(first.back());
    PlaceNumbers<3> numbers(first.back());
    std::vector<std::size_t> at_place;  // the first vertex of each place
    for (std::size_t s = 0; s < level.surfaces.size(); ++s) {
        const avatar::Surface& surface = level.surfaces[s];
        for (std::size_t v = 0; v < surface.positions.size(); ++v) {
            const std::uint32_t place = numbers(place_bits(surface.positions[v]));
            if (place == at_place.size()) at_place.push_back(first[s] + v);
            pieces.join(first[s] + v, at_place[place]);
        }
        for (const auto* triangles : {&surface.body, &surface.face})
            for (std::size_t i = 0; i + 2 < triangles->size(); i += 3)
                for (const std::size_t corner : {i + 1, i + 2})
                    pieces.join(first[s] + (*triangles)[i], first[s] + (*triangles)[corner]);
    }

    constexpr int kUnseen = -2, kMixed = -1;
    std::vector<int> joint(first.back(), kUnseen);
    for (std::size_t s = 0; s < level.surfaces.size(); ++s)
        for (std::size_t v = 0; v < level.surfaces[s].influences.size(); ++v) {
            int& held = joint[pieces.find(first[s] + v)];
            const int own = only_joint(level.surfaces[s].influences[v]);
            held = own >= 0 && (held == kUnseen || held == own) ? own : kMixed;
        }

    RigidParts parts;
    std::vector<int> number(first.back(), -1);
    std::vector<double> members;
    parts.part.resize(level.surfaces.size());
    for (std::size_t s = 0; s < level.surfaces.size(); ++s)
        for (std::size_t v = 0; v < level.surfaces[s].positions.size(); ++v) {
            const std::size_t root = pieces.find(first[s] + v);
            if (joint[root] >= 0 && number[root] < 0) {
                number[root] = static_cast<int>(parts.centre.size());
                parts.centre.push_back(Vec3::Zero());
                members.push_back(0);
            }
            parts.part[s].push_back(number[root]);
            if (number[root] < 0) continue;
            const auto n = static_cast<std::size_t>(number[root]);
            parts.centre[n] += level.surfaces[s].positions[v].cast<double>();
            members[n] += 1;
        }
    for (std::size_t n = 0; n < members.size(); ++n) parts.centre[n] /= members[n];
    return parts;
}

}  // namespace helixavatar::conform
