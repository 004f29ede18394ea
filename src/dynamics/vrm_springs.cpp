// SPDX-License-Identifier: MIT
#include "dynamics/vrm_springs.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace helixavatar::dynamics {
namespace {

constexpr double kLeafTail = 0.07;  // metres: how far VRM 0 lets a bone without a child reach

const Json& member(const Json& object, const char* key) {
    static const Json none;
    return object.is_object() && object.contains(key) ? object[key] : none;
}

double number(const Json& value, double otherwise) {
    if (!value.is_number()) return otherwise;
    constexpr double kFar = 1e6;  // nothing on a character is larger
    const double read = value.get<double>();
    return std::abs(read) < kFar ? read : otherwise;
}

int integer(const Json& value) {
    return value.is_number_integer() && value.get<std::int64_t>() >= 0 && value.get<std::int64_t>() < (1 << 30)
               ? value.get<int>()
               : -1;
}

std::string text(const Json& value) {
    return value.is_string() ? value.get<std::string>() : std::string();
}

/// {"x","y","z"} or [x, y, z].
Vec3 vector(const Json& value, const Vec3& otherwise) {
    if (value.is_array() && value.size() == 3) return {number(value[0], 0), number(value[1], 0), number(value[2], 0)};
    if (value.is_object())
        return {number(member(value, "x"), 0), number(member(value, "y"), 0), number(member(value, "z"), 0)};
    return otherwise;
}

class Reader {
public:
    explicit Reader(const VrmSpring& input) : input_(input), children_(input.joints.size()) {
        for (std::size_t i = 0; i < input.joints.size(); ++i)
            if (input.joints[i].parent >= 0)
                children_[static_cast<std::size_t>(input.joints[i].parent)].push_back(static_cast<int>(i));
    }

    Springs run() {
        if (input_.version == 0)
            version_0();
        else
            version_1();
        return std::move(out_);
    }

private:
    const avatar::Joint& joint(int index) const { return input_.joints[static_cast<std::size_t>(index)]; }

    int joint_of_node(const Json& node) const {
        const int index = integer(node);
        if (index < 0 || static_cast<std::size_t>(index) >= input_.node_to_joint.size()) return -1;
        const int found = input_.node_to_joint[static_cast<std::size_t>(index)];
        return found >= 0 && static_cast<std::size_t>(found) < input_.joints.size() ? found : -1;
    }

    void note(const std::string& line) { out_.notes.push_back(line); }

    void add_collider(SpringCollider collider, std::vector<int>& group, const std::string& where) {
        const bool round = collider.shape != Shape::plane;
        if (round && !(collider.radius > 0)) return note(where + " has no radius and was left out");
        group.push_back(static_cast<int>(out_.colliders.size()));
        out_.colliders.push_back(collider);
    }

    // --- 0.x ---

    void version_0() {
        const Json& animation = member(input_.extension, "secondaryAnimation");
        std::vector<std::vector<int>> groups;
        for (const Json& group : member(animation, "colliderGroups")) {
            groups.emplace_back();
            const int holder = joint_of_node(member(group, "node"));
            const std::string where = "collider group " + std::to_string(groups.size() - 1);
            if (holder < 0) {
                note(where + " hangs on no joint and was left out");
                continue;
            }
            for (const Json& sphere : member(group, "colliders")) {
                SpringCollider collider;
                collider.joint = holder;
                Vec3 offset = vector(member(sphere, "offset"), Vec3::Zero());
                offset.z() =
                    -offset.z();  // collider offsets of 0.x are left-handed, unlike everything else in the file
                collider.offset = joint(holder).rest * offset;
                collider.radius = number(member(sphere, "radius"), 0);
                add_collider(collider, groups.back(), where);
            }
        }
        std::size_t index = 0;
        for (const Json& group : member(animation, "boneGroups")) {
            const std::string where = "bone group " + std::to_string(index++);
            Spring spring;
            spring.name = text(member(group, "comment"));
            spring.center = joint_of_node(member(group, "center"));
            for (const Json& id : member(group, "colliderGroups"))
                if (const int at = integer(id); at >= 0 && static_cast<std::size_t>(at) < groups.size())
                    spring.colliders.insert(spring.colliders.end(), groups[static_cast<std::size_t>(at)].begin(),
                                            groups[static_cast<std::size_t>(at)].end());
            SpringJoint like;
            like.stiffness = number(member(group, "stiffiness"), 1);  // the schema's own spelling
            like.drag = number(member(group, "dragForce"), 0.4);
            like.gravity = number(member(group, "gravityPower"), 0);
            like.gravity_dir = vector(member(group, "gravityDir"), -Vec3::UnitY());
            like.radius = number(member(group, "hitRadius"), 0);
            for (const Json& root : member(group, "bones")) {
                const int first = joint_of_node(root);
                if (first < 0)
                    note(where + " names a bone that is not there; it was left out");
                else
                    grow(first, like, spring);
            }
        }
    }

    /// A spring moves its root and everything below; each branch becomes a spring of its own.
    void grow(int root, const SpringJoint& like, const Spring& pattern) {
        std::vector<int> roots{root};
        while (!roots.empty()) {
            Spring spring = pattern;
            int at = roots.back();
            roots.pop_back();
            while (taken_.insert(at).second) {
                SpringJoint added = like;
                added.joint = at;
                spring.joints.push_back(added);
                const std::vector<int>& below = children_[static_cast<std::size_t>(at)];
                spring.tail = below.empty() ? leaf_tail(at) : joint(below.front()).rest.translation;
                if (below.size() != 1) {
                    roots.insert(roots.end(), below.rbegin(), below.rend());
                    break;
                }
                at = below.front();
            }
            if (!spring.joints.empty()) out_.springs.push_back(std::move(spring));
        }
    }

    Vec3 leaf_tail(int leaf) const {
        const Vec3 head = joint(leaf).rest.translation;
        Vec3 along =
            joint(leaf).parent >= 0 ? Vec3(head - joint(joint(leaf).parent).rest.translation) : Vec3(-Vec3::UnitY());
        if (!(along.norm() > 1e-9)) along = -Vec3::UnitY();
        return head + along.normalized() * kLeafTail;
    }

    // --- 1.0 ---

    void version_1() {
        std::vector<std::vector<int>> of_collider;  // a collider is one entry, or none where it was faulty
        for (const Json& json : member(input_.extension, "colliders")) {
            of_collider.emplace_back();
            collider_1(json, of_collider.back(), "collider " + std::to_string(of_collider.size() - 1));
        }
        std::vector<std::vector<int>> groups;
        for (const Json& group : member(input_.extension, "colliderGroups")) {
            groups.emplace_back();
            for (const Json& id : member(group, "colliders"))
                if (const int at = integer(id); at >= 0 && static_cast<std::size_t>(at) < of_collider.size())
                    for (const int collider : of_collider[static_cast<std::size_t>(at)])
                        groups.back().push_back(collider);
        }
        std::size_t index = 0;
        for (const Json& json : member(input_.extension, "springs"))
            spring_1(json, groups, "spring " + std::to_string(index++));
    }

    void collider_1(const Json& json, std::vector<int>& into, const std::string& where) {
        const int holder = joint_of_node(member(json, "node"));
        if (holder < 0) return note(where + " hangs on no joint and was left out");
        const Json& extended = member(member(member(json, "extensions"), "VRMC_springBone_extended_collider"), "shape");
        const Json& shape = extended.is_object() ? extended : member(json, "shape");
        const Pose& rest = joint(holder).rest;
        SpringCollider collider;
        collider.joint = holder;
        for (const auto& [key, kind] : {std::pair<const char*, Shape>{"sphere", Shape::sphere},
                                        {"capsule", Shape::capsule},
                                        {"plane", Shape::plane}}) {
            const Json& found = member(shape, key);
            if (!found.is_object()) continue;
            collider.shape = kind;
            collider.offset = rest * vector(member(found, "offset"), Vec3::Zero());
            collider.tail = rest * vector(member(found, "tail"), Vec3::Zero());
            collider.normal = rest.rotation * vector(member(found, "normal"), Vec3::UnitZ());
            collider.radius = number(member(found, "radius"), 0);
            collider.inside = member(found, "inside") == Json(true);
            if (!(collider.normal.norm() > 0)) return note(where + " has no direction and was left out");
            return add_collider(collider, into, where);
        }
        note(where + " has no shape that is known and was left out");
    }

    void spring_1(const Json& json, const std::vector<std::vector<int>>& groups, const std::string& where) {
        Spring spring;
        spring.name = text(member(json, "name"));
        spring.center = joint_of_node(member(json, "center"));
        for (const Json& id : member(json, "colliderGroups"))
            if (const int at = integer(id); at >= 0 && static_cast<std::size_t>(at) < groups.size())
                spring.colliders.insert(spring.colliders.end(), groups[static_cast<std::size_t>(at)].begin(),
                                        groups[static_cast<std::size_t>(at)].end());
        std::vector<SpringJoint> joints;
        for (const Json& entry : member(json, "joints")) {
            SpringJoint added;
            added.joint = joint_of_node(member(entry, "node"));
            if (added.joint < 0) {
                note(where + " names a joint that is not there; it ends before it");
                break;
            }
            added.stiffness = number(member(entry, "stiffness"), 1);
            added.drag = number(member(entry, "dragForce"), 0.5);
            added.gravity = number(member(entry, "gravityPower"), 0);
            added.gravity_dir = vector(member(entry, "gravityDir"), -Vec3::UnitY());
            added.radius = number(member(entry, "hitRadius"), 0);
            joints.push_back(added);
        }
        // The last joint is the tail of the one before it and does not move by itself.
        if (joints.size() < 2) return note(where + " has fewer than two joints and moves nothing");
        spring.tail = joint(joints.back().joint).rest.translation;
        joints.pop_back();
        for (const SpringJoint& each : joints) {
            if (!taken_.insert(each.joint).second) {
                note(where + " moves " + joint(each.joint).name +
                     ", which another spring moves already; it ends before it");
                spring.tail = joint(each.joint).rest.translation;
                break;
            }
            spring.joints.push_back(each);
        }
        if (!spring.joints.empty()) out_.springs.push_back(std::move(spring));
    }

    const VrmSpring& input_;
    std::vector<std::vector<int>> children_;
    std::set<int> taken_;
    Springs out_;
};

}  // namespace

Springs read_springs(const VrmSpring& input) {
    return Reader(input).run();
}

std::vector<int> spring_joints(const VrmSpring& input) {
    std::set<int> joints;
    for (const Spring& spring : read_springs(input).springs)
        for (const SpringJoint& each : spring.joints) joints.insert(each.joint);
    if (input.version == 1)
        for (const Json& spring : member(input.extension, "springs"))
            for (const Json& entry : member(spring, "joints"))
                if (const int node = integer(member(entry, "node"));
                    node >= 0 && static_cast<std::size_t>(node) < input.node_to_joint.size())
                    if (const int at = input.node_to_joint[static_cast<std::size_t>(node)]; at >= 0) joints.insert(at);
    return {joints.begin(), joints.end()};
}

}  // namespace helixavatar::dynamics
