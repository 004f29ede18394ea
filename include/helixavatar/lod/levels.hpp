// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/base/result.hpp>

namespace helixavatar::lod {

struct LevelOptions {
    std::vector<std::size_t> triangles = {10000, 5000, 1500};  ///< absolute target of each level, nearest first
    bool automatic = false;                                    ///< targets from automatic_targets() instead
    std::size_t budget = 60000;                                ///< for those: triangles of all levels together
};

/// Targets that spend a budget on what a source has: its own detail in the first level as far as the budget goes, then
/// 1/2 and 3/20 of that, the shares of the importer's own default. Three levels at most, for the runtime switches twice;
/// fewer where the next one would be too coarse for a body. Zero has none.
std::vector<std::size_t> automatic_targets(std::size_t source_triangles, std::size_t budget, std::size_t levels = 3);

struct LevelsOutput {
    avatar::Avatar avatar;
    std::vector<std::string> warnings;  ///< targets not reached, and why
    bool kept = false;                  ///< the levels were what was asked for already and are as they were
};

/// Levels from the avatar's nearest level, named lod1..n; a level whose target is not below the source's count is the
/// source itself. Every output vertex is an input vertex with its weights, UVs, colours and morph deltas; the position
/// and normal of one that stands for others too are fitted to all of them. Errors: usage (targets not falling, none,
/// more than four).
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
