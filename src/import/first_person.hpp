// SPDX-License-Identifier: MIT
// A VRM's first-person annotations on the avatar: what the wearer's own camera must not see becomes part of the slice
// that it hides, the FaceMesh.
#pragma once

#include <string>
#include <vector>

#include <helixavatar/avatar/read_source.hpp>

namespace helixavatar::import {

/// Before surfaces are merged: takes out meshes that only the wearer should see, and keeps those that only others
/// should see apart in a material of their own, unless the head slice hides them anyway. The avatar's surfaces are
/// still those of source.surface_origin, in order. Requires source.vrm. Returns true when something was kept apart.
bool keep_third_person_apart(avatar::Avatar& avatar, const avatar::Source& source, std::vector<std::string>& warnings);

/// After the head was cut off: what was kept apart joins the FaceMesh, in its own material again.
void hide_third_person(avatar::Avatar& avatar, std::vector<std::string>& warnings);

/// Undoes keep_third_person_apart(): the surfaces are drawn with the body.
void give_up_third_person(avatar::Avatar& avatar);

}  // namespace helixavatar::import
