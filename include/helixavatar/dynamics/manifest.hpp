// SPDX-License-Identifier: MIT
// helix/dynamics@1 as plain values (reference text, "The contract"). Vectors are in the frame of the bone that they
// belong to, metres; gravity_dir alone is in world space.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

namespace helixavatar::dynamics {

using gltf::Json;

inline constexpr const char* kContract = "helix/dynamics@1";

/// Over any of these the engine drops the whole manifest.
struct Caps {
    std::size_t chains = 64, joints_per_chain = 32, joints = 192, colliders = 64, colliders_per_chain = 8;
    std::size_t collision_checks = 1024;  ///< joints × colliders, summed over chains
};
inline constexpr Caps kCaps;
inline constexpr std::size_t kMaxStops = 8;

/// 1..8 evenly spaced stops from root to tip.
struct Curve {
    std::vector<double> stops{0.0};

    double at(double t) const;  ///< t in 0..1, linear between stops
    /// The value of joint `index` of `count`: the root takes the first stop, the last joint the last one.
    double at_joint(std::size_t index, std::size_t count) const;
    double lowest() const;
};

enum class Importance { critical, high, normal, decorative };
const char* to_string(Importance importance);

enum class LimitKind { cone, hinge };

struct Limit {
    LimitKind kind = LimitKind::cone;
    Curve max_degrees;
    Vec3 axis = Vec3::Zero();  ///< of a hinge, in the joint's rest frame; not unit
};

struct Chain {
    std::string id, root;
    Importance importance = Importance::normal;
    Curve stiffness, damping, inertia;
    double gravity = 0;  ///< times 9.81 m/s²
    Vec3 gravity_dir = -Vec3::UnitY();
    std::optional<Limit> limit;
    std::optional<Curve> radius;
    std::vector<std::string> colliders;
    std::optional<Vec3> endpoint;  ///< tip in the last joint's frame
    std::vector<std::string> exclude;
};

enum class Shape { sphere, capsule, plane };

struct Collider {
    std::string id, bone;
    Shape shape = Shape::sphere;
    Vec3 offset = Vec3::Zero();
    double radius = 0;            ///< of a sphere or capsule
    Vec3 tail = Vec3::Zero();     ///< of a capsule: its far end
    Vec3 normal = Vec3::UnitX();  ///< of a plane; joints stay on the side that it points to
    bool inside = false;          ///< joints stay inside
};

struct Manifest {
    std::vector<Chain> chains;
    std::vector<Collider> colliders;

    const Collider* find_collider(std::string_view id) const;
};

/// The typed manifest, or nothing where the engine's reader returns null (any strict fault of check_manifest()).
std::optional<Manifest> read_manifest(const Json& manifest);

/// The manifest as JSON in the reference's key order; defaults are left out, vectors rounded to 1e-6, `lod.minPixels`
/// 14 as every lane writes it. One scalar for a curve of equal stops.
Json to_json(const Manifest& manifest);

/// The bones that a chain simulates, root first.
struct Walk {
    std::vector<int> joints;              ///< indices into Avatar::joints
    int fork = -1;                        ///< the joint at which a branch ended the chain, or -1
    std::vector<std::string> fork_bones;  ///< its children
};

/// Follows single bone children from the root; excluded bones count for nothing. Empty when the root is not in the
/// skeleton.
Walk walk(const avatar::Avatar& avatar, const Chain& chain);

/// Where the simulated points of a walked chain rest, in world space: the tail of each joint, so the next joint or the
/// endpoint. One shorter than the joints when there is no endpoint.
std::vector<Vec3> rest_tails(const avatar::Avatar& avatar, const Chain& chain, const Walk& walk);

/// From the root joint along the joints to the last tail, metres.
double rest_length(const avatar::Avatar& avatar, const Walk& walk, const std::vector<Vec3>& tails);

/// Where a point stands to a collider.
struct Contact {
    double depth = 0;              ///< metres inside; negative outside
    Vec3 outward = Vec3::UnitY();  ///< unit, the shortest way out, world
};

/// At a placement of the collider's bone. `inside` colliders are entered by leaving them.
Contact touch(const Collider& collider, const Pose& bone, const Vec3& point);

}  // namespace helixavatar::dynamics
