// SPDX-License-Identifier: MIT
// helix/avatar-report@1; the shape is docs/report.schema.json.
#include <nlohmann/json.hpp>

#include <helixavatar/base/version.hpp>

#include "report/formats.hpp"

namespace helixavatar::report {
namespace {

using Json = nlohmann::ordered_json;

Json where_json(const Where& where) {
    return {{"pointer", clean(where.pointer)},
            {"name", clean(where.name)},
            {"scene", where.scene ? Json(*where.scene) : Json()}};
}

Json text_or_null(const std::string& text) {
    return text.empty() ? Json() : Json(clean(text));
}

Json finding_json(const Finding& finding) {
    const preflight::RuleInfo* rule = preflight::find_rule(finding.rule);
    Json out = {{"rule", finding.rule},
                {"class", rule ? Json(preflight::to_string(rule->klass)) : Json()},
                {"severity", to_string(finding.severity)},
                {"message", clean(finding.message)},
                {"where", where_json(finding.where)},
                {"measured", text_or_null(finding.measured)},
                {"limit", text_or_null(finding.limit)},
                {"unit", text_or_null(finding.unit)},
                {"fix", text_or_null(finding.fix)},
                {"count", finding.count}};
    Json more = Json::array();
    for (const Where& where : finding.more) more.push_back(where_json(where));
    out["more"] = std::move(more);
    return out;
}

Json measured_json(const preflight::Measured& m) {
    Json levels = Json::array();
    for (const auto& level : m.levels) {
        levels.push_back({{"scene", clean(level.scene)},
                          {"triangles", level.triangles},
                          {"drawCalls", level.draw_calls},
                          {"vertices", level.vertices}});
    }
    Json shares = Json::array();
    for (const auto& share : m.shares)
        shares.push_back({{"of", share.of}, {"what", clean(share.what)}, {"amount", share.amount}});
    Json savings = Json::array();
    for (const auto& saving : m.savings) {
        savings.push_back({{"of", saving.of},
                           {"action", clean(saving.action)},
                           {"amount", saving.amount},
                           {"enough", saving.enough}});
    }
    return {{"triangles", m.triangles},
            {"drawCalls", m.draw_calls},
            {"materials", m.materials},
            {"fileBytes", m.file_bytes},
            {"largestTextureEdge", m.largest_texture_edge},
            {"textureMemoryBytes", m.texture_memory_bytes},
            {"levels", levels},
            {"heightMetres", m.height},
            {"pelvisHeightMetres", m.pelvis_height},
            {"footHeightMetres", m.foot_height},
            {"legRatio", m.leg_ratio},
            {"shoulderWidthMetres", m.shoulder_width},
            {"armDegrees", {{"left", m.arm_degrees[0]}, {"right", m.arm_degrees[1]}}},
            {"skeletonYawDegrees", m.skeleton_yaw},
            {"geometryYawDegrees", m.geometry_yaw},
            {"skeletonFacing", clean(m.skeleton_facing)},
            {"geometryFacing", clean(m.geometry_facing)},
            {"shares", shares},
            {"savings", savings}};
}

}  // namespace

Json file_json(const Judged& judged, bool strict, const Json* own) {
    Json out = {{"file", clean(judged.file)}, {"verdict", passed(judged, strict) ? "pass" : "fail"}};
    Json findings = Json::array();
    if (!judged.outcome) {
        const Error& error = judged.outcome.error();
        out["findings"] = findings;
        out["error"] = {{"message", clean(error.message)},
                        {"where", text_or_null(error.where)},
                        {"hint", text_or_null(error.hint)}};
        return out;
    }
    for (const Finding& finding : judged.outcome->findings) findings.push_back(finding_json(finding));
    out["findings"] = std::move(findings);
    if (own) {
        if (!own->is_null()) out["dynamics"] = *own;
        return out;
    }
    out["passed"] = judged.outcome->passed;
    out["measured"] = measured_json(judged.outcome->measured);
    return out;
}

std::string print_json(const std::vector<Judged>& judged, const PrintOptions& options) {
    const Totals totals = total(judged, options.strict);
    Json files = Json::array();
    for (std::size_t i = 0; i < judged.size(); ++i) {
        const bool own = options.measured && i < options.measured->size();
        files.push_back(file_json(judged[i], options.strict, own ? &(*options.measured)[i] : nullptr));
    }
    const Json out = {{"contract", "helix/avatar-report@1"},
                      {"tool", {{"name", "helixavatar"}, {"version", std::string(version())}}},
                      {"command", options.command},
                      {"verdict", totals.failed ? "fail" : "pass"},
                      {"summary",
                       {{"files", totals.files},
                        {"errors", totals.errors},
                        {"warnings", totals.warnings},
                        {"notMeasured", totals.not_measured}}},
                      {"files", std::move(files)}};
    return out.dump(2) + "\n";
}

}  // namespace helixavatar::report
