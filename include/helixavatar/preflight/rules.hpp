// SPDX-License-Identifier: MIT
// The rule catalogue (contract.md §4): one table, from which the docs page, --list-rules, --explain and SARIF's rules
// come.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <helixavatar/base/finding.hpp>
#include <helixavatar/base/result.hpp>

namespace helixavatar::preflight {

enum class RuleClass { publish_gate, material_guard, runtime_contract, file_validity };

const char* to_string(RuleClass klass);  ///< "publish-gate", ...

struct RuleInfo {
    std::string_view id;  ///< stable, kebab-case
    Severity severity;    ///< of a failure
    RuleClass klass;
    std::string_view title;
    std::string_view why;     ///< what the platform or engine does when it fails
    std::string_view fix;     ///< what a creator can do
    std::string_view source;  ///< where the rule or number comes from
};

/// Every rule, sorted by class, then id.
std::span<const RuleInfo> catalogue();

/// The rule of that id, or null.
const RuleInfo* find_rule(std::string_view id);

/// The whole catalogue as aligned text, one line a rule under its class; what `preflight --list-rules` prints.
std::string rules_text();

/// docs/rules/README.md.
std::string rules_markdown();

/// One rule's page as text. Errors: usage, with the ids that come nearest.
Result<std::string> explain(std::string_view id);

}  // namespace helixavatar::preflight
