// SPDX-License-Identifier: MIT
#include <helixavatar/lod/repair.hpp>

#include <algorithm>
#include <map>
#include <set>

#include "sibling_levels.hpp"

namespace helixavatar::lod {

using gltf::Json;

namespace {

constexpr int kNone = -1;

const Json& empty_array() {
    static const Json none = Json::array();
    return none;
}

const Json& list(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_array() ? *found : empty_array();
}

/// An index that points into an array of `count`, else kNone.
int index_in(const Json& value, std::size_t count) {
    if (!value.is_number_integer()) return kNone;
    const auto index = value.get<long long>();
    return index >= 0 && static_cast<std::size_t>(index) < count ? static_cast<int>(index) : kNone;
}

int index_in(const Json& object, const char* key, std::size_t count) {
    const auto found = object.find(key);
    return found == object.end() ? kNone : index_in(*found, count);
}

/// Works on one document, scene by scene; a node belongs to the first scene that reaches it.
class Repair {
public:
    explicit Repair(const Json& json) : json_(json) {
        stand_ins_ = split_sibling_levels(json_);
        if (!stand_ins_.empty())
            changes.push_back("the levels that stood side by side in one scene became " +
                              std::to_string(stand_ins_.size()) + " scenes");
        owner_.assign(nodes().size(), kNone);
        parent_.assign(nodes().size(), kNone);
        for (std::size_t n = 0; n < nodes().size(); ++n)
            for (const int child : children(static_cast<int>(n)))
                if (parent_[child] == kNone) parent_[child] = static_cast<int>(n);
    }

    bool any_skin_in_a_scene() const {
        for (std::size_t s = 0; s < scenes().size(); ++s)
            for (const int n : reach(indices(scenes()[s], "nodes")))
                if (skin_of(n) != kNone) return true;
        return false;
    }

    void run() {
        for (std::size_t s = 0; s < scenes().size(); ++s) repair_scene(s);
    }

    Json take() { return std::move(json_); }
    std::vector<std::string> changes;

private:
    const Json& nodes() const { return list(json_, "nodes"); }
    const Json& scenes() const { return list(json_, "scenes"); }
    const Json& skins() const { return list(json_, "skins"); }
    Json& node(int n) { return json_["nodes"][static_cast<std::size_t>(n)]; }

    std::vector<int> indices(const Json& object, const char* key) const {
        std::vector<int> result;
        if (!object.is_object()) return result;
        for (const Json& value : list(object, key)) {
            const int index = index_in(value, nodes().size());
            if (index != kNone) result.push_back(index);
        }
        return result;
    }
    std::vector<int> children(int n) const { return indices(nodes()[static_cast<std::size_t>(n)], "children"); }

    /// The skin of a node that draws a mesh, or kNone.
    int skin_of(int n) const {
        const Json& object = nodes()[static_cast<std::size_t>(n)];
        if (!object.is_object() || !object.contains("mesh")) return kNone;
        return index_in(object, "skin", skins().size());
    }
    std::vector<int> joints_of(int skin) const { return indices(skins()[static_cast<std::size_t>(skin)], "joints"); }

    /// Every node at and below the roots, parents first, each once even when the file has cycles; those in `without`
    /// and what hangs from them left out.
    std::vector<int> reach(std::vector<int> roots, const std::map<int, int>& without = {}) const {
        std::vector<int> order;
        std::vector<bool> seen(nodes().size(), false);
        std::reverse(roots.begin(), roots.end());
        while (!roots.empty()) {
            const int n = roots.back();
            roots.pop_back();
            if (seen[n] || without.count(n) != 0) continue;
            seen[n] = true;
            order.push_back(n);
            const std::vector<int> below = children(n);
            roots.insert(roots.end(), below.rbegin(), below.rend());
        }
        return order;
    }

    /// Joints, and everything that leads to one or hangs from one, but no mesh or camera that is not itself on the way.
    std::set<int> skeleton_below(int root, const std::vector<int>& joints) const {
        std::set<int> keep;
        for (const int joint : joints)
            for (int n = joint; n != kNone && keep.insert(n).second;) n = n == root ? kNone : parent_[n];
        for (const int n : reach({root})) {
            const Json& object = nodes()[static_cast<std::size_t>(n)];
            const bool drawn = object.contains("mesh") || object.contains("camera");
            if (!drawn && n != root && keep.count(parent_[n]) != 0) keep.insert(n);
        }
        return keep;
    }

    int top_of(int n) const {
        std::set<int> seen;
        while (parent_[n] != kNone && seen.insert(n).second) n = parent_[n];
        return n;
    }

    /// Copies of `originals` at the end of the node list, linked among themselves; `copies` grows by original → copy.
    void copy_nodes(const std::vector<int>& originals, std::map<int, int>& copies, std::size_t scene) {
        for (const int n : originals) {
            copies[n] = static_cast<int>(nodes().size());
            const Json duplicate = node(n);
            json_["nodes"].push_back(duplicate);
            owner_.push_back(static_cast<int>(scene));
            parent_.push_back(kNone);
        }
        for (const int n : originals) {
            const int copy = copies[n];
            if (!node(copy).contains("children")) continue;
            Json linked = Json::array();
            for (const int child : children(n)) {
                const auto found = copies.find(child);
                if (found == copies.end()) continue;
                linked.push_back(found->second);
                parent_[found->second] = copy;
            }
            if (linked.empty())
                node(copy).erase("children");
            else
                node(copy)["children"] = std::move(linked);
        }
    }

    bool replace(Json& array, const std::map<int, int>& copies) const {
        bool changed = false;
        for (Json& value : array) {
            const auto found = copies.find(index_in(value, nodes().size()));
            if (found == copies.end()) continue;
            value = found->second;
            changed = true;
        }
        return changed;
    }

    /// The level that takes a nearer one's place in this scene; a copy of it where an earlier scene has it already.
    void stand_in(std::size_t s, std::map<int, int>& copies) {
        if (s >= stand_ins_.size()) return;
        for (const auto& [nearest, own] : stand_ins_[s]) {
            const std::vector<int> part = reach({own});
            if (owner_[own] != kNone) copy_nodes(part, copies, s);
            const auto copy = copies.find(own);
            copies[nearest] = copy == copies.end() ? own : copy->second;
            for (const int n : part)
                if (owner_[n] == kNone) owner_[n] = static_cast<int>(s);
        }
    }

    /// Nodes that an earlier scene has already are copied with all that hangs from them.
    void copy_shared_nodes(std::size_t s, std::map<int, int>& copies) {
        std::vector<int> shared;
        stand_in(s, copies);
        const std::vector<int> all = reach(indices(scenes()[s], "nodes"), copies);
        for (const int n : all) {
            if (owner_[n] == kNone)
                owner_[n] = static_cast<int>(s);
            else if (owner_[n] != static_cast<int>(s))
                shared.push_back(n);
        }
        if (shared.empty() && copies.empty()) return;
        copy_nodes(shared, copies, s);
        replace(json_["scenes"][s]["nodes"], copies);
        for (const int n : all)
            if (copies.count(n) == 0 && node(n).contains("children")) replace(node(n)["children"], copies);
    }

    /// A skin whose joints are not in the scene at all brings its skeleton along.
    void copy_missing_skeletons(std::size_t s, std::map<int, int>& copies) {
        std::map<int, std::vector<int>> missing;  // by top node
        for (const int n : reach(indices(scenes()[s], "nodes"))) {
            if (skin_of(n) == kNone) continue;
            for (const int joint : joints_of(skin_of(n)))
                if (owner_[joint] != static_cast<int>(s) && copies.count(joint) == 0)
                    missing[top_of(joint)].push_back(joint);
        }
        for (const auto& [top, joints] : missing) {
            const std::set<int> keep = skeleton_below(top, joints);
            std::vector<int> originals;
            for (const int n : reach({top}))
                if (keep.count(n) != 0 && copies.count(n) == 0) originals.push_back(n);
            copy_nodes(originals, copies, s);
            for (const int n : originals) {
                // A copied joint that draws something would draw it twice in this scene's stead.
                node(copies[n]).erase("mesh");
                node(copies[n]).erase("skin");
            }
            json_["scenes"][s]["nodes"].push_back(copies[top]);
        }
    }

    /// A skin that no earlier scene uses takes the scene's own joints; of the others the scene gets a copy.
    std::size_t give_skins(std::size_t s, const std::map<int, int>& copies) {
        std::map<int, int> given;
        for (const int n : reach(indices(scenes()[s], "nodes"))) {
            const int skin = skin_of(n);
            if (skin == kNone) continue;
            auto found = given.find(skin);
            if (found == given.end()) {
                const bool is_new = skin_owner_.emplace(skin, s).second;
                Json own = skins()[static_cast<std::size_t>(skin)];
                if (!own.contains("joints") || !replace(own["joints"], copies)) continue;
                const int root = index_in(own, "skeleton", nodes().size());
                if (root != kNone && copies.count(root) != 0) own["skeleton"] = copies.at(root);
                found = given.emplace(skin, is_new ? skin : static_cast<int>(skins().size())).first;
                if (is_new)
                    json_["skins"][static_cast<std::size_t>(skin)] = std::move(own);
                else
                    json_["skins"].push_back(std::move(own));
            }
            node(n)["skin"] = found->second;
        }
        return given.size();
    }

    void repair_scene(std::size_t s) {
        if (!scenes()[s].is_object()) return;
        std::map<int, int> copies;
        const std::size_t before = nodes().size();
        copy_shared_nodes(s, copies);
        copy_missing_skeletons(s, copies);
        const std::size_t own_skins = give_skins(s, copies), own_nodes = nodes().size() - before;
        if (own_nodes == 0 && own_skins == 0) return;
        changes.push_back("scene " + std::to_string(s) + " got its own copy of " + std::to_string(own_nodes) +
                          " nodes and " + std::to_string(own_skins) + (own_skins == 1 ? " skin" : " skins") +
                          " that it shared with an earlier scene");
    }

    Json json_;
    StandIns stand_ins_;
    std::map<int, std::size_t> skin_owner_;  ///< the first scene that uses the skin
    std::vector<int> owner_;                 ///< the scene that keeps the node
    std::vector<int> parent_;
};

}  // namespace

Result<RepairOutput> repair_lod_skeletons(const gltf::Document& document) {
    Repair repair(document.json);
    if (!repair.any_skin_in_a_scene())
        return Error{ErrorKind::unconvertible,
                     "no scene has a skinned mesh, so there is no skeleton to give it a copy of", "", ""};
    repair.run();
    RepairOutput out{document, repair.changes};
    if (!out.changes.empty()) out.document.json = repair.take();
    return out;
}

}  // namespace helixavatar::lod
