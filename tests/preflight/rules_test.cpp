// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include <catch2/catch.hpp>

#include "rule_cases.hpp"

using namespace helixavatar;
using namespace helixavatar::test;

namespace {

std::set<std::string> fired(const preflight::Report& report, bool measured) {
    std::set<std::string> rules;
    for (const Finding& finding : report.findings) {
        if ((finding.severity != Severity::not_measured) == measured) rules.insert(finding.rule);
    }
    return rules;
}

std::string joined(const std::set<std::string>& names) {
    std::string out;
    for (const std::string& name : names) out += name + " ";
    return out;
}

std::string messages(const preflight::Report& report) {
    std::string out;
    for (const Finding& finding : report.findings)
        out += finding.rule + ": " + finding.message + " | " + finding.where.pointer + "\n";
    return out;
}

/// Rules whose failing fixture is no avatar file but a broken container; they have tests of their own below.
const std::set<std::string> kContainerRules = {"file-container", "file-json", "file-buffer", "file-not-glb",
                                               "file-structure"};

}  // namespace

TEST_CASE("the good avatar passes every rule") {
    const preflight::Report report = judge_good();
    INFO(messages(report));
    CHECK(report.findings.empty());
    const std::set<std::string> passed(report.passed.begin(), report.passed.end());
    for (const preflight::RuleInfo& rule : preflight::catalogue()) {
        INFO(rule.id);
        CHECK(passed.count(std::string(rule.id)) == 1);
    }
}

TEST_CASE("each rule fires on the avatar that breaks it, and only it and what follows by nature") {
    for (const RuleCase& one : rule_cases()) {
        const preflight::Report report = judge_case(one);
        std::set<std::string> rules = fired(report, true);
        INFO(one.rule << ", " << one.how << ", fired: " << joined(rules) << "\n" << messages(report));
        CHECK(rules.erase(one.rule) == 1);
        for (const std::string& rule : one.follow) rules.erase(rule);
        const bool anything_follows = std::count(one.follow.begin(), one.follow.end(), "*") > 0;
        if (!anything_follows) CHECK(joined(rules) == "");
        if (!one.unmeasured) CHECK(joined(fired(report, false)) == "");
        CHECK(std::count(report.passed.begin(), report.passed.end(), one.rule) == 0);
    }
}

TEST_CASE("every rule of the catalogue has a failing fixture") {
    std::set<std::string> covered = kContainerRules;
    for (const RuleCase& one : rule_cases()) covered.insert(one.rule);
    for (const preflight::RuleInfo& rule : preflight::catalogue()) {
        INFO(rule.id);
        CHECK(covered.count(std::string(rule.id)) == 1);
    }
}

TEST_CASE("every finding has a rule of the catalogue, a message and a fix") {
    for (const RuleCase& one : rule_cases()) {
        for (const Finding& finding : judge_case(one).findings) {
            INFO(one.rule << " gave " << finding.rule << ": " << finding.message);
            CHECK(preflight::find_rule(finding.rule) != nullptr);
            CHECK(finding.message.size() > 10);
            if (finding.severity != Severity::not_measured) CHECK(finding.fix.size() > 10);
        }
    }
}

TEST_CASE("findings come errors first") {
    preflight::PreflightOptions options;
    options.declared_height = 1;
    options.budgets.triangles = 100;
    const preflight::Report report = judge_good(options);
    REQUIRE(report.findings.size() == 2);
    CHECK(report.findings[0].severity == Severity::error);
    CHECK(report.findings[1].severity == Severity::warning);
    CHECK(report.failed(false));
}

TEST_CASE("warnings and what was not measured fail only under strict") {
    preflight::PreflightOptions options;
    options.declared_height = 1;
    CHECK_FALSE(judge_good(options).failed(false));
    CHECK(judge_good(options).failed(true));
    preflight::PreflightOptions blind;
    blind.pixel_guards = false;
    const preflight::Report report = judge_good(blind);
    CHECK(report.count(Severity::not_measured) == 3);
    CHECK_FALSE(report.failed(false));
    CHECK(report.failed(true));
}

TEST_CASE("only, ignore and the gate profile choose the rules") {
    preflight::PreflightOptions options;
    options.budgets.triangles = 100;
    options.declared_height = 1;
    options.only = {"declared-height"};
    CHECK(joined(fired(judge_good(options), true)) == "declared-height ");
    options.only.clear();
    options.ignore = {"triangles"};
    CHECK(joined(fired(judge_good(options), true)) == "declared-height ");
    options.ignore.clear();
    options.profile = preflight::Profile::gate;
    CHECK(joined(fired(judge_good(options), true)) == "triangles ");
}

TEST_CASE("a rule id that does not exist is a usage error that names the nearest ones") {
    preflight::PreflightOptions options;
    options.only = {"triangle"};
    const Bytes glb = gltf::write_glb(to_document(good_avatar()));
    const Result<preflight::Report> report = preflight::judge(glb, "avatar.glb", options);
    REQUIRE_FALSE(report);
    CHECK(report.error().kind == ErrorKind::usage);
    CHECK(report.error().hint.find("triangles") != std::string::npos);
}

TEST_CASE("bytes that are no GLB are malformed, not a report") {
    const std::string text = "glTF but not really";
    const Result<preflight::Report> report = preflight::judge(as_bytes(text), "avatar.glb");
    REQUIRE_FALSE(report);
    CHECK(report.error().kind == ErrorKind::malformed);
    CHECK(report.error().where.find("avatar.glb") != std::string::npos);
}

TEST_CASE("a file cut anywhere is refused or judged, and never passes") {
    const Bytes glb = gltf::write_glb(to_document(good_avatar()));
    for (std::size_t length = 0; length < glb.size(); length += 1 + glb.size() / 97) {
        const Result<preflight::Report> report = preflight::judge(ByteView(glb.data(), length), "cut.glb");
        if (report) CHECK(report->failed(false));
    }
}

TEST_CASE("the page of all rules is what the catalogue prints") {
    const std::string path = std::string(HELIXAVATAR_SOURCE_DIR) + "/docs/rules/README.md";
    const std::string wanted = preflight::rules_markdown();
    if (std::getenv("HELIXAVATAR_BLESS")) std::ofstream(path, std::ios::binary) << wanted;
    std::ifstream file(path, std::ios::binary);
    const std::string found((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    INFO("run the test with HELIXAVATAR_BLESS=1 to rewrite docs/rules/README.md");
    CHECK((found == wanted));
    for (const preflight::RuleInfo& rule : preflight::catalogue()) {
        CHECK(found.find("### " + std::string(rule.id) + "\n") != std::string::npos);
        CHECK(preflight::explain(rule.id)->find(std::string(rule.why)) != std::string::npos);
    }
}
