// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <utility>

#include <helixavatar/lod/levels.hpp>

#include "smooth_normals.hpp"

namespace helixavatar::lod {

using avatar::MorphTarget;
using avatar::Surface;

namespace {

/// Appends `part` to `whole`, whose first `before` vertices are there; a side without the attribute gets `neutral`.
template <class T>
void append(std::vector<T>& whole, std::size_t before, const std::vector<T>& part, std::size_t count,
            const T& neutral) {
    if (whole.empty() && part.empty()) return;
    whole.resize(before, neutral);
    whole.insert(whole.end(), part.begin(), part.end());
    whole.resize(before + count, neutral);
}

void append_morphs(Surface& whole, std::size_t before, const Surface& part) {
    const std::size_t count = part.positions.size();
    const Vec3f still = Vec3f::Zero();
    for (const MorphTarget& target : part.morphs) {
        const auto named = [&](const MorphTarget& m) { return m.name == target.name; };
        if (std::none_of(whole.morphs.begin(), whole.morphs.end(), named))
            whole.morphs.push_back({target.name, std::vector<Vec3f>(before, still), {}});
    }
    const MorphTarget absent;
    for (MorphTarget& target : whole.morphs) {
        const auto named = [&](const MorphTarget& m) { return m.name == target.name; };
        const auto found = std::find_if(part.morphs.begin(), part.morphs.end(), named);
        const MorphTarget& from = found == part.morphs.end() ? absent : *found;
        append(target.normals, before, from.normals, count, still);
        append(target.positions, before, from.positions, count, still);
        target.positions.resize(before + count, still);
    }
}

void append_surface(Surface& whole, const Surface& part) {
    const std::size_t before = whole.positions.size(), count = part.positions.size();
    append(whole.normals, before, part.normals, count, Vec3f(Vec3f::UnitY()));
    append(whole.tangents, before, part.tangents, count, Vec4f(1, 0, 0, 1));
    whole.uvs.resize(std::max(whole.uvs.size(), part.uvs.size()));
    const std::vector<Vec2f> no_uv;
    for (std::size_t set = 0; set < whole.uvs.size(); ++set) {
        append(whole.uvs[set], before, set < part.uvs.size() ? part.uvs[set] : no_uv, count, Vec2f(Vec2f::Zero()));
        whole.uvs[set].resize(before + count, Vec2f::Zero());
    }
    append(whole.colors, before, part.colors, count, Vec4f(1, 1, 1, 1));
    append(whole.influences, before, part.influences, count, avatar::Influences{});
    append_morphs(whole, before, part);
    whole.positions.insert(whole.positions.end(), part.positions.begin(), part.positions.end());
    for (const std::uint32_t v : part.body) whole.body.push_back(static_cast<std::uint32_t>(v + before));
    for (const std::uint32_t v : part.face) whole.face.push_back(static_cast<std::uint32_t>(v + before));
    if (!part.name.empty() && (", " + whole.name + ", ").find(", " + part.name + ", ") == std::string::npos)
        whole.name += (whole.name.empty() ? "" : ", ") + part.name;
}

/// A normal without a direction lights nothing and is an error to the Khronos validator.
void replace_zero_normals(Surface& surface) {
    const auto is_zero = [](const Vec3f& normal) { return !(normal.squaredNorm() > 0.5F); };
    if (std::none_of(surface.normals.begin(), surface.normals.end(), is_zero)) return;
    const std::vector<Vec3f> smooth = smooth_normals(surface);
    for (std::size_t v = 0; v < surface.normals.size(); ++v)
        if (is_zero(surface.normals[v])) surface.normals[v] = smooth[v];
}

Surface merged(std::vector<Surface> parts) {
    for (Surface& part : parts) replace_zero_normals(part);
    if (parts.size() == 1) return std::move(parts.front());
    const auto any = [&](auto has) { return std::any_of(parts.begin(), parts.end(), has); };
    // A renderer that finds no tangents derives them from the UVs; made-up ones would light the normal map from
    // nowhere.
    if (any([](const Surface& s) { return s.tangents.empty() && !s.positions.empty(); }))
        for (Surface& s : parts) s.tangents.clear();
    if (any([](const Surface& s) { return !s.normals.empty(); }))
        for (Surface& s : parts)
            if (s.normals.empty()) s.normals = smooth_normals(s);
    Surface whole;
    whole.material = parts.front().material;
    for (const Surface& part : parts) append_surface(whole, part);
    return whole;
}

}  // namespace

avatar::Avatar merge_surfaces(avatar::Avatar avatar) {
    for (avatar::Level& level : avatar.levels) {
        std::vector<int> order;
        std::map<int, std::vector<Surface>> by_material;
        for (Surface& surface : level.surfaces) {
            std::vector<Surface>& group = by_material[surface.material];
            if (group.empty()) order.push_back(surface.material);
            group.push_back(std::move(surface));
        }
        level.surfaces.clear();
        for (const int material : order) level.surfaces.push_back(merged(std::move(by_material[material])));
    }
    return avatar;
}

}  // namespace helixavatar::lod
