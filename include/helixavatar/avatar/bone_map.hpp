// SPDX-License-Identifier: MIT
// Which source joint plays which canonical joint, and why.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helixavatar::avatar {

enum class MappedBy { name, topology, geometry, override_file, derived };

const char* to_string(MappedBy how);  ///< "name", "topology", "geometry", "override", "derived"

struct BoneMatch {
    std::string canonical;  ///< "upperarm_l"
    int source = -1;        ///< index into Avatar::joints; -1: no such joint, it is derived from its neighbours
    MappedBy how = MappedBy::derived;
    double confidence = 0;  ///< 0..1
    std::string evidence;   ///< "name LeftArm in mixamo; chain; geometry agrees", for --explain
    int runner_up = -1;     ///< next best source joint, or -1
    std::string runner_up_evidence;
};

struct BoneMap {
    std::string family;              ///< a key of rig-families.json, "vrm0", "unknown", ...
    double family_confidence = 0;    ///< 0..1
    std::vector<BoneMatch> matches;  ///< one for each canonical skin joint, in skeleton order
    std::vector<std::string> notes;  ///< disagreements of names and geometry, in words for the user

    const BoneMatch* find(std::string_view canonical) const;
    /// Source joint of a canonical joint, or -1.
    int source(std::string_view canonical) const;
};

}  // namespace helixavatar::avatar
