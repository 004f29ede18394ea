// SPDX-License-Identifier: MIT
// What a judgement says about an asset.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace helixavatar {

enum class Severity { info, warning, error, not_measured };

const char* to_string(Severity severity);

/// A place in the judged file.
struct Where {
    std::string pointer;       ///< JSON pointer into the glTF JSON ("/meshes/0/primitives/1"), or empty
    std::string name;          ///< the joint, mesh, material, image... as a creator calls it, or empty
    std::optional<int> scene;  ///< scene (= LOD) index
};

struct Finding {
    std::string rule;  ///< stable rule id, e.g. "draw-calls"
    Severity severity = Severity::error;
    Where where;
    std::string measured;     ///< the measured value as text ("15", "22.4"), or empty
    std::string limit;        ///< the limit as text, or empty
    std::string unit;         ///< unit of both ("triangles", "degrees", "bytes"), or empty
    std::string message;      ///< one line: what is wrong here and why it matters
    std::string fix;          ///< what the creator can do; empty: the rule's general fix
    std::size_t count = 1;    ///< how many places this finding stands for
    std::vector<Where> more;  ///< the first few further places when count > 1
};

using Findings = std::vector<Finding>;

/// True when a finding of error severity is among them.
bool has_error(const Findings& findings);

/// Folds findings of equal rule, severity, scene and message into one with a count and the first `keep` places.
/// The order of first appearance is kept.
Findings fold_repeats(Findings findings, std::size_t keep = 4);

}  // namespace helixavatar
