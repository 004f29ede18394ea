// SPDX-License-Identifier: MIT
#include <algorithm>

#include "face/channel.hpp"

namespace helixavatar::face {
namespace {

// How far a channel at 1 turns the joint: a jaw opens about 20 degrees in speech, eyes turn about 25 to the sides and
// 15 up or down before the head follows.
constexpr double kJawDegrees = 20, kEyeSideDegrees = 25, kEyeUpDegrees = 15;

bool carries_vertices(const avatar::Avatar& avatar, int joint) {
    for (const avatar::Surface& surface : avatar.levels.front().surfaces)
        for (const avatar::Influences& influences : surface.influences)
            for (const avatar::Influence& influence : influences)
                if (influence.weight > 0 && influence.joint == joint) return true;
    return false;
}

/// The skin joint of one of these names that moves something, or -1.
int find_joint(const avatar::Avatar& avatar, const std::string& part) {
    std::vector<std::string> names;
    for (const avatar::Joint& joint : avatar.joints) names.push_back(joint.name);
    const NameIndex index(names);
    for (const std::string& wanted : joint_names(part)) {
        const int at = index.find(wanted);
        if (at >= 0 && avatar.joints[static_cast<std::size_t>(at)].skin && carries_vertices(avatar, at)) return at;
    }
    return -1;
}

Channel turn(const avatar::Joint& joint, const Vec3& world_axis, double degrees) {
    return {BoneTurn{joint.name, joint.rest.rotation.conjugate() * world_axis, degrees}, true};
}

}  // namespace

void add_joint_channels(const avatar::Avatar& avatar, Channels& channels) {
    if (avatar.levels.empty()) return;
    const Vec3 left = Vec3::UnitX(), up = Vec3::UnitY();
    if (channels.count("jawOpen") == 0) {
        const int jaw = find_joint(avatar, "jaw");
        // Turning about the character's left takes the chin, which lies in front, down.
        if (jaw >= 0) channels["jawOpen"] = turn(avatar.joints[static_cast<std::size_t>(jaw)], left, kJawDegrees);
    }
    const bool any_gaze = std::any_of(channels.begin(), channels.end(),
                                      [](const auto& entry) { return entry.first.starts_with("gaze."); });
    const int eyes[2] = {find_joint(avatar, "eye_left"), find_joint(avatar, "eye_right")};
    if (any_gaze || eyes[0] < 0 || eyes[1] < 0 || eyes[0] == eyes[1]) return;
    for (const bool right : {false, true}) {
        const avatar::Joint& eye = avatar.joints[static_cast<std::size_t>(eyes[right ? 1 : 0])];
        const std::string gaze = right ? "gaze.right." : "gaze.left.";
        channels[gaze + "up"] = turn(eye, -left, kEyeUpDegrees);
        channels[gaze + "down"] = turn(eye, left, kEyeUpDegrees);
        channels[gaze + "out"] = turn(eye, right ? Vec3(-up) : up, kEyeSideDegrees);
        channels[gaze + "in"] = turn(eye, right ? up : Vec3(-up), kEyeSideDegrees);
    }
}

}  // namespace helixavatar::face
