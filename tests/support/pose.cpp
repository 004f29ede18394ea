// SPDX-License-Identifier: MIT
#include "support/pose.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <helixavatar/base/parallel.hpp>

#include "support/reference_pose.hpp"

namespace helixavatar::test {
namespace {

/// Columns: x exactly, y as near as can be, and their normal.
Mat3 frame(const Vec3& x, const Vec3& y) {
    Mat3 out;
    out.col(0) = x.normalized();
    out.col(1) = (y - y.dot(out.col(0)) * out.col(0)).normalized();
    out.col(2) = out.col(0).cross(out.col(1));
    return out;
}

Quat turn(const Mat3& to, const Mat3& from) {
    return Quat(to * from.transpose()).normalized();
}

/// The part of a turn that goes about an axis, radians.
double roll_about(const Quat& q, const Vec3& axis) {
    return 2 * std::atan2(q.vec().dot(axis), q.w());
}

Quat about(const Vec3& axis, double angle) {
    return Quat(Eigen::AngleAxisd(angle, axis));
}

double wrapped(double angle) {
    return std::remainder(angle, 2 * kPi);
}

/// Turns of the joints' own frames since rest; every joint follows its parent unless told otherwise.
class Turns {
public:
    Turns() : frames_(reference_joints().size(), Quat::Identity()), skins_(frames_) {}

    void set(const std::string& joint, const Quat& q) {
        frames_[reference_index(joint)] = q;
        skins_[reference_index(joint)] = q;
    }
    void set_skin(const std::string& joint, const Quat& q) { skins_[reference_index(joint)] = q; }
    const Quat& of(const std::string& joint) const { return frames_[reference_index(joint)]; }

    PosedJoints apply() const {
        const auto& rest = reference_joints();
        PosedJoints out;
        for (std::size_t j = 0; j < rest.size(); ++j) {
            Pose world;
            world.rotation = (frames_[j] * rest[j].world.rotation).normalized();
            world.translation = rest[j].world.translation;
            if (rest[j].parent >= 0) {
                const Vec3 offset = rest[j].world.translation - rest[rest[j].parent].world.translation;
                world.translation = out.world[rest[j].parent].translation + frames_[rest[j].parent] * offset;
            }
            out.world.push_back(world);
            out.skin.push_back({world.translation - skins_[j] * rest[j].world.translation, skins_[j]});
        }
        return out;
    }

private:
    std::vector<Quat> frames_, skins_;
};

Vec3 between(const std::string& from, const std::string& to) {
    return (reference_position(to) - reference_position(from)).normalized();
}

/// How straight the fingers become: 0 stays curled, 1 straight.
constexpr double kStraight = 0.45;

void pose_fingers(Turns& turns, const std::string& side, const Quat& hand, const Vec3& along) {
    for (const char* name : {"index", "middle", "ring", "pinky"}) {
        const std::string stem = name;
        turns.set(stem + "_metacarpal" + side, hand);
        Quat parent = hand;
        for (int bone = 1; bone <= 3; ++bone) {
            const std::string joint = stem + "_0" + std::to_string(bone) + side;
            const Vec3 rest = reference_joints()[reference_index(joint)].world.rotation * Vec3::UnitX();
            // Canonical finger bones have +X toward their child on both sides.
            const Vec3 curled = hand * rest;
            const Vec3 fanned =
                (along + 0.35 * (hand * between(stem + "_metacarpal" + side, stem + "_01" + side) - along))
                    .normalized();
            const Vec3 target = ((1 - kStraight) * curled + kStraight * fanned).normalized();
            const Quat bend = Quat::FromTwoVectors(parent * rest, target) * parent;
            turns.set(joint, bend);
            parent = bend;
        }
    }
    for (const char* joint : {"thumb_01", "thumb_02", "thumb_03"}) turns.set(joint + side, hand);
}

/// One arm straight, `drop` radians below level, the elbow bent forward by `bend`.
void pose_arm(Turns& turns, bool left, double drop, double bend) {
    const std::string side = left ? "_l" : "_r";
    const double out = left ? 1 : -1;
    const Vec3 u_rest = between("upperarm" + side, "lowerarm" + side);
    const Vec3 l_rest = between("lowerarm" + side, "hand" + side);
    const Vec3 hinge_rest = u_rest.cross(l_rest);
    const Vec3 u(out * std::cos(drop), -std::sin(drop), 0);
    const Vec3 hinge = u.cross(Vec3::UnitZ());
    const Vec3 l = about(hinge, bend) * u;
    const Quat upper = turn(frame(u, hinge), frame(u_rest, hinge_rest));
    const Quat fore = turn(frame(l, hinge), frame(l_rest, hinge_rest));

    const Vec3 middle = between("hand" + side, "middle_01" + side);
    const Vec3 back_rest =
        out * between("hand" + side, "index_01" + side).cross(between("hand" + side, "pinky_01" + side));
    const Quat hand =
        turn(frame(l, about(hinge, bend) * Vec3(out * std::sin(drop), std::cos(drop), 0)), frame(middle, back_rest));

    turns.set("upperarm" + side, upper);
    const double roll = wrapped(roll_about(upper, u));
    turns.set_skin("upperarm" + side, about(u, -roll) * upper);
    turns.set("upperarm_twist_01" + side, upper);
    turns.set_skin("upperarm_twist_01" + side, about(u, -roll * 2 / 3) * upper);
    turns.set("upperarm_twist_02" + side, upper);
    turns.set_skin("upperarm_twist_02" + side, about(u, -roll / 3) * upper);
    turns.set("lowerarm" + side, fore);
    const double twist = wrapped(roll_about(hand * fore.conjugate(), l));
    turns.set("lowerarm_twist_02" + side, about(l, twist / 3) * fore);
    turns.set("lowerarm_twist_01" + side, about(l, twist * 2 / 3) * fore);
    turns.set("hand" + side, hand);
    pose_fingers(turns, side, hand, l);
}

void bend_leg(Turns& turns, const std::string& side, double hip, double knee) {
    const Quat thigh = about(Vec3::UnitX(), -hip);
    const Quat calf = about(Vec3::UnitX(), knee - hip);
    for (const char* joint : {"thigh", "thigh_twist_01"}) turns.set(joint + side, thigh);
    for (const char* joint : {"calf", "calf_twist_01", "foot", "ball"}) turns.set(joint + side, calf);
}

}  // namespace

PosedJoints pose_joints(BodyPose pose) {
    Turns turns;
    const auto both = [&](double drop) {
        pose_arm(turns, true, radians(drop), 0);
        pose_arm(turns, false, radians(drop), 0);
    };
    switch (pose) {
        case BodyPose::canonical:
            break;
        case BodyPose::t:
            both(0);
            break;
        case BodyPose::a30:
            both(30);
            break;
        case BodyPose::a45:
            both(45);
            break;
        case BodyPose::a60:
            both(60);
            break;
        case BodyPose::arms_down:
            both(83);
            break;
        case BodyPose::lopsided:
            pose_arm(turns, true, radians(20), radians(70));
            pose_arm(turns, false, radians(75), radians(10));
            bend_leg(turns, "_l", radians(35), radians(50));
            break;
    }
    return turns.apply();
}

void move_surface(const PosedJoints& posed, const std::vector<BodyInfluences>& influences,
                  std::vector<Vec3f>& positions, std::vector<Vec3f>& normals) {
    struct Dual {
        Vec4 real, dual;
    };
    std::vector<Dual> duals;
    for (const Pose& move : posed.skin) {
        const Quat half(0, move.translation.x() / 2, move.translation.y() / 2, move.translation.z() / 2);
        duals.push_back({move.rotation.coeffs(), (half * move.rotation).coeffs()});
    }
    parallel_for((positions.size() + 2047) / 2048, [&](std::size_t chunk) {
        for (std::size_t i = chunk * 2048; i < std::min(positions.size(), (chunk + 1) * 2048); ++i) {
            Vec4 real = Vec4::Zero();
            Vec4 dual = Vec4::Zero();
            const Vec4& lead = duals[influences[i][0].joint].real;
            for (const avatar::Influence& influence : influences[i]) {
                if (influence.weight <= 0) continue;
                const Dual& d = duals[influence.joint];
                const double weight = lead.dot(d.real) < 0 ? -influence.weight : influence.weight;
                real += weight * d.real;
                dual += weight * d.dual;
            }
            const double length = real.norm();
            const Quat rotation(Vec4(real / length));
            const Quat shift = Quat(Vec4(dual / length)) * rotation.conjugate();
            positions[i] = (rotation * positions[i].cast<double>() + 2 * shift.vec()).cast<float>();
            normals[i] = (rotation * normals[i].cast<double>()).cast<float>();
        }
    });
}

}  // namespace helixavatar::test
