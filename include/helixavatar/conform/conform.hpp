// SPDX-License-Identifier: MIT
// Any mapped humanoid on the canonical skeleton, in the canonical rest pose, its skin re-posed to fit.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/avatar/bone_map.hpp>
#include <helixavatar/base/result.hpp>
#include <helixavatar/skeleton/skeleton.hpp>

namespace helixavatar::conform {

struct ConformOptions {
    std::optional<double> height;       ///< metres; otherwise kept, or resolved by unit when no person has it
    std::optional<double> yaw_degrees;  ///< turn about +Y in place of the measured one
    bool keep_aux = false;              ///< keep weighted unmapped joints as auxiliary joints
    std::vector<int> always_keep;       ///< source joints that stay auxiliary whatever keep_aux says (VRM spring bones)
    bool share_twist = true;            ///< spread limb weight onto twist joints the source does not have
    bool short_body_fix = true;
    bool accept_pose = false;  ///< convert rest poses that look like a wrong rig
};

/// The character's axes in the file's space; see rig::Frame, whose vectors these are.
struct SourceFrame {
    Vec3 up = Vec3::UnitY();
    Vec3 forward = Vec3::UnitZ();
};

struct UnmappedJoint {
    std::string source;
    double weight_share = 0;  ///< of all skin weight of the body, 0..1
    std::string merged_into;  ///< canonical (or auxiliary) joint
};

struct AimedJoint {
    std::string canonical;
    double degrees = 0;  ///< how far its rest direction was turned
};

/// The receipt's `transforms`, `unmapped` and proof sections.
struct ConformReport {
    double yaw_degrees = 0;
    double scale = 1;
    Vec3 translation = Vec3::Zero();        ///< metres, after turn and scale, of what no joint turned
    std::string source_pose;                ///< "T", "A" or "other"
    double source_arm_degrees[2] = {0, 0};  ///< left, right upper arm from straight down in the source
    int joints_rebuilt = 0;
    std::vector<AimedJoint> aimed;  ///< joints turned by more than 0.01 degrees
    double max_aim_degrees = 0;
    double max_rest_deviation_degrees = 0;      ///< of the result from the table
    std::vector<UnmappedJoint> unmapped;        ///< whose skin weight went elsewhere, or that stay auxiliary
    std::vector<std::string> controls;          ///< skin joints that nothing maps to and that hold no skin (IK, ends)
    double edges_kept_share = 1;                ///< edges that keep their length within 0.8..1.25
    std::vector<std::string> stretched_joints;  ///< joints that own most of the others
    double flipped_share = 0;                   ///< triangles turned over
    double height = 0, pelvis_height = 0, foot_height = 0, shoulder_width = 0,
           leg_ratio = 0;  ///< metres; ratio of contract §4
    bool short_body_fixed = false;
    std::vector<std::string> warnings;
    std::map<int, std::string> kept_aux;  ///< source joint index → auxiliary joint name in the result
};

/// How the source became the result, for what has to follow (animations).
struct Passage {
    Quat upright = Quat::Identity();  ///< turns the file's space into the character's, before anything was re-posed
    double scale = 1;                 ///< from the file's units to the result's metres
    std::vector<Quat> turns;          ///< of each canonical joint's skin from the source pose to the canonical one
    std::map<int, int> follows;       ///< canonical joint that each kept auxiliary joint (source index) turned with
};

struct ConformOutput {
    /// Joints: the canonical ones in skeleton order (68 of the skin, the 8 helpers among them before their knuckles),
    /// then auxiliary ones; levels as given, at most four influences a vertex.
    avatar::Avatar avatar;
    ConformReport report;
    Passage passage;
};

/// Works on every level of `source`. Requires map.source() ≥ 0 for rig::required_joints(). Pure: same input, same
/// output. Errors: unconvertible when the rest pose can be no person's (joints and angles named) unless accept_pose.
Result<ConformOutput> conform(avatar::Avatar source, const avatar::BoneMap& map, const SourceFrame& frame,
                              const skeleton::Skeleton& canonical, const ConformOptions& options = {});

}  // namespace helixavatar::conform
