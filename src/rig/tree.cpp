// SPDX-License-Identifier: MIT
#include "rig/tree.hpp"

#include <algorithm>
#include <cmath>

namespace helixavatar::rig {

bool Tree::is_above(int ancestor, int joint) const {
    if (ancestor < 0) return true;
    const auto a = static_cast<std::size_t>(ancestor), j = static_cast<std::size_t>(joint);
    return enter_[a] <= enter_[j] && leave_[j] <= leave_[a];
}

int Tree::common_ancestor(int a, int b) const {
    while (a >= 0 && !is_above(a, b)) a = parent[static_cast<std::size_t>(a)];
    return a;
}

double Tree::distance(int a, int b) const {
    return (position[static_cast<std::size_t>(a)] - position[static_cast<std::size_t>(b)]).norm();
}

std::size_t Tree::count(int joint) const {
    const auto j = static_cast<std::size_t>(joint);
    return static_cast<std::size_t>(leave_[j] - enter_[j] + 1) / 2;
}

const std::string& Tree::label(int joint) const {
    return source->joints[static_cast<std::size_t>(joint)].name;
}

double Tree::vote(int joint, const std::string& base, Side side) const {
    const auto& said = votes[static_cast<std::size_t>(joint)];
    const auto hit = said.find(with_side(base, side));
    return hit == said.end() ? 0 : hit->second;
}

double Tree::vote(int joint, const std::string& base) const {
    return std::max({vote(joint, base, Side::none), vote(joint, base, Side::left), vote(joint, base, Side::right)});
}

double Tree::best_vote(int joint) const {
    double best = 0;
    for (const auto& [role, strength] : votes[static_cast<std::size_t>(joint)]) best = std::max(best, strength);
    return best;
}

std::vector<int> Tree::between(int ancestor, int joint) const {
    std::vector<int> out;
    for (int j = parent[static_cast<std::size_t>(joint)]; j >= 0 && j != ancestor;
         j = parent[static_cast<std::size_t>(j)])
        out.push_back(j);
    std::reverse(out.begin(), out.end());
    return out;
}

std::vector<int> Tree::path_up(int joint) const {
    std::vector<int> out;
    for (int j = joint; j >= 0; j = parent[static_cast<std::size_t>(j)]) out.push_back(j);
    return out;
}

void Tree::know(int joint, const std::string& canonical, double strength) {
    for (auto& said : votes) said.erase(canonical);
    votes[static_cast<std::size_t>(joint)] = {{canonical, strength}};
    locked[static_cast<std::size_t>(joint)] = 1;
    name[static_cast<std::size_t>(joint)].auxiliary = false;
}

void Tree::index() {
    const std::size_t n = size();
    children.assign(n, {});
    std::vector<int> roots;
    for (std::size_t i = 0; i < n; ++i) {
        const int p = parent[i];
        (p < 0 ? roots : children[static_cast<std::size_t>(p)]).push_back(static_cast<int>(i));
    }
    depth_.assign(n, 0);
    enter_.assign(n, 0);
    leave_.assign(n, 0);
    subtree_weight = weight;
    int clock = 0;
    struct Step {
        int joint;
        std::size_t child;
    };
    for (const int root : roots) {
        std::vector<Step> stack{{root, 0}};
        enter_[static_cast<std::size_t>(root)] = clock++;
        while (!stack.empty()) {
            Step& top = stack.back();
            const auto j = static_cast<std::size_t>(top.joint);
            if (top.child < children[j].size()) {
                const int next = children[j][top.child++];
                depth_[static_cast<std::size_t>(next)] = depth_[j] + 1;
                enter_[static_cast<std::size_t>(next)] = clock++;
                stack.push_back({next, 0});
                continue;
            }
            leave_[j] = clock++;
            if (parent[j] >= 0) subtree_weight[static_cast<std::size_t>(parent[j])] += subtree_weight[j];
            stack.pop_back();
        }
    }
}

namespace {

void weigh(Tree& tree) {
    double total = 0;
    for (const avatar::Level& level : tree.source->levels) {
        for (const avatar::Surface& surface : level.surfaces) {
            for (const avatar::Influences& influences : surface.influences) {
                for (const avatar::Influence& influence : influences) {
                    if (influence.joint >= tree.size() || !(influence.weight > 0)) continue;
                    tree.weight[influence.joint] += influence.weight;
                    total += influence.weight;
                }
            }
        }
        break;  // further levels repeat the first
    }
    tree.weighted = total > 0;
    if (total > 0) {
        for (double& weight : tree.weight) weight /= total;
    }
}

void keep(Tree& tree) {
    const auto& joints = tree.source->joints;
    const bool any = std::any_of(joints.begin(), joints.end(), [](const avatar::Joint& j) { return j.skin; });
    for (std::size_t i = 0; i < joints.size(); ++i) tree.kept[i] = joints[i].skin || !any;
    for (std::size_t i = joints.size(); i-- > 0;) {
        if (tree.kept[i] && tree.parent[i] >= 0) tree.kept[static_cast<std::size_t>(tree.parent[i])] = 1;
    }
    // A mesh node on a bone counts for the bone.
    for (std::size_t i = joints.size(); i-- > 0;) {
        if (tree.kept[i] || tree.parent[i] < 0) continue;
        tree.weight[static_cast<std::size_t>(tree.parent[i])] += tree.weight[i];
        tree.weight[i] = 0;
    }
}

}  // namespace

Tree grow_tree(const avatar::Avatar& source) {
    Tree tree;
    tree.source = &source;
    const std::size_t n = source.joints.size();
    tree.parent.resize(n);
    tree.position.resize(n);
    tree.weight.assign(n, 0);
    tree.kept.assign(n, 0);
    tree.locked.assign(n, 0);
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < n; ++i) {
        const avatar::Joint& joint = source.joints[i];
        tree.parent[i] = joint.parent >= 0 && joint.parent < static_cast<int>(i) ? joint.parent : -1;
        const bool known = joint.rest.translation.allFinite() && joint.rest.translation.norm() < 1e9;
        tree.position[i] = known                ? joint.rest.translation
                           : tree.parent[i] < 0 ? Vec3(Vec3::Zero())
                                                : tree.position[static_cast<std::size_t>(tree.parent[i])];
        labels.push_back(joint.name);
    }
    weigh(tree);
    keep(tree);
    tree.index();
    tree.name = read_names(labels);
    std::vector<JointName> skin_names;
    for (std::size_t i = 0; i < n; ++i) {
        if (tree.kept[i]) skin_names.push_back(tree.name[i]);
    }
    tree.family_score = family_scores(skin_names, tree.name);
    tree.votes = name_votes(tree.name, tree.family_score);
    return tree;
}

Extent extent(const Tree& tree, const Vec3& up) {
    double low = 0, high = 0;
    bool any = false;
    for (const bool by_weight : {true, false}) {
        if (by_weight && !tree.weighted) continue;
        for (std::size_t i = 0; i < tree.size(); ++i) {
            if (!tree.kept[i] || (by_weight && tree.weight[i] < 1e-4)) continue;
            if (!by_weight && !tree.source->joints[i].skin) continue;
            const double h = tree.position[i].dot(up);
            low = any ? std::min(low, h) : h;
            high = any ? std::max(high, h) : h;
            any = true;
        }
        if (any) break;
    }
    return {low, high - low};
}

namespace {

/// True when nothing below the joint lies lower than `limit`.
bool ends_above(const Tree& tree, int joint, const Vec3& up, double limit) {
    std::vector<int> open{joint};
    while (!open.empty()) {
        const int j = open.back();
        open.pop_back();
        if (tree.kept[static_cast<std::size_t>(j)] && tree.height(j, up) < limit) return false;
        for (const int c : tree.children[static_cast<std::size_t>(j)]) open.push_back(c);
    }
    return true;
}

/// True when something below the joint lies higher than `limit`.
bool reaches(const Tree& tree, int joint, const Vec3& up, double limit) {
    std::vector<int> open{joint};
    while (!open.empty()) {
        const int j = open.back();
        open.pop_back();
        if (tree.height(j, up) > limit) return true;
        for (const int c : tree.children[static_cast<std::size_t>(j)]) open.push_back(c);
    }
    return false;
}

/// The shin whose end lies above an orphaned foot, or -1.
int shin_above(const Tree& tree, int foot, const Vec3& up, const Extent& size) {
    int best = -1;
    double best_distance = 0;
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const int k = static_cast<int>(i);
        const int p = tree.parent[i];
        if (!tree.kept[i] || k == foot || p < 0 || tree.is_above(k, foot) || tree.is_above(foot, k)) continue;
        if (tree.weighted && tree.subtree_weight[i] <= 0) continue;
        const double above = (tree.height(k, up) - tree.height(foot, up)) / size.height;
        const Vec3 apart = tree.position[i] - tree.position[static_cast<std::size_t>(foot)];
        const double aside = (apart - up * apart.dot(up)).norm() / size.height;
        // A shin is a tenth to two fifths of the joints' height, below a thigh of its own length or so.
        if (above < 0.1 || above > 0.45 || aside > 0.12) continue;
        const double thigh = (tree.height(p, up) - tree.height(k, up)) / size.height;
        if (thigh < 0.4 * above || !ends_above(tree, k, up, size.floor + 0.1 * size.height)) continue;
        if (best < 0 || aside < best_distance) {
            best = k;
            best_distance = aside;
        }
    }
    return best;
}

}  // namespace

void adopt_feet(Tree& tree, const Vec3& up) {
    const Extent size = extent(tree, up);
    if (!(size.height > 0)) return;
    std::vector<std::pair<int, int>> moves;
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const int p = tree.parent[i];
        const int foot = static_cast<int>(i);
        if (!tree.kept[i] || (tree.weighted && tree.subtree_weight[i] <= 0)) continue;
        if (tree.height(foot, up) > size.floor + 0.12 * size.height) continue;
        if (p >= 0 && tree.height(p, up) > size.floor + 0.12 * size.height) continue;
        const bool under_root = p < 0 || 2 * tree.count(p) > tree.size();
        if (!under_root || tree.name[i].auxiliary || reaches(tree, foot, up, size.floor + 0.2 * size.height)) continue;
        const int shin = shin_above(tree, foot, up, size);
        if (shin >= 0) moves.emplace_back(foot, shin);
    }
    for (const auto& [foot, shin] : moves) {
        tree.notes.push_back(tree.label(foot) + " hangs from " +
                             (tree.parent[static_cast<std::size_t>(foot)] < 0
                                  ? std::string("no joint")
                                  : tree.label(tree.parent[static_cast<std::size_t>(foot)])) +
                             " in the file; by its place it is the foot below " + tree.label(shin));
        tree.parent[static_cast<std::size_t>(foot)] = shin;
    }
    if (!moves.empty()) tree.index();
}

}  // namespace helixavatar::rig
