// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>

#include <helixavatar/avatar/manifest_faults.hpp>
#include <helixavatar/dynamics/apply.hpp>
#include <helixavatar/dynamics/presets.hpp>

namespace helixavatar::dynamics {
namespace {

using avatar::ManifestFaults;
using avatar::ManifestPlace;
using avatar::NumberRange;
using Words = std::vector<std::string>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr NumberRange kMetres{-100, 100, false, "-100..100", "m"};
constexpr NumberRange kRadius{0, 10, true, "over 0, at most 10", "m"};
constexpr NumberRange kShare{0, 1, true, "over 0, at most 1"};
constexpr NumberRange kMajority{0, 1, false, "0..1"};

const Words kFeelKeys{"importance", "stiffness", "damping", "inertia",  "gravity",
                      "gravityDir", "limit",     "radius",  "colliders"};
const Words kOwnKeys{"id", "anchor", "joints", "bones", "tip", "preset", "select"};
const Words kTopKeys{"contract", "chains", "colliders"};
const Words kSelectKeys{"sphere", "mask"};
const Words kSphereKeys{"centers", "radius", "maxWeight", "stealFrom"};
const Words kMaskKeys{"maxLuminance", "exclude", "height", "neighbourMajority", "shell"};
const Words kBoxKeys{"low", "high"};

class SpecParse {
public:
    explicit SpecParse(const Json& json) : faults_("dynamics-spec", std::nullopt), top_{&json, "", {}} {}

    ParsedSpec run() {
        if (faults_.object(top_, kTopKeys)) {
            if (const auto contract = faults_.member(top_, "contract")) faults_.one_of(*contract, Words{kSpecContract});
            const auto chains = faults_.required(top_, "chains", "write \"chains\": [...]");
            if (chains && faults_.array(*chains, "chains"))
                for (std::size_t i = 0; i < chains->value->size(); ++i) chain(chains->at(i));
            const auto colliders = faults_.member(top_, "colliders");
            if (colliders && faults_.array(*colliders, "colliders")) out_.spec.colliders = *colliders->value;
        }
        out_.findings = faults_.take();
        return std::move(out_);
    }

private:
    static constexpr const char* kSpecContract = "helixavatar/dynamics-spec@1";

    void chain(ManifestPlace place) {
        Words keys = kOwnKeys;
        keys.insert(keys.end(), kFeelKeys.begin(), kFeelKeys.end());
        if (!faults_.object(place, keys)) return;
        ChainSpec spec;
        if (const auto at = faults_.required(place, "id", "give the chain a stable id"))
            spec.id = faults_.text(*at).value_or("");
        place.name = spec.id;
        const Preset* row = preset(place);
        joints(place, spec, row);
        if (const auto at = faults_.required(place, "tip", "write the chain's end, world metres"))
            spec.tip = point(*at);
        spec.feel = row ? to_json(Manifest{{row->feel}, {}})["chains"][0] : Json::object();
        for (const char* own : {"id", "root"}) spec.feel.erase(own);
        for (const std::string& key : kFeelKeys)
            if (const auto at = faults_.member(place, key)) spec.feel[key] = *at->value;
        if (row && row->feel.limit && row->feel.limit->kind == LimitKind::hinge && !place.value->contains("limit"))
            spec.feel["limit"].erase("axis");  // the panel's tangent, once its joints are placed
        select(place, spec, row);
        out_.spec.chains.push_back(std::move(spec));
    }

    const Preset* preset(const ManifestPlace& place) {
        const auto at = faults_.member(place, "preset");
        if (!at) return nullptr;
        Words names;
        for (const Preset& each : presets()) names.emplace_back(each.name);
        const auto name = faults_.one_of(*at, names);
        return name ? find_preset(*name) : nullptr;
    }

    void joints(const ManifestPlace& place, ChainSpec& spec, const Preset* row) {
        const auto joints = faults_.member(place, "joints"), bones = faults_.member(place, "bones");
        if (joints.has_value() == bones.has_value()) {
            faults_.add(Severity::error, place, joints ? "both" : "neither", "`joints` or `bones`",
                        "a chain has new `joints`, or `bones` that the avatar has already", "write one of the two");
            return;
        }
        if (bones) {
            if (!counted(*bones, "bone names")) return;
            for (std::size_t i = 0; i < bones->value->size(); ++i)
                spec.bones.push_back(faults_.text(bones->at(i)).value_or(""));
            return;
        }
        if (counted(*joints, "world positions"))
            for (std::size_t i = 0; i < joints->value->size(); ++i) spec.joints.push_back(point(joints->at(i)));
        if (const auto at = faults_.member(place, "anchor"))
            spec.anchor = faults_.text(*at).value_or("");
        else if (row && !row->anchor.empty())
            spec.anchor = row->anchor;
        else
            faults_.add(Severity::error, place, "absent", "a bone", "new joints need an `anchor`",
                        "name the bone that the geometry rides on");
    }

    bool counted(const ManifestPlace& place, const char* of) {
        if (!faults_.array(place, of)) return false;
        const std::size_t count = place.value->size();
        if (count >= 1 && count <= kCaps.joints_per_chain) return true;
        faults_.add(Severity::error, place, std::to_string(count), "1..32", "a chain has 1 to 32 joints",
                    "split the chain, or name its first joint");
        return false;
    }

    Vec3 point(const ManifestPlace& place) {
        const auto vector = faults_.vector(place);
        if (!vector) return Vec3::Zero();
        for (std::size_t i = 0; i < 3; ++i) faults_.number(place.at(i), kMetres);
        return *vector;
    }

    void select(const ManifestPlace& place, ChainSpec& spec, const Preset* row) {
        const auto at = faults_.member(place, "select");
        if (at) {
            if (!spec.bones.empty())
                faults_.add(Severity::error, *at, "absent", "bones that the avatar has already keep their vertices",
                            "remove `select`, or write new `joints`");
            if (!faults_.object(*at, kSelectKeys)) return;
            spec.selection = *at->value;
            const auto sphere_at = faults_.member(*at, "sphere"), mask_at = faults_.member(*at, "mask");
            if (sphere_at.has_value() == mask_at.has_value())
                faults_.add(Severity::error, *at, sphere_at ? "both" : "neither", "`sphere` or `mask`",
                            "a selection is a `sphere` or a `mask`", "write one of the two");
            else if (sphere_at)
                sphere(*sphere_at, spec);
            else
                mask(*mask_at, spec);
            return;
        }
        if (!spec.bones.empty()) return;  // their weights are there already
        if (row && row->sphere_radius > 0)
            spec.select = preset_sphere(spec, *row);
        else
            faults_.add(Severity::error, place, "absent", "`sphere` or `mask`",
                        "new joints need a `select`: which vertices they take", "write a `sphere` or a `mask`");
    }

    static std::vector<Vec3> middles(const ChainSpec& spec) {
        std::vector<Vec3> centers;
        for (std::size_t i = 0; i < spec.joints.size(); ++i)
            centers.push_back((spec.joints[i] + (i + 1 < spec.joints.size() ? spec.joints[i + 1] : spec.tip)) / 2);
        return centers;
    }

    /// The row's sphere around the middle of each bone; `_s` is the chain's own side.
    static SphereSelect preset_sphere(const ChainSpec& spec, const Preset& row) {
        SphereSelect sphere{middles(spec), row.sphere_radius, row.max_weight, {}};
        const bool left = spec.joints.empty() || spec.joints.front().x() >= 0;
        for (const std::string& bone : row.steal_from)
            sphere.steal_from.push_back(bone.ends_with("_s") ? bone.substr(0, bone.size() - 1) + (left ? "l" : "r")
                                                             : bone);
        return sphere;
    }

    void sphere(const ManifestPlace& place, ChainSpec& spec) {
        if (!faults_.object(place, kSphereKeys)) return;
        SphereSelect sphere;
        sphere.centers = middles(spec);
        if (const auto at = faults_.member(place, "centers"); at && faults_.array(*at, "world positions")) {
            sphere.centers.clear();
            for (std::size_t i = 0; i < at->value->size(); ++i) sphere.centers.push_back(point(at->at(i)));
            if (sphere.centers.size() != spec.joint_count())
                faults_.add(Severity::error, *at, std::to_string(sphere.centers.size()),
                            std::to_string(spec.joint_count()), "there is one centre a joint",
                            "write one for each joint, or leave `centers` out for the middle of each bone");
        }
        if (const auto at = faults_.required(place, "radius", "write \"radius\": 0.09"))
            sphere.radius = faults_.number(*at, kRadius).value_or(1);
        if (const auto at = faults_.required(place, "maxWeight", "write \"maxWeight\": 0.45"))
            sphere.max_weight = faults_.number(*at, kShare).value_or(1);
        if (const auto at = faults_.required(place, "stealFrom", "name the bones that give weight");
            at && faults_.array(*at, "bone names"))
            for (std::size_t i = 0; i < at->value->size(); ++i)
                sphere.steal_from.push_back(faults_.text(at->at(i)).value_or(""));
        spec.select = std::move(sphere);
    }

    void mask(const ManifestPlace& place, ChainSpec& spec) {
        if (!faults_.object(place, kMaskKeys)) return;
        MaskSelect mask;
        mask.lowest = -kInfinity;
        mask.highest = kInfinity;
        if (const auto at = faults_.member(place, "maxLuminance")) mask.max_luminance = faults_.number(*at, kShare);
        if (const auto at = faults_.member(place, "shell")) mask.shell = point(*at);
        if (const auto at = faults_.member(place, "neighbourMajority"))
            mask.neighbour_majority = faults_.number(*at, kMajority).value_or(0.5);
        if (const auto at = faults_.member(place, "height"); at && faults_.array(*at, "lowest and highest metres")) {
            if (at->value->size() != 2)
                faults_.add(Severity::error, *at, "[lowest, highest]", "a height band has two numbers",
                            "write [lowest, highest] in metres");
            else {
                mask.lowest = faults_.number(at->at(0), kMetres).value_or(0);
                mask.highest = faults_.number(at->at(1), kMetres).value_or(0);
                if (!(mask.lowest < mask.highest))
                    faults_.add(Severity::error, *at, "lowest < highest", "the height band is empty",
                                "write the lower height first");
            }
        }
        if (const auto at = faults_.member(place, "exclude"); at && faults_.array(*at, "boxes"))
            for (std::size_t i = 0; i < at->value->size(); ++i) box(at->at(i), mask);
        if (!mask.max_luminance && !mask.shell && !std::isfinite(mask.lowest))
            faults_.add(Severity::error, place, "maxLuminance, shell or height", "the mask holds the whole character",
                        "say what is in: by colour, by piece or by height");
        spec.select = std::move(mask);
    }

    void box(const ManifestPlace& place, MaskSelect& mask) {
        if (!faults_.object(place, kBoxKeys)) return;
        const auto low = faults_.required(place, "low", "write the corner of least x, y, z"),
                   high = faults_.required(place, "high", "write the corner of largest x, y, z");
        if (!low || !high) return;
        const Box read{point(*low), point(*high)};
        if (!(read.low.array() < read.high.array()).all())
            faults_.add(Severity::error, place, "low < high", "the box is empty", "write the lower corner as `low`");
        mask.exclude.push_back(read);
    }

    ManifestFaults faults_;
    ManifestPlace top_;
    ParsedSpec out_;
};

}  // namespace

std::string ChainSpec::joint_name(std::size_t i) const {
    if (!bones.empty()) return bones[i];
    std::string name = id;
    for (char& c : name)
        if (c == '-' || c == '.') c = '_';
    return name + "_" + std::to_string(i + 1);
}

ParsedSpec parse_spec(const Json& json) {
    return SpecParse(json).run();
}

}  // namespace helixavatar::dynamics
