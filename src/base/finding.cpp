// SPDX-License-Identifier: MIT
#include <helixavatar/base/finding.hpp>

#include <algorithm>
#include <map>
#include <tuple>

namespace helixavatar {

const char* to_string(Severity severity) {
    switch (severity) {
        case Severity::info:
            return "info";
        case Severity::warning:
            return "warning";
        case Severity::error:
            return "error";
        case Severity::not_measured:
            return "not-measured";
    }
    return "error";
}

bool has_error(const Findings& findings) {
    return std::any_of(findings.begin(), findings.end(),
                       [](const Finding& f) { return f.severity == Severity::error; });
}

Findings fold_repeats(Findings findings, std::size_t keep) {
    std::map<std::tuple<std::string, int, int, std::string>, std::size_t> first;
    Findings folded;
    for (Finding& finding : findings) {
        const auto key = std::make_tuple(finding.rule, static_cast<int>(finding.severity),
                                         finding.where.scene.value_or(-1), finding.message);
        const auto [at, is_new] = first.emplace(key, folded.size());
        if (is_new) {
            folded.push_back(std::move(finding));
            continue;
        }
        Finding& kept = folded[at->second];
        kept.count += finding.count;
        if (kept.more.size() < keep) kept.more.push_back(std::move(finding.where));
    }
    return folded;
}

}  // namespace helixavatar
