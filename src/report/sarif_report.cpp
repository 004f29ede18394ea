// SPDX-License-Identifier: MIT
// SARIF 2.1.0 (OASIS standard, 2020). What was not measured is a result of kind "open", whose level the standard fixes
// to "none".
#include <nlohmann/json.hpp>

#include <helixavatar/base/version.hpp>

#include "report/formats.hpp"

namespace helixavatar::report {
namespace {

using Json = nlohmann::ordered_json;

const char* level_of(Severity severity, bool strict) {
    switch (severity) {
        case Severity::error:
            return "error";
        case Severity::warning:
            return strict ? "error" : "warning";
        case Severity::info:
            return "note";
        case Severity::not_measured:
            return strict ? "error" : "none";
    }
    return "none";
}

/// A path as a relative or file URI.
std::string uri_of(const std::string& path) {
    static const char* hex = "0123456789ABCDEF";
    std::string out = !path.empty() && path[0] == '/' ? "file://" : "";
    for (const char c : path == "-" ? std::string("stdin") : path) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                           (byte >= 'a' && byte <= 'z') || std::string("/-._~").find(c) != std::string::npos;
        if (plain)
            out += c;
        else
            out += std::string("%") + hex[byte >> 4] + hex[byte & 15];
    }
    return out;
}

Json rules_json() {
    Json rules = Json::array();
    for (const preflight::RuleInfo& rule : preflight::catalogue()) {
        rules.push_back({{"id", rule.id},
                         {"shortDescription", {{"text", rule.title}}},
                         {"fullDescription", {{"text", rule.why}}},
                         {"help", {{"text", std::string(rule.fix)}}},
                         {"defaultConfiguration", {{"level", level_of(rule.severity, false)}}},
                         {"properties", {{"class", preflight::to_string(rule.klass)}, {"source", rule.source}}}});
    }
    return rules;
}

int rule_index(const std::string& id) {
    int index = 0;
    for (const preflight::RuleInfo& rule : preflight::catalogue()) {
        if (rule.id == id) return index;
        ++index;
    }
    return -1;
}

Json location(const std::string& file, const Where& where) {
    Json out = {{"physicalLocation", {{"artifactLocation", {{"uri", uri_of(file)}}}}}};
    Json logical = Json::object();
    if (!where.name.empty()) logical["name"] = clean(where.name);
    if (!where.pointer.empty()) logical["fullyQualifiedName"] = clean(where.pointer);
    if (!logical.empty()) out["logicalLocations"] = Json::array({logical});
    return out;
}

Json result_json(const std::string& file, const Finding& finding, bool strict) {
    Json out = {{"ruleId", finding.rule}};
    const int index = rule_index(finding.rule);
    if (index >= 0) out["ruleIndex"] = index;
    if (finding.severity == Severity::not_measured && !strict) out["kind"] = "open";
    out["level"] = level_of(finding.severity, strict);
    std::string text = clean(finding.message);
    if (!finding.fix.empty()) text += " Fix: " + clean(finding.fix);
    out["message"] = {{"text", text}};
    out["locations"] = Json::array({location(file, finding.where)});
    if (finding.count > 1) out["occurrenceCount"] = finding.count;
    Json properties = {{"severity", to_string(finding.severity)}};
    if (!finding.measured.empty()) properties["measured"] = clean(finding.measured);
    if (!finding.limit.empty()) properties["limit"] = clean(finding.limit);
    if (!finding.unit.empty()) properties["unit"] = clean(finding.unit);
    out["properties"] = std::move(properties);
    return out;
}

/// An input that could not be judged, as a finding of the rule that covers what a loader cannot read.
Finding as_finding(const Error& error) {
    Finding finding;
    finding.rule = "file-structure";
    finding.message = error.message;
    finding.fix = error.hint;
    return finding;
}

}  // namespace

std::string print_sarif(const std::vector<Judged>& judged, const PrintOptions& options) {
    Json results = Json::array();
    Json notifications = Json::array();
    for (const Judged& one : judged) {
        if (one.outcome) {
            for (const Finding& finding : one.outcome->findings)
                results.push_back(result_json(one.file, finding, options.strict));
            continue;
        }
        results.push_back(result_json(one.file, as_finding(one.outcome.error()), options.strict));
        notifications.push_back(
            {{"level", "error"}, {"message", {{"text", clean(one.file + ": " + one.outcome.error().message)}}}});
    }
    Json invocation = {{"executionSuccessful", notifications.empty()}};
    if (!notifications.empty()) invocation["toolExecutionNotifications"] = std::move(notifications);
    const Json driver = {{"name", "helixavatar"},
                         {"version", std::string(version())},
                         {"semanticVersion", std::string(version())},
                         {"rules", rules_json()}};
    const Json run = {{"tool", {{"driver", driver}}},
                      {"invocations", Json::array({invocation})},
                      {"columnKind", "unicodeCodePoints"},
                      {"results", std::move(results)}};
    const Json out = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                      {"version", "2.1.0"},
                      {"runs", Json::array({run})}};
    return out.dump(2) + "\n";
}

}  // namespace helixavatar::report
