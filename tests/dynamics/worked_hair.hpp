// SPDX-License-Identifier: MIT
// The reference text's worked layout on the builder's long-haired character: three chains of two joints on spine_05.
#pragma once

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/dynamics/apply.hpp>
#include <helixavatar/gltf/document.hpp>

namespace helixavatar::dynamics {

struct LongHaired {
    Bytes glb;
    gltf::Document document;
    avatar::Avatar avatar;
};

/// Imported once for the whole program.
const LongHaired& long_haired();

gltf::Json worked_hair_spec();

/// Base colours of the avatar, decoded.
PictureSource pictures_of(const avatar::Avatar& avatar);

}  // namespace helixavatar::dynamics
