// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <set>

#include <helixavatar/dynamics/manifest.hpp>
#include <helixavatar/dynamics/vrm.hpp>
#include <helixavatar/skeleton/skeleton.hpp>

#include "dynamics/fit_caps.hpp"
#include "dynamics/surface_share.hpp"
#include "dynamics/vrm_springs.hpp"

namespace helixavatar::dynamics {
namespace {

constexpr double kEarthGravity = 9.81;  // m/s², what the contract's gravity multiplies
constexpr double kMaxGravity = 8;
constexpr double kLoosestGravity = 1e-6;
// A chain whose centre is its own anchor is carried rigidly. One whose centre lies further up is carried by the body's
// travel but not by its anchor's own turning; 0.9 is the least that short chains bear (reference text, "Short chains
// want").
constexpr double kAnchorInertia = 1, kBodyInertia = 0.9;

/// Share of the surface at which a chain is worth more of the frame budget.
Importance importance_of(double share) {
    if (share >= 0.05) return Importance::critical;
    if (share >= 0.02) return Importance::high;
    return share >= 0.005 ? Importance::normal : Importance::decorative;
}

/// A text as an id: other characters become `_`, 64 at most, made unique with a number.
std::string free_id(const std::string& text, std::set<std::string>& taken) {
    constexpr std::size_t kLongest = 64, kRoom = 6;
    std::string id;
    for (const char c : text) {
        const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                          c == '.' || c == '-';
        if (fits)
            id += c;
        else if (static_cast<unsigned char>(c) < 0x80 || (static_cast<unsigned char>(c) & 0xC0) == 0xC0)
            id += '_';
    }
    if (id.empty()) id = "chain";
    if (id.size() > kLongest) id.resize(kLongest);
    if (taken.insert(id).second) return id;
    id.resize(std::min(id.size(), kLongest - kRoom));
    for (int i = 2;; ++i) {
        std::string numbered = id + "-" + std::to_string(i);
        if (taken.insert(numbered).second) return numbered;
    }
}

/// At most eight stops of a value a joint.
Curve curve_of(const std::vector<double>& values) {
    Curve curve;
    curve.stops.clear();
    const std::size_t count = std::min(values.size(), kMaxStops);
    for (std::size_t i = 0; i < count; ++i)
        curve.stops.push_back(values[count > 1 ? (i * (values.size() - 1) + (count - 1) / 2) / (count - 1) : 0]);
    return curve;
}

class Conversion {
public:
    Conversion(const VrmSpring& input, const avatar::Avatar& avatar)
        : input_(input), avatar_(avatar), source_(read_springs(input)) {
        out_.notes = source_.notes;
        yaw_ = Quat(Eigen::AngleAxisd(radians(input.yaw_degrees), Vec3::UnitY()));
        for (std::size_t i = 0; i < input.joints.size(); ++i) {
            const auto found = input.bones.find(static_cast<int>(i));
            bones_.push_back(found == input.bones.end() ? -1 : avatar.find_joint(found->second));
        }
    }

    VrmDynamics run() {
        collider_of_.assign(source_.colliders.size(), -1);
        for (const Spring& spring : source_.springs) chain(spring);
        drop_weightless();
        fit_caps(manifest_, shares_, avatar_, out_.notes);
        if (!manifest_.chains.empty()) out_.manifest = to_json(manifest_);
        return std::move(out_);
    }

private:
    const avatar::Joint& source(int joint) const { return input_.joints[static_cast<std::size_t>(joint)]; }
    int bone(int joint) const { return bones_[static_cast<std::size_t>(joint)]; }
    const avatar::Joint& target(int joint) const { return avatar_.joints[static_cast<std::size_t>(joint)]; }
    bool is_canonical(int joint) const { return skeleton::helix_humanoid().find(target(joint).name) >= 0; }

    /// How the surroundings of a source joint turned. Auxiliary joints carry their frame along, so it is exact there; a
    /// canonical joint has a frame of its own, and the turn is the whole body's plus the least one between the bone's
    /// two directions.
    Quat turn(int joint) const {
        const int to = bone(joint);
        if (!is_canonical(to)) return target(to).rest.rotation * source(joint).rest.rotation.conjugate();
        for (std::size_t child = static_cast<std::size_t>(joint) + 1; child < input_.joints.size(); ++child) {
            const int end = bones_[child];
            if (input_.joints[child].parent != joint || end < 0 || target(end).parent != to || !is_canonical(end))
                continue;
            const Vec3 before = yaw_ * (input_.joints[child].rest.translation - source(joint).rest.translation);
            const Vec3 after = target(end).rest.translation - target(to).rest.translation;
            constexpr double kNoLength = 1e-6;
            if (before.norm() > kNoLength && after.norm() > kNoLength)
                return Quat::FromTwoVectors(before, after) * yaw_;
        }
        return yaw_;
    }

    /// A source point that belongs to a joint, in the avatar's world.
    Vec3 moved(int joint, const Vec3& point) const {
        return target(bone(joint)).rest.translation +
               turn(joint) * ((point - source(joint).rest.translation) * input_.scale);
    }

    /// The joint itself or the nearest one above that the avatar still has, or -1.
    int kept(int joint) const {
        while (joint >= 0 && bone(joint) < 0) joint = source(joint).parent;
        return joint;
    }

    void note(const std::string& line) { out_.notes.push_back(line); }

    void chain(const Spring& spring) {
        std::vector<SpringJoint> joints = usable(spring);
        if (joints.empty()) return;
        const bool cut = joints.size() < spring.joints.size();
        const Vec3 aim = cut ? source(spring.joints[joints.size()].joint).rest.translation : spring.tail;
        const int last = joints.back().joint;
        Chain chain;
        chain.id = free_id(target(bone(joints.front().joint)).name, ids_);
        chain.root = target(bone(joints.front().joint)).name;
        chain.endpoint = target(bone(last)).rest.inverse() * moved(last, aim);
        constexpr double kNoLength = 1e-6;
        if (!(chain.endpoint->norm() > kNoLength)) chain.endpoint = leaf_endpoint(last);
        exclude(chain, joints);
        feel(chain, joints);
        if (spring.center >= 0) chain.inertia.stops = {inertia(spring, joints.front().joint)};
        colliders(chain, spring);
        manifest_.chains.push_back(std::move(chain));
    }

    /// The run of joints that arrived as auxiliary bones, each the child of the one before it.
    std::vector<SpringJoint> usable(const Spring& spring) {
        std::vector<SpringJoint> joints;
        for (const SpringJoint& each : spring.joints) {
            const int to = bone(each.joint);
            const std::string name = source(each.joint).name;
            if (to < 0 || is_canonical(to) || target(to).parent < 0) {
                note("the spring on " + name +
                     (to < 0 ? " was dropped: the joint is not in the avatar"
                             : " was dropped: it is a joint of the body, which clips drive"));
                break;
            }
            if (!joints.empty() && target(to).parent != bone(joints.back().joint)) {
                note("the spring on " + name + " was cut off: the joint does not hang from the one before it");
                break;
            }
            if (joints.size() == kCaps.joints_per_chain) {
                note("the spring was cut at " + name + ": a chain has at most 32 joints");
                break;
            }
            joints.push_back(each);
        }
        return joints;
    }

    /// Where a spring aims at its own place, the bone goes on as the one before it did.
    Vec3 leaf_endpoint(int joint) const {
        const avatar::Joint& leaf = target(bone(joint));
        const Vec3 along = leaf.rest.translation - target(leaf.parent).rest.translation;
        return leaf.rest.rotation.conjugate() * (along.norm() > 0 ? along : Vec3(0, -0.01, 0));
    }

    /// Side branches and what hangs from the last joint are no part of the walk.
    void exclude(Chain& chain, const std::vector<SpringJoint>& joints) const {
        std::set<int> own;
        for (const SpringJoint& each : joints) own.insert(bone(each.joint));
        for (std::size_t i = 0; i < avatar_.joints.size(); ++i)
            if (avatar_.joints[i].skin && own.count(avatar_.joints[i].parent) > 0 &&
                own.count(static_cast<int>(i)) == 0)
                chain.exclude.push_back(avatar_.joints[i].name);
    }

    void feel(Chain& chain, const std::vector<SpringJoint>& joints) const {
        std::vector<double> stiffness, damping, radius;
        double gravity = 0;
        Vec3 toward = Vec3::Zero();
        for (std::size_t i = 0; i < joints.size(); ++i) {
            const Pose& rest = target(bone(joints[i].joint)).rest;
            const Vec3 tail =
                i + 1 < joints.size() ? target(bone(joints[i + 1].joint)).rest.translation : rest * *chain.endpoint;
            const double length = (tail - rest.translation).norm();
            const SpringFeel matched = match_spring(joints[i].stiffness, joints[i].drag, length / input_.scale);
            stiffness.push_back(matched.stiffness);
            damping.push_back(matched.damping);
            radius.push_back(std::max(0.0, joints[i].radius * input_.scale));
            // Both springs rest where the pull to the bone's axis and gravity's balance: at length·power/stiffness off,
            // and at 9.81·g/ω².
            const double omega = angular_frequency(matched.stiffness);
            const double pull = std::max(joints[i].stiffness, kLoosestGravity);
            gravity += length * joints[i].gravity / pull * omega * omega / kEarthGravity;
            toward += joints[i].gravity * joints[i].gravity_dir;
        }
        const double count = static_cast<double>(joints.size());
        chain.stiffness = curve_of(stiffness);
        chain.damping = curve_of(damping);
        chain.radius = curve_of(radius);
        chain.gravity = std::clamp(gravity / count, -kMaxGravity, kMaxGravity);
        if (std::abs(chain.gravity) < kLoosestGravity || !(toward.norm() > 0)) chain.gravity = 0;
        chain.gravity = std::abs(chain.gravity);  // the direction's sum already holds the sign
        if (chain.gravity > 0) chain.gravity_dir = yaw_ * toward.normalized();
    }

    double inertia(const Spring& spring, int root) const {
        return spring.center == source(root).parent ? kAnchorInertia : kBodyInertia;
    }

    void colliders(Chain& chain, const Spring& spring) {
        for (const int index : spring.colliders) {
            const std::string id = collider(static_cast<std::size_t>(index));
            if (!id.empty() && std::find(chain.colliders.begin(), chain.colliders.end(), id) == chain.colliders.end())
                chain.colliders.push_back(id);
        }
        if (chain.colliders.empty()) chain.radius.reset();
    }

    /// The avatar's collider of a source one, made at its first use; empty when its joint left nothing.
    std::string collider(std::size_t index) {
        if (collider_of_[index] >= 0) return manifest_.colliders[static_cast<std::size_t>(collider_of_[index])].id;
        const SpringCollider& from = source_.colliders[index];
        const int holder = kept(from.joint);
        if (holder < 0) {
            note("a collider on " + source(from.joint).name + " was dropped: the joint is not in the avatar");
            return {};
        }
        const avatar::Joint& to = target(bone(holder));
        const Pose back = to.rest.inverse();
        Collider made;
        made.id = free_id(to.name, ids_);
        made.bone = to.name;
        made.shape = from.shape;
        made.offset = back * moved(holder, from.offset);
        made.tail = back * moved(holder, from.tail);
        made.normal = back.rotation * (turn(holder) * from.normal.normalized());
        made.radius = from.radius * input_.scale;
        made.inside = from.inside;
        collider_of_[index] = static_cast<int>(manifest_.colliders.size());
        manifest_.colliders.push_back(made);
        return made.id;
    }

    void drop_weightless() {
        std::vector<Walk> walks;
        for (const Chain& chain : manifest_.chains) walks.push_back(walk(avatar_, chain));
        const std::vector<double> shares = surface_shares(avatar_, walks);
        std::vector<Chain> moving;
        for (std::size_t c = 0; c < shares.size(); ++c) {
            Chain& chain = manifest_.chains[c];
            if (!(shares[c] > 0)) {
                note("chain " + chain.id + " was dropped: no surface hangs on it");
                continue;
            }
            chain.importance = importance_of(shares[c]);
            shares_.push_back(shares[c]);
            moving.push_back(std::move(chain));
        }
        manifest_.chains = std::move(moving);
    }

    const VrmSpring& input_;
    const avatar::Avatar& avatar_;
    Springs source_;
    Quat yaw_;
    std::vector<int> bones_;  // source joint → avatar joint, or -1
    Manifest manifest_;
    std::vector<double> shares_;
    std::vector<int> collider_of_;
    std::set<std::string> ids_;  // of chains and colliders together
    VrmDynamics out_;
};

}  // namespace

VrmDynamics dynamics_from_vrm(const VrmSpring& input, const avatar::Avatar& conformed) {
    return Conversion(input, conformed).run();
}

}  // namespace helixavatar::dynamics
