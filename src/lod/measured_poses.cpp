// SPDX-License-Identifier: MIT
#include "measured_poses.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "skinning.hpp"

namespace helixavatar::lod {

using gltf::Json;

namespace {

enum class Axis { world_x, world_y, world_z, own_y };

/// A turn about an axis of the world at rest (+X left, +Y up, +Z forward), or the joint's own Y. A name that ends in
/// none of _l and _r stands for both sides, the right one as the mirror image, when there are two.
struct Turn {
    const char* joint;
    Axis axis;
    double degrees;
};

using Turns = std::vector<Turn>;

const std::vector<std::pair<const char*, Turns>>& pose_table() {
    static const std::vector<std::pair<const char*, Turns>> poses = {
        {"arms-up", {{"clavicle", Axis::world_z, 25}, {"upperarm", Axis::world_z, 95}}},
        {"elbows", {{"lowerarm", Axis::own_y, -75}}},
        {"knees", {{"calf", Axis::world_x, 95}}},
        {"walk",
         {{"thigh_l", Axis::world_x, -30},
          {"calf_l", Axis::world_x, 12},
          {"thigh_r", Axis::world_x, 20},
          {"calf_r", Axis::world_x, 30},
          {"foot_r", Axis::world_x, 15},
          {"ball_r", Axis::world_x, -25},
          {"upperarm", Axis::world_z, -26},
          {"upperarm_l", Axis::world_x, 28},
          {"upperarm_r", Axis::world_x, -26},
          {"lowerarm", Axis::own_y, -20}}},
        {"twist",
         {{"spine_01", Axis::world_y, 8},
          {"spine_02", Axis::world_y, 10},
          {"spine_03", Axis::world_y, 10},
          {"spine_04", Axis::world_y, 10},
          {"spine_05", Axis::world_y, 10},
          {"neck_01", Axis::world_y, 14},
          {"neck_02", Axis::world_y, 14},
          {"head", Axis::world_y, 37}}},
        {"fists",
         {{"index_01", Axis::own_y, -60},
          {"index_02", Axis::own_y, -70},
          {"index_03", Axis::own_y, -40},
          {"middle_01", Axis::own_y, -60},
          {"middle_02", Axis::own_y, -70},
          {"middle_03", Axis::own_y, -40},
          {"ring_01", Axis::own_y, -60},
          {"ring_02", Axis::own_y, -70},
          {"ring_03", Axis::own_y, -40},
          {"pinky_01", Axis::own_y, -60},
          {"pinky_02", Axis::own_y, -70},
          {"pinky_03", Axis::own_y, -40},
          {"thumb_02", Axis::own_y, -30},
          {"thumb_03", Axis::own_y, -40}}},
    };
    return poses;
}

using TurnOf = std::map<std::size_t, Quat>;

/// The turn in the joint's own frame, after those that it has already.
void add_turn(TurnOf& turns, const avatar::Avatar& avatar, const std::string& name, Axis axis, double degrees,
              bool mirrored) {
    const int joint = avatar.find_joint(name);
    if (joint < 0) return;
    // In a mirror across X a turn about X keeps its sign; frames of helix-humanoid@1 are mirrored with their side, so
    // that a joint's own Y bends both sides alike.
    Vec3 about = Vec3::UnitY();
    if (axis != Axis::own_y) {
        const Vec3 world = axis == Axis::world_x   ? Vec3::UnitX()
                           : axis == Axis::world_y ? Vec3::UnitY()
                                                   : Vec3::UnitZ();
        about = avatar.joints[joint].rest.rotation.conjugate() * world;
        if (mirrored && axis != Axis::world_x) degrees = -degrees;
    }
    Quat& turn = turns.emplace(static_cast<std::size_t>(joint), Quat::Identity()).first->second;
    const Quat by(Eigen::AngleAxisd(radians(degrees), about));
    turn = axis == Axis::own_y ? turn * by : by * turn;
}

TurnOf turns_of(const avatar::Avatar& avatar, const Turns& table) {
    TurnOf turns;
    for (const Turn& turn : table) {
        const std::string name = turn.joint;
        if (avatar.find_joint(name) >= 0) {
            add_turn(turns, avatar, name, turn.axis, turn.degrees, false);
            continue;
        }
        add_turn(turns, avatar, name + "_l", turn.axis, turn.degrees, false);
        add_turn(turns, avatar, name + "_r", turn.axis, turn.degrees, true);
    }
    return turns;
}

struct Jaw {
    std::map<std::string, float> shapes;  ///< morph target → weight
    TurnOf turns;
};

Jaw open_jaw(const avatar::Avatar& avatar) {
    Jaw jaw;
    if (!avatar.face || !avatar.face->is_object()) return jaw;
    const auto channels = avatar.face->find("channels");
    if (channels == avatar.face->end() || !channels->is_array()) return jaw;
    for (const Json& channel : *channels) {
        if (!channel.is_object() || channel.value("name", Json()) != "jawOpen") continue;
        if (const auto morphs = channel.find("morphs"); morphs != channel.end() && morphs->is_array())
            for (const Json& morph : *morphs)
                if (morph.is_object() && morph.contains("target") && morph["target"].is_string())
                    jaw.shapes[morph["target"].get<std::string>()] = 1;
        const auto bone = channel.find("bone");
        if (bone == channel.end() || !bone->is_object() || !bone->contains("joint") || !(*bone)["joint"].is_string())
            continue;
        const int joint = avatar.find_joint((*bone)["joint"].get<std::string>());
        const Json axis = bone->value("axis", Json());
        const Json most = bone->value("maxDegrees", Json());
        if (joint < 0 || !axis.is_array() || axis.size() != 3 || !most.is_number()) continue;
        Vec3 about = Vec3::Zero();
        for (std::size_t k = 0; k < 3; ++k)
            if (axis[k].is_number()) about[static_cast<int>(k)] = axis[k].get<double>();
        if (!(about.norm() > 0)) continue;
        jaw.turns[static_cast<std::size_t>(joint)] =
            Quat(Eigen::AngleAxisd(radians(most.get<double>()), about.normalized()));
    }
    return jaw;
}

PosedLevel posed(const avatar::Avatar& avatar, const avatar::Level& level, std::string name, const TurnOf& turns,
                 const std::map<std::string, float>& shapes) {
    const auto matrices = skin_matrices(avatar, [&](std::size_t joint) {
        const auto found = turns.find(joint);
        return found == turns.end() ? Quat(Quat::Identity()) : found->second;
    });
    PosedLevel out{std::move(name), {}};
    for (const avatar::Surface& surface : level.surfaces) {
        avatar::Surface shaped;
        shaped.positions = surface.positions;
        shaped.influences = surface.influences;
        for (const avatar::MorphTarget& morph : surface.morphs) {
            const auto weight = shapes.find(morph.name);
            for (std::size_t v = 0; weight != shapes.end() && v < morph.positions.size(); ++v)
                shaped.positions[v] += weight->second * morph.positions[v];
        }
        const std::vector<Vec3f> positions = skinned(shaped, matrices);
        out.positions.insert(out.positions.end(), positions.begin(), positions.end());
    }
    return out;
}

}  // namespace

std::vector<PosedLevel> measured_poses(const avatar::Avatar& avatar, const avatar::Level& level) {
    std::vector<PosedLevel> poses;
    for (const auto& [name, table] : pose_table()) {
        const TurnOf turns = turns_of(avatar, table);
        if (!turns.empty()) poses.push_back(posed(avatar, level, name, turns, {}));
    }
    const Jaw jaw = open_jaw(avatar);
    if (!jaw.shapes.empty() || !jaw.turns.empty())
        poses.push_back(posed(avatar, level, "jaw-open", jaw.turns, jaw.shapes));
    return poses;
}

}  // namespace helixavatar::lod
