// SPDX-License-Identifier: MIT
#include "retarget.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "animation_track.hpp"

namespace helixavatar::import {
namespace {

using gltf::Json;

constexpr double kStill = 1e-5, kAtRest = 1e-5;  // radians and metres that count as no movement

using TracksOf = std::map<int, std::vector<const Track*>>;  // by node

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
    void sample(const TracksOf& tracks, double time) {
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
    std::vector<Pose> source_at(const TracksOf& tracks, double time) const {
        std::vector<Mat4> world;
        std::vector<Pose> out;
        for (std::size_t j = 0; j < in_.joints.size(); ++j) {
            const int node = in_.source.joint_node[j];
            const auto moved = tracks.find(node);
            const Mat4 local = local_matrix(in_.document.json["nodes"][static_cast<std::size_t>(node)],
                                            moved == tracks.end() ? TracksOf::mapped_type{} : moved->second, time);
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

/// One animation on the way from the source to the new file.
class Carrier {
public:
    Carrier(const RetargetInput& input, gltf::DocumentBuilder& out) : input_(input), out_(out), retargeter_(input) {}

    /// `renumbered`: the animation with accessors numbered as in the new file. Returns false when something of it was
    /// lost. Throws Json::exception where a value has another type than glTF gives it.
    bool carry(const Json& animation, const Json& renumbered) {
        Json kept = renumbered;
        kept["channels"] = Json::array();
        kept["samplers"] = Json::array();
        Tracks tracks;
        bool whole = true;
        for (std::size_t c = 0; c < animation.at("channels").size(); ++c) {
            const Json& channel = animation["channels"][c];
            if (keep_morph_weights(channel, renumbered.at("channels").at(c), renumbered, kept)) continue;
            const int node = channel.at("target").value("node", -1);
            auto track = retargeter_.is_joint(node) ? read_track(input_.document, animation, channel) : std::nullopt;
            whole = whole && track.has_value() && !retargeter_.stretches(*track);
            if (track) tracks.push_back(std::move(*track));
        }
        const std::vector<double> times = key_times(tracks);
        // A file may claim more work than any clip is worth.
        constexpr std::size_t kMostSamples = 20000000;
        if (times.size() > kMostKeys || times.size() * input_.joints.size() > kMostSamples) {
            whole = false;
        } else if (!times.empty()) {
            TracksOf by_node;
            for (const Track& track : tracks) by_node[track.node].push_back(&track);
            retargeter_.clear();
            for (const double time : times) retargeter_.sample(by_node, time);
            retargeter_.write(times, out_, kept);
        }
        if (!kept["channels"].empty()) out_.add("animations", std::move(kept));
        return whole;
    }

private:
    bool keep_morph_weights(const Json& channel, const Json& same, const Json& renumbered, Json& kept) const {
        const auto mesh = input_.mesh_nodes.find(channel.at("target").value("node", -1));
        if (channel["target"].value("path", "") != "weights" || mesh == input_.mesh_nodes.end()) return false;
        kept["samplers"].push_back(renumbered.at("samplers").at(same.value("sampler", std::size_t{0})));
        kept["channels"].push_back(same);
        kept["channels"].back()["sampler"] = kept["samplers"].size() - 1;
        kept["channels"].back()["target"]["node"] = mesh->second;
        return true;
    }

    const RetargetInput& input_;
    gltf::DocumentBuilder& out_;
    Retargeter retargeter_;
};

}  // namespace

void retarget_animations(const RetargetInput& input, gltf::DocumentBuilder& out, std::vector<std::string>& warnings) {
    if (!out.json().contains("animations")) return;
    // The same animations as the document's, their accessors numbered as in the new file.
    const Json renumbered = std::move(out.json()["animations"]);
    out.json().erase("animations");
    Carrier carrier(input, out);
    constexpr std::size_t kNamed = 5;
    std::string lost;
    std::size_t count = 0;
    for (std::size_t a = 0; a < renumbered.size(); ++a) {
        bool whole = false;
        try {
            whole = carrier.carry(input.document.json["animations"][a], renumbered[a]);
        } catch (const Json::exception&) {
            // A broken animation makes no character: the rest of the file is worth having.
        }
        if (!whole && count++ < kNamed) lost += (lost.empty() ? "" : ", ") + name_of(renumbered[a], a);
    }
    if (count > kNamed) lost += " and " + std::to_string(count - kNamed) + " more";
    if (lost.empty()) return;
    warnings.push_back(
        "of these animations only the joints' turns, the pelvis's way and morph weights were carried "
        "over; they also stretch bones, move other nodes or are broken: " +
        lost);
}

}  // namespace helixavatar::import
