// SPDX-License-Identifier: MIT
// A character as an ASCII FBX 7.4 file, written by hand: what no library of ours wrote, ours must read.
#pragma once

#include <array>
#include <string>

#include <helixavatar/avatar/avatar.hpp>

namespace helixavatar::test {

/// The file's space: which of its axes is the character's right, up and front (0 x, 1 y, 2 z), and which way.
struct FbxSpace {
    std::array<int, 3> axis{0, 1, 2};  ///< CoordAxis, UpAxis, FrontAxis
    std::array<int, 3> sign{1, 1, 1};
    double centimetres = 1;  ///< UnitScaleFactor: of one file unit
};

/// The first surface of the avatar on joints without turns of their own (the clusters' links say where they are); morph
/// targets as blend shapes; `picture` embedded as the diffuse texture unless it is empty. `world`: metres, +Y up.
std::string fbx_text(const avatar::Avatar& world, const FbxSpace& space, const Bytes& picture = {});

}  // namespace helixavatar::test
