// SPDX-License-Identifier: MIT
#include <cmath>
#include <map>
#include <memory>

#include <helixavatar/dynamics/probe.hpp>

namespace helixavatar::dynamics {
namespace {

constexpr const char* kPelvis = "pelvis";
constexpr double kTravels = 0.05;  // metres a loop from which a clip is not in place (reference text: 0.05 m/s)

Quat quat_of(const std::vector<double>& v) {
    return {v[3], v[0], v[1], v[2]};
}
Vec3 vec_of(const std::vector<double>& v) {
    return {v[0], v[1], v[2]};
}

/// A clip's tracks by avatar joint.
struct Bound {
    std::vector<avatar::Joint> joints;
    std::map<int, gltf::Track> rotations;
    std::optional<gltf::Track> pelvis;
    Vec3 pelvis_rest = Vec3::Zero();
    Vec3 loop_travel = Vec3::Zero();  // of the pelvis, horizontal, in its parent's frame
    double scale = 1, seconds = 0, travel = 0;

    std::vector<Pose> at(double t) const {
        const double loops = seconds > 0 ? std::floor(t / seconds) : 0, within = t - loops * seconds;
        std::vector<Pose> poses(joints.size());
        for (std::size_t j = 0; j < joints.size(); ++j) {
            const int parent = joints[j].parent;
            Pose local =
                parent < 0 ? joints[j].rest : joints[static_cast<std::size_t>(parent)].rest.inverse() * joints[j].rest;
            if (const auto track = rotations.find(static_cast<int>(j)); track != rotations.end())
                local.rotation = quat_of(track->second.at(within));
            if (pelvis && joints[j].name == kPelvis)
                local.translation += scale * (vec_of(pelvis->at(within)) - pelvis_rest + loops * loop_travel);
            poses[j] = parent < 0 ? local : poses[static_cast<std::size_t>(parent)] * local;
        }
        for (Pose& pose : poses) pose.translation.z() += travel * t;
        return poses;
    }
};

}  // namespace

Vec3 pelvis_rest(const gltf::Document& document) {
    if (!document.json.contains("nodes")) return Vec3::Zero();
    for (const Json& node : document.json["nodes"])
        if (node.is_object() && node.contains("name") && node["name"] == kPelvis && node.contains("translation")) {
            const Json& place = node["translation"];
            if (place.is_array() && place.size() == 3 && place[0].is_number() && place[1].is_number() &&
                place[2].is_number())
                return {place[0].get<double>(), place[1].get<double>(), place[2].get<double>()};
        }
    return Vec3::Zero();
}

Motion clip_motion(const avatar::Avatar& avatar, const gltf::Clip& clip, const Vec3& rest, double travel) {
    const auto bound = std::make_shared<Bound>();
    bound->joints = avatar.joints;
    bound->seconds = clip.seconds;
    bound->travel = travel;
    bound->pelvis_rest = rest;
    for (const gltf::Track& track : clip.tracks) {
        const int joint = avatar.find_joint(track.node_name);
        if (joint < 0) continue;
        if (track.path == gltf::TrackPath::rotation) bound->rotations.emplace(joint, track);
        if (track.path == gltf::TrackPath::translation && track.node_name == kPelvis) bound->pelvis = track;
    }
    if (bound->pelvis) {
        const Vec3 first = vec_of(bound->pelvis->at(0));
        if (!(rest.norm() > 0)) bound->pelvis_rest = first;
        const int pelvis = avatar.find_joint(kPelvis), parent = avatar.joints[static_cast<std::size_t>(pelvis)].parent;
        const Pose& own = avatar.joints[static_cast<std::size_t>(pelvis)].rest;
        const Pose up = parent < 0 ? Pose{} : avatar.joints[static_cast<std::size_t>(parent)].rest;
        const double here = (up.inverse() * own.translation).norm();
        if (bound->pelvis_rest.norm() > 0 && here > 0) bound->scale = here / bound->pelvis_rest.norm();
        Vec3 travelled = up.rotation * (vec_of(bound->pelvis->at(clip.seconds)) - first);
        travelled.y() = 0;
        if (travelled.norm() > kTravels) bound->loop_travel = up.rotation.conjugate() * travelled;
    }
    return [bound](double t) { return bound->at(t); };
}

}  // namespace helixavatar::dynamics
