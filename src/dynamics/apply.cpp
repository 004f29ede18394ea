// SPDX-License-Identifier: MIT
#include <helixavatar/dynamics/apply.hpp>

#include <algorithm>
#include <map>
#include <set>

#include <helixavatar/avatar/document_io.hpp>
#include <helixavatar/dynamics/check.hpp>

#include "dynamics/insert_joints.hpp"
#include "dynamics/selection.hpp"
#include "dynamics/spec_manifest.hpp"

namespace helixavatar::dynamics {
namespace {

/// Chains that share one selection: neighbours on a masked region, or one chain alone.
struct Group {
    std::vector<std::size_t> chains;  ///< indices into the spec's
    std::string mark;                 ///< digest of everything that decides its joints and weights
    bool done = false;                ///< the file has it already
};

class Application {
public:
    Application(const gltf::Document& document, const avatar::Avatar& avatar, const ApplySpec& spec,
                const PictureSource& pictures)
        : avatar_(avatar), spec_(spec), pictures_(pictures) {
        out_.document = document;
    }

    Result<Applied> run() {
        group();
        for (const auto& step :
             {&Application::place, &Application::grow, &Application::weigh, &Application::declare, &Application::judge})
            if (const Result<void> done = (this->*step)(); !done) return done.error();
        return std::move(out_);
    }

private:
    static Error refused(const std::string& message, const std::string& chain, const std::string& hint) {
        return {ErrorKind::unconvertible, message, "chain " + chain, hint};
    }

    void group() {
        for (std::size_t c = 0; c < spec_.chains.size(); ++c) {
            const ChainSpec& chain = spec_.chains[c];
            const auto beside = [&](const Group& group) {
                const ChainSpec& first = spec_.chains[group.chains.front()];
                return std::holds_alternative<MaskSelect>(chain.select) &&
                       std::holds_alternative<MaskSelect>(first.select) && chain.selection == first.selection &&
                       chain.anchor == first.anchor && chain.bones.empty() == first.bones.empty();
            };
            const auto known = std::find_if(groups_.begin(), groups_.end(), beside);
            if (known == groups_.end())
                groups_.push_back({{c}, {}, false});
            else
                known->chains.push_back(c);
        }
        for (Group& each : groups_) {
            Json decides = Json::array();
            for (const std::size_t c : each.chains) {
                const ChainSpec& chain = spec_.chains[c];
                Json points = Json::array();
                for (const Vec3& p : points_of(chain)) points.push_back({p.x(), p.y(), p.z()});
                decides.push_back({chain.id, chain.anchor, points, chain.selection});
            }
            constexpr std::size_t kDigits = 16;
            each.mark = sha256_hex(as_bytes(decides.dump())).substr(0, kDigits);
        }
    }

    static std::vector<Vec3> points_of(const ChainSpec& chain) {
        std::vector<Vec3> points = chain.joints;
        points.push_back(chain.tip);
        return points;
    }

    /// Anchors and bones by name; joints that are there already from the same spec are taken as they are.
    Result<void> place() {
        int next = static_cast<int>(avatar_.joints.size());
        placed_.resize(spec_.chains.size());
        for (Group& each : groups_) {
            for (const std::size_t c : each.chains) {
                const ChainSpec& chain = spec_.chains[c];
                PlacedChain& placed = placed_[c];
                placed.spec = &chain;
                const Result<void> found =
                    chain.bones.empty() ? new_chain(chain, placed, each, next) : bone_chain(chain, placed);
                if (!found) return found;
            }
            const auto begun = [&](std::size_t c) { return placed_[c].joints.front() < int(avatar_.joints.size()); };
            each.done = std::all_of(each.chains.begin(), each.chains.end(), begun);
            if (!each.done && std::any_of(each.chains.begin(), each.chains.end(), begun))
                return refused("only some of the chains on this selection are in the file",
                               spec_.chains[each.chains.front()].id, kBefore);
        }
        return {};
    }

    Result<void> new_chain(const ChainSpec& chain, PlacedChain& placed, const Group& group, int& next) {
        placed.anchor = avatar_.find_joint(chain.anchor);
        if (placed.anchor < 0 || !avatar_.joints[static_cast<std::size_t>(placed.anchor)].skin)
            return refused("the avatar has no bone " + chain.anchor + " to hang it on", chain.id,
                           "name a bone of the skin as `anchor`");
        placed.points = points_of(chain);
        const Result<std::optional<std::string>> mark = mark_of(out_.document, chain.joint_name(0));
        if (!mark) return mark.error();
        if (mark->has_value() && **mark != group.mark)
            return refused("the file has a joint " + chain.joint_name(0) +
                               " already, which this chain with these joints and this selection did not make",
                           chain.id, kBefore);
        for (std::size_t j = 0; j < chain.joints.size(); ++j) {
            const int there = avatar_.find_joint(chain.joint_name(j));
            if ((there >= 0) != mark->has_value() || names_.count(chain.joint_name(j)) > 0)
                return refused("the joint name " + chain.joint_name(j) + " is taken", chain.id,
                               "give the chain another id");
            names_.insert(chain.joint_name(j));
            placed.joints.push_back(there >= 0 ? there : next++);
        }
        return {};
    }

    Result<void> bone_chain(const ChainSpec& chain, PlacedChain& placed) {
        for (const std::string& name : chain.bones) {
            const int joint = avatar_.find_joint(name);
            if (joint < 0 || !avatar_.joints[static_cast<std::size_t>(joint)].skin)
                return refused("the avatar has no bone " + name, chain.id, "name bones of the skin");
            const avatar::Joint& bone = avatar_.joints[static_cast<std::size_t>(joint)];
            if (!placed.joints.empty() && bone.parent != placed.joints.back())
                return refused("the bone " + name + " does not hang from the one before it", chain.id,
                               "name bones from the root to the tip, each the child of the one before");
            placed.joints.push_back(joint);
            placed.points.push_back(bone.rest.translation);
        }
        placed.anchor = avatar_.joints[static_cast<std::size_t>(placed.joints.front())].parent;
        placed.points.push_back(chain.tip);
        return {};
    }

    Result<void> grow() {
        std::vector<NewJoint> fresh;
        for (const Group& each : groups_) {
            if (each.done) continue;
            for (const std::size_t c : each.chains) {
                const ChainSpec& chain = spec_.chains[c];
                const Pose& rest = avatar_.joints[static_cast<std::size_t>(placed_[c].anchor)].rest;
                Pose parent = rest;
                for (std::size_t j = 0; j < chain.joints.size(); ++j) {
                    NewJoint joint;
                    joint.name = chain.joint_name(j);
                    joint.parent = j == 0 ? chain.anchor : chain.joint_name(j - 1);
                    joint.place = chain.joints[j];
                    joint.rotation = rest.rotation;
                    joint.local = parent.inverse() * joint.place;
                    if (j == 0) joint.mark = each.mark;
                    parent = {joint.place, rest.rotation};
                    fresh_names_.push_back(joint.name);
                    fresh.push_back(std::move(joint));
                }
            }
        }
        // Bones that are there already need no edit of vertices, so compressed ones are no obstacle either.
        if (fresh.empty()) return {};
        levels_ = read_levels(out_.document, avatar_, pictures_);
        if (!levels_) return levels_.error();
        return insert_joints(out_.document, fresh);
    }

    std::vector<int> below(const std::set<std::string>& roots) const {
        std::vector<int> found;
        for (std::size_t j = 0; j < avatar_.joints.size(); ++j) {
            const avatar::Joint& joint = avatar_.joints[j];
            const bool under = std::find(found.begin(), found.end(), joint.parent) != found.end() && joint.parent >= 0;
            if (under || roots.count(joint.name) > 0) found.push_back(static_cast<int>(j));
        }
        return found;
    }

    std::vector<int> named(const std::vector<std::string>& names, const std::string& chain) {
        std::vector<int> found;
        for (const std::string& name : names) {
            const int joint = avatar_.find_joint(name);
            if (joint >= 0)
                found.push_back(joint);
            else
                out_.notes.push_back("chain " + chain + ": the avatar has no bone " + name + ", which gives no weight");
        }
        return found;
    }

    void weigh_group(const Group& each, LevelMesh& level, std::vector<bool>& changed) {
        const int first_fresh = static_cast<int>(avatar_.joints.size());
        const ChainSpec& first = spec_.chains[each.chains.front()];
        std::vector<int> kept{placed_[each.chains.front()].anchor};
        for (const char* name : {"head", "spine_05"}) kept.push_back(avatar_.find_joint(name));
        if (const auto* mask = std::get_if<MaskSelect>(&first.select)) {
            std::vector<PlacedChain> chains;
            for (const std::size_t c : each.chains) chains.push_back(placed_[c]);
            std::vector<int> arms = below({"clavicle_l", "clavicle_r"});
            std::erase(arms, chains.front().anchor);
            take_by_mask(level, levels_->front(), chains, *mask, arms, kept, changed);
        } else if (const auto* sphere = std::get_if<SphereSelect>(&first.select)) {
            steal_by_sphere(level, placed_[each.chains.front()], *sphere, named(sphere->steal_from, first.id), changed);
            for (std::size_t v = 0; v < changed.size(); ++v)
                if (changed[v]) keep_four(level.weights[v], kept, first_fresh);
        }
    }

    Result<void> weigh() {
        for (const PlacedChain& chain : placed_) out_.taken.push_back({chain.spec->id, {}, {}});
        if (fresh_names_.empty())
            for (const avatar::Level& level : avatar_.levels) count(weights_of(level));
        const auto in_skins = joints_in_skins(out_.document, avatar_, fresh_names_);
        for (LevelMesh& level : *levels_) {
            std::vector<bool> changed(level.positions.size(), false);
            for (const Group& each : groups_)
                if (!each.done) weigh_group(each, level, changed);
            count(level.weights);
            const Result<void> wrote = write_weights(out_.document, level, changed, in_skins);
            if (!wrote) return wrote;
        }
        for (const TakenVertices& taken : out_.taken)
            if (taken.vertices.empty() || taken.vertices.front() == 0)
                return refused("its selection takes no vertex of the nearest level", taken.chain,
                               "move its joints to the surface that is to swing, or widen `select`");
        std::sort(out_.notes.begin(), out_.notes.end());
        out_.notes.erase(std::unique(out_.notes.begin(), out_.notes.end()), out_.notes.end());
        return {};
    }

    static std::vector<JointWeights> weights_of(const avatar::Level& level) {
        std::vector<JointWeights> all;
        for (const avatar::Surface& surface : level.surfaces)
            for (const avatar::Influences& influences : surface.influences) {
                JointWeights weights;
                for (const avatar::Influence& influence : influences)
                    if (influence.weight > 0)
                        weights.push_back({influence.joint, static_cast<double>(influence.weight)});
                all.push_back(std::move(weights));
            }
        return all;
    }

    void count(const std::vector<JointWeights>& vertices_of_level) {
        for (std::size_t c = 0; c < placed_.size(); ++c) {
            std::size_t vertices = 0;
            double sum = 0;
            for (const JointWeights& weights : vertices_of_level) {
                double own = 0;
                for (const JointWeight& w : weights)
                    if (std::find(placed_[c].joints.begin(), placed_[c].joints.end(), w.joint) !=
                        placed_[c].joints.end())
                        own += w.weight;
                vertices += own > 0 ? 1 : 0;
                sum += own;
            }
            out_.taken[c].vertices.push_back(vertices);
            out_.taken[c].weight.push_back(sum);
        }
    }

    Result<void> declare() {
        out_.manifest = merged_manifest(avatar_, spec_, placed_);
        for (Json& scene : out_.document.json["scenes"]) {
            Json& extras = scene["extras"];
            if (!extras.is_object()) extras = Json::object();
            extras["helixDynamics"] = out_.manifest;
        }
        return {};
    }

    /// The engine drops a faulty manifest whole, so none is written.
    Result<void> judge() {
        Findings findings = check_manifest(out_.manifest, "");
        if (!has_error(findings)) {
            const Result<avatar::Avatar> after = avatar::read_avatar(out_.document);
            if (!after) return after.error();
            const Findings more = check_against(out_.manifest, *after, "");
            findings.insert(findings.end(), more.begin(), more.end());
        }
        for (const Finding& finding : findings)
            if (finding.severity == Severity::error)
                return Error{ErrorKind::unconvertible,
                             (finding.where.name.empty() ? "" : finding.where.name + ": ") + finding.message,
                             finding.where.pointer, finding.fix};
        out_.findings = std::move(findings);
        return {};
    }

    static constexpr const char* kBefore = "apply the spec to the file as it was before its first application";

    const avatar::Avatar& avatar_;
    const ApplySpec& spec_;
    const PictureSource& pictures_;
    std::vector<Group> groups_;
    std::vector<PlacedChain> placed_;
    std::set<std::string> names_;
    std::vector<std::string> fresh_names_;
    Result<std::vector<LevelMesh>> levels_ = std::vector<LevelMesh>{};
    Applied out_;
};

}  // namespace

Result<Applied> apply(const gltf::Document& document, const avatar::Avatar& avatar, const ApplySpec& spec,
                      const PictureSource& pictures) try {
    return Application(document, avatar, spec, pictures).run();
} catch (const Json::exception& exception) {
    return Error{ErrorKind::malformed, std::string("the file's structure is broken: ") + exception.what(), "",
                 "run `helixavatar preflight` for the whole list"};
}

}  // namespace helixavatar::dynamics
