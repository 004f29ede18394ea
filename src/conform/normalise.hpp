// SPDX-License-Identifier: MIT
// The file's axes and units to the program's: +Y up, +Z forward, metres.
#pragma once

#include <string>
#include <vector>

#include <helixavatar/conform/conform.hpp>

namespace helixavatar::conform {

struct Normalised {
    Quat rotation = Quat::Identity();
    double scale = 1;
    double yaw_degrees = 0;     ///< the turn about +Y, once the character stands upright
    bool exact_height = false;  ///< the result has to be `height` tall, whatever re-posing does to it
    double height = 0;          ///< drawn height after `scale`
    std::vector<std::string> warnings;
};

/// The factor to metres for a character drawn `height` file units tall: 1 when a person can be that tall, otherwise the
/// customary unit that makes a person of it; 0 when none does.
double unit_scale(double height);

/// The turn that stands the character up facing +Z. Axes within 5° of the file's own are taken as the file's own, so
/// that a body's small asymmetry turns nothing; a facing that is no axis is refined by the line through hips and
/// shoulders.
Quat upright_rotation(const avatar::Avatar& source, const avatar::BoneMap& map, const SourceFrame& frame,
                      const ConformOptions& options, double& yaw_degrees);

/// Turns and scales joints, vertices, normals, tangents and morphs of every level in place.
Normalised normalise(avatar::Avatar& source, const avatar::BoneMap& map, const SourceFrame& frame,
                     const ConformOptions& options);

/// The same turn, scale, then shift for everything that `normalise` turned.
void transform(avatar::Avatar& avatar, const Quat& rotation, double scale, const Vec3& translation);

}  // namespace helixavatar::conform
