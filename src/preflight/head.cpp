// SPDX-License-Identifier: MIT
// What the first-person camera hides: the FaceMesh slice and the firstPersonHide list.
#include <algorithm>
#include <set>

#include "preflight/checks.hpp"
#include "preflight/json_access.hpp"
#include "preflight/wording.hpp"

namespace helixavatar::preflight {
namespace {

constexpr std::size_t kMaxHidden = 64;

const Json& hide_list(const RuleContext& context, std::size_t scene) {
    const Json& scenes = list(context.document.json, "scenes");
    return member(member(member(element(scenes, static_cast<int>(scene)), "extras"), "helixAvatar"), "firstPersonHide");
}

std::string hide_pointer(std::size_t scene) {
    return "/scenes/" + std::to_string(scene) + "/extras/helixAvatar/firstPersonHide";
}

bool is_face(const Facts& facts, int node) {
    return facts.nodes[node].name.find(avatar::kFaceMesh) != std::string::npos ||
           facts.meshes[facts.nodes[node].mesh].name.find(avatar::kFaceMesh) != std::string::npos;
}

/// Per-vertex attributes that a slice has to share with the body.
std::set<std::pair<std::string, int>> attributes(const Json& primitive) {
    std::set<std::pair<std::string, int>> out;
    const Json& found = member(primitive, "attributes");
    for (const auto& attribute : found.items()) out.emplace(attribute.key(), as_index(attribute.value()));
    return out;
}

/// Names of the attributes that the primitive owns although the body has the same part: the same material, or some
/// attribute in common. A part that lies in the head altogether (eyes, hair) has nobody to share with.
std::vector<std::string> owned_attributes(const Json& primitive, const std::vector<const Json*>& body) {
    const auto mine = attributes(primitive);
    std::vector<std::string> fewest;
    bool has_relative = false;
    for (const Json* other : body) {
        const auto theirs = attributes(*other);
        std::vector<std::string> owned;
        for (const auto& attribute : mine) {
            if (!theirs.count(attribute)) owned.push_back(attribute.first);
        }
        if (owned.empty()) return {};
        const bool relative =
            owned.size() < mine.size() || index_member(*other, "material") == index_member(primitive, "material");
        if (!relative) continue;
        if (!has_relative || owned.size() < fewest.size()) fewest = owned;
        has_relative = true;
    }
    return fewest;
}

void check_face_slices(const RuleContext& context, std::size_t level, Outcome& outcome) {
    const Facts& facts = context.facts;
    const Json& meshes = list(context.document.json, "meshes");
    std::vector<int> faces;
    std::vector<const Json*> body;
    for (const int node : facts.scenes[level].instances) {
        if (is_face(facts, node)) {
            faces.push_back(node);
            continue;
        }
        for (const Json& primitive : list(element(meshes, facts.nodes[node].mesh), "primitives"))
            body.push_back(&primitive);
    }
    if (faces.empty()) {
        outcome.fail(at_scene(facts, level), facts.scene_label(level) +
                                                 " has no FaceMesh: in first person the camera has no head to "
                                                 "hide and looks at the inside of the face.");
        return;
    }
    for (const int node : faces) {
        const Json& primitives = list(element(meshes, facts.nodes[node].mesh), "primitives");
        for (const Json& primitive : primitives) {
            const std::vector<std::string> owned = owned_attributes(primitive, body);
            if (owned.empty()) continue;
            Finding& finding =
                outcome.fail(at_node(facts, node, static_cast<int>(level)),
                             facts.node_label(node) + " of " + facts.scene_label(level) + " owns its " + listed(owned) +
                                 " instead of sharing the body's: "
                                 "the file carries these vertices twice, and an edit of one copy misses the other.");
            finding.measured = std::to_string(owned.size());
            finding.limit = "0";
            finding.unit = "attributes";
        }
    }
}

bool matches_a_mesh(const Facts& facts, const std::string& name) {
    return std::any_of(facts.instances.begin(), facts.instances.end(), [&](int node) {
        return facts.nodes[node].name.find(name) != std::string::npos ||
               facts.meshes[facts.nodes[node].mesh].name.find(name) != std::string::npos;
    });
}

void check_names(const RuleContext& context, const Json& hidden, std::size_t scene, Outcome& outcome) {
    for (std::size_t i = 0; i < hidden.size(); ++i) {
        const Where where{hide_pointer(scene) + "/" + std::to_string(i), {}, static_cast<int>(scene)};
        if (!hidden[i].is_string() || hidden[i].get_ref<const std::string&>().empty()) {
            outcome.fail(where, "An entry of firstPersonHide is no name: it must be a non-empty string.");
            continue;
        }
        const std::string name = hidden[i].get<std::string>();
        if (matches_a_mesh(context.facts, name)) continue;
        std::vector<std::string> meshes;
        for (const int node : context.facts.instances) meshes.push_back(context.facts.node_label(node));
        std::sort(meshes.begin(), meshes.end());
        meshes.erase(std::unique(meshes.begin(), meshes.end()), meshes.end());
        Finding& finding = outcome.fail(where, "firstPersonHide names " + name +
                                                   ", but no mesh's name contains that: nothing is "
                                                   "hidden. The meshes are " +
                                                   listed(meshes) + ".");
        finding.where.name = name;
    }
}

}  // namespace

void check_face_mesh(const RuleContext& context, Outcome& outcome) {
    for (std::size_t i = 0; i < context.facts.scenes.size(); ++i) check_face_slices(context, i, outcome);
}

void check_no_first_person_hide(const RuleContext& context, Outcome& outcome) {
    const std::size_t scenes = context.facts.scenes.size();
    for (std::size_t i = 0; i < scenes; ++i) {
        const Json& hidden = hide_list(context, i);
        if (!hidden.is_null() && !(hidden.is_array() && hidden.empty())) return;
    }
    outcome.fail({"/scenes/0/extras/helixAvatar", {}, 0},
                 "No scene lists what the first-person camera hides; the engine falls back "
                 "to FaceMesh, and a helmet or hair in front of the eyes stays in view.");
}

void check_first_person_hide(const RuleContext& context, Outcome& outcome) {
    const std::size_t scenes = context.facts.scenes.size();
    for (std::size_t i = 0; i < scenes; ++i) {
        const Json& hidden = hide_list(context, i);
        const Where where{hide_pointer(i), {}, static_cast<int>(i)};
        if (i > 0 && hidden != hide_list(context, 0)) {
            outcome
                .fail(where, "firstPersonHide of " + context.facts.scene_label(i) +
                                 " differs from LOD0's: the head reappears, or "
                                 "stays hidden, when the LOD switches.")
                .fix = "Write the same list on every scene.";
            continue;
        }
        if (hidden.is_null()) continue;
        if (!hidden.is_array()) {
            outcome.fail(where, "firstPersonHide must be a list of mesh names.");
            continue;
        }
        if (hidden.size() > kMaxHidden) {
            Finding& finding = outcome.fail(
                where, "firstPersonHide has " + std::to_string(hidden.size()) + " names; 64 are read at most.");
            finding.measured = std::to_string(hidden.size());
            finding.limit = "64";
            finding.unit = "names";
        }
        if (i == 0) check_names(context, hidden, i, outcome);
    }
}

}  // namespace helixavatar::preflight
