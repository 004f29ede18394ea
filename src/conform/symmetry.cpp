// SPDX-License-Identifier: MIT
#include "symmetry.hpp"

#include <algorithm>
#include <cmath>

#include "aim.hpp"

namespace helixavatar::conform {

namespace {

constexpr double kNearlySymmetric = 0.01;  // metres, conform.md §2 "Place joints"

Vec3 mirrored(const Vec3& v, double middle_x) {
    return {2 * middle_x - v.x(), v.y(), v.z()};
}

}  // namespace

Settled settle_joints(const Body& aimed) {
    Settled result{aimed, aimed.to[static_cast<std::size_t>(aimed.roles.pelvis())].x(), false};
    const std::vector<int>& mirror = aimed.roles.mirror;
    const auto counts = [&](std::size_t joint) {
        const auto& canonical = aimed.canonical->joints[joint];
        return canonical.skin && static_cast<int>(joint) != aimed.roles.root;
    };

    double sum = 0, pairs = 0;
    for (std::size_t j = 0; j < mirror.size(); ++j)
        if (counts(j) && mirror[j] != static_cast<int>(j)) {
            sum += aimed.to[j].x();
            pairs += 1;
        }
    const double middle = pairs > 0 ? sum / pairs : result.middle_x;
    double off = 0;
    for (std::size_t j = 0; j < mirror.size(); ++j)
        if (counts(j))
            off = std::max(off, (aimed.to[j] - mirrored(aimed.to[static_cast<std::size_t>(mirror[j])], middle)).norm());

    if (off <= kNearlySymmetric) {
        result.symmetric = true;
        result.middle_x = middle;
        for (std::size_t j = 0; j < mirror.size(); ++j)
            result.body.to[j] = 0.5 * (aimed.to[j] + mirrored(aimed.to[static_cast<std::size_t>(mirror[j])], middle));
    }
    settle_hands(result.body);
    return result;
}

}  // namespace helixavatar::conform
