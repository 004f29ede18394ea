// SPDX-License-Identifier: MIT
#include <helixavatar/gltf/animation.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include <helixavatar/gltf/accessor_view.hpp>
#include <helixavatar/gltf/edit.hpp>

namespace helixavatar::gltf {
namespace {

constexpr std::array<const char*, 4> kPaths{"translation", "rotation", "scale", "weights"};

bool all_finite(const std::vector<float>& values) {
    return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

const Json* member(const Json& object, const char* key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() ? &*found : nullptr;
}

std::optional<std::size_t> index(const Json& object, const char* key) {
    const Json* value = member(object, key);
    const bool counts = value && value->is_number_integer() && value->get<std::int64_t>() >= 0;
    return counts ? std::optional(value->get<std::size_t>()) : std::nullopt;
}

std::optional<Track> read_track(const Document& document, const Json& channel, const Json& samplers) {
    const Json* target = member(channel, "target");
    const auto sampler_index = index(channel, "sampler");
    if (!target || !sampler_index || !samplers.is_array() || *sampler_index >= samplers.size()) return {};
    const auto node = index(*target, "node");
    const Json* path = member(*target, "path");
    const Json* nodes = member(document.json, "nodes");
    if (!node || !path || !nodes || *node >= nodes->size()) return {};
    const auto known = std::find(kPaths.begin(), kPaths.end(), *path);
    if (known == kPaths.end()) return {};
    Track track;
    track.node = *node;
    const Json* name = member((*nodes)[*node], "name");
    if (name && name->is_string()) track.node_name = name->get<std::string>();
    track.path = static_cast<TrackPath>(known - kPaths.begin());
    const Json& sampler = samplers[*sampler_index];
    const Json* mode = member(sampler, "interpolation");
    if (mode && *mode == "STEP") track.interpolation = Interpolation::step;
    if (mode && *mode == "CUBICSPLINE") track.interpolation = Interpolation::cubic;
    const auto input = index(sampler, "input"), output = index(sampler, "output");
    if (!input || !output) return {};
    const auto times = AccessorView::open(document, *input), values = AccessorView::open(document, *output);
    if (!times || !values || times->count() == 0) return {};
    track.times = times->floats();
    track.values = values->floats();
    const std::size_t parts = track.interpolation == Interpolation::cubic ? 3 : 1;
    const std::size_t keys = track.times.size() * parts;
    track.width =
        track.path == TrackPath::weights ? track.values.size() / keys : (track.path == TrackPath::rotation ? 4 : 3);
    const bool fits = track.width > 0 && track.values.size() == keys * track.width;
    const bool rising = std::is_sorted(track.times.begin(), track.times.end());
    if (!fits || !rising || !all_finite(track.times) || !all_finite(track.values)) return {};
    return track;
}

void normalise(std::vector<double>& q) {
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (length > 1e-12)
        for (double& part : q) part /= length;
    else
        q = {0, 0, 0, 1};
}

}  // namespace

std::vector<double> Track::at(double seconds) const {
    const std::size_t parts = interpolation == Interpolation::cubic ? 3 : 1, middle = parts == 3 ? 1 : 0;
    const auto key = [&](std::size_t k, std::size_t part, std::size_t i) {
        return static_cast<double>(values[(k * parts + part) * width + i]);
    };
    const auto after = std::upper_bound(times.begin(), times.end(), static_cast<float>(seconds));
    std::vector<double> out(width);
    const std::size_t next = static_cast<std::size_t>(after - times.begin());
    const std::size_t a = next == 0 ? 0 : next - 1, b = std::min(next, times.size() - 1);
    const double span = static_cast<double>(times[b]) - static_cast<double>(times[a]);
    const double t = a == b || !(span > 0) ? 0 : std::clamp((seconds - static_cast<double>(times[a])) / span, 0.0, 1.0);
    // A quaternion and its negative are one rotation: the shorter way is meant.
    double sign = 1;
    if (path == TrackPath::rotation && interpolation == Interpolation::linear) {
        double dot = 0;
        for (std::size_t i = 0; i < 4; ++i) dot += key(a, 0, i) * key(b, 0, i);
        if (dot < 0) sign = -1;
    }
    if (path == TrackPath::rotation && interpolation == Interpolation::linear && a != b) {
        const Quat from(key(a, 0, 3), key(a, 0, 0), key(a, 0, 1), key(a, 0, 2)),
            to(sign * key(b, 0, 3), sign * key(b, 0, 0), sign * key(b, 0, 1), sign * key(b, 0, 2));
        const Quat between = from.slerp(t, to);
        out = {between.x(), between.y(), between.z(), between.w()};
        normalise(out);
        return out;
    }
    for (std::size_t i = 0; i < width; ++i) {
        const double p0 = key(a, middle, i), p1 = key(b, middle, i);
        if (interpolation == Interpolation::step || a == b) {
            out[i] = p0;
        } else if (interpolation == Interpolation::linear) {
            out[i] = p0 + (p1 - p0) * t;
        } else {
            const double t2 = t * t, t3 = t2 * t, m0 = span * key(a, 2, i), m1 = span * key(b, 0, i);
            out[i] = (2 * t3 - 3 * t2 + 1) * p0 + (t3 - 2 * t2 + t) * m0 + (3 * t2 - 2 * t3) * p1 + (t3 - t2) * m1;
        }
    }
    if (path == TrackPath::rotation) normalise(out);
    return out;
}

std::vector<Clip> read_clips(const Document& document) {
    std::vector<Clip> clips;
    const Json* animations = member(document.json, "animations");
    if (!animations || !animations->is_array()) return clips;
    for (const Json& animation : *animations) {
        Clip clip;
        const Json* name = member(animation, "name");
        if (name && name->is_string()) clip.name = name->get<std::string>();
        const Json* channels = member(animation, "channels");
        const Json* samplers = member(animation, "samplers");
        if (channels && samplers && channels->is_array())
            for (const Json& channel : *channels)
                if (auto track = read_track(document, channel, *samplers)) {
                    clip.seconds = std::max(clip.seconds, static_cast<double>(track->times.back()));
                    clip.tracks.push_back(std::move(*track));
                }
        clips.push_back(std::move(clip));
    }
    return clips;
}

void append_animation(Document& document, const Clip& clip) {
    Json animation = {{"name", clip.name}, {"samplers", Json::array()}, {"channels", Json::array()}};
    std::map<std::vector<float>, std::size_t> inputs;
    for (const Track& track : clip.tracks) {
        if (track.times.empty() || track.values.size() != track.times.size() * track.width) continue;
        auto input = inputs.find(track.times);
        if (input == inputs.end())
            input = inputs.emplace(track.times, append_floats(document, track.times, "SCALAR", true)).first;
        const char* type = track.path == TrackPath::rotation  ? "VEC4"
                           : track.path == TrackPath::weights ? "SCALAR"
                                                              : "VEC3";
        const std::size_t output = append_floats(document, track.values, type, false);
        animation["channels"].push_back(
            {{"sampler", animation["samplers"].size()},
             {"target", {{"node", track.node}, {"path", kPaths[static_cast<std::size_t>(track.path)]}}}});
        animation["samplers"].push_back({{"input", input->second}, {"output", output}, {"interpolation", "LINEAR"}});
    }
    if (!animation["channels"].empty()) document.json["animations"].push_back(std::move(animation));
}

}  // namespace helixavatar::gltf
