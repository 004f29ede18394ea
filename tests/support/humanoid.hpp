// SPDX-License-Identifier: MIT
// The humanoid builder: one person, emitted on any rig family, in any pose, scale and axes, whole or with chosen
// faults. The same options give the same bytes.
#pragma once

#include <optional>
#include <set>
#include <string>

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/gltf/document.hpp>

#include "support/rig.hpp"

namespace helixavatar::test {

enum class Units {
    metres,
    centimetres_under_node,  ///< data in centimetres below an armature node scaled by 0.01
    centimetres              ///< data in centimetres and nothing that says so
};

enum class UpAxis {
    y,
    z_under_node,  ///< Z-up data below an armature node turned by -90 degrees about X
    z              ///< Z-up data and nothing that says so
};

/// What is wrong with the file. Every fault breaks one thing of an otherwise good file.
enum class Fault {
    nan_position,         ///< the first vertex is not a number
    nan_joint,            ///< the head's node translation is 1e300: finite as a double, infinite as a float
    zero_quaternion,      ///< the neck's node has rotation 0 0 0 0
    zero_length_bone,     ///< the second spine joint sits on the first
    halved_weights,       ///< every weight is half of what it should be
    negative_weight,      ///< the first vertex has weights 1.5 and -0.5
    unweighted_vertices,  ///< the first hundred vertices have no weight at all
    joint_out_of_range,   ///< the first vertex names joint 60000
    missing_ibms,         ///< the skin has no inverse bind matrices
    short_ibms,           ///< one inverse bind matrix fewer than joints
    duplicate_names,      ///< left upper arm and left hand carry one name
    five_influences,      ///< JOINTS_1 and WEIGHTS_1 hold a fifth influence
    mirrored_body,        ///< the armature is scaled by -1 along X: left is right
    no_skin,              ///< a mesh without a skin, and the joints beside it
    shared_lod_skeleton,  ///< all levels use the first level's joints (needs lods > 1)
    lying_count,          ///< POSITION's accessor claims four billion vertices
    index_out_of_range,   ///< the first index points past the vertices
    node_cycle,           ///< the pelvis is a child of its own hand
    missing_normals,
    missing_uvs,
    swapped_textures  ///< the normal map is used as base colour and the other way round
};

struct HumanoidOptions {
    std::string family = "mixamo";  ///< one of rig_families()
    BodyPose pose = BodyPose::t;
    std::optional<BodyPose> node_pose;  ///< pose of the nodes where it is not the bind pose
    std::size_t triangles = 6000;       ///< 1000 to 1 000 000, met within 3 %
    std::optional<double> height;       ///< metres; none: as sculpted, so that the canonical joints fit to the digit
    bool long_hair = false;             ///< hair behind the shoulders, on three joints of its own below the head

    Units units = Units::metres;
    UpAxis up = UpAxis::y;
    double yaw_degrees = 0;      ///< turns the character about +Y, on top of a family that faces back
    bool mirrored_node = false;  ///< mirrored data below an armature scaled by -1 along X: the character stays right

    std::size_t skins = 1;      ///< meshes, each with a skin of its own that lists only what it uses
    std::size_t materials = 1;  ///< 1 to 64, split by what they are made of, from 8 on also by UV island and then of
                                ///< different gloss
    int texture_size = 64;      ///< edge of both textures; 0: none
    bool opaque_names = false;  ///< bone_0, bone_1, ...
    std::string face = "none";  ///< morph set, one of face_sets()
    std::size_t lods = 1;       ///< scenes; level i has triangles / 2.5^i and its own copy of the skeleton
    bool face_mesh = false;     ///< the head as an index-only slice "FaceMesh" beside "Body"

    std::set<Fault> faults;
};

/// Throws std::invalid_argument for options outside what their comments say.
gltf::Document build_humanoid(const HumanoidOptions& options);

/// The same character flattened to world space (+Y up, +Z forward, metres) on the family's own joints: what a perfect
/// reader would make of build_humanoid(). Units, axes, yaw, skins, node pose and faults do not show in it.
avatar::Avatar humanoid_avatar(const HumanoidOptions& options);

/// The options of the demo's sample: a Meshy export of 80 000 triangles with 2048 textures.
HumanoidOptions sample_options();

/// What no gate lets through: 400 000 triangles, 30 materials, 4096 textures, 43 MB.
HumanoidOptions monster_options();

}  // namespace helixavatar::test
