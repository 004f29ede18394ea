// SPDX-License-Identifier: MIT
#include "repose.hpp"

#include <cmath>

namespace helixavatar::conform {

namespace {

Pose blend(const avatar::Influences& influences, const Vec3& point, const Motions& motions,
           const std::vector<Follow>& follow) {
    DualQuaternion sum;
    Pose heaviest;
    float heaviest_weight = 0;
    int only = -1;
    bool several = false;
    for (const avatar::Influence& influence : influences) {
        if (influence.weight <= 0) continue;
        const int joint = follow[influence.joint].joint;
        const Pose motion = motions.at(joint, point);
        several = several || (only >= 0 && only != joint);
        only = joint;
        if (influence.weight > heaviest_weight) {
            heaviest_weight = influence.weight;
            heaviest = motion;
        }
        sum.add(influence.weight, DualQuaternion(motion));
    }
    return several ? sum.motion(heaviest) : heaviest;
}

Vec3f unit(const Vec3& v, const Vec3f& fallback) {
    const double length = v.norm();
    return length > 0 ? Vec3f((v / length).cast<float>()) : fallback;
}

void move_vertex(avatar::Surface& surface, std::size_t v, const Pose& motion) {
    const Mat3 turn = motion.rotation.toRotationMatrix();
    const auto turned = [&](const Vec3f& d) -> Vec3 { return turn * d.cast<double>(); };
    Vec3f& p = surface.positions[v];
    p = (turned(p) + motion.translation).cast<float>();
    if (v < surface.normals.size()) surface.normals[v] = unit(turned(surface.normals[v]), surface.normals[v]);
    if (v < surface.tangents.size()) {
        const Vec3f tangent = surface.tangents[v].head<3>();
        surface.tangents[v].head<3>() = unit(turned(tangent), tangent);
    }
    for (avatar::MorphTarget& morph : surface.morphs) {
        if (v < morph.positions.size()) morph.positions[v] = turned(morph.positions[v]).cast<float>();
        if (v < morph.normals.size()) morph.normals[v] = turned(morph.normals[v]).cast<float>();
    }
}

}  // namespace

std::size_t bind_loose_vertices(avatar::Level& level, const Body& body, std::size_t source_joints) {
    std::size_t loose = 0;
    for (avatar::Surface& surface : level.surfaces) {
        surface.influences.resize(surface.positions.size());
        for (std::size_t v = 0; v < surface.positions.size(); ++v) {
            bool held = false;
            for (avatar::Influence& influence : surface.influences[v]) {
                const bool usable =
                    std::isfinite(influence.weight) && influence.weight > 0 && influence.joint < source_joints;
                if (!usable) influence = {};
                held = held || usable;
            }
            if (held) continue;
            const int bone = nearest_bone(body, surface.positions[v].cast<double>());
            const int joint = body.source[static_cast<std::size_t>(bone)];
            surface.influences[v][0] = {static_cast<std::uint16_t>(joint), 1.0F};
            ++loose;
        }
    }
    return loose;
}

VertexTurns repose(avatar::Level& level, const RigidParts& parts, const Motions& motions,
                   const std::vector<Follow>& follow) {
    VertexTurns turns(level.surfaces.size());
    for (std::size_t s = 0; s < level.surfaces.size(); ++s) {
        avatar::Surface& surface = level.surfaces[s];
        turns[s].reserve(surface.positions.size());
        for (std::size_t v = 0; v < surface.positions.size(); ++v) {
            const int part = parts.part[s][v];
            const Vec3 place =
                part < 0 ? Vec3(surface.positions[v].cast<double>()) : parts.centre[static_cast<std::size_t>(part)];
            const Pose motion = blend(surface.influences[v], place, motions, follow);
            move_vertex(surface, v, motion);
            turns[s].push_back(motion.rotation);
        }
    }
    return turns;
}

}  // namespace helixavatar::conform
