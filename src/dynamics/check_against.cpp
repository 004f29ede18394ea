// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <helixavatar/avatar/manifest_faults.hpp>
#include <helixavatar/dynamics/check.hpp>
#include <helixavatar/dynamics/manifest.hpp>
#include <helixavatar/skeleton/skeleton.hpp>

#include "dynamics/carried_vertices.hpp"
#include "dynamics/endpoint_axis.hpp"

namespace helixavatar::dynamics {
namespace {

using avatar::ManifestFaults;
using avatar::ManifestPlace;

// What the reference text's "rules behind those numbers" say of feel.
constexpr double kShortChain = 0.12;  // metres
constexpr double kShortChainInertia = 0.9;
constexpr double kHangingGravity = 0.1;
constexpr double kHangingDegrees = 45;

/// Joints that the body's clips, ragdoll or twist drivers write (reference text, "Do not root a chain on these").
bool is_body_joint(std::string_view name) {
    constexpr std::array<std::string_view, 9> kStems{"pelvis", "spine", "head", "upperarm", "lowerarm",
                                                     "hand",   "thigh", "calf", "foot"};
    return std::find(kStems.begin(), kStems.end(), name.substr(0, name.find('_'))) != kStems.end();
}

std::string metres(double value) {
    const double three = std::round(value * 1000) / 1000;
    return Json(three).dump();
}

std::string whole(double value) {
    return std::to_string(std::llround(value));
}

/// Joints that a bone channel of the face manifest turns, with the channel's name.
std::map<std::string, std::string> face_bones(const std::optional<Json>& face) {
    std::map<std::string, std::string> bones;
    if (!face || !face->is_object() || !face->contains("channels") || !(*face)["channels"].is_array()) return bones;
    for (const Json& channel : (*face)["channels"]) {
        if (!channel.is_object() || !channel.contains("bone") || !channel["bone"].is_object()) continue;
        const Json& bone = channel["bone"];
        if (!bone.contains("joint") || !bone["joint"].is_string()) continue;
        const bool named = channel.contains("name") && channel["name"].is_string();
        bones.emplace(bone["joint"].get<std::string>(), named ? channel["name"].get<std::string>() : "a face channel");
    }
    return bones;
}

class Against {
public:
    Against(const Json& json, const Manifest& manifest, const avatar::Avatar& avatar, const std::string& pointer)
        : manifest_(manifest),
          avatar_(avatar),
          faults_("dynamics", std::nullopt),
          top_{&json, pointer, {}},
          face_bones_(face_bones(avatar.face)) {
        for (const avatar::Joint& joint : avatar.joints)
            if (joint.skin) bones_.push_back(joint.name);
        for (const Chain& chain : manifest.chains) {
            walks_.push_back(walk(avatar, chain));
            tails_.push_back(rest_tails(avatar, chain, walks_.back()));
        }
        carried_ = carried_vertices(avatar, walks_);
    }

    Findings run() {
        caps();
        for (std::size_t c = 0; c < manifest_.chains.size(); ++c) {
            const ManifestPlace place = named(top_.at("chains").at(c), manifest_.chains[c].id);
            bones(place, c);
            if (walks_[c].joints.empty()) continue;
            root(place, c);
            drivers(place, c);
            fork(place, c);
            vertices(place, c);
            endpoint(place, c);
            held(place, c);
            feel(place, c);
        }
        shared_bones();
        for (std::size_t i = 0; i < manifest_.colliders.size(); ++i) {
            const ManifestPlace place = named(top_.at("colliders").at(i), manifest_.colliders[i].id);
            bone(place.at("bone"), manifest_.colliders[i].bone);
        }
        return faults_.take();
    }

private:
    static ManifestPlace named(ManifestPlace place, const std::string& name) {
        place.name = name;
        return place;
    }

    const avatar::Joint& joint(std::size_t chain, std::size_t i) const {
        return avatar_.joints[static_cast<std::size_t>(walks_[chain].joints[i])];
    }

    void caps() {
        std::size_t joints = 0, checks = 0;
        for (std::size_t c = 0; c < walks_.size(); ++c) {
            const std::size_t own = walks_[c].joints.size();
            joints += own;
            checks += own * manifest_.chains[c].colliders.size();
            cap(named(top_.at("chains").at(c), manifest_.chains[c].id), own, kCaps.joints_per_chain,
                "joints of a chain", "root the chain further out, or exclude bones");
        }
        cap(top_.at("chains"), joints, kCaps.joints, "joints of all chains",
            "shorten or remove the least important chains");
        cap(top_.at("chains"), checks, kCaps.collision_checks, "collision checks (joints × colliders)",
            "name fewer colliders on the chains with the most joints");
    }

    void cap(const ManifestPlace& place, std::size_t count, std::size_t limit, const std::string& what,
             const char* fix) {
        if (count > limit)
            faults_.add(Severity::error, place, std::to_string(count), std::to_string(limit),
                        std::to_string(count) + " " + what + ", the cap is " + std::to_string(limit), fix);
    }

    void bone(const ManifestPlace& place, const std::string& name) {
        if (std::find(bones_.begin(), bones_.end(), name) != bones_.end()) return;
        const auto nearest = avatar::nearest_names(name, bones_, 3);
        std::string fix = "name a bone of the skin";
        for (std::size_t i = 0; i < nearest.size(); ++i) fix += (i == 0 ? "; the nearest: " : ", ") + nearest[i];
        faults_.add(Severity::error, place, "a bone of every skin", "no skin has a bone " + name, fix);
    }

    void bones(const ManifestPlace& place, std::size_t c) {
        const Chain& chain = manifest_.chains[c];
        bone(place.at("root"), chain.root);
        for (std::size_t i = 0; i < chain.exclude.size(); ++i) bone(place.at("exclude").at(i), chain.exclude[i]);
    }

    void root(const ManifestPlace& place, std::size_t c) {
        const avatar::Joint& first = joint(c, 0);
        const char* const fix = "add an auxiliary joint under it and root the chain there";
        const skeleton::Skeleton& canonical = skeleton::helix_humanoid();
        if (first.parent < 0) {
            faults_.add(Severity::error, place.at("root"), "a bone with an anchor",
                        first.name + " is the skeleton's root and has no anchor", fix);
        } else if (canonical.find(first.name) >= 0) {
            const bool body = is_body_joint(first.name);
            faults_.add(
                body ? Severity::error : Severity::warning, place.at("root"), "an auxiliary joint",
                first.name + (body ? " is driven by the body's clips, twists or ragdoll: two writers on one bone"
                                   : " is a canonical joint, which clips drive too"),
                fix);
        }
        for (std::size_t i = 1; i < walks_[c].joints.size(); ++i) {
            if (canonical.find(joint(c, i).name) < 0) continue;
            faults_.add(Severity::warning, place, joint(c, i).name, "auxiliary joints",
                        "the chain runs on into the canonical joint " + joint(c, i).name,
                        "exclude " + joint(c, i).name);
            break;
        }
    }

    void drivers(const ManifestPlace& place, std::size_t c) {
        for (std::size_t i = 0; i < walks_[c].joints.size(); ++i) {
            const auto driven = face_bones_.find(joint(c, i).name);
            if (driven == face_bones_.end()) continue;
            faults_.add(
                Severity::error, i == 0 ? place.at("root") : place, driven->first, "not driven by the face",
                driven->first + " is turned by the face channel " + driven->second + ": two writers on one bone",
                i == 0 ? "root the chain elsewhere, or remove the face channel" : "exclude " + driven->first);
        }
    }

    void shared_bones() {
        std::map<int, std::size_t> owner;
        for (std::size_t c = 0; c < walks_.size(); ++c) {
            for (const int at : walks_[c].joints) {
                const auto taken = owner.emplace(at, c);
                if (taken.second) continue;
                const Chain& other = manifest_.chains[taken.first->second];
                if (other.root == manifest_.chains[c].root) break;  // the strict parse said so
                const std::string& name = avatar_.joints[static_cast<std::size_t>(at)].name;
                faults_.add(Severity::error, named(top_.at("chains").at(c), manifest_.chains[c].id), name,
                            "one chain a bone",
                            "chain " + other.id + " moves " + name + " too: two writers on one bone",
                            "exclude " + name + " from one of the two");
                break;
            }
        }
    }

    void fork(const ManifestPlace& place, std::size_t c) {
        if (walks_[c].fork < 0) return;
        const std::string& at = avatar_.joints[static_cast<std::size_t>(walks_[c].fork)].name;
        std::string children;
        for (const std::string& child : walks_[c].fork_bones) children += (children.empty() ? "" : ", ") + child;
        faults_.add(Severity::warning, place, at, "no branch",
                    "the chain ends at " + at + ", which branches into " + children,
                    "write one chain for each branch, or exclude all but one of them");
    }

    void vertices(const ManifestPlace& place, std::size_t c) {
        for (std::size_t level = 0; level < carried_.by_chain.size(); ++level) {
            if (carried_.by_chain[level][c] > 0) continue;
            faults_.add(
                Severity::warning, place, "0", "1 or more",
                "no vertex of LOD " + std::to_string(level) + " hangs on the chain, so its motion is not seen there",
                "paint weights on its joints, or remove the chain", "vertices");
            if (level == 0) return;  // then the lower levels have no reason to differ
        }
    }

    void endpoint(const ManifestPlace& place, std::size_t c) {
        const Chain& chain = manifest_.chains[c];
        if (!chain.endpoint || !(chain.endpoint->norm() > 0)) return;
        const EndpointAxis axis = endpoint_axis(avatar_, chain, walks_[c], carried_, c);
        const ManifestPlace at = place.at("endpoint");
        if (!axis.measured) {
            faults_.add(Severity::not_measured, at, "", "",
                        "the endpoint's direction was not measured: no vertex hangs on the last joint and the chain "
                        "has no segment",
                        "");
            return;
        }
        if (axis.degrees <= kSidewaysDegrees) return;
        const std::string corrected = vector_text(axis.corrected);
        faults_.add(Severity::warning, at, whole(axis.degrees), whole(kSidewaysDegrees),
                    "the endpoint, the tip of the chain's last bone, points " + whole(axis.degrees) +
                        " degrees away from " + axis.against + ": it is " + vector_text(*chain.endpoint) +
                        ", and should be " + corrected,
                    "write " + corrected +
                        " (in the last bone's own frame, not the world's), or let `helixavatar dynamics-validate --fix "
                        "AVATAR -o OUT` do it",
                    "degrees");
    }

    void held(const ManifestPlace& place, std::size_t c) {
        constexpr double kTouching = 1e-4;
        const Chain& chain = manifest_.chains[c];
        for (std::size_t i = 0; i < chain.colliders.size(); ++i) {
            const Collider* collider = manifest_.find_collider(chain.colliders[i]);
            const int bone = collider ? avatar_.find_joint(collider->bone) : -1;
            if (bone < 0) continue;
            for (std::size_t t = 0; t < tails_[c].size(); ++t) {
                const double deep =
                    touch(*collider, avatar_.joints[static_cast<std::size_t>(bone)].rest, tails_[c][t]).depth;
                if (!(deep > kTouching)) continue;
                const std::string what = t + 1 < walks_[c].joints.size() ? joint(c, t + 1).name : "the chain's tip";
                faults_.add(Severity::warning, place.at("colliders").at(i), metres(deep), "0",
                            "collider " + collider->id + (collider->inside ? " leaves out " : " already holds ") +
                                what + " at rest and will push it from where it was modelled",
                            "move or shrink the collider", "m");
                break;
            }
        }
    }

    void feel(const ManifestPlace& place, std::size_t c) {
        const Chain& chain = manifest_.chains[c];
        const double length = rest_length(avatar_, walks_[c], tails_[c]);
        if (length > 0 && length < kShortChain) {
            if (chain.inertia.lowest() < kShortChainInertia)
                faults_.add(
                    Severity::warning, place, Json(chain.inertia.lowest()).dump(), ">= 0.9",
                    "a chain of " + metres(length) + " m with this little inertia whips when the body turns or sprints",
                    "write inertia 0.9 or more");
            if (!chain.limit)
                faults_.add(Severity::warning, place, "absent", "a cone",
                            "a chain of " + metres(length) + " m without a limit can swing right round",
                            "write a limit: { \"kind\": \"cone\", \"maxDegrees\": 22 }");
        }
        if (chain.gravity > kHangingGravity && hangs_as_hair(c))
            faults_.add(Severity::warning, place.at("gravity"), Json(chain.gravity).dump(), "0.1",
                        "hair modelled hanging already shows gravity, and more of it pulls the tips into the body",
                        "write 0.02 to 0.04, or leave it out", "g");
    }

    /// Anchored on the head, neck or upper back, and its rest already points where its gravity does.
    bool hangs_as_hair(std::size_t c) const {
        if (tails_[c].empty()) return false;
        int at = joint(c, 0).parent;
        while (at >= 0 && skeleton::helix_humanoid().find(avatar_.joints[static_cast<std::size_t>(at)].name) < 0)
            at = avatar_.joints[static_cast<std::size_t>(at)].parent;
        if (at < 0) return false;
        const std::string& anchor = avatar_.joints[static_cast<std::size_t>(at)].name;
        constexpr std::array<std::string_view, 4> kAnchors{"head", "neck_01", "neck_02", "spine_05"};
        if (std::find(kAnchors.begin(), kAnchors.end(), anchor) == kAnchors.end()) return false;
        const Vec3 along = tails_[c].back() - joint(c, 0).rest.translation;
        return along.norm() > 0 && angle_degrees(along, manifest_.chains[c].gravity_dir) < kHangingDegrees;
    }

    const Manifest& manifest_;
    const avatar::Avatar& avatar_;
    ManifestFaults faults_;
    ManifestPlace top_;
    std::map<std::string, std::string> face_bones_;
    std::vector<std::string> bones_;
    std::vector<Walk> walks_;
    std::vector<std::vector<Vec3>> tails_;
    CarriedVertices carried_;
};

}  // namespace

Findings check_against(const Json& json, const avatar::Avatar& avatar, const std::string& pointer) {
    const auto manifest = read_manifest(json);
    if (!manifest) return {};
    return Against(json, *manifest, avatar, pointer).run();
}

}  // namespace helixavatar::dynamics
