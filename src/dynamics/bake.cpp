// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <map>

#include <helixavatar/dynamics/probe.hpp>

namespace helixavatar::dynamics {
namespace {

constexpr double kStill = 1e-4;  // radians or metres under which a joint keeps its rest and needs no track

/// Nodes of the first scene's skeleton by joint name.
std::map<std::string, std::size_t> joint_nodes(const Json& root) {
    std::map<std::string, std::size_t> nodes;
    std::vector<std::size_t> stack;
    if (!root.contains("scenes") || root["scenes"].empty() || !root["scenes"][0].contains("nodes")) return nodes;
    for (const Json& node : root["scenes"][0]["nodes"]) stack.push_back(node.get<std::size_t>());
    while (!stack.empty()) {
        const std::size_t at = stack.back();
        stack.pop_back();
        const Json& node = root.at("nodes").at(at);
        if (node.contains("name") && !node.contains("mesh")) nodes.emplace(node["name"].get<std::string>(), at);
        if (node.contains("children"))
            for (const Json& child : node["children"]) stack.push_back(child.get<std::size_t>());
    }
    return nodes;
}

struct JointKeys {
    std::vector<float> rotations, translations;
    double turned = 0, moved = 0;
};

void add_key(JointKeys& keys, const Pose& local, const Pose& rest) {
    for (const double part : {local.rotation.x(), local.rotation.y(), local.rotation.z(), local.rotation.w()})
        keys.rotations.push_back(static_cast<float>(part));
    for (int i = 0; i < 3; ++i) keys.translations.push_back(static_cast<float>(local.translation[i]));
    keys.turned = std::max(keys.turned, radians(angle_degrees(local.rotation, rest.rotation)));
    keys.moved = std::max(keys.moved, (local.translation - rest.translation).norm());
}

}  // namespace

void bake_animation(gltf::Document& document, const avatar::Avatar& avatar, const Manifest& manifest,
                    const Motion& motion, const std::string& name, double settle, double seconds, double rate) {
    const auto& joints = avatar.joints;
    const auto keys_before = static_cast<std::size_t>(std::llround(settle * rate)),
               keys = static_cast<std::size_t>(std::llround(seconds * rate)) + 1;
    Solver solver(avatar, manifest);
    solver.reset(motion(0));
    std::vector<JointKeys> tracks(joints.size());
    std::vector<float> times;
    for (std::size_t i = 0; i < keys_before + keys; ++i) {
        if (i > 0) solver.step(motion(static_cast<double>(i) / rate), 1 / rate);
        if (i < keys_before) continue;
        times.push_back(static_cast<float>(static_cast<double>(i - keys_before) / rate));
        const std::vector<Pose>& poses = solver.poses();
        for (std::size_t j = 0; j < joints.size(); ++j) {
            const int parent = joints[j].parent;
            const Pose up = parent < 0 ? Pose{} : poses[static_cast<std::size_t>(parent)],
                       rest_up = parent < 0 ? Pose{} : joints[static_cast<std::size_t>(parent)].rest;
            Pose local = up.inverse() * poses[j];
            const Pose rest = rest_up.inverse() * joints[j].rest;
            // A viewer's camera does not follow: the body marks time.
            if (parent < 0) local.translation = Vec3(rest.translation.x(), local.translation.y(), rest.translation.z());
            add_key(tracks[j], local, rest);
        }
    }
    const std::map<std::string, std::size_t> nodes = joint_nodes(document.json);
    gltf::Clip clip{name, seconds, {}};
    for (std::size_t j = 0; j < joints.size(); ++j) {
        const auto node = nodes.find(joints[j].name);
        if (node == nodes.end()) continue;
        const auto add = [&](gltf::TrackPath path, std::vector<float>& values, std::size_t width) {
            clip.tracks.push_back(
                {node->second, joints[j].name, path, gltf::Interpolation::linear, times, std::move(values), width});
        };
        if (tracks[j].turned > kStill) add(gltf::TrackPath::rotation, tracks[j].rotations, 4);
        if (tracks[j].moved > kStill) add(gltf::TrackPath::translation, tracks[j].translations, 3);
    }
    gltf::append_animation(document, clip);
}

}  // namespace helixavatar::dynamics
