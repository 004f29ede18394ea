// SPDX-License-Identifier: MIT
// One scene that holds several levels side by side, as engines other than this one want them.
#pragma once

#include <map>
#include <vector>

#include <helixavatar/gltf/document.hpp>

namespace helixavatar::lod {

/// For each scene the nodes that give their place to another one there: nearest level → this scene's level.
using StandIns = std::vector<std::map<int, int>>;

/// Finds levels in the only scene of a document: nodes whose MSFT_lod names farther ones, and siblings whose names
/// differ only in a last `_LOD0`, `_LOD1`, ... Takes the farther ones out of the tree, makes a scene a level after the
/// first (named lod2, ..., else a copy of it, with its roots still those of the first) and drops MSFT_lod where it was
/// followed. A part with fewer levels keeps its last one. At most four levels; farther ones stay in the file, in no
/// scene. Empty when there are none, or several scenes already.
StandIns split_sibling_levels(gltf::Json& json);

}  // namespace helixavatar::lod
