// SPDX-License-Identifier: MIT
// Shape names as exporters write them: eyeBlink_L, head.EyeBlinkLeft, A14_Eye_Blink_Left are one name.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace helixavatar::face {

/// The name without case, separators and spelling of its side ("eyeBlink_L" and "EyeBlinkLeft": "eyeblink|l").
std::string name_key(std::string_view name);

/// Finds names by key, in full or behind an exporter's prefix ("Genesis8Female__", "blendShape1.", "head_", "A14_"). A
/// name in full wins over one behind a prefix, an earlier one over a later one. Nothing is found in the middle of a
/// word.
class NameIndex {
public:
    explicit NameIndex(const std::vector<std::string>& names);
    int find(std::string_view name) const;  ///< index into the names, or -1

private:
    std::map<std::string, int> exact_, full_, behind_prefix_;
};

}  // namespace helixavatar::face
