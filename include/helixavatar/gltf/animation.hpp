// SPDX-License-Identifier: MIT
// Reading clips as tracks by node name, and appending an animation to a document.
#pragma once

#include <string>
#include <vector>

#include <helixavatar/base/geometry.hpp>
#include <helixavatar/gltf/document.hpp>

namespace helixavatar::gltf {

enum class TrackPath { translation, rotation, scale, weights };
enum class Interpolation { step, linear, cubic };

/// One animated property of one node. Values are as many numbers a key as the path needs (cubic: in-tangent, value,
/// out-tangent).
struct Track {
    std::size_t node = 0;
    std::string node_name;
    TrackPath path = TrackPath::rotation;
    Interpolation interpolation = Interpolation::linear;
    std::vector<float> times;  ///< seconds, rising
    std::vector<float> values;
    std::size_t width = 4;  ///< numbers a key

    /// At a time, held before the first and after the last key; rotations come normalised (x y z w). Requires a key.
    std::vector<double> at(double seconds) const;
};

struct Clip {
    std::string name;
    double seconds = 0;  ///< of the latest key
    std::vector<Track> tracks;
};

/// The document's animations; tracks that cannot be read (no keys, times that do not rise, lengths that do not fit,
/// numbers that are not finite) are left out. Requires a decompressed document without structure errors.
std::vector<Clip> read_clips(const Document& document);

/// Appends an animation of linear tracks on the nodes they name by index; equal time lists are written once. Tracks
/// whose width times keys is not their number of values are left out.
void append_animation(Document& document, const Clip& clip);

}  // namespace helixavatar::gltf
