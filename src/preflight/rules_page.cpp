// SPDX-License-Identifier: MIT
// The catalogue for people: the list, one rule's page, the page of all rules.
#include <algorithm>
#include <map>
#include <vector>

#include <helixavatar/preflight/rules.hpp>

namespace helixavatar::preflight {
namespace {

const char* introduction(RuleClass klass) {
    switch (klass) {
        case RuleClass::publish_gate:
            return "The platform refuses an upload that fails one of these errors.";
        case RuleClass::material_guard:
            return "Every publish runs these on the materials; they look at pixels and joint frames.";
        case RuleClass::runtime_contract:
            return "The platform accepts the file, and the engine then plays it wrong without a word.";
        case RuleClass::file_validity:
            return "What a glTF loader trips over.";
    }
    return "";
}

const char* title_of(RuleClass klass) {
    switch (klass) {
        case RuleClass::publish_gate:
            return "Publish gate";
        case RuleClass::material_guard:
            return "Material guards";
        case RuleClass::runtime_contract:
            return "Runtime contract";
        case RuleClass::file_validity:
            return "File validity";
    }
    return "";
}

std::string padded(std::string_view text, std::size_t width) {
    std::string out(text);
    out.resize(std::max(width, out.size()), ' ');
    return out;
}

/// Levenshtein distance, one row at a time.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replace = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replace});
        }
    }
    return row[b.size()];
}

std::string nearest_ids(std::string_view id) {
    std::vector<std::pair<std::size_t, std::string_view>> ranked;
    for (const RuleInfo& rule : catalogue()) ranked.emplace_back(distance(id.substr(0, 64), rule.id), rule.id);
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string out;
    for (std::size_t i = 0; i < 3 && i < ranked.size(); ++i) out += (i ? ", " : "") + std::string(ranked[i].second);
    return out;
}

}  // namespace

std::string rules_text() {
    std::size_t width = 0;
    for (const RuleInfo& rule : catalogue()) width = std::max(width, rule.id.size());
    std::string out;
    const RuleClass* last = nullptr;
    for (const RuleInfo& rule : catalogue()) {
        if (!last || *last != rule.klass) out += (last ? "\n" : "") + std::string(to_string(rule.klass)) + "\n";
        last = &rule.klass;
        out += "  " + padded(rule.id, width) + "  " + padded(to_string(rule.severity), 7) + "  " +
               std::string(rule.title) + "\n";
    }
    return out;
}

std::string rules_markdown() {
    std::string out =
        "# The rules of preflight\n\n"
        "Generated from the rule catalogue; `helixavatar preflight --list-rules` prints the list and\n"
        "`helixavatar preflight --explain ID` one rule. A rule ends as passed, as a finding, or as `not-measured` with "
        "the\n"
        "reason; `--strict` makes warnings and not-measured fail too. `--profile gate` leaves the runtime contract "
        "out.\n";
    const RuleClass* last = nullptr;
    for (const RuleInfo& rule : catalogue()) {
        if (!last || *last != rule.klass) {
            out += "\n## " + std::string(title_of(rule.klass)) + "\n\n" + introduction(rule.klass) + "\n";
        }
        last = &rule.klass;
        out += "\n### " + std::string(rule.id) + "\n\n" + std::string(to_string(rule.severity)) + " · " +
               std::string(rule.title) + "\n\n- **Why:** " + std::string(rule.why) + "\n- **Fix:** " +
               std::string(rule.fix) + "\n- **Source:** " + std::string(rule.source) + "\n";
    }
    return out;
}

Result<std::string> explain(std::string_view id) {
    const RuleInfo* rule = find_rule(id);
    if (!rule) {
        return Error{ErrorKind::usage,
                     "there is no rule named " + std::string(id),
                     {},
                     "the nearest are " + nearest_ids(id) + "; `helixavatar preflight --list-rules` lists all"};
    }
    return std::string(rule->id) + "  (" + to_string(rule->severity) + ", " + to_string(rule->klass) + ")\n\n  " +
           std::string(rule->title) + "\n\n  Why     " + std::string(rule->why) + "\n  Fix     " +
           std::string(rule->fix) + "\n  Source  " + std::string(rule->source) + "\n";
}

}  // namespace helixavatar::preflight
