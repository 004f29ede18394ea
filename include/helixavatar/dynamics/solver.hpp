// SPDX-License-Identifier: MIT
// Chains in motion (dynamics.md §3). Each joint is a damped spring on its tail in world space, x'' + 2ζω x' + ω² x = ω²
// u, where u is the place that the animation alone gives the tail, integrated exactly over a step in which u moves
// linearly. Damping is against the world; `inertia` carries that share of the anchor's motion into position, target and
// velocity before the step, so that it makes no velocity. Then length, limit and colliders. World space, metres,
// seconds.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/dynamics/manifest.hpp>

namespace helixavatar::dynamics {

/// A tail's state.
struct Oscillator {
    Vec3 position = Vec3::Zero();
    Vec3 velocity = Vec3::Zero();
};

/// The exact state after `seconds`, while the target moves linearly from `from` to `to`. `ratio` 0..1, `omega` > 0
/// rad/s, `seconds` > 0.
Oscillator advance(const Oscillator& state, const Vec3& from, const Vec3& to, double omega, double ratio,
                   double seconds);

/// What one simulated joint did in the last step.
struct JointMotion {
    std::size_t chain = 0;     ///< index into Manifest::chains
    int joint = -1;            ///< index into Avatar::joints
    double swing_degrees = 0;  ///< between its direction and the one that the animation alone would give it
    bool at_limit = false;
    bool collided = false;
};

class Solver {
public:
    /// `manifest`: of read_manifest(). Chains whose root the avatar lacks, and joints without a tail, are not
    /// simulated.
    Solver(const avatar::Avatar& avatar, const Manifest& manifest);

    /// World poses of all avatar joints by the animation alone; the chains take their rest on it.
    void reset(const std::vector<Pose>& animated);

    /// One step, in parts where the spring would stretch its bone, the poses between interpolated. A pose
    /// with a number that is not finite leaves the state as it was.
    void step(const std::vector<Pose>& animated, double seconds);

    const std::vector<Pose>& poses() const { return poses_; }  ///< of all joints, chains moved
    const std::vector<JointMotion>& motions() const {
        return motions_;
    }  ///< one for each simulated joint, parents first

private:
    struct Link {                // a simulated joint
        std::size_t motion = 0;  // its entry in motions_
        int joint = -1, anchor = -1, next = -1;
        bool first = false;            // of its chain
        Vec3 endpoint = Vec3::Zero();  // of the last one, in the joint's frame
        double omega = 0, ratio = 0, inertia = 0, radius = 0;
        Vec3 gravity = Vec3::Zero();  // m/s²
        std::optional<Limit> limit;
        double max_degrees = 180;
        std::vector<std::pair<Collider, int>> colliders;  // with their bones
        Oscillator tail;
        Vec3 target = Vec3::Zero(), head = Vec3::Zero();  // of the part before
    };

    void add_chain(const avatar::Avatar& avatar, const Manifest& manifest, std::size_t index);
    void find_touched();
    int parts_of_step(const std::vector<Pose>& animated, double seconds) const;
    void part_of_step(const std::vector<Pose>& animated, double seconds);
    void simulate(Link& link, const std::vector<Pose>& animated, double seconds);
    bool clamp_to_limit(const Link& link, const Pose& carried, const Vec3& along, Vec3& direction) const;
    bool push_out(const Link& link, const std::vector<Pose>& animated, Oscillator& tail) const;

    std::vector<int> parents_;
    std::vector<int> link_of_joint_;
    std::vector<bool>
        carried_;  // by joint: it or one above it is simulated; the others are where the animation has them
    std::vector<std::size_t> touched_;  // joints whose place a part of a step needs, parents first
    std::vector<Link> links_;
    std::vector<Pose> poses_, before_, animated_before_;  // before_: poses_ of the part before
    std::vector<JointMotion> motions_;
};

}  // namespace helixavatar::dynamics
