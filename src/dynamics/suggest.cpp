// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <helixavatar/dynamics/apply.hpp>
#include <helixavatar/skeleton/skeleton.hpp>

#include "dynamics/level_mesh.hpp"
#include "dynamics/loose_pieces.hpp"

namespace helixavatar::dynamics {
namespace {

constexpr double kShortHair = 0.12;  // metres; the text's bob has one joint, its long locks two
constexpr double kSideways = 0.05;   // metres from the middle at which hair is a side lock

constexpr double kOffPivot = 0.08;  // metres between a joint and the nearest of what it carries: no pivot of it

/// Canonical joints from which things swing; what hangs on hands and feet is held or worn.
bool carries_swinging_parts(std::string_view anchor) {
    constexpr std::array<std::string_view, 7> kStems{"pelvis",   "spine",    "neck", "head",
                                                     "clavicle", "upperarm", "thigh"};
    return std::find(kStems.begin(), kStems.end(), anchor.substr(0, anchor.find('_'))) != kStems.end();
}

/// A lone joint may be a helmet, a leaf or a prop; its name has to say that it swings.
bool name_swings(std::string name) {
    constexpr std::array<std::string_view, 28> kWords{
        "hair",   "pony",  "braid", "bang",  "lock",   "fringe", "ear",    "tail",   "skirt",  "dress",
        "cape",   "cloak", "coat",  "scarf", "sleeve", "hood",   "ribbon", "strap",  "tassel", "cloth",
        "breast", "bust",  "boob",  "glute", "butt",   "belly",  "jiggle", "antenna"};
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::any_of(kWords.begin(), kWords.end(),
                       [&](std::string_view word) { return name.find(word) != std::string::npos; });
}

std::string metres(double value) {
    return Json(std::round(value * 100) / 100).dump() + " m";
}

Json point_json(const Vec3& p) {
    Json out = Json::array();
    for (int i = 0; i < 3; ++i) out.push_back(std::round(p[i] * 1e4) / 1e4);
    return out;
}

/// What hangs where is what the shipped rows are told apart by.
std::string preset_for(const avatar::Avatar& avatar, const std::string& anchor, const Vec3& root, const Vec3& tip) {
    const double length = (tip - root).norm();
    const int head = avatar.find_joint("head");
    const double back = head >= 0 ? avatar.joints[static_cast<std::size_t>(head)].rest.translation.z() : 0;
    if (anchor == "head" || anchor.starts_with("neck")) {
        if (tip.y() > root.y()) return "short-ear";
        if (length < kShortHair) return "bob";
        return std::abs(root.x()) < kSideways && root.z() < back ? "back-hair-fused" : "side-lock";
    }
    if (anchor == "pelvis") return tip.z() < root.z() && std::abs(root.x()) < kSideways ? "ribbon" : "skirt-panel";
    if (anchor.starts_with("thigh") || anchor == "spine_01") return "skirt-panel";
    if (anchor.starts_with("spine"))
        return tip.z() > root.z() && length < 2 * kShortHair ? "breast" : "back-hair-fused";
    return "ribbon";
}

class Proposals {
public:
    explicit Proposals(const avatar::Avatar& avatar) : avatar_(avatar), children_(avatar.joints.size()) {
        for (std::size_t j = 0; j < avatar.joints.size(); ++j)
            if (avatar.joints[j].parent >= 0)
                children_[static_cast<std::size_t>(avatar.joints[j].parent)].push_back(static_cast<int>(j));
        taken();
        weights();
    }

    Suggestion run() {
        out_.spec = {{"contract", "helixavatar/dynamics-spec@1"}, {"chains", Json::array()}};
        for (std::size_t j = 0; j < avatar_.joints.size(); ++j)
            if (auxiliary(static_cast<int>(j)) && !auxiliary(avatar_.joints[j].parent)) bones(static_cast<int>(j));
        if (!avatar_.levels.empty()) pieces();
        return std::move(out_);
    }

private:
    const avatar::Joint& joint(int j) const { return avatar_.joints[static_cast<std::size_t>(j)]; }

    bool auxiliary(int j) const {
        return j >= 0 && joint(j).skin && skeleton::helix_humanoid().find(joint(j).name) < 0;
    }

    /// Bones that a chain moves already, or that the face turns: two writers on one bone is undefined.
    void taken() {
        if (avatar_.dynamics)
            if (const auto manifest = read_manifest(*avatar_.dynamics))
                for (const Chain& chain : manifest->chains)
                    for (const int j : walk(avatar_, chain).joints) taken_.insert(j);
        if (!avatar_.face || !avatar_.face->is_object() || !avatar_.face->contains("channels")) return;
        for (const Json& channel : (*avatar_.face)["channels"]) {
            const Json::json_pointer at("/bone/joint");
            if (!channel.is_object() || !channel.contains(at) || !channel[at].is_string()) continue;
            taken_.insert(avatar_.find_joint(channel[at].get<std::string>()));
        }
    }

    void weights() {
        weight_.assign(avatar_.joints.size(), 0);
        vertices_.assign(avatar_.joints.size(), 0);
        reach_.assign(avatar_.joints.size(), Vec3::Zero());
        nearest_.assign(avatar_.joints.size(), std::numeric_limits<double>::infinity());
        if (avatar_.levels.empty()) return;
        for (const avatar::Surface& surface : avatar_.levels[0].surfaces)
            for (std::size_t v = 0; v < surface.influences.size(); ++v)
                for (const avatar::Influence& influence : surface.influences[v]) {
                    if (!(influence.weight > 0) || influence.joint >= weight_.size()) continue;
                    weight_[influence.joint] += influence.weight;
                    ++vertices_[influence.joint];
                    const double far =
                        (surface.positions[v].cast<double>() - joint(influence.joint).rest.translation).norm();
                    nearest_[influence.joint] = std::min(nearest_[influence.joint], far);
                    reach_[influence.joint] += influence.weight * surface.positions[v].cast<double>();
                }
        for (std::size_t j = 0; j < reach_.size(); ++j)
            if (weight_[j] > 0) reach_[j] /= weight_[j];
    }

    /// A run of auxiliary joints; a fork ends it and each branch is a chain of its own.
    void bones(int root) {
        std::vector<int> run;
        int at = root;
        std::vector<int> next;
        while (true) {
            if (taken_.count(at) > 0) break;
            run.push_back(at);
            next.clear();
            for (const int child : children_[static_cast<std::size_t>(at)])
                if (auxiliary(child)) next.push_back(child);
            if (next.size() != 1) break;
            at = next.front();
        }
        if (next.size() > 1)
            for (const int branch : next) bones(branch);
        std::optional<Vec3> end;
        while (!run.empty() && !(weight_[static_cast<std::size_t>(run.back())] > 0)) {
            end = joint(run.back()).rest.translation;  // a leaf that carries nothing is the tip
            run.pop_back();
        }
        if (run.empty()) return;
        if (run.size() > kCaps.joints_per_chain) run.resize(kCaps.joints_per_chain);
        const Vec3 head = joint(run.front()).rest.translation, last = joint(run.back()).rest.translation;
        // Vertices lie around the middle of their bone, so the bone is about twice as long.
        const Vec3 tip = end ? *end : Vec3(last + 2 * (reach_[static_cast<std::size_t>(run.back())] - last));
        if (!((tip - last).norm() > 1e-3)) return;
        int anchor = joint(run.front()).parent;
        while (anchor >= 0 && auxiliary(anchor)) anchor = joint(anchor).parent;
        if (anchor < 0 || !swings(run, joint(anchor).name)) return;
        Json chain = {{"id", joint(run.front()).name}, {"bones", Json::array()}, {"tip", point_json(tip)}};
        std::size_t carried = 0;
        for (const int j : run) {
            chain["bones"].push_back(joint(j).name);
            carried += vertices_[static_cast<std::size_t>(j)];
        }
        const std::string preset = preset_for(avatar_, joint(anchor).name, head, tip);
        chain["preset"] = preset;
        out_.reasons.push_back(joint(run.front()).name + ": " + std::to_string(run.size()) +
                               " auxiliary joint(s) under " + joint(anchor).name + ", " + metres((tip - head).norm()) +
                               ", " + std::to_string(carried) + " weights on them; feel of " + preset);
        out_.spec["chains"].push_back(std::move(chain));
    }

    bool swings(const std::vector<int>& run, const std::string& anchor) const {
        return carries_swinging_parts(anchor) && (run.size() > 1 || name_swings(joint(run.front()).name)) &&
               nearest_[static_cast<std::size_t>(run.front())] < kOffPivot;
    }

    void pieces() {
        for (const LooseFall& fall : loose_falls(avatar_)) {
            const Vec3& root = fall.columns.front().front();
            const std::string preset = fall.kind == LooseFall::Kind::skirt
                                           ? "skirt-panel"
                                           : preset_for(avatar_, "head", root, fall.columns.front().back());
            const Json select = {{"mask", {{"shell", point_json(fall.inside)}, {"neighbourMajority", 0}}}};
            const std::string name = fall.kind == LooseFall::Kind::skirt ? "skirt" : "hair";
            const int number = ++numbers_[name];
            for (std::size_t c = 0; c < fall.columns.size(); ++c) {
                const std::vector<Vec3>& column = fall.columns[c];
                Json chain = {{"id", name + "-" + std::to_string(number) + "-" + std::to_string(c + 1)},
                              {"anchor", fall.anchor},
                              {"joints", Json::array()},
                              {"tip", point_json(column.back())},
                              {"preset", preset},
                              {"select", select}};
                for (std::size_t i = 0; i + 1 < column.size(); ++i) chain["joints"].push_back(point_json(column[i]));
                out_.spec["chains"].push_back(std::move(chain));
            }
            out_.reasons.push_back(name + "-" + std::to_string(number) + ": a loose piece of " +
                                   std::to_string(fall.vertices) + " vertices that hangs " + metres(fall.length) +
                                   " from " + fall.anchor + ", as " + std::to_string(fall.columns.size()) +
                                   " chain(s); feel of " + preset);
        }
    }

    const avatar::Avatar& avatar_;
    std::vector<std::vector<int>> children_;
    std::set<int> taken_;
    std::vector<double> weight_;
    std::vector<std::size_t> vertices_;
    std::vector<double> nearest_;  // metres from each joint to what it carries
    std::vector<Vec3> reach_;      // centroid of what each joint carries
    std::map<std::string, int> numbers_;
    Suggestion out_;
};

}  // namespace

Suggestion suggest(const avatar::Avatar& avatar) {
    return Proposals(avatar).run();
}

}  // namespace helixavatar::dynamics
