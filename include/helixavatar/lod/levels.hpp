// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/base/result.hpp>

namespace helixavatar::lod {

struct LevelOptions {
    std::vector<std::size_t> triangles = {10000, 5000, 1500};  ///< absolute target of each level, nearest first
};

struct LevelsOutput {
    avatar::Avatar avatar;
    std::vector<std::string> warnings;  ///< targets not reached, and why
};

/// Levels from the avatar's nearest level, named lod1..n; a level whose target is not below the source's count is the
/// source itself. Output vertices are input vertices: weights, UVs and morphs stay exact. Errors: usage (targets not
/// falling, none, more than four).
Result<LevelsOutput> build_levels(avatar::Avatar avatar, const LevelOptions& options);

struct FaceSplitOutput {
    avatar::Avatar avatar;
    std::vector<std::size_t> triangles;  ///< of the FaceMesh, one a level
    std::vector<std::string> warnings;
};

/// Moves head triangles of every level into its FaceMesh slice: those whose three vertices have more than half their
/// weight on `head` and what hangs from it. No triangle in both slices, none lost, no vertex added. Works again on its
/// own output.
FaceSplitOutput split_face(avatar::Avatar avatar);

/// Merges the surfaces of each level that have the same material into one; attributes that one lacks are filled with
/// neutral values.
avatar::Avatar merge_surfaces(avatar::Avatar avatar);

/// Joins vertices that are equal in every attribute, drops unused ones and degenerate triangles.
avatar::Surface weld(const avatar::Surface& surface);

}  // namespace helixavatar::lod
