// SPDX-License-Identifier: MIT
#include "preflight/frame_measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "preflight/wording.hpp"

namespace helixavatar::preflight {
namespace {

/// Vertices worth of weight below which a cloud's centre is no evidence.
constexpr double kLeastCloud = 3;
/// Shorter horizontal vectors than this share of the character's height have no dependable direction.
constexpr double kLeastLength = 0.005;

double yaw_of(const Vec3& forward) {
    return degrees(std::atan2(forward.x(), forward.z()));
}

class Witnesses {
public:
    explicit Witnesses(double height) : least_(std::max(1e-6, height * kLeastLength)) {}

    /// `left` points from the character's right to its left.
    void sideways(std::string what, Vec3 left) { forward(std::move(what), left.cross(Vec3::UnitY())); }

    void forward(std::string what, Vec3 direction, double weight = 1) {
        direction.y() = 0;
        if (!direction.allFinite() || direction.norm() < least_) return;
        direction.normalize();
        facing_.witnesses.push_back({std::move(what), direction, yaw_of(direction), weight});
    }

    Facing conclude() {
        Vec3 sum = Vec3::Zero();
        double weights = 0;
        for (const Witness& witness : facing_.witnesses) {
            sum += witness.weight * witness.forward;
            weights += witness.weight;
        }
        if (weights <= 0 || sum.norm() < 0.2 * weights) return facing_;
        facing_.forward = sum.normalized();
        facing_.yaw = yaw_of(facing_.forward);
        for (const Witness& witness : facing_.witnesses) {
            facing_.spread = std::max(facing_.spread, angle_degrees(witness.forward, facing_.forward));
        }
        return facing_;
    }

private:
    double least_;
    Facing facing_;
};

std::optional<Vec3> joint_position(const Facts& facts, std::size_t scene, const std::string& name) {
    const int node = facts.joint(scene, name);
    if (node < 0) return {};
    return facts.position(node);
}

double joint_height(const Facts& facts, std::size_t scene) {
    Box box;
    for (const auto& [name, node] : facts.scenes[scene].joints) box.add(facts.position(node));
    return box.empty() ? 0 : (box.high - box.low).maxCoeff();
}

/// The common centre of the vertices on several joints.
std::optional<Vec3> cloud_center(const SceneFacts& scene, std::initializer_list<std::string> joints) {
    Cloud all;
    for (const std::string& name : joints) {
        const auto found = scene.clouds.find(name);
        if (found == scene.clouds.end()) continue;
        all.weight += found->second.weight;
        all.weighted_sum += found->second.weighted_sum;
    }
    if (all.weight < kLeastCloud) return {};
    return all.centroid();
}

}  // namespace

std::string Facing::text() const {
    if (witnesses.empty()) return "no witness";
    std::string out;
    for (const Witness& witness : witnesses)
        out += (out.empty() ? "" : ", ") + witness.what + " " + fixed(witness.yaw, 1);
    return out + " degrees (" + (spread < 5 ? "they agree" : "up to " + fixed(spread, 1) + " degrees from their mean") +
           ")";
}

Facing skeleton_facing(const Facts& facts, std::size_t scene) {
    Witnesses witnesses(joint_height(facts, scene));
    const auto pair = [&](const char* what, const std::string& joint) {
        const auto left = joint_position(facts, scene, joint + "_l");
        const auto right = joint_position(facts, scene, joint + "_r");
        if (left && right)
            witnesses.sideways(std::string(what) + " (" + joint + "_l, " + joint + "_r)", *left - *right);
    };
    pair("hips", "thigh");
    pair("shoulders", "upperarm");
    Vec3 toes = Vec3::Zero();
    int feet = 0;
    for (const char* side : {"_l", "_r"}) {
        const auto foot = joint_position(facts, scene, std::string("foot") + side);
        const auto ball = joint_position(facts, scene, std::string("ball") + side);
        if (!foot || !ball) continue;
        toes += *ball - *foot;
        ++feet;
    }
    // Both feet together: toes that turn out by equal angles cancel.
    if (feet == 2) witnesses.forward("toes (foot to ball, both sides)", toes);
    return witnesses.conclude();
}

Facing geometry_facing(const Facts& facts, std::size_t index) {
    const SceneFacts& scene = facts.scenes[index];
    Witnesses witnesses(scene.bounds.empty() ? 0 : scene.bounds.high.y() - scene.bounds.low.y());
    const auto pair = [&](const char* what, std::initializer_list<std::string> left,
                          std::initializer_list<std::string> right) {
        const auto l = cloud_center(scene, left);
        const auto r = cloud_center(scene, right);
        if (l && r) witnesses.sideways(what, *l - *r);
    };
    pair("arms of the mesh", {"upperarm_l", "lowerarm_l", "hand_l"}, {"upperarm_r", "lowerarm_r", "hand_r"});
    pair("legs of the mesh", {"thigh_l", "calf_l", "foot_l"}, {"thigh_r", "calf_r", "foot_r"});
    Vec3 feet = Vec3::Zero();
    int sides = 0;
    for (const char* side : {"_l", "_r"}) {
        const auto toes = cloud_center(scene, {std::string("ball") + side});
        const auto heel = cloud_center(scene, {std::string("foot") + side});
        const auto calf = cloud_center(scene, {std::string("calf") + side});
        const std::optional<Vec3>& front = toes ? toes : heel;
        const std::optional<Vec3>& back = toes && heel ? heel : calf;
        if (!front || !back) continue;
        feet += *front - *back;
        ++sides;
    }
    if (sides == 2) witnesses.forward("feet of the mesh", feet);
    const auto head = cloud_center(scene, {"head"});
    if (head && scene.face_morphs.weight > 0) {
        witnesses.forward("face (what its morph targets move)", scene.face_morphs.centroid() - *head, 0.5);
    }
    return witnesses.conclude();
}

double arm_degrees(const Facts& facts, std::size_t scene, const char* side, Vec3& direction) {
    const auto bind = [&](const std::string& name) -> std::optional<Mat4> {
        for (const int skin : facts.scenes[scene].skins) {
            const SkinFacts& data = facts.skins[skin];
            for (std::size_t j = 0; j < data.joints.size(); ++j) {
                if (facts.nodes[data.joints[j]].name != name) continue;
                const Mat4 inverse = data.inverse_binds[j].inverse();
                if (inverse.allFinite()) return inverse;
            }
        }
        return {};
    };
    const auto upper = bind(std::string("upperarm") + side);
    const auto lower = bind(std::string("lowerarm") + side);
    const auto pelvis = bind("pelvis");
    const int pelvis_node = facts.joint(scene, "pelvis");
    if (!upper || !lower) return std::numeric_limits<double>::quiet_NaN();
    // Bind matrices live in the mesh's own space; the pelvis shows how that space stands in the world.
    Mat4 to_world = Mat4::Identity();
    if (pelvis && pelvis_node >= 0) to_world = facts.nodes[pelvis_node].world * pelvis->inverse();
    const Vec3 along = (*lower - *upper).topRightCorner<3, 1>();
    direction = to_world.topLeftCorner<3, 3>() * along;
    if (!direction.allFinite() || direction.norm() < 1e-9) return std::numeric_limits<double>::quiet_NaN();
    direction.normalize();
    return angle_degrees(direction, -Vec3::UnitY());
}

}  // namespace helixavatar::preflight
