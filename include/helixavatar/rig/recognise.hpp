// SPDX-License-Identifier: MIT
// From any humanoid's joints to the canonical ones: names where they help, topology and geometry always.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/avatar/bone_map.hpp>
#include <helixavatar/base/result.hpp>
#include <helixavatar/skeleton/skeleton.hpp>

namespace helixavatar::rig {

/// How the character stands in the file's space, from several witnesses (hips, shoulders, toes, face, VRM version).
struct Frame {
    Vec3 up = Vec3::UnitY();
    Vec3 forward = Vec3::UnitZ();
    Vec3 left = Vec3::UnitX();  ///< up × forward
    struct Witness {
        std::string what;  ///< "toes", "hips", "headfront", "knees", "mesh feet", "vrm"
        Vec3 forward = Vec3::Zero();
    };
    std::vector<Witness> witnesses;
    std::vector<std::string> notes;  ///< disagreements, for the user
};

struct RecogniseOptions {
    std::map<std::string, std::string> overrides;  ///< canonical joint → source joint name, from --bone-map
    std::map<std::string, int> vrm_humanoid;       ///< VRM bone name → source joint; empty when the file is no VRM
    int vrm_version = -1;                          ///< 0 or 1; -1: no VRM
};

struct Recognition {
    avatar::BoneMap map;
    Frame frame;
};

/// Errors: usage (an override names an unknown joint), unconvertible (no humanoid; a required joint missing or
/// ambiguous) with the joint tree, the guess and a --bone-map template in the hint.
Result<Recognition> recognise(const avatar::Avatar& source, const skeleton::Skeleton& canonical,
                              const RecogniseOptions& options = {});

/// Reads a --bone-map file: {"upperarm_l": "L_UpArm", ...}. Errors: usage, naming the key.
Result<std::map<std::string, std::string>> parse_bone_map(std::string_view json_text,
                                                          const skeleton::Skeleton& canonical);

/// The joints that a conversion cannot do without: contract.md's publish and backend sets, less what can be placed.
const std::vector<std::string>& required_joints();

struct FamilyInfo {
    std::string key;         ///< "mixamo"
    std::size_t joints = 0;  ///< canonical joints that its table names
    std::string evidence;
};

/// The naming families compiled in, in the data file's order.
const std::vector<FamilyInfo>& families();

/// A node of a file as its family is told from it.
struct NodeName {
    std::string name;
    bool joint = true;  ///< of a skin, or above such a joint
};

/// The family that recognise() would give, without looking at geometry: key and confidence 0..1 ("unknown", 0 when none
/// fits). `nodes` are all of the scene, parents first; `vrm_version` 0 or 1 when the file has a humanoid map of its
/// own.
std::pair<std::string, double> guess_family(const std::vector<NodeName>& nodes, int vrm_version = -1);

}  // namespace helixavatar::rig
