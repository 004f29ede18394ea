// SPDX-License-Identifier: MIT
// What a level cost: how far it is from the surface that it stands for, at rest and in motion, and how it looks.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

namespace helixavatar::lod {

/// Measures levels against one surface.
class DistanceMeter {
public:
    explicit DistanceMeter(const avatar::Level& reference);
    ~DistanceMeter();
    DistanceMeter(DistanceMeter&&) noexcept;

    /// Maximum and RMS distance from samples of `level` to the surface of the reference, and back, in millimetres: 5000
    /// spread by area and up to twice as many vertices on each side (measure_levels() looks at 30 000 and at every
    /// vertex). 0 when either has no triangle.
    avatar::LevelError to(const avatar::Level& level) const;

private:
    std::unique_ptr<const struct Reference> reference_;
};

struct PoseError {
    std::string pose;  ///< "arms-up", "elbows", "knees", "walk", "twist", "fists"; "jaw-open" where a shape opens it
    avatar::LevelError error;
};

struct LevelMeasure {
    std::string level;  ///< scene name
    std::size_t triangles = 0;
    avatar::LevelError rest;
    std::vector<PoseError> poses;  ///< both surfaces in the same pose; none without the canonical joints
    double normal_degrees = 0;     ///< mean angle between the shading normals
    double uv_mm = 0;              ///< mean distance along the skin by which the texture has slid, each at most 20 mm:
                                   ///< beyond that the nearest skin lies on another part of the texture
    double silhouette = 0;         ///< share of the outline's area that differs, mean of eight directions around
    std::size_t turned_over = 0;   ///< triangles that face away from the shading of their corners where the
                                   ///< source does not
    std::size_t open_edges = 0;    ///< edges of one triangle; points at one place are one point
};

/// Every level of `avatar` against the nearest level of `source`, with which it shares joints by name.
std::vector<LevelMeasure> measure_levels(const avatar::Avatar& avatar, const avatar::Avatar& source);

}  // namespace helixavatar::lod
