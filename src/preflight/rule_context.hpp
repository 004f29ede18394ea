// SPDX-License-Identifier: MIT
// What a rule sees, and how it says what it found.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/base/finding.hpp>
#include <helixavatar/gltf/document.hpp>
#include <helixavatar/preflight/preflight.hpp>
#include <helixavatar/preflight/rules.hpp>
#include <helixavatar/skeleton/skeleton.hpp>
#include <helixavatar/texture/pixel_statistics.hpp>

#include "preflight/facts.hpp"

namespace helixavatar::preflight {

struct RuleContext {
    const gltf::Document& document;  ///< the record as it was read
    const gltf::Document&
        plain;  ///< decompressed; the record itself where nothing is compressed or nothing can be read
    std::size_t file_bytes;
    const std::string& file;  ///< as the user named it
    const Facts& facts;
    const PreflightOptions& options;
    const skeleton::Skeleton& skeleton;
    const Findings& structure;  ///< what gltf::check_structure() found
    /// The avatar as values, read on first use; null when it cannot be read, with the reason.
    std::function<const avatar::Avatar*(std::string& why_not)> avatar;
    /// Pixel statistics of an image, decoded on first use.
    std::function<const Result<texture::PixelStatistics>&(int image)> pixels;
};

/// Collects what one rule finds. A rule that adds nothing has passed.
class Outcome {
public:
    explicit Outcome(const RuleInfo& rule) : rule_(rule) {}

    const RuleInfo& rule() const { return rule_; }

    /// A failure at the rule's own severity. The reference stays good until the next call.
    Finding& fail(Where where, std::string message) {
        return add(rule_.severity, std::move(where), std::move(message));
    }
    /// A failure that is milder than the rule's usual one.
    Finding& note(Severity severity, Where where, std::string message) {
        return add(severity, std::move(where), std::move(message));
    }
    Finding& not_measured(std::string reason, Where where = {}) {
        return add(Severity::not_measured, std::move(where), std::move(reason));
    }
    /// A finding that another layer made, under this rule's id.
    void adopt(Finding finding);

    bool empty() const { return findings_.empty(); }
    Findings take() { return std::move(findings_); }

private:
    Finding& add(Severity severity, Where where, std::string message);

    const RuleInfo& rule_;
    Findings findings_;
};

using Check = void (*)(const RuleContext&, Outcome&);

struct Rule {
    RuleInfo info;
    Check check;
};

/// The whole table: every rule beside its check, in catalogue order.
std::span<const Rule> rule_table();

/// True when geometry was measured; else the rule is marked as not measured, with the reason.
bool geometry_known(const RuleContext& context, Outcome& outcome);

/// As geometry_known(), and LOD0 has a skin.
bool skeleton_known(const RuleContext& context, Outcome& outcome);

/// As skeleton_known(), and LOD0 has these joints; `joints` receives their nodes in the same order.
bool joints_known(const RuleContext& context, Outcome& outcome, const std::vector<std::string>& names,
                  std::vector<int>& joints);

Where at_node(const Facts& facts, int node, std::optional<int> scene = {});
Where at_scene(const Facts& facts, std::size_t scene);

}  // namespace helixavatar::preflight
