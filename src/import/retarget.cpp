// SPDX-License-Identifier: MIT
#include "retarget.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include <helixavatar/gltf/accessor_view.hpp>

namespace helixavatar::import {
namespace {

using gltf::Json;

constexpr std::size_t kMostKeys = 100000;        // of one animation
constexpr double kCurveStep = 1.0 / 30;          // seconds between samples of a cubic spline
constexpr double kStill = 1e-5, kAtRest = 1e-5;  // radians and metres that count as no movement

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

std::optional<std::vector<float>> floats(const gltf::Document& document, const Json& sampler, const char* key) {
    if (!sampler.contains(key) || !sampler[key].is_number_unsigned()) return std::nullopt;
    const Result<gltf::AccessorView> view = gltf::AccessorView::open(document, sampler[key].get<std::size_t>());
    if (!view) return std::nullopt;
    std::vector<float> values = view->floats();
    const bool finite = std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
    return finite ? std::optional(std::move(values)) : std::nullopt;
}

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

/// When the new curves get their keys.
std::vector<double> key_times(const std::vector<Track>& tracks) {
    std::set<float> times;
    for (const Track& track : tracks) {
        times.insert(track.times.begin(), track.times.end());
        if (!track.cubic) continue;
        for (std::size_t i = 0; i + 1 < track.times.size() && times.size() < kMostKeys; ++i)
            for (double t = static_cast<double>(track.times[i]) + kCurveStep;
                 t < static_cast<double>(track.times[i + 1]) && times.size() < kMostKeys; t += kCurveStep)
                times.insert(static_cast<float>(t));
    }
    return {times.begin(), times.end()};
}

Mat4 local_matrix(const Json& node, const std::vector<const Track*>& moved, double time) {
    Vec3 translation = Vec3::Zero(), scale = Vec3::Ones();
    Quat rotation = Quat::Identity();
    const auto numbers = [&](const char* key, std::size_t n, double* into) {
        if (!node.contains(key) || !node[key].is_array() || node[key].size() != n) return false;
        for (std::size_t i = 0; i < n; ++i) into[i] = node[key][i].get<double>();
        return true;
    };
    if (Mat4 matrix; moved.empty() && numbers("matrix", 16, matrix.data())) return matrix;
    numbers("translation", 3, translation.data());
    numbers("scale", 3, scale.data());
    numbers("rotation", 4, rotation.coeffs().data());
    for (const Track* track : moved) {
        const Eigen::Vector4d value = track->at(time);
        if (track->path == Path::translation) translation = value.head<3>();
        if (track->path == Path::scale) scale = value.head<3>();
        if (track->path == Path::rotation) rotation = Track::quat(value);
    }
    Mat4 out = Mat4::Identity();
    out.topLeftCorner<3, 3>() = rotation.normalized().toRotationMatrix() * scale.asDiagonal();
    out.topRightCorner<3, 1>() = translation;
    return out;
}

class Retargeter {
public:
    Retargeter(const RetargetInput& in) : in_(in), avatar_(in.conformed.avatar) {
        for (const avatar::BoneMatch& match : in.map.matches)
            if (match.source >= 0) source_[avatar_.find_joint(match.canonical)] = match.source;
        for (const auto& [joint, name] : in.conformed.report.kept_aux) source_[avatar_.find_joint(name)] = joint;
        source_.erase(-1);
        for (int j = 0; j < static_cast<int>(avatar_.joints.size()); ++j)
            if (avatar_.joints[static_cast<std::size_t>(j)].name == "pelvis") pelvis_ = j;
        source_.erase(0);  // the root stays where it is; what moves it moves the pelvis
        nodes_ = source_at({}, 0);
        if (in.source.rest_pose == "bind") measure_node_pose();
    }

    /// Local rotations of every joint of the result, then the pelvis's local place, at a time.
    void sample(const std::vector<Track>& tracks, double time) {
        const std::vector<Pose> now = source_at(tracks, time);
        std::vector<Quat> skin_turn(avatar_.joints.size(), Quat::Identity()), world(skin_turn);
        for (std::size_t j = 0; j < avatar_.joints.size(); ++j) {
            const avatar::Joint& joint = avatar_.joints[j];
            const auto own = source_.find(static_cast<int>(j));
            if (own != source_.end())
                skin_turn[j] = turn_of(now, own->second) * passage_turn(j, own->second).conjugate();
            else if (follows_limb(j))
                skin_turn[j] = moved_with(now, j) * passage_turn(j, -1).conjugate();
            else if (joint.parent >= 0)
                skin_turn[j] = skin_turn[static_cast<std::size_t>(joint.parent)];
            world[j] = (skin_turn[j] * joint.rest.rotation).normalized();
            const Quat parent = joint.parent < 0 ? Quat::Identity() : world[static_cast<std::size_t>(joint.parent)];
            rotations_[j].push_back((parent.conjugate() * world[j]).normalized());
        }
        const auto root = source_.find(pelvis_);
        if (root == source_.end()) return;
        const avatar::Joint& pelvis = avatar_.joints[static_cast<std::size_t>(pelvis_)];
        const auto at = static_cast<std::size_t>(root->second);
        const Vec3 way = in_.conformed.passage.scale * units_ *
                             (in_.conformed.passage.upright * (now[at].translation - nodes_[at].translation)) +
                         lowered_ * Vec3::UnitY();
        const Pose parent = pelvis.parent < 0 ? Pose{} : avatar_.joints[static_cast<std::size_t>(pelvis.parent)].rest;
        places_.push_back(parent.rotation.conjugate() * (pelvis.rest.translation + way - parent.translation));
    }

    void clear() {
        rotations_.assign(avatar_.joints.size(), {});
        places_.clear();
    }

    /// The channels of the joints that move, or that stand otherwise than at rest.
    void write(const std::vector<double>& times, gltf::DocumentBuilder& out, Json& animation) const {
        std::optional<std::size_t> input;
        const auto add = [&](int joint, const char* path, std::size_t output) {
            if (!input) input = out.add_floats(std::vector<float>(times.begin(), times.end()), "SCALAR", none, true);
            animation["samplers"].push_back({{"input", *input}, {"output", output}, {"interpolation", "LINEAR"}});
            animation["channels"].push_back(
                {{"sampler", animation["samplers"].size() - 1},
                 {"target", {{"node", in_.joint_nodes[static_cast<std::size_t>(joint)]}, {"path", path}}}});
        };
        for (std::size_t j = 0; j < rotations_.size(); ++j) {
            const avatar::Joint& joint = avatar_.joints[j];
            const Quat rest =
                joint.parent < 0
                    ? joint.rest.rotation
                    : Quat(avatar_.joints[static_cast<std::size_t>(joint.parent)].rest.rotation.conjugate() *
                           joint.rest.rotation);
            if (std::all_of(rotations_[j].begin(), rotations_[j].end(),
                            [&](const Quat& q) { return q.angularDistance(rest) < kStill; }))
                continue;
            std::vector<float> values;
            Quat last = rest;
            for (Quat q : rotations_[j]) {
                if (q.dot(last) < 0) q.coeffs() = -q.coeffs();  // the short way round
                last = q;
                for (const double c : {q.x(), q.y(), q.z(), q.w()}) values.push_back(static_cast<float>(c));
            }
            add(static_cast<int>(j), "rotation", out.add_floats(values, "VEC4", none));
        }
        const avatar::Joint& pelvis = avatar_.joints[static_cast<std::size_t>(pelvis_)];
        const Pose parent = pelvis.parent < 0 ? Pose{} : avatar_.joints[static_cast<std::size_t>(pelvis.parent)].rest;
        const Vec3 rest = parent.rotation.conjugate() * (pelvis.rest.translation - parent.translation);
        if (std::all_of(places_.begin(), places_.end(), [&](const Vec3& p) { return (p - rest).norm() < kAtRest; }))
            return;
        std::vector<float> values;
        for (const Vec3& place : places_)
            for (int i = 0; i < 3; ++i) values.push_back(static_cast<float>(place[i]));
        add(pelvis_, "translation", out.add_floats(values, "VEC3", none));
    }

    /// A joint that is moved or scaled within the body: canonical bones keep their length and place.
    bool stretches(const Track& track) const {
        if (track.path == Path::rotation) return false;
        const auto& nodes = in_.source.joint_node;
        const auto joint = static_cast<int>(std::find(nodes.begin(), nodes.end(), track.node) - nodes.begin());
        for (int j = in_.map.source("pelvis"); j >= 0; j = in_.joints[static_cast<std::size_t>(j)].parent)
            if (j == joint) return track.path == Path::scale && varies(track, 0.01);
        if (std::none_of(source_.begin(), source_.end(), [&](const auto& own) { return own.second == joint; }))
            return false;
        return varies(track, track.path == Path::scale ? 0.01 : 0.02 * track.key(0, track.cubic ? 1 : 0).norm());
    }

    bool is_joint(int node) const {
        const auto& nodes = in_.source.joint_node;
        return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
    }

private:
    static bool varies(const Track& track, double by) {
        const std::size_t value = track.cubic ? 1 : 0;
        for (std::size_t i = 1; i < track.times.size(); ++i)
            if ((track.key(i, value) - track.key(0, value)).norm() > by) return true;
        return false;
    }

    static constexpr auto none = gltf::DocumentBuilder::Target::none;

    /// Where the body was taken in its bind pose, the nodes may stand otherwise, and in other units.
    void measure_node_pose() {
        const auto at = [&](const char* name) { return in_.map.source(name); };
        double bind = 0, node = 0;
        for (const std::string side : {"_l", "_r"})
            for (const auto& [bone, end] : {std::pair("thigh", "calf"), {"calf", "foot"}, {"upperarm", "lowerarm"}}) {
                const int a = at((bone + side).c_str()), b = at((end + side).c_str());
                if (a < 0 || b < 0) continue;
                const auto from = static_cast<std::size_t>(a), to = static_cast<std::size_t>(b);
                bind += (in_.joints[to].rest.translation - in_.joints[from].rest.translation).norm();
                node += (nodes_[to].translation - nodes_[from].translation).norm();
            }
        if (!(node > 0) || !(bind > 0)) return;
        units_ = bind / node;
        // A crouch carries the pelvis lower above the feet.
        const auto up = [&](const Vec3& place) { return (in_.conformed.passage.upright * place).y(); };
        const auto pelvis = static_cast<std::size_t>(at("pelvis"));
        double above_bind = 0, above_node = 0;
        for (const char* foot : {"foot_l", "foot_r"}) {
            const auto j = static_cast<std::size_t>(at(foot));
            above_bind = std::max(above_bind, up(in_.joints[pelvis].rest.translation - in_.joints[j].rest.translation));
            above_node = std::max(above_node, up(nodes_[pelvis].translation - nodes_[j].translation));
        }
        lowered_ = in_.conformed.passage.scale * (units_ * above_node - above_bind);
    }

    /// World pose of every source joint, without scale.
    std::vector<Pose> source_at(const std::vector<Track>& tracks, double time) const {
        std::vector<Mat4> world;
        std::vector<Pose> out;
        for (std::size_t j = 0; j < in_.joints.size(); ++j) {
            const int node = in_.source.joint_node[j];
            std::vector<const Track*> moved;
            for (const Track& track : tracks)
                if (track.node == node) moved.push_back(&track);
            const Mat4 local = local_matrix(in_.document.json["nodes"][static_cast<std::size_t>(node)], moved, time);
            const int parent = in_.joints[j].parent;
            world.push_back(parent < 0 ? local : Mat4(world[static_cast<std::size_t>(parent)] * local));
            out.push_back(avatar::pose_of(world.back()));
        }
        return out;
    }

    /// How the source joint has turned from its rest, in the character's space.
    Quat turn_of(const std::vector<Pose>& now, int joint) const {
        const auto j = static_cast<std::size_t>(joint);
        const Quat& upright = in_.conformed.passage.upright;
        return upright * now[j].rotation * in_.joints[j].rest.rotation.conjugate() * upright.conjugate();
    }

    Quat passage_turn(std::size_t joint, int source) const {
        const conform::Passage& passage = in_.conformed.passage;
        if (joint < passage.turns.size()) return passage.turns[joint];
        const auto followed = passage.follows.find(source);
        return followed == passage.follows.end() ? Quat::Identity()
                                                 : passage.turns[static_cast<std::size_t>(followed->second)];
    }

    /// A twist joint that the source lacks: its skin was the limb's.
    bool follows_limb(std::size_t joint) const {
        const avatar::Joint& own = avatar_.joints[joint];
        return own.name.find("_twist_") != std::string::npos && own.parent >= 0 && source_.count(own.parent) > 0;
    }
    Quat moved_with(const std::vector<Pose>& now, std::size_t joint) const {
        return turn_of(now, source_.at(avatar_.joints[joint].parent));
    }

    const RetargetInput& in_;
    const avatar::Avatar& avatar_;
    std::map<int, int> source_;  ///< source joint of each joint of the result that has one
    int pelvis_ = 0;
    std::vector<Pose> nodes_;  ///< where the file's nodes stand
    double units_ = 1;         ///< from the nodes' units to those of the rest that was taken
    double lowered_ = 0;       ///< metres that the nodes' pelvis stands higher than the rest's
    std::vector<std::vector<Quat>> rotations_;
    std::vector<Vec3> places_;
};

std::string name_of(const Json& animation, std::size_t index) {
    return animation.is_object() && animation.contains("name") && animation["name"].is_string()
               ? animation["name"].get<std::string>()
               : std::string("#").append(std::to_string(index));
}

}  // namespace

void retarget_animations(const RetargetInput& input, gltf::DocumentBuilder& out, std::vector<std::string>& warnings) {
    if (!out.json().contains("animations")) return;
    // The same animations as the document's, their accessors numbered as in the new file.
    const Json renumbered = std::move(out.json()["animations"]);
    out.json().erase("animations");
    Retargeter retargeter(input);
    std::string lost;
    for (std::size_t a = 0; a < renumbered.size(); ++a) {
        const Json& animation = input.document.json["animations"][a];
        Json kept = renumbered[a];
        if (!kept.is_object() || !kept.contains("channels") || !kept["channels"].is_array()) continue;
        kept["channels"] = Json::array();
        kept["samplers"] = Json::array();
        std::vector<Track> tracks;
        bool whole = true;
        for (std::size_t c = 0; c < animation["channels"].size(); ++c) {
            const Json& channel = animation["channels"][c];
            if (!channel.is_object() || !channel.contains("target") || !channel["target"].is_object()) continue;
            const int node = channel["target"].value("node", -1);
            const auto mesh = input.mesh_nodes.find(node);
            if (channel["target"].value("path", "") == "weights" && mesh != input.mesh_nodes.end()) {
                Json same = renumbered[a]["channels"][c];
                kept["samplers"].push_back(renumbered[a]["samplers"][same.value("sampler", std::size_t{0})]);
                same["sampler"] = kept["samplers"].size() - 1;
                same["target"]["node"] = mesh->second;
                kept["channels"].push_back(same);
                continue;
            }
            auto track = retargeter.is_joint(node) ? read_track(input.document, animation, channel) : std::nullopt;
            whole = whole && track.has_value() && !retargeter.stretches(*track);
            if (track) tracks.push_back(std::move(*track));
        }
        const std::vector<double> times = key_times(tracks);
        if (times.size() > kMostKeys) {
            whole = false;
        } else if (!times.empty()) {
            retargeter.clear();
            for (const double time : times) retargeter.sample(tracks, time);
            retargeter.write(times, out, kept);
        }
        if (!whole) lost += (lost.empty() ? "" : ", ") + name_of(animation, a);
        if (!kept["channels"].empty()) out.add("animations", std::move(kept));
    }
    if (!lost.empty())
        warnings.push_back(
            "of these animations only the joints' turns, the pelvis's way and morph weights were carried over; they "
            "also "
            "stretch bones or move other nodes: " +
            lost);
}

}  // namespace helixavatar::import
