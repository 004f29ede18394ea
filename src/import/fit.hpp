// SPDX-License-Identifier: MIT
// --fit: a source inside every budget, with what it cost.
#pragma once

#include "job.hpp"

namespace helixavatar::import {

/// Pixels; of all images.
std::size_t largest_edge(const avatar::Avatar& avatar);

/// Chooses how the budgets are spent, runs `size_steps` on that, and again with fewer triangles while the file would be
/// too large. Errors: those of the steps; unconvertible when nothing fits, with the distance.
Result<void> fit(Job& job, Result<void> (*size_steps)(Job&));

/// The textures step of a fit: the images into the bytes that the geometry leaves. Sets record.fit.bytes_over.
Result<void> fit_textures_step(Job& job);

/// Budgets before and after. Errors: unconvertible when the finished file fails preflight, with each budget's distance.
Result<void> conclude_fit(Job& job, const preflight::Report& report);

}  // namespace helixavatar::import
