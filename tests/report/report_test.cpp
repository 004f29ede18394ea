// SPDX-License-Identifier: MIT
#include <fstream>
#include <iterator>
#include <set>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <helixavatar/report/report.hpp>

using namespace helixavatar;
using Json = nlohmann::json;

namespace {

Finding finding(const std::string& rule, Severity severity, const std::string& message) {
    Finding out;
    out.rule = rule;
    out.severity = severity;
    out.message = message;
    out.where = {"/meshes/0", "Body", 0};
    out.measured = "15";
    out.limit = "12";
    out.unit = "draw calls";
    out.fix = "Merge <two> materials & \"one\" mesh: 100%";
    return out;
}

std::vector<report::Judged> mixed() {
    preflight::Report good;
    good.file = "good.glb";
    good.passed = {"triangles", "draw-calls"};
    preflight::Report bad;
    bad.file = "bad one,1.glb";
    bad.findings = {finding("draw-calls", Severity::error, "15 draw calls\nand more"),
                    finding("lod-count", Severity::warning, "one scene"),
                    finding("normal-map", Severity::not_measured, "no decoder"),
                    finding("rest-frames", Severity::not_measured, "no decoder")};
    bad.findings[0].count = 7;
    bad.findings[0].more = {{"/meshes/1", "FaceMesh", 0}};
    bad.passed = {"triangles"};
    bad.measured.shares = {{"draw-calls", "material Skin", 9}};
    bad.measured.savings = {{"draw-calls", "merge 2 materials: -3 draw calls", 3, true}};
    return {{"good.glb", good},
            {"bad one,1.glb", bad},
            {"cut.glb", Error{ErrorKind::malformed, "the file ends early", "cut.glb", "download it again"}}};
}

std::string printed(report::Format format, bool strict = false) {
    report::PrintOptions options;
    options.format = format;
    options.strict = strict;
    return report::print(mixed(), options);
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// The parts of JSON Schema that docs/report.schema.json uses: $ref, type, const, enum, required, properties,
/// additionalProperties, items, minimum, minLength.
class Schema {
public:
    explicit Schema(Json root) : root_(std::move(root)) {}

    std::string fault(const Json& value) const { return fault(value, root_, ""); }

private:
    static bool is_type(const Json& value, const std::string& type) {
        if (type == "object") return value.is_object();
        if (type == "array") return value.is_array();
        if (type == "string") return value.is_string();
        if (type == "integer") return value.is_number_integer();
        if (type == "boolean") return value.is_boolean();
        return type == "null" && value.is_null();
    }

    std::string fault(const Json& value, const Json& schema, const std::string& at) const {
        if (schema.contains("$ref"))
            return fault(value, root_.at(Json::json_pointer(schema["$ref"].get<std::string>().substr(1))), at);
        if (schema.contains("const") && value != schema["const"]) return at + " is not the constant";
        if (schema.contains("enum") &&
            std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
            return at + " is none of the enum";
        if (schema.contains("type")) {
            const Json types = schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]});
            bool fits = false;
            for (const Json& type : types) fits |= is_type(value, type.get<std::string>());
            if (!fits) return at + " has the wrong type";
        }
        if (schema.contains("minimum") && value.is_number() && value < schema["minimum"]) return at + " is too small";
        if (schema.contains("minLength") && value.is_string() && value.get<std::string>().size() < schema["minLength"])
            return at + " is too short";
        return value.is_object()  ? object_fault(value, schema, at)
               : value.is_array() ? array_fault(value, schema, at)
                                  : "";
    }

    std::string object_fault(const Json& value, const Json& schema, const std::string& at) const {
        for (const Json& key : schema.value("required", Json::array())) {
            if (!value.contains(key.get<std::string>())) return at + " lacks " + key.get<std::string>();
        }
        const Json properties = schema.value("properties", Json::object());
        for (const auto& entry : value.items()) {
            if (properties.contains(entry.key())) {
                const std::string below = fault(entry.value(), properties[entry.key()], at + "/" + entry.key());
                if (!below.empty()) return below;
            } else if (schema.contains("additionalProperties")) {
                return at + " has an unknown " + entry.key();
            }
        }
        return "";
    }

    std::string array_fault(const Json& value, const Json& schema, const std::string& at) const {
        if (!schema.contains("items")) return "";
        for (std::size_t i = 0; i < value.size(); ++i) {
            const std::string below = fault(value[i], schema["items"], at + "/" + std::to_string(i));
            if (!below.empty()) return below;
        }
        return "";
    }

    Json root_;
};

Schema published_schema() {
    std::ifstream file(std::string(HELIXAVATAR_SOURCE_DIR) + "/docs/report.schema.json");
    return Schema(Json::parse(file));
}

}  // namespace

TEST_CASE("the JSON report has the published shape") {
    const Json report = Json::parse(printed(report::Format::json));
    const Schema schema = published_schema();
    CHECK(schema.fault(report) == "");
    CHECK(report["contract"] == "helix/avatar-report@1");
    CHECK(report["verdict"] == "fail");
    CHECK(report["summary"] == Json({{"files", 3}, {"errors", 2}, {"warnings", 1}, {"notMeasured", 2}}));
    CHECK(report["files"][0]["verdict"] == "pass");
    CHECK(report["files"][1]["findings"][0]["rule"] == "draw-calls");
    CHECK(report["files"][1]["findings"][0]["class"] == "publish-gate");
    CHECK(report["files"][1]["findings"][0]["where"] ==
          Json({{"pointer", "/meshes/0"}, {"name", "Body"}, {"scene", 0}}));
    CHECK(report["files"][1]["findings"][2]["severity"] == "not-measured");
    CHECK(report["files"][2]["error"]["message"] == "the file ends early");
    Json wrong = report;
    wrong["files"][0]["verdict"] = "maybe";
    CHECK(schema.fault(wrong) != "");
    wrong = report;
    wrong["extra"] = 1;
    CHECK(schema.fault(wrong) != "");
}

TEST_CASE("strict changes the verdict of a file with warnings only") {
    preflight::Report report;
    report.findings = {finding("lod-count", Severity::warning, "one scene")};
    for (const bool strict : {false, true}) {
        report::PrintOptions options;
        options.format = report::Format::json;
        options.strict = strict;
        const Json json = Json::parse(report::print({{"a.glb", report}}, options));
        CHECK(json["verdict"] == (strict ? "fail" : "pass"));
        CHECK(json["files"][0]["verdict"] == json["verdict"]);
    }
}

TEST_CASE("the text report has one verdict line a file, errors first, and folds what was not measured") {
    const std::string text = printed(report::Format::text);
    INFO(text);
    CHECK(has(text, "PASS  good.glb  0 errors, 0 warnings, 0 not measured"));
    CHECK(has(text, "FAIL  bad one,1.glb  1 error, 1 warning, 2 not measured"));
    CHECK(has(text, "FAIL  cut.glb  cannot be judged"));
    CHECK(has(text, "download it again"));
    CHECK(text.find("draw-calls") < text.find("lod-count"));
    CHECK(has(text, "and 5 more places"));
    CHECK(has(text, "2 rules"));
    CHECK(has(text, "no decoder: normal-map, rest-frames"));
    CHECK(has(text, "draw calls, by level and material"));
    CHECK(has(text, "(enough)"));
    CHECK(has(text, "FAIL  3 files, 2 failed: 2 errors, 1 warning, 2 not measured"));
    CHECK_FALSE(has(text, "\x1b["));
    report::PrintOptions colored;
    colored.color = true;
    CHECK(has(report::print(mixed(), colored), "\x1b[1;31mFAIL"));
}

TEST_CASE("a raw rig reads as one sentence") {
    preflight::Report report;
    Finding rig = finding("skeleton", Severity::error,
                          "This is a Mixamo rig: run `helixavatar import a.glb -o NAME.web.glb` first.");
    rig.unit = "rig";
    report.findings = {rig, finding("influences", Severity::error, "eight influences")};
    const std::string text = report::print({{"a.glb", report}}, {});
    CHECK(has(text, "This is a Mixamo rig"));
    CHECK_FALSE(has(text, "eight influences"));
    CHECK(has(text, "influences"));
    report::PrintOptions all;
    all.verbose = true;
    CHECK(has(report::print({{"a.glb", report}}, all), "eight influences"));
}

TEST_CASE("SARIF names every rule once and each result's rule by its index") {
    const Json sarif = Json::parse(printed(report::Format::sarif));
    CHECK(sarif["version"] == "2.1.0");
    const Json& run = sarif["runs"][0];
    const Json& rules = run["tool"]["driver"]["rules"];
    CHECK(rules.size() == preflight::catalogue().size());
    REQUIRE(run["results"].size() == 5);
    for (const Json& result : run["results"]) {
        CHECK(rules[result["ruleIndex"].get<std::size_t>()]["id"] == result["ruleId"]);
        CHECK_FALSE(result["message"]["text"].get<std::string>().empty());
        const std::set<std::string> levels = {"none", "note", "warning", "error"};
        CHECK(levels.count(result["level"].get<std::string>()) == 1);
        if (result.contains("kind")) CHECK(result["level"] == "none");
    }
    CHECK(run["results"][2]["kind"] == "open");
    CHECK(run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "bad%20one%2C1.glb");
    CHECK(run["results"][0]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "/meshes/0");
    CHECK(run["invocations"][0]["executionSuccessful"] == false);
}

TEST_CASE("JUnit has a suite a file and a case a rule, and escapes what is markup") {
    const std::string xml = printed(report::Format::junit);
    INFO(xml);
    CHECK(
        has(xml, "<testsuites name=\"helixavatar preflight\" tests=\"8\" failures=\"1\" errors=\"1\" skipped=\"2\">"));
    CHECK(has(xml, "<testcase classname=\"helixavatar.preflight.publish-gate\" name=\"triangles\"/>"));
    CHECK(has(xml, "<failure type=\"draw-calls\""));
    CHECK(has(xml, "&lt;two&gt; materials &amp; &quot;one&quot;"));
    CHECK(has(xml, "<skipped message=\"no decoder\"/>"));
    CHECK(has(printed(report::Format::junit, true), "failures=\"4\" errors=\"1\" skipped=\"0\""));
}

TEST_CASE("GitHub annotations are one line each with their data escaped") {
    const std::string text = printed(report::Format::github);
    INFO(text);
    CHECK(has(text,
              "::error file=bad one%2C1.glb,title=draw-calls::15 draw calls and more (/meshes/0) and 6 more Fix: Merge "
              "<two> materials & \"one\" mesh: 100%25\n"));
    CHECK(has(text, "::warning file=bad one%2C1.glb,title=lod-count::"));
    CHECK(has(text, "::error file=cut.glb,title=cannot be judged::the file ends early. Fix: download it again\n"));
    CHECK(has(printed(report::Format::github, true), "::error file=bad one%2C1.glb,title=lod-count::"));
}

TEST_CASE("names from files cannot break a report") {
    preflight::Report report;
    report.findings = {finding("weights", Severity::error, std::string("a\x01\xff\xfe\xed\xa0\x80z\n::error::x"))};
    report.findings[0].where.name = "\x1b[31mred";
    for (const report::Format format : {report::Format::text, report::Format::json, report::Format::sarif,
                                        report::Format::junit, report::Format::github}) {
        report::PrintOptions options;
        options.format = format;
        const std::string text = report::print({{"a\xff.glb", report}}, options);
        CHECK_FALSE(has(text, "\x1b"));
        CHECK_FALSE(has(text, "\xff"));
        CHECK_FALSE(has(text, "\x01"));
        CHECK_FALSE(has(text, "\n::error::x"));
        if (format == report::Format::json || format == report::Format::sarif) CHECK_NOTHROW(Json::parse(text));
    }
}

TEST_CASE("a format that does not exist is a usage error that lists them") {
    CHECK(*report::parse_format("sarif") == report::Format::sarif);
    const Result<report::Format> unknown = report::parse_format("xml");
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().kind == ErrorKind::usage);
    CHECK(has(unknown.error().hint, "junit"));
}

TEST_CASE("a judgement that went through JSON prints the same in every format") {
    std::vector<report::Judged> back;
    for (const report::Judged& one : mixed()) {
        const auto unpacked = report::unpack(nlohmann::ordered_json::parse(report::pack(one, false).dump()));
        REQUIRE(unpacked);
        back.push_back(*unpacked);
        if (!one.outcome) CHECK(unpacked->outcome.error().kind == one.outcome.error().kind);
    }
    for (const report::Format format : {report::Format::text, report::Format::json, report::Format::sarif,
                                        report::Format::junit, report::Format::github}) {
        report::PrintOptions options;
        options.format = format;
        options.verbose = true;
        CHECK(report::print(back, options) == report::print(mixed(), options));
    }
    CHECK_FALSE(report::unpack(nlohmann::ordered_json::object()));
}
