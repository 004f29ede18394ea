// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <set>

#include <helixavatar/avatar/manifest_faults.hpp>
#include <helixavatar/face/face.hpp>

#include "face/channel_names.hpp"

namespace helixavatar::face {
namespace {

using avatar::ManifestFaults;
using avatar::ManifestPlace;
using gltf::Json;
using Words = std::vector<std::string>;

const Words kTopKeys{"contract", "capability", "channels"};
const Words kChannelKeys{"name", "morphs", "bone"};
const Words kMorphKeys{"mesh", "target", "weight"};
const Words kBoneKeys{"joint", "axis", "maxDegrees"};
constexpr avatar::NumberRange kWeight{0, 1, true, "over 0, at most 1"};
constexpr avatar::NumberRange kDegrees{0, kMaxBoneDegrees, true, "over 0, at most 45", "degrees"};

class FaceCheck {
public:
    FaceCheck(const Json& manifest, const avatar::Avatar* avatar, const std::string& pointer, std::optional<int> scene)
        : avatar_(avatar), faults_("face", scene), top_{&manifest, pointer, {}} {
        if (!avatar) return;
        for (const avatar::Joint& joint : avatar->joints)
            if (joint.skin) bones_.push_back(joint.name);
        for (const avatar::Level& level : avatar->levels) {
            Meshes meshes;
            for (const bool face : {false, true}) {
                meshes.moving[face ? 1 : 0] = avatar::written_morphs(level, face);
                for (const avatar::Surface& surface : level.surfaces) {
                    if ((face ? surface.face : surface.body).empty()) continue;
                    for (const avatar::MorphTarget& morph : surface.morphs)
                        meshes.all[face ? 1 : 0].push_back(morph.name);
                }
            }
            levels_.push_back(std::move(meshes));
        }
    }

    Findings run() {
        if (!faults_.object(top_, kTopKeys)) return faults_.take();
        if (const auto contract = faults_.required(top_, "contract", "write \"contract\": \"helix/avatar-face@1\""))
            faults_.one_of(*contract, Words{kContract});
        const auto capability_at =
            faults_.required(top_, "capability", "write what the channels give, \"none\" at least");
        const auto declared = capability_at ? faults_.one_of(*capability_at, capabilities()) : std::nullopt;
        const auto list = faults_.required(top_, "channels", "write \"channels\": [...]");
        if (!list || !faults_.array(*list, "channels")) return faults_.take();
        if (list->value->empty())
            faults_.add(Severity::warning, *list, "at least one channel",
                        "no channel is declared, so the face does nothing", "declare channels, or remove the manifest");
        for (std::size_t i = 0; i < list->value->size(); ++i) channel(list->at(i));
        if (declared) capability(*capability_at, *declared);
        blinks(*list);
        jaw();
        still_shapes();
        lost_shapes();
        return faults_.take();
    }

private:
    struct Meshes {
        Words all[2], moving[2];  // of Body, of FaceMesh
    };
    /// Shapes of one mesh of one level with one thing wrong with them: said in one line.
    struct Shapes {
        ManifestPlace first;
        Words names;

        void add(const ManifestPlace& place, const std::string& name) {
            if (names.empty()) first = place;
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
            if (names.size() > 1) first.name.clear();  // of no one channel any longer
        }
        std::string listed() const {
            constexpr std::size_t kShown = 6;
            std::string text;
            for (std::size_t i = 0; i < names.size() && i < kShown; ++i) text += (i ? ", " : "") + names[i];
            return names.size() > kShown ? text + ", ..." : text;
        }
    };

    void channel(ManifestPlace place) {
        const Json& json = *place.value;
        if (json.is_object() && json.contains("name") && json["name"].is_string())
            place.name = json["name"].get<std::string>();
        if (!faults_.object(place, kChannelKeys)) return;
        const auto name_at = faults_.required(place, "name", "name the channel");
        const auto name = name_at ? faults_.one_of(*name_at, channel_names()) : std::nullopt;
        if (name && !names_.insert(*name).second)
            faults_.add(Severity::error, *name_at, "once", "the channel is declared twice", "keep one of the two");
        const auto morphs = faults_.member(place, "morphs"), bone_at = faults_.member(place, "bone");
        if (morphs.has_value() == bone_at.has_value())
            faults_.add(Severity::error, place, morphs ? "both" : "neither", "`morphs` or `bone`",
                        morphs ? "the channel has both `morphs` and `bone`"
                               : "the channel drives neither `morphs` nor a `bone`",
                        "write one of the two");
        if (morphs) shapes(*morphs, name.value_or(""));
        if (bone_at) bone(*bone_at);
    }

    void shapes(const ManifestPlace& place, const std::string& channel) {
        if (!faults_.array(place, "morphs")) return;
        if (place.value->empty() && !may_rest(channel))
            faults_.add(Severity::error, place, "at least one shape", "the channel moves nothing",
                        "name a shape, or remove the channel");
        std::set<std::pair<std::string, std::string>> named;
        for (std::size_t i = 0; i < place.value->size(); ++i) {
            const ManifestPlace at = place.at(i);
            if (!faults_.object(at, kMorphKeys)) continue;
            const auto mesh_at = faults_.required(at, "mesh", "name the mesh"),
                       target_at = faults_.required(at, "target", "name the shape");
            const auto mesh = mesh_at ? faults_.text(*mesh_at) : std::nullopt;
            const auto target = target_at ? faults_.text(*target_at) : std::nullopt;
            if (const auto weight = faults_.member(at, "weight")) faults_.number(*weight, kWeight);
            if (!mesh || !target) continue;
            if (!named.emplace(*mesh, *target).second)
                faults_.add(Severity::warning, at, "once", "the shape " + *target + " of " + *mesh + " is named twice",
                            "name it once, with the weight that is meant");
            if (channel == "viseme.aa") a_shapes_.insert(*target);
            if (channel == "jawOpen") jaw_shapes_.emplace(*target, at);
            if (avatar_) against_levels(*mesh_at, *mesh, *target_at, *target, channel);
        }
    }

    void against_levels(const ManifestPlace& mesh_at, const std::string& mesh, const ManifestPlace& target_at,
                        const std::string& target, const std::string& channel) {
        if (mesh != avatar::kBodyMesh && mesh != avatar::kFaceMesh) {
            faults_.add(Severity::error, mesh_at, "Body, FaceMesh", "the avatar has no mesh " + mesh,
                        "name Body or FaceMesh");
            return;
        }
        const int slice = mesh == avatar::kFaceMesh ? 1 : 0;
        const auto has = [](const Words& words, const std::string& word) {
            return std::find(words.begin(), words.end(), word) != words.end();
        };
        for (std::size_t i = 0; i < levels_.size(); ++i) {
            const Meshes& level = levels_[i];
            const std::string on = mesh + " of LOD " + std::to_string(i);
            if (!has(level.all[slice], target)) {
                if (i > 0) {
                    // Farther levels may drop their shapes altogether (--face-lods); of some they say which.
                    if (!level.all[slice].empty()) lost_[on].add(target_at, target);
                    continue;
                }
                const Words nearest = avatar::nearest_names(target, level.all[slice]);
                std::string fix = "name a shape of the mesh";
                for (std::size_t n = 0; n < nearest.size(); ++n)
                    fix += (n == 0 ? "; the nearest: " : ", ") + nearest[n];
                faults_.add(Severity::error, target_at, "a shape of " + mesh, mesh + " has no shape " + target, fix);
                return;
            }
            if (i == 0 && !has(level.moving[slice], target) && channel != "viseme.sil")
                still_[mesh].add(target_at, target);
        }
    }

    void bone(const ManifestPlace& place) {
        if (!faults_.object(place, kBoneKeys)) return;
        if (const auto joint_at = faults_.required(place, "joint", "name the joint"))
            if (const auto joint = faults_.text(*joint_at); joint && avatar_) bone_against(*joint_at, *joint);
        if (const auto axis_at = faults_.required(place, "axis", "write the axis in the joint's own frame"))
            if (const auto axis = faults_.vector(*axis_at); axis && !(axis->norm() > 0))
                faults_.add(Severity::error, *axis_at, "not zero", "a zero axis has no direction",
                            "write a vector that is not zero");
        if (const auto degrees = faults_.required(place, "maxDegrees", "write \"maxDegrees\": 20"))
            faults_.number(*degrees, kDegrees);
    }

    void bone_against(const ManifestPlace& place, const std::string& joint) {
        if (std::find(bones_.begin(), bones_.end(), joint) == bones_.end()) {
            const Words nearest = avatar::nearest_names(joint, bones_);
            std::string fix = "name a bone of the skin";
            for (std::size_t n = 0; n < nearest.size(); ++n) fix += (n == 0 ? "; the nearest: " : ", ") + nearest[n];
            faults_.add(Severity::error, place, "a bone of the skin", "no skin has a bone " + joint, fix);
            return;
        }
        const std::string root = chain_root_over(joint);
        if (!root.empty())
            faults_.add(Severity::error, place, "no dynamics bone",
                        joint + " is moved by the dynamics chain that starts at " + root,
                        "take the bone out of the chain, or drive the channel by a shape");
    }

    /// The root of a dynamics chain that the joint is or hangs from, nothing excluded between; or empty.
    std::string chain_root_over(const std::string& joint) const {
        const auto& dynamics = avatar_->dynamics;
        if (!dynamics || !dynamics->is_object() || !dynamics->contains("chains") || !(*dynamics)["chains"].is_array())
            return {};
        for (const Json& chain : (*dynamics)["chains"]) {
            if (!chain.is_object() || !chain.contains("root") || !chain["root"].is_string()) continue;
            const std::string root = chain["root"].get<std::string>();
            const Json excluded = chain.contains("exclude") ? chain["exclude"] : Json::array();
            for (int at = avatar_->find_joint(joint); at >= 0;
                 at = avatar_->joints[static_cast<std::size_t>(at)].parent) {
                const std::string& name = avatar_->joints[static_cast<std::size_t>(at)].name;
                if (name == root) return root;
                if (excluded.is_array() && std::find(excluded.begin(), excluded.end(), Json(name)) != excluded.end())
                    break;
            }
        }
        return {};
    }

    void capability(const ManifestPlace& place, const std::string& declared) {
        const std::string given = capability_of([&](const std::string& name) { return names_.count(name) > 0; });
        if (declared != given)
            faults_.add(Severity::error, place, given,
                        "the capability is " + declared + ", but the channels give " + given,
                        "write \"" + given + "\", or add the channels that are missing");
    }

    void blinks(const ManifestPlace& list) {
        const bool left = names_.count("blink.left") > 0, right = names_.count("blink.right") > 0;
        if (left != right)
            faults_.add(Severity::warning, list, left ? "blink.left" : "blink.right", "both sides",
                        "there is a blink for one side only, so one eye stays open", "add the other side's channel");
    }

    /// A vowel A that uses the jaw among other shapes is made from it; one that is nothing else is the A shape.
    void jaw() {
        const bool same =
            !a_shapes_.empty() && std::all_of(a_shapes_.begin(), a_shapes_.end(),
                                              [&](const std::string& a) { return jaw_shapes_.count(a) > 0; });
        if (!same) return;
        const auto& [shape, place] = *jaw_shapes_.find(*a_shapes_.begin());
        faults_.add(Severity::warning, place, "a shape of the jaw alone",
                    "jawOpen drives " + shape + ", which is the vowel A: it opens on every vowel",
                    "remove it from jawOpen");
    }

    void still_shapes() {
        for (const auto& [mesh, shapes] : still_) {
            const bool one = shapes.names.size() == 1;
            faults_.add(Severity::warning, shapes.first, std::to_string(shapes.names.size()), "shapes that move",
                        (one ? "the shape " : std::to_string(shapes.names.size()) + " shapes ") + shapes.listed() +
                            " of " + mesh + (one ? " moves no vertex" : " move no vertex"),
                        "model them, or remove them from their channels");
        }
    }

    /// Simplification leaves small shapes nothing to move on coarse levels, where nobody sees them; the face plays at
    /// the nearest level only.
    void lost_shapes() {
        for (const auto& [on, shapes] : lost_) {
            const std::size_t count = shapes.names.size();
            faults_.add(Severity::info, shapes.first, std::to_string(count), "0",
                        on + " is too coarse for " + std::to_string(count) +
                            (count == 1 ? " shape that channels use: " : " shapes that channels use: ") +
                            shapes.listed() + "; they rest there",
                        "leave it, or give that level more triangles (--lod-tris)");
        }
    }

    const avatar::Avatar* avatar_;
    ManifestFaults faults_;
    ManifestPlace top_;
    Words bones_;
    std::vector<Meshes> levels_;
    std::set<std::string> names_, a_shapes_;
    std::map<std::string, ManifestPlace> jaw_shapes_;
    std::map<std::string, Shapes> lost_, still_;  // by "FaceMesh of LOD 2", by mesh
};

}  // namespace

Findings check_face(const Json& manifest, const avatar::Avatar* avatar, const std::string& pointer,
                    std::optional<int> scene) {
    return FaceCheck(manifest, avatar, pointer, scene).run();
}

}  // namespace helixavatar::face
