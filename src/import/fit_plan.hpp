// SPDX-License-Identifier: MIT
// What an import makes of the budgets, and the search of --fit for what they are best spent on.
#pragma once

#include <string>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/import/import.hpp>
#include <helixavatar/preflight/preflight.hpp>
#include <helixavatar/texture/fit.hpp>

namespace helixavatar::import {

struct Plan {
    std::vector<std::size_t> triangles;  ///< target of each level, nearest first
    bool split_face = true;
};

/// One division of the budgets that the search weighed.
struct Candidate {
    std::vector<std::size_t> triangles;  ///< target of each level
    std::size_t geometry_bytes = 0;      ///< predicted, of everything but the images
    std::size_t texture_bytes = 0;       ///< what is left for the images
    double triangle_loss = 0;            ///< 0: all that the triangle budget allows; grows by 0.6 with every halving
    double texture_loss = 0;             ///< as texture::TextureForecast; infinite: they do not fit
    double loss() const { return triangle_loss + texture_loss; }
};

/// The least loss comes first; those whose textures do not fit at all come last, the smallest at the end. `source`: the
/// only level, before it is reduced; `correction`: measured geometry bytes over those predicted, of an earlier try;
/// `below`: only candidates whose nearest level is smaller (none: empty).
std::vector<Candidate> candidates(const avatar::Avatar& source, const ImportOptions& options, const Plan& plan,
                                  const texture::TextureForecast& textures, double correction, std::size_t below);

/// The targets that --fit aims at when bytes are no matter: the triangle budget shared over as many levels as the plan
/// has, or what the options ask for where that is less.
std::vector<std::size_t> wanted_triangles(std::size_t source, const ImportOptions& options, const Plan& plan);

/// Bytes of the file less its images: everything that the images add to the JSON is allowed for.
std::size_t bytes_without_images(const avatar::Avatar& avatar);

/// One line of a fit's report.
struct FittedBudget {
    std::string id;
    std::size_t limit = 0, before = 0, after = 0;
    bool met() const { return after <= limit; }
};

}  // namespace helixavatar::import
