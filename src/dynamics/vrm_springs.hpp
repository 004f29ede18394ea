// SPDX-License-Identifier: MIT
// Both VRM versions' springs as one kind of value, still in the source's space and joints.
#pragma once

#include <string>
#include <vector>

#include <helixavatar/dynamics/manifest.hpp>
#include <helixavatar/dynamics/vrm.hpp>

namespace helixavatar::dynamics {

struct SpringJoint {
    int joint = -1;  ///< source joint
    double stiffness = 1, drag = 0.5, gravity = 0, radius = 0;
    Vec3 gravity_dir = -Vec3::UnitY();
};

/// A run of joints without a branch.
struct Spring {
    std::string name;
    std::vector<SpringJoint> joints;  ///< root first; all of them move
    Vec3 tail = Vec3::Zero();         ///< where the last one aims, source world
    int center = -1;                  ///< source joint whose motion makes no velocity, or -1
    std::vector<int> colliders;       ///< indices into Springs::colliders
};

/// Vectors in the source's world space.
struct SpringCollider {
    int joint = -1;  ///< that it hangs on
    Shape shape = Shape::sphere;
    Vec3 offset = Vec3::Zero(), tail = Vec3::Zero(), normal = Vec3::UnitY();
    double radius = 0;
    bool inside = false;
};

struct Springs {
    std::vector<Spring> springs;
    std::vector<SpringCollider> colliders;
    std::vector<std::string> notes;
};

Springs read_springs(const VrmSpring& input);

}  // namespace helixavatar::dynamics
