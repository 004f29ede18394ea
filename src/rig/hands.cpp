// SPDX-License-Identifier: MIT
#include "rig/hands.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "rig/body.hpp"

namespace helixavatar::rig {
namespace {

struct Chain {
    std::vector<int> joint;
    std::array<double, 5> said = {};  ///< names' vote for each finger
    std::size_t start = 0;            ///< index of the _01 joint
    int finger = -1;
};

std::string phalanx(std::size_t finger, int number) {
    return std::string(kFingers[finger]) + "_0" + std::to_string(number);
}

double finger_vote(const Tree& tree, int joint, std::size_t finger) {
    double best = tree.vote(joint, std::string(kFingers[finger]) + "_metacarpal");
    for (int n = 1; n <= 3; ++n) best = std::max(best, tree.vote(joint, phalanx(finger, n)));
    return best;
}

bool voted(const Tree& tree, int joint) {
    for (std::size_t f = 0; f < 5; ++f) {
        if (finger_vote(tree, joint, f) >= 0.4) return true;
    }
    return false;
}

/// Fingers among what hangs from the hand: no props, no ends.
std::vector<Chain> chains_of(const Tree& tree, int hand) {
    std::vector<Chain> out;
    const bool weighted =
        tree.subtree_weight[static_cast<std::size_t>(hand)] > tree.weight[static_cast<std::size_t>(hand)];
    for (std::vector<int> joints : finger_chains(tree, hand)) {
        const auto spare = [&](int j) {
            const auto i = static_cast<std::size_t>(j);
            return (tree.name[i].auxiliary && !voted(tree, j)) ||
                   (weighted && tree.subtree_weight[i] <= 0 && !voted(tree, j));
        };
        while (!joints.empty() && spare(joints.back())) joints.pop_back();
        const bool prop = std::all_of(joints.begin(), joints.end(), [&](int j) {
            return tree.name[static_cast<std::size_t>(j)].auxiliary && !voted(tree, j);
        });
        if (joints.empty() || prop) continue;
        if (joints.size() == 1 && tree.distance(joints[0], hand) <= 1e-9) continue;
        Chain chain;
        chain.joint = joints;
        for (std::size_t f = 0; f < 5; ++f) {
            for (const int j : joints) chain.said[f] = std::max(chain.said[f], finger_vote(tree, j, f));
        }
        out.push_back(chain);
    }
    return out;
}

/// A finger's number by its name; false when names do not tell all of them apart.
bool name_fingers(std::vector<Chain>& chains) {
    std::set<int> taken;
    std::size_t named = 0;
    for (Chain& chain : chains) {
        const auto best = std::max_element(chain.said.begin(), chain.said.end());
        if (*best < 0.4) continue;
        chain.finger = static_cast<int>(best - chain.said.begin());
        if (!taken.insert(chain.finger).second) {
            for (Chain& c : chains) c.finger = -1;
            return false;
        }
        ++named;
    }
    if (named > 0 && named * 10 >= chains.size() * 6) return true;
    for (Chain& c : chains) c.finger = -1;
    return false;
}

/// The thumb starts nearest the wrist and points away from the others.
int thumb_of(const Tree& tree, const std::vector<Chain>& chains, const Vec3& wrist, Vec3& along) {
    const auto at = [&](int j) { return tree.position[static_cast<std::size_t>(j)]; };
    Vec3 mean = Vec3::Zero();
    for (const Chain& c : chains) mean += at(c.joint.front()) - wrist;
    if (mean.norm() > 1e-9) along = mean.normalized();
    if (chains.size() < 2) return -1;
    int best = -1;
    double best_score = 0;
    for (std::size_t i = 0; i < chains.size(); ++i) {
        Vec3 others = Vec3::Zero(), bases = Vec3::Zero();
        for (std::size_t k = 0; k < chains.size(); ++k) {
            if (k == i) continue;
            bases += at(chains[k].joint.front()) - wrist;
            const Vec3 way = at(chains[k].joint.back()) - at(chains[k].joint.front());
            if (way.norm() > 1e-9) others += way.normalized();
        }
        bases /= static_cast<double>(chains.size() - 1);
        const Vec3 own = at(chains[i].joint.back()) - at(chains[i].joint.front());
        const double near = bases.norm() > 1e-9 ? 1 - (at(chains[i].joint.front()) - wrist).norm() / bases.norm() : 0;
        const double score = near + angle_degrees(own, others) / 60;
        if (best < 0 || score > best_score) {
            best = static_cast<int>(i);
            best_score = score;
        }
    }
    return chains.size() >= 5 || best_score > 0.5 ? best : -1;
}

/// Thumb by its place, the others across the palm from it.
void place_fingers(const Tree& tree, std::vector<Chain>& chains, int forearm, int hand) {
    const auto at = [&](int j) { return tree.position[static_cast<std::size_t>(j)]; };
    if (chains.size() > 5) {
        std::stable_sort(chains.begin(), chains.end(),
                         [&](const Chain& a, const Chain& b) { return a.joint.size() > b.joint.size(); });
        chains.resize(5);
    }
    Vec3 along = (at(hand) - at(forearm)).normalized();
    const int thumb = thumb_of(tree, chains, at(hand), along);
    std::vector<std::size_t> rest;
    Vec3 centre = Vec3::Zero();
    for (std::size_t i = 0; i < chains.size(); ++i) {
        if (static_cast<int>(i) == thumb) continue;
        rest.push_back(i);
        centre += at(chains[i].joint.front());
    }
    if (rest.empty()) return;
    centre /= static_cast<double>(rest.size());
    if (thumb >= 0) {
        chains[static_cast<std::size_t>(thumb)].finger = 0;
        Vec3 across = at(chains[static_cast<std::size_t>(thumb)].joint.front()) - centre;
        // Thumbs start in front of the palm as well as beside it: only the knuckles' own line orders the fingers.
        const Vec3 line = at(chains[rest.back()].joint.front()) - at(chains[rest.front()].joint.front());
        if (rest.size() >= 2) {
            Vec3 spread = line;
            double widest = line.norm();
            for (const std::size_t a : rest) {
                for (const std::size_t b : rest) {
                    const Vec3 d = at(chains[a].joint.front()) - at(chains[b].joint.front());
                    if (d.norm() > widest + 1e-12) {
                        widest = d.norm();
                        spread = d;
                    }
                }
            }
            across -= along * across.dot(along);
            across = spread * (spread.dot(across) < 0 ? -1 : 1);
        }
        std::stable_sort(rest.begin(), rest.end(), [&](std::size_t a, std::size_t b) {
            return at(chains[a].joint.front()).dot(across) > at(chains[b].joint.front()).dot(across);
        });
    }
    // A mitten's one chain stands for the middle finger; without a thumb to count from, several stay unnamed.
    if (rest.size() == 1) {
        chains[rest[0]].finger = 2;
    } else if (thumb >= 0) {
        for (std::size_t i = 0; i < rest.size() && i < 4; ++i) chains[rest[i]].finger = static_cast<int>(i) + 1;
    }
}

/// Which joint of the chain is the first phalanx.
std::size_t first_phalanx(const Tree& tree, const Chain& chain, int hand, double reach) {
    const auto f = static_cast<std::size_t>(chain.finger);
    for (std::size_t i = 0; i < chain.joint.size(); ++i) {
        for (int n = 1; n <= 3; ++n) {
            const double said = tree.vote(chain.joint[i], phalanx(f, n));
            // The name of a joint counts when the chain has room for it: "Thumb2" cannot be the second of nothing.
            if (said >= 0.6 && static_cast<int>(i) >= n - 1) return i - static_cast<std::size_t>(n - 1);
        }
    }
    if (chain.finger == 0 || chain.joint.size() < 4) return 0;
    if (chain.joint.size() >= 5) return 1;
    // Knuckles lie about half way along a hand, palm bones begin near the wrist and are longer than the first phalanx.
    const double palm = tree.distance(chain.joint[0], chain.joint[1]),
                 next = tree.distance(chain.joint[1], chain.joint[2]);
    return palm > 0.9 * next && tree.distance(hand, chain.joint[0]) < 0.33 * reach ? 1 : 0;
}

}  // namespace

Hand find_fingers(const Tree& tree, int forearm, int hand) {
    Hand out;
    std::vector<Chain> chains = chains_of(tree, hand);
    // One nameless joint behind the wrist is a palm or a prop.
    if (chains.size() == 1 && chains[0].joint.size() == 1 && !voted(tree, chains[0].joint[0])) chains.clear();
    if (chains.empty()) return out;
    const bool named = name_fingers(chains);
    if (!named) place_fingers(tree, chains, forearm, hand);
    double reach = 0;
    for (const Chain& chain : chains) reach = std::max(reach, tree.distance(hand, chain.joint.back()));
    for (const Chain& chain : chains) {
        if (chain.finger < 0) {
            out.notes.push_back(tree.label(chain.joint.front()) + " on " + tree.label(hand) +
                                " is no finger that can be told; it moves with the hand");
            continue;
        }
        Finger& finger = out.finger[static_cast<std::size_t>(chain.finger)];
        finger.by_name = named;
        const std::size_t start = first_phalanx(tree, chain, hand, reach);
        for (std::size_t n = 0; n < 3 && start + n < chain.joint.size(); ++n) finger.joint[n] = chain.joint[start + n];
    }
    return out;
}

}  // namespace helixavatar::rig
