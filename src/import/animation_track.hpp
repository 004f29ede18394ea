// SPDX-License-Identifier: MIT
// The curves of a glTF animation.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include <helixavatar/base/geometry.hpp>
#include <helixavatar/gltf/document.hpp>

namespace helixavatar::import {

inline constexpr std::size_t kMostKeys = 100000;  ///< of one animation

enum class Path { translation, rotation, scale };

/// One sampled property of a node.
struct Track {
    int node = -1;
    Path path = Path::rotation;
    bool step = false, cubic = false;
    std::vector<float> times, values;

    std::size_t width() const { return path == Path::rotation ? 4 : 3; }

    Eigen::Vector4d key(std::size_t index, std::size_t part) const {
        Eigen::Vector4d out = Eigen::Vector4d::Zero();
        const std::size_t at = (cubic ? 3 * index + part : index) * width();
        for (std::size_t i = 0; i < width(); ++i)
            out[static_cast<Eigen::Index>(i)] = static_cast<double>(values[at + i]);
        return out;
    }

    Eigen::Vector4d at(double time) const {
        const std::size_t value = cubic ? 1 : 0;
        const auto after = std::upper_bound(times.begin(), times.end(), static_cast<float>(time));
        if (after == times.begin()) return key(0, value);
        const auto low = static_cast<std::size_t>(after - times.begin()) - 1;
        if (after == times.end() || step) return key(low, value);
        const double span = static_cast<double>(times[low + 1]) - static_cast<double>(times[low]);
        const double s = span > 0 ? (time - static_cast<double>(times[low])) / span : 0;
        const Eigen::Vector4d a = key(low, value), b = key(low + 1, value);
        if (cubic) {
            const double s2 = s * s, s3 = s2 * s;
            return (2 * s3 - 3 * s2 + 1) * a + span * (s3 - 2 * s2 + s) * key(low, 2) + (3 * s2 - 2 * s3) * b +
                   span * (s3 - s2) * key(low + 1, 0);
        }
        if (path != Path::rotation) return a + s * (b - a);
        const Quat turned = quat(a).slerp(s, quat(b));
        return {turned.x(), turned.y(), turned.z(), turned.w()};
    }

    static Quat quat(const Eigen::Vector4d& v) {
        const Quat q(v[3], v[0], v[1], v[2]);
        return q.norm() > 0 ? q.normalized() : Quat::Identity();
    }
};

using Tracks = std::vector<Track>;

/// A channel that moves a node; nothing for other channels and for broken ones. Throws Json::exception where a value
/// has another type than glTF gives it.
std::optional<Track> read_track(const gltf::Document& document, const gltf::Json& animation, const gltf::Json& channel);

/// Every time at which one of the tracks has a key, and 30 a second under cubic splines; rising, kMostKeys and a few at
/// most.
std::vector<double> key_times(const Tracks& tracks);

}  // namespace helixavatar::import
