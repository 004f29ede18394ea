// SPDX-License-Identifier: MIT
#include "smooth_normals.hpp"

#include <helixavatar/base/place_numbers.hpp>

namespace helixavatar::lod {

std::vector<Vec3f> smooth_normals(const avatar::Surface& surface) {
    PlaceNumbers<3> numbers(surface.positions.size());
    std::vector<std::uint32_t> place;
    for (const Vec3f& position : surface.positions) place.push_back(numbers(place_bits(position)));
    std::vector<Vec3> sums(numbers.size(), Vec3::Zero());
    for (const auto* list : {&surface.body, &surface.face}) {
        for (std::size_t i = 0; i + 2 < list->size(); i += 3) {
            const Vec3 a = surface.positions[(*list)[i]].cast<double>();
            const Vec3 b = surface.positions[(*list)[i + 1]].cast<double>();
            const Vec3 c = surface.positions[(*list)[i + 2]].cast<double>();
            const Vec3 doubled_area = (b - a).cross(c - a);
            if (!doubled_area.allFinite()) continue;
            for (std::size_t k = 0; k < 3; ++k) sums[place[(*list)[i + k]]] += doubled_area;
        }
    }
    std::vector<Vec3f> normals(surface.positions.size(), Vec3f::UnitY());
    for (std::size_t v = 0; v < normals.size(); ++v)
        if (sums[place[v]].norm() > 1e-30) normals[v] = sums[place[v]].normalized().cast<float>();
    return normals;
}

}  // namespace helixavatar::lod
