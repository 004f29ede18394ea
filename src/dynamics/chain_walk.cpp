// SPDX-License-Identifier: MIT
#include <algorithm>

#include <helixavatar/dynamics/manifest.hpp>

namespace helixavatar::dynamics {
namespace {

int find_bone(const avatar::Avatar& avatar, std::string_view name) {
    for (std::size_t i = 0; i < avatar.joints.size(); ++i)
        if (avatar.joints[i].skin && avatar.joints[i].name == name) return static_cast<int>(i);
    return -1;
}

}  // namespace

Walk walk(const avatar::Avatar& avatar, const Chain& chain) {
    Walk found;
    int at = find_bone(avatar, chain.root);
    while (at >= 0) {
        found.joints.push_back(at);
        std::vector<int> next;
        // Children stand behind their parents, so one look at the rest of the list is enough and the walk ends.
        for (std::size_t i = static_cast<std::size_t>(at) + 1; i < avatar.joints.size(); ++i) {
            const avatar::Joint& joint = avatar.joints[i];
            const bool excluded =
                std::find(chain.exclude.begin(), chain.exclude.end(), joint.name) != chain.exclude.end();
            if (joint.parent == at && joint.skin && !excluded) next.push_back(static_cast<int>(i));
        }
        if (next.size() > 1) {
            found.fork = at;
            for (const int bone : next) found.fork_bones.push_back(avatar.joints[static_cast<std::size_t>(bone)].name);
        }
        at = next.size() == 1 ? next.front() : -1;
    }
    return found;
}

std::vector<Vec3> rest_tails(const avatar::Avatar& avatar, const Chain& chain, const Walk& walk) {
    std::vector<Vec3> tails;
    const auto rest = [&](std::size_t i) -> const Pose& {
        return avatar.joints[static_cast<std::size_t>(walk.joints[i])].rest;
    };
    for (std::size_t i = 1; i < walk.joints.size(); ++i) tails.push_back(rest(i).translation);
    if (chain.endpoint && !walk.joints.empty()) tails.push_back(rest(walk.joints.size() - 1) * *chain.endpoint);
    return tails;
}

double rest_length(const avatar::Avatar& avatar, const Walk& walk, const std::vector<Vec3>& tails) {
    double length = 0;
    for (std::size_t i = 0; i < tails.size(); ++i)
        length += (tails[i] - avatar.joints[static_cast<std::size_t>(walk.joints[i])].rest.translation).norm();
    return length;
}

Contact touch(const Collider& collider, const Pose& bone, const Vec3& point) {
    const Vec3 from = bone * collider.offset;
    Contact contact;
    if (collider.shape == Shape::plane) {
        contact.outward = bone.rotation * collider.normal.normalized();
        contact.depth = -contact.outward.dot(point - from);
    } else {
        Vec3 nearest = from;
        if (collider.shape == Shape::capsule) {
            const Vec3 along = bone * collider.tail - from;
            const double squared = along.squaredNorm();
            if (squared > 0) nearest += along * std::clamp(along.dot(point - from) / squared, 0.0, 1.0);
        }
        const Vec3 away = point - nearest;
        contact.depth = collider.radius - away.norm();
        if (away.norm() > 0) contact.outward = away.normalized();
    }
    if (collider.inside) {
        contact.depth = -contact.depth;
        contact.outward = -contact.outward;
    }
    return contact;
}

}  // namespace helixavatar::dynamics
