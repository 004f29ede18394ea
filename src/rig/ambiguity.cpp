// SPDX-License-Identifier: MIT
#include "rig/ambiguity.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace helixavatar::rig {
namespace {

// Two pairs of limbs in different places nearer in score than this cannot be told apart.
constexpr double kMargin = 0.25;
// The same for two readings of one chain. Without their names, right readings lead by 0.37 or more on every family and
// by 0.5 or more on 15 real characters, a wrong one led by 0.27; limbs that score less than 0.5 look less like limbs (a
// wrong one: -0.8) and have to lead by more.
constexpr double kReadingMargin = 0.3, kLimbLike = 0.5;
// In a limb that is refused, what readings as far behind as this put elsewhere is not sure.
constexpr double kSureMargin = 1;
// Joints nearer to each other than this share of the height are one place.
constexpr double kOnePlace = 0.015;

using Names = std::array<const char*, 3>;
constexpr const char* kProportions = "the limb's proportions fit another of its joints nearly as well";
constexpr Names kLeg = {"thigh", "calf", "foot"}, kArm = {"upperarm", "lowerarm", "hand"};

class Court {
public:
    Court(const Tree& tree, const Body& body, int left, const std::set<std::string>& settled)
        : tree_(tree), body_(body), left_(left), settled_(settled) {}

    void other_limbs(const LimbPair& best, const LimbPair& other, const Names& names) {
        if (!other.found() || other.score < best.score - kMargin) return;
        for (std::size_t s = 0; s < 2; ++s)
            for (std::size_t i = 0; i < 3; ++i)
                doubt(names[i], s, "two pairs of limbs fit equally well",
                      {best.side[s].joint[i], other.side[s].joint[i]});
    }

    void other_readings(const LimbPair& best, const std::vector<LimbPair>& near, const Names& names) {
        const double margin = kReadingMargin + std::max(0.0, kLimbLike - best.score);
        const bool refused = std::any_of(near.begin(), near.end(), [&](const LimbPair& other) {
            return other.score >= best.score - margin && differs(best, other, names);
        });
        if (!refused) return;
        for (const LimbPair& other : near)
            if (other.score >= best.score - std::max(margin, kSureMargin))
                each_difference(best, other, [&](std::size_t i, std::size_t s, int here, int there) {
                    doubt(names[i], s, kProportions, {here, there});
                    doubt(names[i], 1 - s, kProportions, {best.side[1 - s].joint[i]});
                });
    }

    std::vector<Doubt> take() { return std::move(doubts_); }

private:
    /// Calls body(place in the limb, side, joint of the best reading, joint of the other one).
    template <class Visit>
    void each_difference(const LimbPair& best, const LimbPair& other, const Visit& visit) const {
        for (std::size_t s = 0; s < 2; ++s)
            for (const Limb& limb : other.side) {
                if (!one_chain(best.side[s], limb)) continue;
                for (std::size_t i = 0; i < 3; ++i)
                    if (tree_.distance(best.side[s].joint[i], limb.joint[i]) >= kOnePlace * body_.size.height)
                        visit(i, s, best.side[s].joint[i], limb.joint[i]);
            }
    }

    bool differs(const LimbPair& best, const LimbPair& other, const Names& names) const {
        bool any = false;
        each_difference(best, other, [&](std::size_t i, std::size_t s, int, int) {
            any = any || settled_.count(role(names[i], s)) == 0;
        });
        return any;
    }

    std::string role(const std::string& base, std::size_t side) const {
        return with_side(base, static_cast<int>(side) == left_ ? Side::left : Side::right);
    }

    bool one_chain(const Limb& a, const Limb& b) const {
        return tree_.is_above(a.joint[0], b.joint[2]) || tree_.is_above(b.joint[0], a.joint[2]);
    }

    void doubt(const std::string& base, std::size_t side, const std::string& reason, const std::vector<int>& joints) {
        const std::string name = role(base, side);
        if (settled_.count(name)) return;
        auto at = std::find_if(doubts_.begin(), doubts_.end(), [&](const Doubt& d) { return d.canonical == name; });
        if (at == doubts_.end()) at = doubts_.insert(doubts_.end(), Doubt{name, reason, {}});
        for (const int joint : joints)
            if (std::find(at->nearest.begin(), at->nearest.end(), joint) == at->nearest.end())
                at->nearest.push_back(joint);
    }

    const Tree& tree_;
    const Body& body_;
    int left_;
    const std::set<std::string>& settled_;
    std::vector<Doubt> doubts_;
};

}  // namespace

std::vector<Doubt> ambiguous(const Tree& tree, const Body& body, int left, const std::set<std::string>& settled) {
    Court court(tree, body, left, settled);
    court.other_limbs(body.legs, body.other_legs, kLeg);
    court.other_limbs(body.arms, body.other_arms, kArm);
    court.other_readings(body.legs, body.near_legs, kLeg);
    court.other_readings(body.arms, body.near_arms, kArm);
    return court.take();
}

}  // namespace helixavatar::rig
