// SPDX-License-Identifier: MIT
// What the first-person camera would look into: helmets, hoods, visors, hair that stands before the eyes.
#pragma once

#include <string>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

namespace helixavatar::import {

struct BeforeEyes {
    std::string mesh;  ///< name of the surface
    std::size_t rays;  ///< of the 40 that were cast
    double distance;   ///< of the nearest hit from the face, in the body's own units
    bool on_head;      ///< weighted to the head, so the FaceMesh slice takes it and the camera hides it
};

/// Casts rays out of both eyes, forward and up to 30 degrees aside, and names what they meet after they left the face;
/// most rays first. `head`: its joint; `up`, `forward`: unit, of the body. Eyes are the joints named so below the head,
/// else where a body of this height has them.
std::vector<BeforeEyes> before_eyes(const avatar::Avatar& avatar, int head, const Vec3& up, const Vec3& forward);

}  // namespace helixavatar::import
