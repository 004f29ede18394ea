// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cctype>
#include <limits>
#include <set>

#include <helixavatar/avatar/manifest_faults.hpp>
#include <helixavatar/dynamics/check.hpp>
#include <helixavatar/dynamics/manifest.hpp>

namespace helixavatar::dynamics {
namespace {

using avatar::ManifestFaults;
using avatar::ManifestPlace;
using avatar::NumberRange;
using avatar::shown;
using Words = std::vector<std::string>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr NumberRange kUnit{0, 1, false, "0..1"};
constexpr NumberRange kGravity{-8, 8, false, "-8..8", "g"};
constexpr NumberRange kDegrees{0, 180, false, "0..180", "degrees"};
constexpr NumberRange kChainRadius{0, kInfinity, false, ">= 0", "m"};
constexpr NumberRange kColliderRadius{0, kInfinity, true, "> 0", "m"};
constexpr NumberRange kAny{-kInfinity, kInfinity, false, "finite"};

const Words kTopKeys{"contract", "chains", "colliders", "lod"};
const Words kChainKeys{"id",         "root",  "importance", "stiffness", "damping",  "inertia", "gravity",
                       "gravityDir", "limit", "radius",     "colliders", "endpoint", "exclude"};
const Words kLimitKeys{"kind", "maxDegrees", "axis"};
const Words kColliderKeys{"id", "bone", "shape", "offset", "radius", "tail", "normal", "inside"};
const Words kLodKeys{"minPixels"};
const Words kImportances{"critical", "high", "normal", "decorative"};
const Words kLimitKinds{"cone", "hinge"};
const Words kShapes{"sphere", "capsule", "plane"};
const char* const kIdPattern = "[A-Za-z0-9_.-]{1,64}";

bool is_id(const std::string& text) {
    return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return c < 128 && (std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-');
    });
}

std::string text_member(const Json& object, const char* key) {
    if (!object.is_object() || !object.contains(key) || !object[key].is_string()) return {};
    return object[key].get<std::string>();
}

class StrictParse {
public:
    StrictParse(const Json& manifest, const std::string& pointer, std::optional<int> scene)
        : faults_("dynamics", scene), top_{&manifest, pointer, {}} {}

    Findings run() {
        if (!faults_.object(top_, kTopKeys)) return faults_.take();
        if (const auto contract = faults_.required(top_, "contract", "write \"contract\": \"helix/dynamics@1\""))
            faults_.one_of(*contract, Words{kContract});
        // Colliders first in reading, so that a chain's names can be looked up; reported in the order of the file all
        // the same.
        collect_collider_ids();
        chains();
        colliders();
        unused_colliders();
        lod();
        return faults_.take();
    }

private:
    void collect_collider_ids() {
        if (!top_.value->contains("colliders") || !(*top_.value)["colliders"].is_array()) return;
        for (const Json& collider : (*top_.value)["colliders"])
            if (std::string id = text_member(collider, "id"); !id.empty()) declared_.push_back(std::move(id));
    }

    void cap(const ManifestPlace& place, std::size_t count, std::size_t limit, const std::string& what) {
        if (count <= limit) return;
        faults_.add(Severity::error, place, std::to_string(count), std::to_string(limit),
                    std::to_string(count) + " " + what + ", the cap is " + std::to_string(limit),
                    "remove the least important " + what, what);
    }

    void chains() {
        const auto place = faults_.required(top_, "chains", "write \"chains\": [...]");
        if (!place || !faults_.array(*place, "chains")) return;
        if (place->value->empty())
            faults_.add(Severity::warning, *place, "at least one chain", "no chain is declared, so nothing moves",
                        "declare a chain, or remove the manifest");
        cap(*place, place->value->size(), kCaps.chains, "chains");
        for (std::size_t i = 0; i < place->value->size(); ++i) chain(place->at(i));
    }

    void chain(ManifestPlace place) {
        place.name = text_member_of(place, "id");
        if (!faults_.object(place, kChainKeys)) return;
        chain_id(place);
        chain_root(place);
        if (const auto importance = faults_.required(place, "importance", "write \"importance\": \"normal\""))
            faults_.one_of(*importance, kImportances);
        if (const auto at = faults_.required(place, "stiffness", "write \"stiffness\": 0.6")) curve(*at, kUnit);
        if (const auto at = faults_.required(place, "damping", "write \"damping\": 0.8")) curve(*at, kUnit);
        if (const auto at = faults_.member(place, "inertia")) curve(*at, kUnit);
        if (const auto at = faults_.member(place, "gravity")) faults_.number(*at, kGravity);
        if (const auto at = faults_.member(place, "gravityDir")) direction(*at, Severity::error);
        if (const auto at = faults_.member(place, "limit")) limit(*at);
        if (const auto at = faults_.member(place, "radius")) curve(*at, kChainRadius);
        chain_colliders(place);
        endpoint(place);
        exclude(place);
    }

    static std::string text_member_of(const ManifestPlace& place, const char* key) {
        return text_member(*place.value, key);
    }

    void chain_id(const ManifestPlace& place) {
        const auto at = faults_.required(place, "id", "give the chain a stable id");
        if (!at) return;
        const auto id = faults_.text(*at);
        if (!id) return;
        if (!is_id(*id))
            faults_.add(Severity::error, *at, kIdPattern, "the id does not match " + std::string(kIdPattern),
                        "use letters, digits, `_`, `.` and `-`, 64 at most");
        if (!chain_ids_.insert(*id).second)
            faults_.add(Severity::error, *at, "unique", "two chains have this id", "give each chain its own id");
        if (std::find(declared_.begin(), declared_.end(), *id) != declared_.end())
            faults_.add(Severity::warning, *at, "unique", "a chain and a collider have this id",
                        "rename one of the two");
    }

    void chain_root(const ManifestPlace& place) {
        const auto at = faults_.required(place, "root", "name the first bone that is to move");
        if (!at) return;
        const auto root = faults_.text(*at);
        if (root && !roots_.insert(*root).second)
            faults_.add(Severity::error, *at, "one chain a bone",
                        "two chains start at " + *root + ": two writers on one bone",
                        "keep one of the chains, or root the other one on another bone");
    }

    void curve(const ManifestPlace& place, const NumberRange& range) {
        if (!place.value->is_array()) {
            faults_.number(place, range);
            return;
        }
        const std::size_t stops = place.value->size();
        if (stops < 1 || stops > kMaxStops) {
            faults_.add(Severity::error, place, std::to_string(stops), "1..8",
                        "the curve has " + std::to_string(stops) + " stops, allowed are 1..8",
                        "write a number, or 1 to 8 evenly spaced stops from root to tip", "stops");
            return;
        }
        for (std::size_t i = 0; i < stops; ++i) faults_.number(place.at(i), range);
    }

    void direction(const ManifestPlace& place, Severity when_zero) {
        const auto vector = faults_.vector(place);
        if (vector && vector->norm() <= 0)
            faults_.add(when_zero, place, "not zero", "a zero vector has no direction",
                        "write a vector that is not zero");
    }

    void limit(const ManifestPlace& place) {
        if (!faults_.object(place, kLimitKeys)) return;
        const auto kind_at = faults_.required(place, "kind", "write \"kind\": \"cone\"");
        const auto kind = kind_at ? faults_.one_of(*kind_at, kLimitKinds) : std::nullopt;
        if (const auto at = faults_.required(place, "maxDegrees", "write \"maxDegrees\": 20")) curve(*at, kDegrees);
        const auto axis = faults_.member(place, "axis");
        if (axis && kind != "cone") direction(*axis, Severity::error);
        if (axis && kind == "cone" && faults_.vector(*axis))
            faults_.add(Severity::warning, *axis, "absent", "a cone has no axis, so this one does nothing",
                        "remove `axis`");
        if (!axis && kind == "hinge")
            faults_.add(Severity::error, place, "[x, y, z]", "a hinge needs `axis`",
                        "write the axis that the bone turns about, in the bone's own frame");
    }

    void chain_colliders(const ManifestPlace& place) {
        const auto at = faults_.member(place, "colliders");
        if (!at || !faults_.array(*at, "collider ids")) return;
        cap(*at, at->value->size(), kCaps.colliders_per_chain, "colliders of a chain");
        if (!at->value->empty() && !place.value->contains("radius"))
            faults_.add(Severity::error, *at, "with `radius`", "the chain has colliders but no `radius`",
                        "write \"radius\": 0.012, the collision radius of its joints in metres");
        std::set<std::string> named;
        for (std::size_t i = 0; i < at->value->size(); ++i) {
            const auto id = faults_.text(at->at(i));
            if (!id) continue;
            used_.insert(*id);
            if (std::find(declared_.begin(), declared_.end(), *id) == declared_.end()) {
                const Words nearest = avatar::nearest_names(*id, declared_, 1);
                faults_.add(Severity::error, at->at(i), "a declared collider", "collider " + *id + " is not declared",
                            nearest.empty() ? "declare it in `colliders`, or remove the name"
                                            : "declare it in `colliders`, or write \"" + nearest[0] + "\"");
            }
            if (!named.insert(*id).second)
                faults_.add(Severity::warning, at->at(i), "once",
                            "collider " + *id + " is named twice and checked twice", "name it once");
        }
    }

    void endpoint(const ManifestPlace& place) {
        const auto at = faults_.member(place, "endpoint");
        if (at) {
            direction(*at, Severity::warning);
            return;
        }
        faults_.add(Severity::warning, place, "absent", "present",
                    "there is no `endpoint`, so the last joint aims at nothing and the chain ends one bone early",
                    "write the tip's offset in the last joint's own frame, metres");
    }

    void exclude(const ManifestPlace& place) {
        const auto at = faults_.member(place, "exclude");
        if (!at || !faults_.array(*at, "bone names")) return;
        for (std::size_t i = 0; i < at->value->size(); ++i) faults_.text(at->at(i));
    }

    void colliders() {
        const auto place = faults_.member(top_, "colliders");
        if (!place || !faults_.array(*place, "colliders")) return;
        cap(*place, place->value->size(), kCaps.colliders, "colliders");
        for (std::size_t i = 0; i < place->value->size(); ++i) collider(place->at(i));
    }

    void collider(ManifestPlace place) {
        place.name = text_member_of(place, "id");
        if (!faults_.object(place, kColliderKeys)) return;
        if (const auto at = faults_.required(place, "id", "give the collider an id"))
            if (const auto id = faults_.text(*at)) {
                if (!is_id(*id))
                    faults_.add(Severity::warning, *at, kIdPattern, "the id does not match " + std::string(kIdPattern),
                                "use letters, digits, `_`, `.` and `-`, 64 at most");
                if (!collider_ids_.insert(*id).second)
                    faults_.add(Severity::error, *at, "unique", "two colliders have this id",
                                "give each collider its own id");
            }
        if (const auto at = faults_.required(place, "bone", "name the bone that carries it")) faults_.text(*at);
        if (const auto at = faults_.member(place, "offset")) faults_.vector(*at);
        if (const auto at = faults_.member(place, "inside")) faults_.boolean(*at);
        const auto shape_at = faults_.required(place, "shape", "write \"shape\": \"sphere\"");
        const auto shape = shape_at ? faults_.one_of(*shape_at, kShapes) : std::nullopt;
        collider_shape(place, shape.value_or(""));
    }

    void collider_shape(const ManifestPlace& place, const std::string& shape) {
        const bool round = shape == "sphere" || shape == "capsule";
        shape_member(place, shape, "radius", round, shape == "plane");
        shape_member(place, shape, "tail", shape == "capsule", shape == "sphere" || shape == "plane");
        shape_member(place, shape, "normal", shape == "plane", round);
        if (const auto at = faults_.member(place, "radius")) faults_.number(*at, kColliderRadius);
        if (const auto at = faults_.member(place, "tail")) faults_.vector(*at);
        if (const auto at = faults_.member(place, "normal")) direction(*at, Severity::error);
    }

    void shape_member(const ManifestPlace& place, const std::string& shape, const std::string& key, bool needed,
                      bool refused) {
        const auto at = faults_.member(place, key);
        if (at && refused)
            faults_.add(Severity::error, *at, "absent", "a " + shape + " takes no `" + key + "`",
                        "remove `" + key + "`");
        if (!at && needed)
            faults_.add(Severity::error, place, "absent", "present", "a " + shape + " needs `" + key + "`",
                        "write `" + key + "` in the bone's own frame, metres");
    }

    void unused_colliders() {
        const auto place = faults_.member(top_, "colliders");
        if (!place || !place->value->is_array()) return;
        for (std::size_t i = 0; i < place->value->size(); ++i) {
            ManifestPlace at = place->at(i);
            at.name = text_member_of(at, "id");
            if (!at.name.empty() && used_.count(at.name) == 0)
                faults_.add(Severity::warning, at, "unused", "used", "no chain uses this collider",
                            "name it in a chain's `colliders`, or remove it");
        }
    }

    void lod() {
        constexpr double kWritten = 14;  // what every lane writes (reference text)
        const auto place = faults_.member(top_, "lod");
        if (!place || !faults_.object(*place, kLodKeys)) return;
        const auto at = faults_.member(*place, "minPixels");
        if (!at) return;
        const auto pixels = faults_.number(*at, kAny);
        if (pixels && *pixels != kWritten)
            faults_.add(Severity::info, *at, "14",
                        "lod.minPixels is not the 14 that every avatar writes; nothing reads it today", "write 14");
    }

    ManifestFaults faults_;
    ManifestPlace top_;
    Words declared_;
    std::set<std::string> chain_ids_, collider_ids_, roots_, used_;
};

}  // namespace

Findings check_manifest(const Json& manifest, const std::string& pointer, std::optional<int> scene) {
    return StrictParse(manifest, pointer, scene).run();
}

}  // namespace helixavatar::dynamics
