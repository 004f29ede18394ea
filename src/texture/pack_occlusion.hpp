// SPDX-License-Identifier: MIT
#pragma once

#include "texture/workshop.hpp"

namespace helixavatar::texture {

/// glTF reads occlusion from red, roughness from green and metal from blue: where a material has occlusion in a picture
/// of its own, laid out like the other, both become one picture. Pictures that do not decode, and KTX2 ones, stay as
/// they are: whoever converts them says why.
void pack_occlusion(avatar::Avatar& avatar, const TextureOptions& options);

}  // namespace helixavatar::texture
