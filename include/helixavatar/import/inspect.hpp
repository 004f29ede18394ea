// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include <helixavatar/import/import.hpp>

namespace helixavatar::import {

struct Inspection {
    gltf::Json facts;  ///< what `inspect --json` prints; member names in camelCase, sizes in bytes and pixels, angles
                       ///< in degrees
    std::optional<Understood> recognised;  ///< null when no humanoid was found: facts.rig.refused says why
};

/// What a creator asks first of a file. Works on files that cannot be converted as long as they can be read.
/// Errors: as avatar::read_source(), less what only a conversion needs.
Result<Inspection> inspect(const gltf::Document& document, const SourceFile& file, const ImportOptions& options);

}  // namespace helixavatar::import
