// SPDX-License-Identifier: MIT
#include <helixavatar/dynamics/solver.hpp>

#include <algorithm>
#include <cmath>

#include <helixavatar/dynamics/vrm.hpp>

namespace helixavatar::dynamics {
namespace {

constexpr double kEarthGravity = 9.81;  // m/s²
constexpr double kNoLength = 1e-9;

std::size_t at(int index) {
    return static_cast<std::size_t>(index);
}

bool finite(const std::vector<Pose>& poses) {
    return std::all_of(poses.begin(), poses.end(), [](const Pose& pose) {
        return pose.translation.allFinite() && pose.rotation.coeffs().allFinite();
    });
}

/// A share of the motion that takes one pose to the other: translation and turn about the first one's place.
Pose share_of_motion(const Pose& before, const Pose& now, double share) {
    const Quat turn = Quat::Identity().slerp(share, (now.rotation * before.rotation.conjugate()).normalized());
    return {before.translation + share * (now.translation - before.translation) - turn * before.translation, turn};
}

/// Takes the part of a velocity that runs along `direction` in its sense, relative to what moves at `reference`.
void stop_along(Vec3& velocity, const Vec3& reference, const Vec3& direction) {
    const double outward = (velocity - reference).dot(direction);
    if (outward > 0) velocity -= outward * direction;
}

}  // namespace

Solver::Solver(const avatar::Avatar& avatar, const Manifest& manifest) : link_of_joint_(avatar.joints.size(), -1) {
    for (const avatar::Joint& joint : avatar.joints) parents_.push_back(joint.parent);
    for (std::size_t c = 0; c < manifest.chains.size(); ++c) add_chain(avatar, manifest, c);
    std::sort(links_.begin(), links_.end(), [](const Link& a, const Link& b) { return a.joint < b.joint; });
    for (std::size_t i = 0; i < links_.size(); ++i) {
        link_of_joint_[at(links_[i].joint)] = static_cast<int>(i);
        motions_[i] = {links_[i].motion, links_[i].joint, 0, false, false};
        links_[i].motion = i;
    }
    find_touched();
    std::vector<Pose> rest;
    for (const avatar::Joint& joint : avatar.joints) rest.push_back(joint.rest);
    reset(rest);
}

void Solver::add_chain(const avatar::Avatar& avatar, const Manifest& manifest, std::size_t index) {
    const Chain& chain = manifest.chains[index];
    const Walk walked = walk(avatar, chain);
    const std::size_t count = walked.joints.size();
    if (count == 0 || parents_[at(walked.joints.front())] < 0) return;
    for (std::size_t i = 0; i < count; ++i) {
        Link link;
        link.joint = walked.joints[i];
        link.anchor = parents_[at(walked.joints.front())];
        link.first = i == 0;
        link.next = i + 1 < count ? walked.joints[i + 1] : -1;
        if (link.next < 0 && !(chain.endpoint && chain.endpoint->norm() > kNoLength)) continue;
        if (link.next < 0) link.endpoint = *chain.endpoint;
        const bool taken =
            std::any_of(links_.begin(), links_.end(), [&](const Link& l) { return l.joint == link.joint; });
        if (taken) return;  // two writers on one bone: the first one has it
        link.omega = angular_frequency(chain.stiffness.at_joint(i, count));
        link.ratio = std::clamp(chain.damping.at_joint(i, count), 0.0, 1.0);
        link.inertia = std::clamp(chain.inertia.at_joint(i, count), 0.0, 1.0);
        link.radius = chain.radius ? chain.radius->at_joint(i, count) : 0;
        link.gravity = chain.gravity * kEarthGravity * chain.gravity_dir.normalized();
        if (chain.limit) {
            link.limit = chain.limit;
            link.max_degrees = chain.limit->max_degrees.at_joint(i, count);
        }
        for (const std::string& id : chain.colliders) {
            const Collider* collider = manifest.find_collider(id);
            const int bone = collider ? avatar.find_joint(collider->bone) : -1;
            if (bone < 0) continue;
            link.colliders.emplace_back(*collider, bone);
        }
        link.motion = index;  // the chain, until the constructor numbers the joints
        links_.push_back(std::move(link));
        motions_.emplace_back();
    }
}

void Solver::find_touched() {
    const std::size_t count = parents_.size();
    carried_.assign(count, false);
    std::vector<bool> touched(count, false);
    for (std::size_t j = 0; j < count; ++j)
        carried_[j] = touched[j] = link_of_joint_[j] >= 0 || (parents_[j] >= 0 && carried_[at(parents_[j])]);
    for (const Link& link : links_) {
        touched[at(link.anchor)] = true;
        if (link.next >= 0) touched[at(link.next)] = true;
        for (const auto& entry : link.colliders) touched[at(entry.second)] = true;
    }
    for (std::size_t j = 0; j < count; ++j)
        if (touched[j]) touched_.push_back(j);
}

void Solver::reset(const std::vector<Pose>& animated) {
    if (animated.size() != parents_.size() || !finite(animated)) return;
    poses_ = animated;
    before_ = animated;
    animated_before_ = animated;
    for (Link& link : links_) {
        link.head = animated[at(link.joint)].translation;
        link.target = link.next >= 0 ? animated[at(link.next)].translation : animated[at(link.joint)] * link.endpoint;
        link.tail = {link.target, Vec3::Zero()};
        motions_[link.motion].swing_degrees = 0;
        motions_[link.motion].at_limit = motions_[link.motion].collided = false;
    }
}

/// Within its exact steps the spring knows nothing of the bone's length. How far it stretches the bone grows with the
/// square of the step, so the step is parted until that is a small share of the length at any rate.
int Solver::parts_of_step(const std::vector<Pose>& animated, double seconds) const {
    constexpr double kStretch = 0.01;  // of the bone's length
    constexpr int kMostParts = 32;
    double most = 0;
    std::vector<Vec3> tails(links_.size(), Vec3::Zero());
    for (std::size_t i = 0; i < links_.size(); ++i) {
        const Link& link = links_[i];
        const Pose& now = animated[at(link.joint)];
        const Vec3 target = link.next >= 0 ? animated[at(link.next)].translation : Vec3(now * link.endpoint);
        const double length = (target - now.translation).norm();
        tails[i] = target;
        if (!(length > kNoLength)) continue;
        const Pose share = share_of_motion(animated_before_[at(link.anchor)], animated[at(link.anchor)], link.inertia);
        const Oscillator moved{share * link.tail.position, share.rotation * link.tail.velocity};
        const Vec3 sag = link.gravity / (link.omega * link.omega);
        const Vec3 free =
            advance(moved, share * link.target + sag, target + sag, link.omega, link.ratio, seconds).position;
        const Vec3 head = link.first ? now.translation : tails[at(link_of_joint_[at(parents_[at(link.joint)])])];
        const double reach = (free - head).norm();
        most = std::max(most, std::abs(reach / length - 1));
        if (reach > kNoLength) tails[i] = head + (free - head) * (length / reach);
    }
    return static_cast<int>(std::clamp(std::ceil(std::sqrt(most / kStretch)), 1.0, double{kMostParts}));
}

void Solver::step(const std::vector<Pose>& animated, double seconds) {
    if (animated.size() != parents_.size() || !(seconds > 0) || !std::isfinite(seconds) || !finite(animated)) return;
    for (JointMotion& motion : motions_) motion.at_limit = motion.collided = false;
    const int parts = parts_of_step(animated, seconds);
    std::vector<Pose> between = animated;
    for (int part = 1; part < parts; ++part) {
        const double share = static_cast<double>(part) / parts;
        for (const std::size_t j : touched_)
            between[j] = {animated_before_[j].translation * (1 - share) + animated[j].translation * share,
                          animated_before_[j].rotation.slerp(share, animated[j].rotation)};
        part_of_step(between, seconds / parts);
    }
    part_of_step(animated, seconds / parts);
    for (std::size_t j = 0; j < parents_.size(); ++j)
        if (!carried_[j]) poses_[j] = animated[j];
    animated_before_ = animated;
}

void Solver::part_of_step(const std::vector<Pose>& animated, double seconds) {
    // Parents stand before children: when a joint comes up, whatever carries it is in place.
    for (const std::size_t j : touched_) {
        const int parent = parents_[j];
        poses_[j] = carried_[j] && parent >= 0 ? poses_[at(parent)] * (animated[at(parent)].inverse() * animated[j])
                                               : animated[j];
        if (link_of_joint_[j] >= 0) simulate(links_[at(link_of_joint_[j])], animated, seconds);
    }
    for (const std::size_t j : touched_) before_[j] = poses_[j];
}

void Solver::simulate(Link& link, const std::vector<Pose>& animated, double seconds) {
    // What the animation alone would give, carried by the anchor as it is (it may itself hang on another chain).
    const Pose& anchor = poses_[at(link.anchor)];
    const Pose from_anchor = anchor * animated[at(link.anchor)].inverse();
    const Pose carried = from_anchor * animated[at(link.joint)];
    const Vec3 target = link.next >= 0 ? from_anchor * animated[at(link.next)].translation : carried * link.endpoint;
    const Vec3 along = target - carried.translation;
    const double length = along.norm();
    const Vec3 head = link.first ? carried.translation : poses_[at(link.joint)].translation;
    JointMotion& motion = motions_[link.motion];
    motion.swing_degrees = 0;
    if (!(length > kNoLength)) {
        poses_[at(link.joint)] = {head, carried.rotation};
        return;
    }
    const Pose share = share_of_motion(before_[at(link.anchor)], anchor, link.inertia);
    const Oscillator moved{share * link.tail.position, share.rotation * link.tail.velocity};
    const Vec3 target_before = share * link.target, head_before = share * link.head;
    const Vec3 sag = link.gravity / (link.omega * link.omega);
    Oscillator tail = advance(moved, target_before + sag, target + sag, link.omega, link.ratio, seconds);
    const Vec3 head_velocity = (head - head_before) / seconds, target_velocity = (target - target_before) / seconds;

    const auto settle = [&] {
        Vec3 direction = tail.position - head;
        direction = direction.norm() > kNoLength ? Vec3(direction.normalized()) : Vec3(along / length);
        const Vec3 free = direction;
        if (clamp_to_limit(link, carried, along / length, direction)) {
            motion.at_limit = true;
            const Vec3 outward = free - direction * free.dot(direction);
            if (outward.norm() > kNoLength) stop_along(tail.velocity, target_velocity, outward.normalized());
        }
        tail.position = head + length * direction;
        const double radial = (tail.velocity - head_velocity).dot(direction);
        tail.velocity -= radial * direction;
    };
    settle();
    if (push_out(link, animated, tail)) {
        motion.collided = true;
        settle();  // the limit is the guarantee, so it has the last word
    }
    const Vec3 direction = (tail.position - head) / length;
    poses_[at(link.joint)] = {head, (Quat::FromTwoVectors(along, direction) * carried.rotation).normalized()};
    motion.swing_degrees = angle_degrees(along, direction);
    link.tail = tail;
    link.target = target;
    link.head = head;
}

bool Solver::clamp_to_limit(const Link& link, const Pose& carried, const Vec3& along, Vec3& direction) const {
    if (!link.limit) return false;
    if (link.limit->kind == LimitKind::cone) {
        const double angle = angle_degrees(along, direction);
        if (angle <= link.max_degrees) return false;
        Vec3 axis = along.cross(direction);
        if (!(axis.norm() > kNoLength)) axis = along.unitOrthogonal();
        direction = Eigen::AngleAxisd(radians(link.max_degrees), axis.normalized()) * along;
        return true;
    }
    // A hinge keeps the bone's own tilt toward the axis and turns about it only.
    const Vec3 axis = carried.rotation * link.limit->axis.normalized();
    const Vec3 from = along - axis * axis.dot(along), to = direction - axis * axis.dot(direction);
    double angle = 0;
    if (from.norm() > kNoLength && to.norm() > kNoLength)
        angle = degrees(std::atan2(axis.dot(from.cross(to)), from.dot(to)));
    const double clamped = std::clamp(angle, -link.max_degrees, link.max_degrees);
    direction = Eigen::AngleAxisd(radians(clamped), axis) * along;
    return clamped != angle;
}

bool Solver::push_out(const Link& link, const std::vector<Pose>& animated, Oscillator& tail) const {
    bool pushed = false;
    for (const auto& [collider, index] : link.colliders) {
        // Bones of the body come from the animation; a bone that another chain moves is where it stood last.
        const Pose& bone = link_of_joint_[at(index)] >= 0 ? poses_[at(index)] : animated[at(index)];
        const Contact contact = touch(collider, bone, tail.position);
        const double deep = contact.depth + link.radius;
        if (!(deep > 0)) continue;
        tail.position += deep * contact.outward;
        stop_along(tail.velocity, Vec3::Zero(), -contact.outward);
        pushed = true;
    }
    return pushed;
}

}  // namespace helixavatar::dynamics
