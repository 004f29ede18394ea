// SPDX-License-Identifier: MIT
// Skin weights as the engine reads them: four influences that sum to one.
#include "preflight/checks.hpp"
#include "preflight/json_access.hpp"
#include "preflight/wording.hpp"

namespace helixavatar::preflight {
namespace {

constexpr const char* kBadJointFix =
    "Export the mesh together with the skeleton that it is bound to: JOINTS_0 must index the skin's own joint list.";

void weight_fault(const WeightFaults& faults, std::size_t count, std::size_t first, const char* one, const char* many,
                  const std::string& what, Outcome& outcome, const char* fix = "") {
    if (count == 0) return;
    const Where where{faults.pointer, faults.mesh, faults.scene};
    Finding& finding = outcome.fail(where, plural(count, "vertex") + " of " + faults.mesh + " (of " +
                                               grouped(faults.vertices) + "; the first is vertex " +
                                               std::to_string(first) + ") " + (count == 1 ? one : many) + what);
    finding.measured = std::to_string(count);
    finding.limit = "0";
    finding.unit = "vertices";
    finding.fix = fix;
}

}  // namespace

void check_influences(const RuleContext& context, Outcome& outcome) {
    const Json& meshes = list(context.document.json, "meshes");
    for (std::size_t m = 0; m < meshes.size(); ++m) {
        const Json& primitives = list(meshes[m], "primitives");
        for (std::size_t p = 0; p < primitives.size(); ++p) {
            std::size_t sets = 0;
            for (const auto& attribute : member(primitives[p], "attributes").items()) {
                const std::string& name = attribute.key();
                if (name.rfind("JOINTS_", 0) == 0 && name != "JOINTS_0") ++sets;
            }
            if (sets == 0) continue;
            const std::string mesh = context.facts.mesh_label(static_cast<int>(m));
            const Where where{"/meshes/" + std::to_string(m) + "/primitives/" + std::to_string(p), mesh, {}};
            Finding& finding = outcome.fail(
                where, mesh + " has up to " + std::to_string(4 * (sets + 1)) +
                           " joint influences a vertex (JOINTS_1); the engine reads the first 4 and drops the rest, "
                           "so the surface tears where more were used.");
            finding.measured = std::to_string(4 * (sets + 1));
            finding.limit = "4";
            finding.unit = "influences";
        }
    }
}

void check_weights(const RuleContext& context, Outcome& outcome) {
    if (!geometry_known(context, outcome)) return;
    for (const WeightFaults& faults : context.facts.weight_faults) {
        weight_fault(
            faults, faults.off_sum, faults.first_off_sum, "has", "have",
            " weights that sum to " + fixed(faults.worst_sum, 4) +
                " at worst instead of 1: the surface is pulled toward the origin there, or moved too far, when the "
                "character moves.",
            outcome);
        weight_fault(
            faults, faults.unweighted, faults.first_unweighted, "has", "have",
            " no weight at all: the surface stays behind there, or flies to the origin, when the character moves.",
            outcome);
        weight_fault(faults, faults.negative, faults.first_negative, "has", "have", " a negative weight.", outcome);
        weight_fault(faults, faults.non_finite, faults.first_non_finite, "has", "have",
                     " a weight that is no number (NaN or infinite).", outcome);
        weight_fault(faults, faults.bad_joint, faults.first_bad_joint, "names", "name",
                     " a joint that the skin does not have.", outcome, kBadJointFix);
    }
}

}  // namespace helixavatar::preflight
