// SPDX-License-Identifier: MIT
#include <algorithm>

#include <helixavatar/lod/levels.hpp>

namespace helixavatar::lod {

using avatar::Surface;

namespace {

constexpr const char* kHead = "head";

/// True for `head` and every joint below it.
std::vector<bool> joints_of_head(const avatar::Avatar& avatar) {
    std::vector<bool> of_head(avatar.joints.size(), false);
    const int head = avatar.find_joint(kHead);
    if (head < 0) return of_head;
    for (std::size_t j = 0; j < of_head.size(); ++j) {
        const int parent = avatar.joints[j].parent;
        of_head[j] =
            static_cast<int>(j) == head || (parent >= 0 && static_cast<std::size_t>(parent) < j && of_head[parent]);
    }
    return of_head;
}

/// True where more than half of a vertex's weight is on the head.
std::vector<bool> vertices_of_head(const Surface& surface, const std::vector<bool>& of_head) {
    std::vector<bool> result(surface.positions.size(), false);
    for (std::size_t v = 0; v < surface.influences.size() && v < result.size(); ++v) {
        float on_head = 0, total = 0;
        for (const avatar::Influence& influence : surface.influences[v]) {
            total += influence.weight;
            if (influence.joint < of_head.size() && of_head[influence.joint]) on_head += influence.weight;
        }
        result[v] = on_head > total / 2;
    }
    return result;
}

/// Deals the triangles of both slices out again, in order, so that a second run changes nothing.
void deal(Surface& surface, const std::vector<bool>& on_head) {
    std::vector<std::uint32_t> body, face;
    for (const auto* list : {&surface.body, &surface.face}) {
        for (std::size_t i = 0; i + 2 < list->size(); i += 3) {
            const std::uint32_t* t = list->data() + i;
            const bool whole = std::all_of(t, t + 3, [&](std::uint32_t v) { return v < on_head.size() && on_head[v]; });
            (whole ? face : body).insert((whole ? face : body).end(), t, t + 3);
        }
    }
    surface.body = std::move(body);
    surface.face = std::move(face);
}

}  // namespace

FaceSplitOutput split_face(avatar::Avatar avatar) {
    FaceSplitOutput out;
    const std::vector<bool> of_head = joints_of_head(avatar);
    const bool has_head = std::find(of_head.begin(), of_head.end(), true) != of_head.end();
    if (!has_head) out.warnings.push_back("there is no joint named head, so no FaceMesh was cut");
    for (avatar::Level& level : avatar.levels) {
        std::size_t triangles = 0;
        for (Surface& surface : level.surfaces) {
            deal(surface, vertices_of_head(surface, of_head));
            triangles += surface.face.size() / 3;
        }
        if (has_head && triangles == 0)
            out.warnings.push_back("level " + level.name +
                                   " has no triangle that hangs wholly from the head, so it has no FaceMesh");
        out.triangles.push_back(triangles);
    }
    out.avatar = std::move(avatar);
    return out;
}

}  // namespace helixavatar::lod
