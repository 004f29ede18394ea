// SPDX-License-Identifier: MIT
#include <helixavatar/face/preview.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <helixavatar/gltf/animation.hpp>
#include <helixavatar/humanoid/phonemes.hpp>

#include "face/channel_names.hpp"

namespace helixavatar::face {
namespace {

using gltf::Json;

struct Driven {
    std::string_view arkit, channel;
};
constexpr std::array<Driven, 10> kEyes{{{"eyeBlinkLeft", "blink.left"},
                                        {"eyeBlinkRight", "blink.right"},
                                        {"eyeLookUpLeft", "gaze.left.up"},
                                        {"eyeLookDownLeft", "gaze.left.down"},
                                        {"eyeLookInLeft", "gaze.left.in"},
                                        {"eyeLookOutLeft", "gaze.left.out"},
                                        {"eyeLookUpRight", "gaze.right.up"},
                                        {"eyeLookDownRight", "gaze.right.down"},
                                        {"eyeLookInRight", "gaze.right.in"},
                                        {"eyeLookOutRight", "gaze.right.out"}}};

/// Nodes of the first scene, parents first.
std::vector<std::size_t> scene_nodes(const Json& root) {
    std::vector<std::size_t> out;
    if (!root.contains("scenes") || root["scenes"].empty() || !root["scenes"][0].contains("nodes")) return out;
    for (const Json& node : root["scenes"][0]["nodes"]) out.push_back(node.get<std::size_t>());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const Json& node = root.at("nodes").at(out[i]);
        if (node.contains("children"))
            for (const Json& child : node["children"]) out.push_back(child.get<std::size_t>());
    }
    return out;
}

/// A mesh of the scene whose shapes a channel may drive.
struct DrivenMesh {
    std::size_t node = 0;
    std::string name;
    std::vector<std::string> targets;
    std::vector<float> weights;  // targets × frames
    bool used = false;
};

class Bake {
public:
    Bake(gltf::Document& document, const Json& manifest) : document_(document), manifest_(manifest) {
        const Json& root = document.json;
        for (const std::size_t node : scene_nodes(root)) {
            const Json& json = root["nodes"][node];
            const std::string name = json.value("name", "");
            if (!json.contains("mesh")) {
                joints_.emplace(name, node);
                continue;
            }
            const Json& mesh = root["meshes"].at(json["mesh"].get<std::size_t>());
            DrivenMesh driven{node, mesh.value("name", name), {}, {}, false};
            if (mesh.contains("extras") && mesh["extras"].contains("targetNames"))
                driven.targets = mesh["extras"]["targetNames"].get<std::vector<std::string>>();
            meshes_.push_back(std::move(driven));
        }
        for (const Json& channel : manifest.at("channels")) names_.push_back(channel.at("name").get<std::string>());
    }

    BakedFace run(const std::vector<humanoid::PerformanceFrame>& frames, double rate, const std::string& name) {
        std::vector<float> times;
        for (std::size_t i = 0; i < frames.size(); ++i) {
            times.push_back(static_cast<float>(static_cast<double>(i) / rate));
            add_frame(channels_of(frames[i], names_));
        }
        gltf::Clip clip{name, times.empty() ? 0.0 : static_cast<double>(times.back()), {}};
        for (DrivenMesh& mesh : meshes_)
            if (mesh.used)
                clip.tracks.push_back({mesh.node, mesh.name, gltf::TrackPath::weights, gltf::Interpolation::linear,
                                       times, std::move(mesh.weights), mesh.targets.size()});
        for (auto& [joint, turns] : turns_)
            clip.tracks.push_back({joints_.at(joint), joint, gltf::TrackPath::rotation, gltf::Interpolation::linear,
                                   times, std::move(turns), 4});
        gltf::append_animation(document_, clip);
        return summary();
    }

private:
    void add_frame(const std::map<std::string, double>& values) {
        std::map<std::string, Quat> turns;
        for (DrivenMesh& mesh : meshes_) mesh.weights.resize(mesh.weights.size() + mesh.targets.size(), 0.0F);
        for (const Json& channel : manifest_.at("channels")) {
            const std::string name = channel.at("name");
            const auto found = values.find(name);
            const double value = found == values.end() ? 0 : found->second;
            if (channel.contains("morphs"))
                for (const Json& morph : channel["morphs"]) add_shape(morph, name, value);
            if (channel.contains("bone")) add_turn(channel["bone"], name, value, turns);
        }
        for (const auto& [joint, turn] : turns) {
            std::vector<float>& keys = turns_[joint];
            for (const double part : {turn.x(), turn.y(), turn.z(), turn.w()}) keys.push_back(static_cast<float>(part));
        }
    }

    void add_shape(const Json& morph, const std::string& channel, double value) {
        for (DrivenMesh& mesh : meshes_) {
            if (mesh.name != morph.at("mesh").get<std::string>()) continue;
            const auto target =
                std::find(mesh.targets.begin(), mesh.targets.end(), morph.at("target").get<std::string>());
            if (target == mesh.targets.end()) continue;
            mesh.used = true;
            if (value > 0) moved_.insert(channel);
            float& weight = mesh.weights[mesh.weights.size() - mesh.targets.size() +
                                         static_cast<std::size_t>(target - mesh.targets.begin())];
            weight = std::min(1.0F, weight + static_cast<float>(value * morph.value("weight", 1.0)));
        }
    }

    void add_turn(const Json& bone, const std::string& channel, double value, std::map<std::string, Quat>& turns) {
        const std::string joint = bone.at("joint");
        const auto node = joints_.find(joint);
        if (node == joints_.end()) return;
        if (value > 0) moved_.insert(channel);
        const Json& json = document_.json["nodes"][node->second];
        const auto rest =
            json.contains("rotation") ? json["rotation"].get<std::vector<double>>() : std::vector<double>{0, 0, 0, 1};
        const auto axis = bone.at("axis").get<std::vector<double>>();
        const auto known = turns.try_emplace(joint, Quat(rest.at(3), rest[0], rest[1], rest[2])).first;
        known->second = known->second * Quat(Eigen::AngleAxisd(radians(value * bone.at("maxDegrees").get<double>()),
                                                               Vec3(axis.at(0), axis.at(1), axis.at(2)).normalized()));
    }

    BakedFace summary() const {
        BakedFace out;
        for (const std::string& name : names_) {
            const bool moved = moved_.count(name) > 0;
            (moved ? out.moved : out.still).push_back(name);
            if (!moved) continue;
            out.mute = out.mute && !name.starts_with("viseme.") && name != "jawOpen";
            out.blinks = out.blinks || name.starts_with("blink.");
            out.looks = out.looks || name.starts_with("gaze.");
        }
        return out;
    }

    gltf::Document& document_;
    const Json& manifest_;
    std::map<std::string, std::size_t> joints_;
    std::vector<DrivenMesh> meshes_;
    std::vector<std::string> names_;
    std::map<std::string, std::vector<float>> turns_;
    std::set<std::string> moved_;
};

}  // namespace

std::map<std::string, double> channels_of(const humanoid::PerformanceFrame& frame,
                                          const std::vector<std::string>& channels) {
    const auto has = [&](const std::string& name) {
        return std::find(channels.begin(), channels.end(), name) != channels.end();
    };
    std::map<std::string, double> values;
    for (const Driven& eye : kEyes) {
        const auto weight = frame.arkit.find(*humanoid::arkit_shape(eye.arkit));
        if (weight != frame.arkit.end() && has(std::string(eye.channel)))
            values[std::string(eye.channel)] = weight->second;
    }
    for (const auto& [viseme, weight] : frame.visemes) {
        const std::string own = "viseme." + viseme;
        const humanoid::FoldedViseme folded = humanoid::folded_to_vowel(viseme);
        const std::string vowel = "viseme." + std::string(folded.vowel);
        if (has(own))
            values[own] = std::min(1.0, values[own] + weight);
        else if (!folded.vowel.empty() && has(vowel))
            values[vowel] = std::min(1.0, values[vowel] + weight * folded.weight);
        else if (!has("viseme.aa") && has("jawOpen"))
            values["jawOpen"] = std::min(1.0, values["jawOpen"] + weight * humanoid::jaw_of_viseme(viseme));
    }
    return values;
}

BakedFace bake_face(gltf::Document& document, const Json& manifest,
                    const std::vector<humanoid::PerformanceFrame>& frames, double rate, const std::string& name) {
    return Bake(document, manifest).run(frames, rate, name);
}

}  // namespace helixavatar::face
