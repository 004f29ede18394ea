// SPDX-License-Identifier: MIT
// VRM spring bones (0.x secondaryAnimation, 1.0 VRMC_springBone) as helix/dynamics@1 chains on the conformed avatar's
// auxiliary joints.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

namespace helixavatar::dynamics {

/// The source's springs and how its joints became the avatar's.
struct VrmSpring {
    int version = 0;                    ///< 0 or 1
    gltf::Json extension;               ///< extensions.VRM, or extensions.VRMC_springBone
    std::vector<avatar::Joint> joints;  ///< of the source, in its own space
    std::vector<int> node_to_joint;     ///< glTF node → index into `joints`, or -1
    std::map<int, std::string>
        bones;               ///< source joint → the avatar's joint: auxiliary ones and the mapped canonical ones
    double scale = 1;        ///< source metres → avatar metres
    double yaw_degrees = 0;  ///< turn about +Y that faced the source to +Z
};

struct VrmDynamics {
    std::optional<gltf::Json> manifest;  ///< nothing when no chain came out
    std::vector<std::string> notes;      ///< what was merged, cut or dropped and why, for the receipt
};

/// Source joints that springs move or aim at, ascending: what conforming has to keep as auxiliary joints. Bad indices
/// are left out.
std::vector<int> spring_joints(const VrmSpring& input);

/// Every vector comes from the conformed rest frames. Stiffness and drag become the stiffness and damping whose answer
/// to a step settles alike; gravity sags alike; a centre node becomes inertia; importance is the share of the surface
/// that a chain moves. Over the caps the chains that move the least surface go. The manifest passes check_manifest()
/// and has no error against the avatar. `conformed`: joints and LOD0's skin are read.
VrmDynamics dynamics_from_vrm(const VrmSpring& input, const avatar::Avatar& conformed);

/// The spring of one VRM joint in this contract's terms.
struct SpringFeel {
    double stiffness = 0;  ///< 0..1
    double damping = 0;    ///< 0..1
};

/// Matches the answer to a step. `stiffness` and `drag` as in VRM (stiffnessForce, dragForce), `length` of the bone in
/// metres. VRM's recurrence depends on the frame rate; 60 Hz is taken.
SpringFeel match_spring(double stiffness, double drag, double length);

/// rad/s of a stiffness, and back (reference text: ω = 2 + 38·t²); clamped to 0..1 on the way back.
double angular_frequency(double stiffness);
double stiffness_of(double angular_frequency);

}  // namespace helixavatar::dynamics
