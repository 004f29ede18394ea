// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <helixavatar/base/result.hpp>
#include <helixavatar/gltf/document.hpp>

namespace helixavatar::lod {

struct RepairOutput {
    gltf::Document document;
    std::vector<std::string> changes;  ///< in words; empty: nothing was wrong and the document is as it was
};

/// Gives every LOD scene its own copy of the skeleton and its own skin, and touches nothing else: the BIN bytes and
/// every untouched JSON member stay as they are. Levels that stand side by side in the only scene (MSFT_lod, or
/// siblings named `Body_LOD0`, `Body_LOD1`, ...) become a scene each first; what has no levels is in all of them.
/// Errors: unconvertible (no scene with a skin).
Result<RepairOutput> repair_lod_skeletons(const gltf::Document& document);

}  // namespace helixavatar::lod
