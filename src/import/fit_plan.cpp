// SPDX-License-Identifier: MIT
#include "fit_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <helixavatar/avatar/document_io.hpp>
#include <helixavatar/lod/levels.hpp>

namespace helixavatar::import {
namespace {

/// From try to try the triangles fall by this much.
constexpr double kStep = 0.87;
/// No nearest level goes below this many triangles: a body would lose its fingers.
constexpr std::size_t kFewest = 1000;
/// Losing half of the triangles costs this much of losing half of the base colour's edge ...
constexpr double kHalfOfTriangles = 0.6;
/// ... and twice as much below this many.
constexpr double kPlenty = 6000;

/// Seams and borders weigh more the fewer triangles there are: vertices a triangle, reduced against source, as the
/// shared test characters have them (1.05 to 1.3).
constexpr double kReducedShare = 1.15;

/// JSON that an image adds beyond the empty one it is counted with: a KTX2 texture's extension, longer numbers.
constexpr std::size_t kImageJson = 256;
constexpr std::size_t kFileJson = 1024;

std::size_t bytes_of(const avatar::Avatar& avatar) {
    return gltf::write_glb(avatar::write_avatar(avatar, {"helixavatar"})).size() + kFileJson +
           avatar.images.size() * kImageJson;
}

avatar::Avatar without_pixels(const avatar::Avatar& avatar) {
    avatar::Avatar bare;
    bare.name = avatar.name;
    bare.joints = avatar.joints;
    bare.levels = avatar.levels;
    bare.materials = avatar.materials;
    bare.textures = avatar.textures;
    for (const avatar::Image& image : avatar.images) bare.images.push_back({image.name, image.mime, Bytes(1)});
    bare.face = avatar.face;
    bare.dynamics = avatar.dynamics;
    bare.first_person_hide = avatar.first_person_hide;
    return bare;
}

double triangle_loss(double wanted, double got) {
    const double halves = std::log2(std::max(1.0, wanted / got));
    const double low = std::log2(std::max(1.0, std::min(wanted, kPlenty) / got));
    return kHalfOfTriangles * (halves + low);
}

}  // namespace

std::vector<std::size_t> wanted_triangles(std::size_t source, const ImportOptions& options, const Plan& plan) {
    const std::size_t budget = preflight::Budgets{}.triangles;
    const auto limit = static_cast<double>(budget);
    std::vector<double> wanted(plan.triangles.begin(), plan.triangles.end());
    if (!options.lod_triangles_given) {
        // A source with less than the usual counts keeps more of itself far away than its own shares would leave.
        const std::vector<std::size_t> own = lod::automatic_targets(source, budget, wanted.size());
        for (std::size_t i = 0; i < own.size(); ++i) wanted[i] = std::max(wanted[i], static_cast<double>(own[i]));
    }
    // A level over the source is the source itself: only what will be there counts.
    const auto total = [&] {
        double sum = 0;
        for (const double triangles : wanted) sum += std::min(triangles, static_cast<double>(source));
        return sum;
    };
    while (total() > limit)
        for (double& triangles : wanted) triangles = std::floor(triangles * std::min(0.999, limit / total()));
    return {wanted.begin(), wanted.end()};
}

std::size_t bytes_without_images(const avatar::Avatar& avatar) {
    return bytes_of(without_pixels(avatar));
}

std::vector<Candidate> candidates(const avatar::Avatar& source, const ImportOptions& options, const Plan& plan,
                                  const texture::TextureForecast& textures, double correction, std::size_t below) {
    const std::size_t whole = source.levels.front().triangles();
    const std::vector<std::size_t> wanted = wanted_triangles(whole, options, plan);
    const auto one_level = static_cast<double>(bytes_without_images(source));
    std::vector<Candidate> all;
    for (double scale = 1;; scale *= kStep) {
        Candidate candidate;
        double geometry = 0;
        for (const std::size_t triangles : wanted) {
            const auto target = static_cast<std::size_t>(std::floor(static_cast<double>(triangles) * scale));
            candidate.triangles.push_back(std::max<std::size_t>(target, 1));
            const double share = static_cast<double>(target) / static_cast<double>(std::max<std::size_t>(whole, 1));
            geometry += one_level * std::min(1.0, share * kReducedShare) * correction;
        }
        for (std::size_t i = candidate.triangles.size(); i-- > 1;)  // targets fall from level to level
            candidate.triangles[i - 1] = std::max(candidate.triangles[i - 1], candidate.triangles[i] + 1);
        const std::size_t nearest = std::min(candidate.triangles.front(), whole);
        if (nearest < kFewest && scale < 1) break;
        candidate.geometry_bytes = static_cast<std::size_t>(geometry);
        const std::size_t limit = preflight::Budgets{}.file_bytes;
        candidate.texture_bytes = limit > candidate.geometry_bytes ? limit - candidate.geometry_bytes : 0;
        candidate.triangle_loss = triangle_loss(static_cast<double>(std::min(wanted.front(), whole)),
                                                static_cast<double>(std::max<std::size_t>(nearest, 1)));
        candidate.texture_loss = textures.loss_within(candidate.texture_bytes);
        if (candidate.texture_bytes == 0) candidate.texture_loss = std::numeric_limits<double>::infinity();
        if (nearest < below) all.push_back(std::move(candidate));
        if (scale < 1e-3) break;
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Candidate& a, const Candidate& b) { return a.loss() < b.loss(); });
    return all;
}

}  // namespace helixavatar::import
