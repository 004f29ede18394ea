// SPDX-License-Identifier: MIT
// JUnit XML as CI servers read it: a suite a file, a case a rule. What was not measured is a skipped case.
#include <map>
#include <vector>

#include "report/formats.hpp"

namespace helixavatar::report {
namespace {

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : clean(text)) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

struct Case {
    std::string rule, klass;
    std::vector<const Finding*> findings;
};

struct Suite {
    std::string xml;
    std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
};

std::string finding_line(const Finding& finding) {
    std::string out = std::string(to_string(finding.severity)) + ": " + finding.message;
    if (!finding.where.pointer.empty()) out += " (" + finding.where.pointer + ")";
    if (finding.count > 1) out += " and " + std::to_string(finding.count - 1) + " more";
    if (!finding.fix.empty()) out += " Fix: " + finding.fix;
    return out;
}

std::string class_of(const std::string& rule) {
    const preflight::RuleInfo* info = preflight::find_rule(rule);
    return info ? preflight::to_string(info->klass) : "other";
}

std::vector<Case> cases_of(const preflight::Report& report) {
    std::vector<Case> cases;
    std::map<std::string, std::size_t> at;
    for (const Finding& finding : report.findings) {
        const auto [found, is_new] = at.emplace(finding.rule, cases.size());
        if (is_new) cases.push_back({finding.rule, class_of(finding.rule), {}});
        cases[found->second].findings.push_back(&finding);
    }
    for (const std::string& rule : report.passed) cases.push_back({rule, class_of(rule), {}});
    return cases;
}

void add_case(const Case& one, const std::string& command, bool strict, Suite& suite) {
    ++suite.tests;
    suite.xml += "    <testcase classname=\"helixavatar." + escaped(command) + "." + escaped(one.klass) + "\" name=\"" +
                 escaped(one.rule) + "\"";
    if (one.findings.empty()) {
        suite.xml += "/>\n";
        return;
    }
    std::string lines;
    bool fails = false, unmeasured = false;
    for (const Finding* finding : one.findings) {
        lines += escaped(finding_line(*finding)) + "\n";
        fails |= finding->severity == Severity::error || (strict && finding->severity != Severity::info);
        unmeasured |= finding->severity == Severity::not_measured;
    }
    const std::string message = escaped(one.findings.front()->message);
    suite.xml += ">\n";
    if (fails) {
        ++suite.failures;
        suite.xml +=
            "      <failure type=\"" + escaped(one.rule) + "\" message=\"" + message + "\">" + lines + "</failure>\n";
    } else if (unmeasured) {
        ++suite.skipped;
        suite.xml += "      <skipped message=\"" + message + "\"/>\n";
    } else {
        suite.xml += "      <system-out>" + lines + "</system-out>\n";
    }
    suite.xml += "    </testcase>\n";
}

Suite suite_of(const Judged& judged, const PrintOptions& options) {
    Suite suite;
    if (judged.outcome) {
        for (const Case& one : cases_of(*judged.outcome)) add_case(one, options.command, options.strict, suite);
        return suite;
    }
    suite.tests = suite.errors = 1;
    const std::string message = escaped(judged.outcome.error().message);
    suite.xml = "    <testcase classname=\"helixavatar." + escaped(options.command) +
                ".file-validity\" name=\"read\">\n" + "      <error type=\"unreadable\" message=\"" + message + "\">" +
                escaped(judged.outcome.error().hint) + "</error>\n    </testcase>\n";
    return suite;
}

std::string counts(const Suite& suite) {
    return "tests=\"" + std::to_string(suite.tests) + "\" failures=\"" + std::to_string(suite.failures) +
           "\" errors=\"" + std::to_string(suite.errors) + "\" skipped=\"" + std::to_string(suite.skipped) + "\"";
}

}  // namespace

std::string print_junit(const std::vector<Judged>& judged, const PrintOptions& options) {
    Suite all;
    std::string suites;
    for (const Judged& one : judged) {
        const Suite suite = suite_of(one, options);
        suites +=
            "  <testsuite name=\"" + escaped(one.file) + "\" " + counts(suite) + ">\n" + suite.xml + "  </testsuite>\n";
        all.tests += suite.tests;
        all.failures += suite.failures;
        all.errors += suite.errors;
        all.skipped += suite.skipped;
    }
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"helixavatar " + escaped(options.command) +
           "\" " + counts(all) + ">\n" + suites + "</testsuites>\n";
}

}  // namespace helixavatar::report
