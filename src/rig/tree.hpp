// SPDX-License-Identifier: MIT
// A source's joints as the search sees them: positions, family relations, skin weight, what the names say.
#pragma once

#include <string>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

#include "rig/families.hpp"

namespace helixavatar::rig {

struct Tree {
    const avatar::Avatar* source = nullptr;
    std::vector<int> parent;  ///< as the search uses it; a foot under the root is hung below its shin, see adopt_feet()
    std::vector<std::vector<int>> children;
    std::vector<Vec3> position;          ///< world, the file's axes and units; never NaN
    std::vector<double> weight;          ///< share of all skin weight, 0..1
    std::vector<double> subtree_weight;  ///< with everything below
    std::vector<char> kept;              ///< takes part: a skin joint or above one
    std::vector<JointName> name;
    std::vector<double> family_score;  ///< in the order of family_tables()
    Votes votes;
    std::vector<char> locked;  ///< the user or the file's own humanoid map has said what it is
    bool weighted = false;     ///< the source has skin weights at all
    std::vector<std::string> notes;

    std::size_t size() const { return parent.size(); }
    bool is_above(int ancestor, int joint) const;  ///< or the same joint
    int common_ancestor(int a, int b) const;       ///< -1: they hang in different trees
    int depth(int joint) const { return depth_[static_cast<std::size_t>(joint)]; }
    double height(int joint, const Vec3& up) const { return position[static_cast<std::size_t>(joint)].dot(up); }
    double distance(int a, int b) const;
    std::size_t count(int joint) const;         ///< of the joint and everything below it
    const std::string& label(int joint) const;  ///< the source's own name
    /// What names say for a role, either side: the base "thigh", not "thigh_l".
    double vote(int joint, const std::string& base) const;
    double vote(int joint, const std::string& base, Side side) const;
    double best_vote(int joint) const;  ///< for whatever role
    /// The joints from below `ancestor` down to `joint`, both ends left out.
    std::vector<int> between(int ancestor, int joint) const;
    std::vector<int> path_up(int joint) const;  ///< joint, its parent, ... up to a root

    /// The user or the file says so: the joint is this one and no other, and no other joint is.
    void know(int joint, const std::string& canonical, double strength);

    void index();  ///< after `parent` changed: children, intervals, subtree weights

private:
    std::vector<int> depth_, enter_, leave_;
};

Tree grow_tree(const avatar::Avatar& source);

/// How tall the joints stand along `up` and where the lowest is. Weighted joints where there are weights.
struct Extent {
    double floor = 0;
    double height = 0;
};
Extent extent(const Tree& tree, const Vec3& up);

/// Feet that an IK rig left under its root are hung below the shin that ends above them. Notes say which.
void adopt_feet(Tree& tree, const Vec3& up);

}  // namespace helixavatar::rig
