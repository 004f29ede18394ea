// SPDX-License-Identifier: MIT
#include "several_characters.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <Eigen/Geometry>

namespace helixavatar::import {
namespace {

using avatar::Avatar;

/// Pelvis, spine, head, and upper part, lower part and end of four limbs.
constexpr std::size_t kFewestJoints = 15;
/// A skeleton this much smaller than the largest is a hand's, a pet's or a weapon's.
constexpr double kLeastShare = 0.5;

struct Tree {
    std::vector<int> joints;  ///< parents first
    Eigen::AlignedBox3d box;
};

/// Joints are of one skeleton when they hang together or when one surface follows both.
class Groups {
public:
    explicit Groups(const Avatar& avatar) : parent_(avatar.joints.size()) {
        std::iota(parent_.begin(), parent_.end(), 0);
        for (std::size_t j = 0; j < parent_.size(); ++j) unite_with_ancestor(avatar, static_cast<int>(j));
        for (const avatar::Surface& surface : avatar.levels[0].surfaces) {
            int first = -1;
            for (const avatar::Influences& influences : surface.influences)
                for (const avatar::Influence& influence : influences) {
                    if (!(influence.weight > 0)) continue;
                    if (first < 0) first = influence.joint;
                    parent_[find(influence.joint)] = find(first);
                }
        }
    }

    int find(int joint) {
        while (parent_[joint] != joint) joint = parent_[joint] = parent_[parent_[joint]];
        return joint;
    }

private:
    void unite_with_ancestor(const Avatar& avatar, int joint) {
        if (!avatar.joints[joint].skin) return;
        for (int up = avatar.joints[joint].parent; up >= 0; up = avatar.joints[up].parent)
            if (avatar.joints[up].skin) {
                parent_[find(joint)] = find(up);
                return;
            }
    }

    std::vector<int> parent_;
};

std::vector<Tree> large_trees(const Avatar& avatar) {
    Groups groups(avatar);
    std::map<int, Tree> trees;
    for (std::size_t j = 0; j < avatar.joints.size(); ++j) {
        if (!avatar.joints[j].skin) continue;
        Tree& tree = trees[groups.find(static_cast<int>(j))];
        tree.joints.push_back(static_cast<int>(j));
        tree.box.extend(avatar.joints[j].rest.translation);
    }
    double largest = 0;
    for (const auto& [root, tree] : trees) largest = std::max(largest, tree.box.diagonal().norm());
    std::vector<Tree> out;
    for (auto& [root, tree] : trees)
        if (tree.joints.size() >= kFewestJoints && tree.box.diagonal().norm() >= kLeastShare * largest)
            out.push_back(std::move(tree));
    std::sort(out.begin(), out.end(), [](const Tree& a, const Tree& b) { return a.joints[0] < b.joints[0]; });
    return out;
}

/// The first name on the way up from the topmost joint that no joint of another skeleton hangs from or carries.
std::string root_name(const Avatar& avatar, const Tree& tree) {
    const std::set<int> own(tree.joints.begin(), tree.joints.end());
    std::set<std::string> foreign;
    for (std::size_t j = 0; j < avatar.joints.size(); ++j) {
        if (!avatar.joints[j].skin || own.count(static_cast<int>(j))) continue;
        for (int up = static_cast<int>(j); up >= 0; up = avatar.joints[up].parent)
            foreign.insert(avatar.joints[up].name);
    }
    for (int up = tree.joints[0]; up >= 0; up = avatar.joints[up].parent)
        if (!foreign.count(avatar.joints[up].name)) return avatar.joints[up].name;
    return avatar.joints[tree.joints[0]].name;
}

}  // namespace

std::vector<std::string> skeleton_roots(const Avatar& source, bool apart) {
    std::vector<Tree> trees = large_trees(source);
    if (apart) {
        std::vector<Tree> standing;
        for (Tree& tree : trees) {
            const bool beside = std::all_of(standing.begin(), standing.end(), [&](const Tree& other) {
                return !other.box.contains(tree.box.center()) && !tree.box.contains(other.box.center());
            });
            if (beside) standing.push_back(std::move(tree));
        }
        trees = std::move(standing);
    }
    std::vector<std::string> names;
    for (const Tree& tree : trees) names.push_back(root_name(source, tree));
    return names;
}

std::optional<Error> several_characters(const Avatar& source, bool apart) {
    const std::vector<std::string> names = skeleton_roots(source, apart);
    if (names.size() < 2) return std::nullopt;
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "\"" : ", \"") + name + "\"";
    return Error{ErrorKind::unconvertible,
                 "the file holds " + std::to_string(names.size()) + " skeletons of a person's size: " + list, "",
                 "choose the character with --root NAME, or export it alone"};
}

}  // namespace helixavatar::import
