// SPDX-License-Identifier: MIT
// A skinned body in code: tubes around the canonical skeleton's bones with weights that fade across the joints, and
// what a file can do to it: pose, turn, scale, mirror, lose joints.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <helixavatar/conform/conform.hpp>

namespace helixavatar::testing {

/// World-space turn of a joint and all that hangs from it, about the joint.
using Turns = std::map<std::string, Quat>;

struct TestBody {
    avatar::Avatar avatar;
    avatar::BoneMap map;
    conform::SourceFrame frame;
};

/// The canonical body: every canonical joint mapped to itself.
TestBody canonical_body();

/// Linear-blend skinned into another pose; parents first, in canonical order.
TestBody posed(const TestBody& body, const Turns& turns);

/// Upper arms `degrees` from straight down; at 90 (T) elbows straight and palms down as well.
Turns arms_at(double degrees, bool straight_elbows);

/// The whole file turned, scaled, then shifted; the frame goes along.
TestBody moved(const TestBody& body, const Quat& turn, double scale, const Vec3& shift);

/// The mirror image over x = 0: sides change names, triangles their winding.
TestBody mirrored(const TestBody& body);

/// Longer or shorter bones: the child joints and what they hold move outward by `factor` of the bone.
TestBody stretched(const TestBody& body, const std::string& joint, const std::string& child, double factor);

/// The joint of that name is no longer mapped, and no longer there: its weight goes to its parent.
TestBody without(const TestBody& body, const std::set<std::string>& joints);

conform::ConformOutput conformed(const TestBody& body, const conform::ConformOptions& options = {});

/// The output again as an input.
TestBody as_source(const conform::ConformOutput& output, const TestBody& original);

const avatar::Joint& joint(const avatar::Avatar& avatar, const std::string& name);

struct Distance {
    double max = 0, p99 = 0;  ///< metres
};
Distance vertex_distance(const avatar::Avatar& a, const avatar::Avatar& b,
                         const std::function<bool(std::size_t surface, std::size_t vertex)>& counts = {});
/// The canonical joints' largest distance (metres); `skip` names joints that do not count.
double joint_distance(const avatar::Avatar& a, const avatar::Avatar& b, const std::set<std::string>& skip = {});

/// Names of all fingers, both sides.
std::set<std::string> finger_names();

}  // namespace helixavatar::testing
