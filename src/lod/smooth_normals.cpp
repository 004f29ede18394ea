// SPDX-License-Identifier: MIT
#include "smooth_normals.hpp"

#include <array>
#include <bit>
#include <map>

namespace helixavatar::lod {

std::vector<Vec3f> smooth_normals(const avatar::Surface& surface) {
    std::map<std::array<std::uint32_t, 3>, Vec3>
        sums;  // by bits, so that NaN has an order; + 0 makes the two zeros one
    const auto key = [&](std::size_t v) {
        const Vec3f p = surface.positions[v] + Vec3f::Zero();
        return std::bit_cast<std::array<std::uint32_t, 3>>(std::array<float, 3>{p.x(), p.y(), p.z()});
    };
    for (const auto* list : {&surface.body, &surface.face}) {
        for (std::size_t i = 0; i + 2 < list->size(); i += 3) {
            const Vec3 a = surface.positions[(*list)[i]].cast<double>();
            const Vec3 b = surface.positions[(*list)[i + 1]].cast<double>();
            const Vec3 c = surface.positions[(*list)[i + 2]].cast<double>();
            const Vec3 doubled_area = (b - a).cross(c - a);
            if (!doubled_area.allFinite()) continue;
            for (std::size_t k = 0; k < 3; ++k)
                sums.try_emplace(key((*list)[i + k]), Vec3::Zero()).first->second += doubled_area;
        }
    }
    std::vector<Vec3f> normals(surface.positions.size(), Vec3f::UnitY());
    for (std::size_t v = 0; v < normals.size(); ++v) {
        const auto found = sums.find(key(v));
        if (found != sums.end() && found->second.norm() > 1e-30) normals[v] = found->second.normalized().cast<float>();
    }
    return normals;
}

}  // namespace helixavatar::lod
