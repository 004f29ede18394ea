// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <helixavatar/dynamics/probe.hpp>

namespace helixavatar::dynamics {
namespace {

/// Amplitudes of a gait. Step rates and amplitudes are those of healthy adults at these speeds, rounded.
struct GaitShape {
    double speed;  ///< m/s (platform stride speeds)
    double steps;  ///< a second
    double bob;    ///< metres, pelvis up and down, once a step
    double sway;   ///< metres, pelvis side to side, once a stride
    double pelvis_yaw,
        spine_yaw;      ///< degrees, once a stride, against each other; the spine's is spread over its joints
    double lean;        ///< degrees the trunk leans forward
    double nod;         ///< degrees of the head, once a step
    double thigh, arm;  ///< degrees, once a stride
};

constexpr GaitShape kWalk{2.049, 2.0, 0.020, 0.020, 5, 8, 3, 1.5, 25, 20};
constexpr GaitShape kRun{5.096, 2.8, 0.040, 0.015, 8, 14, 8, 3, 40, 35};
constexpr GaitShape kSprint{7.111, 3.8, 0.045, 0.012, 10, 18, 12, 4, 55, 50};

constexpr double kTurnSeconds = 1.25, kTurnRest = 0.75, kTurnDegrees = 90;

Quat about_x(double angle) {
    return Quat(Eigen::AngleAxisd(radians(angle), Vec3::UnitX()));
}
Quat about_y(double angle) {
    return Quat(Eigen::AngleAxisd(radians(angle), Vec3::UnitY()));
}

double smooth(double t) {
    t = std::fmin(std::fmax(t, 0), 1);
    return t * t * t * (10 - 15 * t + 6 * t * t);  // speed and acceleration start and end at 0
}

double turned(double t) {
    constexpr double kHalf = kTurnSeconds + kTurnRest;
    const double phase = std::fmod(t, 2 * kHalf);
    return kTurnDegrees * (phase < kHalf ? smooth(phase / kTurnSeconds) : 1 - smooth((phase - kHalf) / kTurnSeconds));
}

// Joints that a gait turns, and how, in the character's axes, before the joint's own frame.
constexpr const char* kTurned[] = {"pelvis",  "spine_01", "spine_02", "spine_03", "spine_04",   "spine_05",  "head",
                                   "thigh_l", "thigh_r",  "calf_l",   "calf_r",   "upperarm_l", "upperarm_r"};
constexpr std::size_t kTurnedCount = sizeof kTurned / sizeof *kTurned;
using Turns = std::array<Quat, kTurnedCount>;

/// In the order of kTurned.
Turns gait_turns(const GaitShape& gait, double t) {
    const double stride = kPi * gait.steps * t;  // the stride's angle: two steps
    const double s = std::sin(stride), step = std::sin(2 * stride);
    const Quat spine = about_y(-(gait.pelvis_yaw + gait.spine_yaw) / 5 * s) * about_x(gait.lean / 5);
    return {about_y(gait.pelvis_yaw * s), spine, spine, spine, spine, spine,
            // The head looks ahead: it turns back what the spine turned, and nods.
            about_y(gait.spine_yaw * s) * about_x(-gait.lean + gait.nod * step), about_x(-gait.thigh * s),
            about_x(gait.thigh * s), about_x(gait.thigh * (1 - std::cos(stride)) / 2),
            about_x(gait.thigh * (1 + std::cos(stride)) / 2), about_x(gait.arm * s), about_x(-gait.arm * s)};
}

/// A joint as a motion needs it.
struct MovedJoint {
    int parent = -1;
    Pose local;       // rest, in the parent's frame; of a root in the world
    int turned = -1;  // index into kTurned
};

}  // namespace

const char* to_string(Gait gait) {
    constexpr const char* kNames[] = {"walk", "run", "sprint", "turn"};
    return kNames[static_cast<int>(gait)];
}

Motion synthetic_motion(const avatar::Avatar& avatar, Gait gait) {
    std::vector<MovedJoint> joints;
    for (const avatar::Joint& joint : avatar.joints) {
        MovedJoint moved{joint.parent, joint.rest, -1};
        if (joint.parent >= 0)
            moved.local = avatar.joints[static_cast<std::size_t>(joint.parent)].rest.inverse() * joint.rest;
        const auto named = std::find(std::begin(kTurned), std::end(kTurned), joint.name);
        if (named != std::end(kTurned)) moved.turned = static_cast<int>(named - std::begin(kTurned));
        joints.push_back(moved);
    }
    return [joints, gait](double t) {
        const GaitShape& shape = gait == Gait::sprint ? kSprint : gait == Gait::run ? kRun : kWalk;
        const bool travels = gait != Gait::turn;
        const Turns turns = travels ? gait_turns(shape, t) : Turns{};
        const Pose body =
            travels ? Pose{Vec3(0, 0, shape.speed * t), Quat::Identity()} : Pose{Vec3::Zero(), about_y(turned(t))};
        const double stride = kPi * shape.steps * t;
        std::vector<Pose> poses(joints.size());
        for (std::size_t j = 0; j < joints.size(); ++j) {
            const MovedJoint& joint = joints[j];
            Pose& pose = poses[j];
            pose = joint.parent < 0 ? joint.local : poses[static_cast<std::size_t>(joint.parent)] * joint.local;
            if (!travels || joint.turned < 0) continue;
            if (joint.turned == 0)
                pose.translation += Vec3(shape.sway * std::sin(stride), shape.bob * std::cos(2 * stride), 0);
            pose.rotation = (turns[static_cast<std::size_t>(joint.turned)] * pose.rotation).normalized();
        }
        for (Pose& pose : poses) pose = body * pose;
        return poses;
    };
}

}  // namespace helixavatar::dynamics
