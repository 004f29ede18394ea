// SPDX-License-Identifier: MIT
// A head with whatever shapes a test names: each moves three vertices of its own, on the face slice unless said.
#pragma once

#include <string>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/skeleton/skeleton.hpp>

namespace helixavatar::face {

struct Shape {
    std::string name;
    double x = 0;  ///< of the centre of what it moves; the character's left is +X
    bool moves = true;
    bool on_body = false;  ///< also moves a triangle of the Body slice
};

inline avatar::Avatar face_avatar(const std::vector<Shape>& shapes) {
    avatar::Avatar avatar;
    for (const skeleton::CanonicalJoint& joint : skeleton::helix_humanoid().joints)
        avatar.joints.push_back({joint.name, joint.parent, joint.skin, joint.world});
    avatar::Surface surface;
    const auto triangle = [&](double x, std::vector<std::uint32_t>& slice) {
        for (int i = 0; i < 3; ++i) {
            slice.push_back(static_cast<std::uint32_t>(surface.positions.size()));
            surface.positions.push_back(Vec3(x + 0.001 * i, 1.6, 0.1).cast<float>());
            surface.influences.emplace_back();
        }
    };
    triangle(0, surface.body);
    for (const Shape& shape : shapes) triangle(shape.x, shape.on_body ? surface.body : surface.face);
    for (std::size_t s = 0; s < shapes.size(); ++s) {
        avatar::MorphTarget morph{shapes[s].name, std::vector<Vec3f>(surface.positions.size(), Vec3f::Zero()), {}};
        for (std::size_t v = 3 * (s + 1); shapes[s].moves && v < 3 * (s + 2); ++v)
            morph.positions[v] = Vec3f(0, -0.01F, 0);
        surface.morphs.push_back(std::move(morph));
    }
    avatar.levels.emplace_back();
    avatar.levels[0].surfaces.push_back(std::move(surface));
    return avatar;
}

inline avatar::Avatar face_avatar(const std::vector<std::string>& names) {
    std::vector<Shape> shapes;
    for (const std::string& name : names) shapes.push_back({name});
    return face_avatar(shapes);
}

/// An auxiliary joint under the head that carries one vertex.
inline void add_joint(avatar::Avatar& avatar, const std::string& name) {
    const int head = avatar.find_joint("head");
    avatar.joints.push_back({name, head, true, avatar.joints[static_cast<std::size_t>(head)].rest});
    avatar.levels[0].surfaces[0].influences[0][0] = {static_cast<std::uint16_t>(avatar.joints.size() - 1), 1.0F};
}

}  // namespace helixavatar::face
