// SPDX-License-Identifier: MIT
#include "animation_track.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include <helixavatar/gltf/accessor_view.hpp>

namespace helixavatar::import {
namespace {

using gltf::Json;

constexpr double kCurveStep = 1.0 / 30;  // seconds between samples of a cubic spline

std::optional<std::vector<float>> floats(const gltf::Document& document, const Json& sampler, const char* key) {
    if (!sampler.contains(key) || !sampler[key].is_number_unsigned()) return std::nullopt;
    const Result<gltf::AccessorView> view = gltf::AccessorView::open(document, sampler[key].get<std::size_t>());
    if (!view) return std::nullopt;
    std::vector<float> values = view->floats();
    const bool finite = std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
    return finite ? std::optional(std::move(values)) : std::nullopt;
}

}  // namespace

std::optional<Track> read_track(const gltf::Document& document, const Json& animation, const Json& channel) {
    static const std::map<std::string, Path> kPaths = {
        {"translation", Path::translation}, {"rotation", Path::rotation}, {"scale", Path::scale}};
    const Json& target = channel["target"];
    const auto path = kPaths.find(target.value("path", ""));
    const std::size_t index = channel.value("sampler", std::size_t{0});
    if (path == kPaths.end() || !animation.contains("samplers") || index >= animation["samplers"].size())
        return std::nullopt;
    const Json& sampler = animation["samplers"][index];
    auto times = floats(document, sampler, "input"), values = floats(document, sampler, "output");
    if (!times || !values || times->empty() || !std::is_sorted(times->begin(), times->end())) return std::nullopt;
    Track track;
    track.node = target.value("node", -1);
    track.path = path->second;
    const std::string curve = sampler.value("interpolation", "LINEAR");
    track.step = curve == "STEP";
    track.cubic = curve == "CUBICSPLINE";
    if (values->size() < times->size() * track.width() * (track.cubic ? 3 : 1)) return std::nullopt;
    track.times = std::move(*times);
    track.values = std::move(*values);
    return track;
}

std::vector<double> key_times(const Tracks& tracks) {
    std::set<float> times;
    for (const Track& track : tracks) {
        for (std::size_t i = 0; i < track.times.size() && times.size() <= kMostKeys; ++i) times.insert(track.times[i]);
        if (!track.cubic) continue;
        for (std::size_t i = 0; i + 1 < track.times.size() && times.size() < kMostKeys; ++i)
            for (double t = static_cast<double>(track.times[i]) + kCurveStep;
                 t < static_cast<double>(track.times[i + 1]) && times.size() < kMostKeys; t += kCurveStep)
                times.insert(static_cast<float>(t));
    }
    return {times.begin(), times.end()};
}

}  // namespace helixavatar::import
