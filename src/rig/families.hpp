// SPDX-License-Identifier: MIT
// rig-families.json in memory: which name plays which canonical joint in which tool's rigs.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "rig/names.hpp"

namespace helixavatar::rig {

/// Word lists that names are read with; `_common.words` of the data file.
struct Words {
    std::vector<std::string> prefixes, control_prefixes;  ///< regular expressions, lower-case, at the name's start
    std::vector<std::string> ignored, left, right, not_main, twist, end, front;
};
const Words& words();

struct FamilyName {
    std::string role;  ///< canonical joint
    int rank = 0;      ///< 0: the family's first choice
    JointName name;
};

struct Family {
    std::string key;
    std::string evidence;
    std::vector<JointName> signature;
    std::vector<FamilyName> names;
    std::size_t joints = 0;     ///< canonical joints named
    bool by_extension = false;  ///< its names are keys of a file extension, not joint names
};
const std::vector<Family>& family_tables();

/// How well each family explains a rig's names, 0..1, in the order of family_tables(). `nodes`: every name of the file,
/// where a family may be known by more than its joints (a mesh's name).
std::vector<double> family_scores(const std::vector<JointName>& names, const std::vector<JointName>& nodes);

/// Key and score of the family that explains the names best ("unknown", 0 when none does); a file's own humanoid map
/// (`vrm_version` 0 or 1) goes before names.
std::pair<std::string, double> best_family(const std::vector<double>& scores, int vrm_version);

/// What names say of each joint: canonical joint → strength 0..1. The families that fit the rig best have the say.
using Votes = std::vector<std::map<std::string, double>>;
Votes name_votes(const std::vector<JointName>& names, const std::vector<double>& scores);

/// "thigh_l" → ("thigh", left); "pelvis" → ("pelvis", none).
std::pair<std::string, Side> split_role(const std::string& role);
std::string with_side(const std::string& base, Side side);

}  // namespace helixavatar::rig
