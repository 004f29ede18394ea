// SPDX-License-Identifier: MIT
#include "rig_trees.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace helixavatar::test {

int JointTree::find(const std::string& canonical_name) const {
    const auto hit = std::find(canonical.begin(), canonical.end(), canonical_name);
    return hit == canonical.end() ? -1 : static_cast<int>(hit - canonical.begin());
}

avatar::Joint& JointTree::at(const std::string& canonical_name) {
    return avatar.joints.at(static_cast<std::size_t>(find(canonical_name)));
}

int JointTree::add(const std::string& name, int parent, const Vec3& place, const std::string& canonical_name) {
    avatar::Joint joint;
    joint.name = name;
    joint.parent = parent;
    joint.rest.translation = place;
    avatar.joints.push_back(joint);
    canonical.push_back(canonical_name);
    return static_cast<int>(avatar.joints.size()) - 1;
}

void JointTree::remove(const std::string& canonical_name) {
    const int gone = find(canonical_name);
    const int parent = avatar.joints[static_cast<std::size_t>(gone)].parent;
    avatar.joints.erase(avatar.joints.begin() + gone);
    canonical.erase(canonical.begin() + gone);
    for (avatar::Joint& joint : avatar.joints) {
        if (joint.parent == gone) joint.parent = parent;
        if (joint.parent > gone) --joint.parent;
    }
}

JointTree family_tree(const std::string& family, BodyPose pose) {
    JointTree tree;
    for (const RigJoint& joint : make_rig(family, pose_joints(pose)).joints) {
        tree.add(joint.name, joint.parent, joint.world.translation, joint.canonical);
        tree.avatar.joints.back().rest.rotation = joint.world.rotation;
        tree.avatar.joints.back().skin = joint.skin;
    }
    return tree;
}

void transform(JointTree& tree, const Quat& turn, double scale) {
    for (avatar::Joint& joint : tree.avatar.joints) {
        joint.rest.translation = turn * (scale * joint.rest.translation);
        joint.rest.rotation = turn * joint.rest.rotation;
    }
}

void make_opaque(JointTree& tree) {
    const auto& old = tree.avatar.joints;
    JointTree fresh;
    // Breadth first with the siblings back to front: no chain keeps its place in the list.
    std::vector<std::pair<int, int>> open{{-1, -1}};
    for (std::size_t k = 0; k < open.size(); ++k) {
        const auto [source, place] = open[k];
        for (std::size_t i = old.size(); i-- > 0;) {
            if (old[i].parent != source) continue;
            const int added = fresh.add("bone_" + std::to_string(fresh.avatar.joints.size()), place,
                                        old[i].rest.translation, tree.canonical[i]);
            fresh.avatar.joints.back().skin = old[i].skin;
            fresh.avatar.joints.back().rest.rotation = old[i].rest.rotation;
            open.emplace_back(static_cast<int>(i), added);
        }
    }
    tree = fresh;
}

void make_names_opaque(JointTree& tree) {
    for (std::size_t i = 0; i < tree.avatar.joints.size(); ++i)
        tree.avatar.joints[i].name = "bone_" + std::to_string(i);
}

Quat about_up(double degrees) {
    return Quat(Eigen::AngleAxisd(radians(degrees), Vec3::UnitY()));
}

void add_skin(JointTree& tree) {
    avatar::Surface surface;
    for (std::size_t i = 0; i < tree.canonical.size(); ++i) {
        if (tree.canonical[i].empty()) continue;
        for (int k = 0; k < (tree.canonical[i] == "head" ? 40 : 4); ++k) {
            surface.positions.push_back(tree.avatar.joints[i].rest.translation.cast<float>());
            surface.influences.push_back({{{static_cast<std::uint16_t>(i), 1.0f}}});
        }
    }
    tree.avatar.levels = {{"lod1", {surface}, std::nullopt}};
}

void swap_sides(JointTree& tree) {
    const auto names = tree.avatar.joints;
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::string other = tree.canonical[i];
        if (other.size() < 2 || other[other.size() - 2] != '_') continue;
        other.back() = other.back() == 'l' ? 'r' : 'l';
        if (const int j = tree.find(other); j >= 0)
            tree.avatar.joints[i].name = names[static_cast<std::size_t>(j)].name;
    }
}

std::map<std::string, int> truth(const JointTree& tree) {
    std::map<std::string, int> out;
    std::vector<int> spine;
    for (std::size_t i = 0; i < tree.canonical.size(); ++i) {
        const std::string& role = tree.canonical[i];
        if (role.empty() || role.find("metacarpal") != std::string::npos) continue;
        if (role.rfind("spine", 0) == 0)
            spine.push_back(static_cast<int>(i));
        else
            out[role] = static_cast<int>(i);
    }
    std::stable_sort(spine.begin(), spine.end(), [&](int a, int b) {
        return tree.canonical[static_cast<std::size_t>(a)] < tree.canonical[static_cast<std::size_t>(b)];
    });
    const auto n = static_cast<double>(spine.size());
    for (std::size_t i = 0; i < spine.size(); ++i) {
        const int slot =
            spine.size() == 1 ? 5 : static_cast<int>(std::lround(1 + 4 * static_cast<double>(i) / (n - 1)));
        out["spine_0" + std::to_string(slot)] = spine[i];
    }
    return out;
}

std::vector<std::string> faults(const JointTree& tree, const rig::Recognition& found, bool core_only) {
    static const std::vector<std::string> kCore = {
        "pelvis",     "spine", "neck_01", "head",    "clavicle", "upperarm_l", "upperarm_r", "lowerarm_l",
        "lowerarm_r", "hand",  "thigh_l", "thigh_r", "calf_l",   "calf_r",     "foot",       "ball"};
    std::vector<std::string> out;
    const auto expected = truth(tree);
    const auto name = [&](int j) {
        return j < 0 ? std::string("nothing")
                     : tree.avatar.joints[static_cast<std::size_t>(j)].name + "(" +
                           tree.canonical[static_cast<std::size_t>(j)] + ")";
    };
    for (const avatar::BoneMatch& match : found.map.matches) {
        const bool core = std::any_of(kCore.begin(), kCore.end(),
                                      [&](const std::string& c) { return match.canonical.rfind(c, 0) == 0; });
        if (match.canonical == "root" || (core_only && !core)) continue;
        const auto hit = expected.find(match.canonical);
        const int wanted = hit == expected.end() ? -1 : hit->second;
        if (wanted != match.source)
            out.push_back(match.canonical + " is " + name(match.source) + ", not " + name(wanted));
    }
    return out;
}

}  // namespace helixavatar::test
