// SPDX-License-Identifier: MIT
// For every rule one way of breaking it in an otherwise good avatar, and what else fires by nature.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <helixavatar/preflight/preflight.hpp>

#include "fixture_avatar.hpp"

namespace helixavatar::test {

struct RuleCase {
    std::string rule;
    std::string how;
    std::function<void(FixtureAvatar&)> edit;            ///< before the document is built
    std::function<void(gltf::Document&)> edit_document;  ///< after
    std::function<void(preflight::PreflightOptions&)> options;
    std::vector<std::string> follow;  ///< rules that fire by nature
    bool unmeasured = false;          ///< other rules may end not-measured
};

const std::vector<RuleCase>& rule_cases();

/// The judgement of a case; parse errors throw.
preflight::Report judge_case(const RuleCase& one);
preflight::Report judge_good(const preflight::PreflightOptions& options = {});

}  // namespace helixavatar::test
