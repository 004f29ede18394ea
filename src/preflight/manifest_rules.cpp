// SPDX-License-Identifier: MIT
// The manifests in scene extras: helixDynamics and helixFace.
#include <helixavatar/dynamics/check.hpp>
#include <helixavatar/face/face.hpp>

#include "preflight/checks.hpp"
#include "preflight/json_access.hpp"
#include "preflight/wording.hpp"

namespace helixavatar::preflight {
namespace {

constexpr const char* kDynamicsWriter = "`helixavatar dynamics-apply` writes it from a spec.";
constexpr const char* kFaceWriter = "`helixavatar import` writes it (`--face-map FILE` names the shapes).";

const Json& manifest_of(const RuleContext& context, std::size_t scene, const char* key) {
    const Json& found = element(list(context.document.json, "scenes"), static_cast<int>(scene));
    return member(member(found, "extras"), key);
}

std::string manifest_pointer(std::size_t scene, const char* key) {
    return "/scenes/" + std::to_string(scene) + "/extras/" + key;
}

/// Calls `check` for LOD0's manifest and for every further one that is not a copy of it.
template <class Check>
void each_distinct_manifest(const RuleContext& context, const char* key, Check check) {
    for (std::size_t i = 0; i < context.facts.scenes.size(); ++i) {
        const Json& manifest = manifest_of(context, i, key);
        if (manifest.is_null()) continue;
        if (i > 0 && manifest == manifest_of(context, 0, key)) continue;
        check(manifest, static_cast<int>(i));
    }
}

void adopt_all(Findings findings, const char* key, const char* written_by, Outcome& outcome) {
    for (Finding& finding : findings) {
        // Most creators never saw the manifest: it is no part of a model that a modelling tool shows.
        if (finding.severity == Severity::error && !finding.fix.empty())
            finding.fix += std::string("; it stands in the GLB's JSON, ") + key +
                           " in the extras of every scene, where " + written_by;
        outcome.adopt(std::move(finding));
    }
}

}  // namespace

void check_no_dynamics(const RuleContext& context, Outcome& outcome) {
    for (std::size_t i = 0; i < context.facts.scenes.size(); ++i) {
        if (!list(manifest_of(context, i, "helixDynamics"), "chains").empty()) return;
    }
    outcome.fail({"/scenes/0/extras/helixDynamics", {}, 0},
                 "The file declares no dynamics chain: hair, cloth and tails will move like a mannequin's.");
}

void check_no_face(const RuleContext& context, Outcome& outcome) {
    for (std::size_t i = 0; i < context.facts.scenes.size(); ++i) {
        const Json& face = manifest_of(context, i, "helixFace");
        if (face.is_object() && !list(face, "channels").empty()) return;
    }
    outcome.fail({"/scenes/0/extras/helixFace", {}, 0},
                 "The file declares no face: in voice chat the mouth stays closed, and the eyes never blink.");
}

void check_dynamics(const RuleContext& context, Outcome& outcome) {
    each_distinct_manifest(context, "helixDynamics", [&](const Json& manifest, int scene) {
        const std::string pointer = manifest_pointer(scene, "helixDynamics");
        Findings strict = dynamics::check_manifest(manifest, pointer, scene);
        const bool parsed = !has_error(strict);
        adopt_all(std::move(strict), "helixDynamics", kDynamicsWriter, outcome);
        if (!parsed || scene > 0) return;
        std::string why_not;
        const avatar::Avatar* avatar = context.avatar(why_not);
        if (avatar)
            adopt_all(dynamics::check_against(manifest, *avatar, pointer), "helixDynamics", kDynamicsWriter, outcome);
        else
            outcome.not_measured("hair and cloth chains were not compared with the skeleton: " + why_not,
                                 {pointer, {}, scene});
    });
}

void check_face(const RuleContext& context, Outcome& outcome) {
    each_distinct_manifest(context, "helixFace", [&](const Json& manifest, int scene) {
        const std::string pointer = manifest_pointer(scene, "helixFace");
        std::string why_not;
        const avatar::Avatar* avatar = context.avatar(why_not);
        adopt_all(face::check_face(manifest, avatar, pointer, scene), "helixFace", kFaceWriter, outcome);
        if (!avatar)
            outcome.not_measured("face channels were not compared with the morph targets: " + why_not,
                                 {pointer, {}, scene});
    });
}

}  // namespace helixavatar::preflight
