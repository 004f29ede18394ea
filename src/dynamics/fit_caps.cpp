// SPDX-License-Identifier: MIT
#include "dynamics/fit_caps.hpp"

#include <algorithm>
#include <set>

namespace helixavatar::dynamics {
namespace {

class Fitting {
public:
    Fitting(Manifest& manifest, std::vector<double> shares, const avatar::Avatar& avatar,
            std::vector<std::string>& notes)
        : manifest_(manifest), shares_(std::move(shares)), avatar_(avatar), notes_(notes) {}

    void run() {
        while (manifest_.chains.size() > kCaps.chains || joints() > kCaps.joints) drop_least_chain();
        for (Chain& chain : manifest_.chains)
            while (chain.colliders.size() > kCaps.colliders_per_chain)
                drop_farthest_collider(chain, "a chain has at most 8 colliders");
        drop_unused_colliders();
        while (manifest_.colliders.size() > kCaps.colliders) {
            drop_farthest_of_all("a manifest has at most 64 colliders");
            drop_unused_colliders();
        }
        while (checks() > kCaps.collision_checks) drop_farthest_of_all("a manifest has at most 1024 collision checks");
        drop_unused_colliders();
    }

private:
    std::size_t joints() const {
        std::size_t sum = 0;
        for (const Chain& chain : manifest_.chains) sum += walk(avatar_, chain).joints.size();
        return sum;
    }

    std::size_t checks() const {
        std::size_t sum = 0;
        for (const Chain& chain : manifest_.chains) sum += walk(avatar_, chain).joints.size() * chain.colliders.size();
        return sum;
    }

    void drop_least_chain() {
        const auto least = std::min_element(shares_.begin(), shares_.end());
        const auto at = least - shares_.begin();
        notes_.push_back("chain " + manifest_.chains[static_cast<std::size_t>(at)].id +
                         " was dropped: it moves the least surface of those over the caps");
        manifest_.chains.erase(manifest_.chains.begin() + at);
        shares_.erase(least);
    }

    /// From the collider's surface to the nearest place where a joint of the chain rests, metres.
    double distance(const Chain& chain, const Collider& collider) const {
        const int bone = avatar_.find_joint(collider.bone);
        double nearest = 1e9;
        if (bone < 0) return nearest;
        for (const Vec3& tail : rest_tails(avatar_, chain, walk(avatar_, chain)))
            nearest =
                std::min(nearest, -touch(collider, avatar_.joints[static_cast<std::size_t>(bone)].rest, tail).depth);
        return nearest;
    }

    std::size_t farthest(const Chain& chain) const {
        std::size_t worst = 0;
        double most = -1e9;
        for (std::size_t i = 0; i < chain.colliders.size(); ++i) {
            const Collider* collider = manifest_.find_collider(chain.colliders[i]);
            const double away = collider ? distance(chain, *collider) : 1e9;
            if (away <= most) continue;
            most = away;
            worst = i;
        }
        return worst;
    }

    void drop_farthest_collider(Chain& chain, const char* why) {
        const std::size_t worst = farthest(chain);
        notes_.push_back("collider " + chain.colliders[worst] + " was taken from chain " + chain.id +
                         ", from which it lies farthest: " + why);
        chain.colliders.erase(chain.colliders.begin() + static_cast<std::ptrdiff_t>(worst));
    }

    /// From the chain that moves the least surface of those that still have one.
    void drop_farthest_of_all(const char* why) {
        std::size_t chosen = manifest_.chains.size();
        for (std::size_t i = 0; i < manifest_.chains.size(); ++i)
            if (!manifest_.chains[i].colliders.empty() &&
                (chosen == manifest_.chains.size() || shares_[i] < shares_[chosen]))
                chosen = i;
        if (chosen < manifest_.chains.size()) drop_farthest_collider(manifest_.chains[chosen], why);
    }

    void drop_unused_colliders() {
        std::set<std::string> used;
        for (const Chain& chain : manifest_.chains) used.insert(chain.colliders.begin(), chain.colliders.end());
        auto& all = manifest_.colliders;
        all.erase(std::remove_if(all.begin(), all.end(), [&](const Collider& c) { return used.count(c.id) == 0; }),
                  all.end());
    }

    Manifest& manifest_;
    std::vector<double> shares_;
    const avatar::Avatar& avatar_;
    std::vector<std::string>& notes_;
};

}  // namespace

void fit_caps(Manifest& manifest, std::vector<double> shares, const avatar::Avatar& avatar,
              std::vector<std::string>& notes) {
    Fitting(manifest, std::move(shares), avatar, notes).run();
}

}  // namespace helixavatar::dynamics
