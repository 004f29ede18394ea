// SPDX-License-Identifier: MIT
// Authoring (reference text, "Authoring chains on a non-VRM avatar"): auxiliary joints, weights and manifest, written
// into an avatar's document in place, the same on every level. A spec states world-space facts: metres, +Y up, +Z
// forward, +X the character's left, at bind; every bone-local vector is computed from LOD0's bind.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/base/finding.hpp>
#include <helixavatar/base/result.hpp>
#include <helixavatar/dynamics/manifest.hpp>

namespace helixavatar::dynamics {

struct Box {
    Vec3 low = Vec3::Zero(), high = Vec3::Zero();  ///< metres, world
    bool holds(const Vec3& point) const {
        return (point.array() >= low.array()).all() && (point.array() <= high.array()).all();
    }
};

/// Anatomical sphere-steal: each joint takes a share of the weight that `steal_from` has, falling off to the sphere's
/// rim.
struct SphereSelect {
    std::vector<Vec3> centers;            ///< one a joint
    double radius = 0;                    ///< metres, over 0
    double max_weight = 0;                ///< share taken in the middle, 0..1
    std::vector<std::string> steal_from;  ///< bones
};

/// A region of the surface: of a fused shell by its colour and place, or a loose piece of the mesh.
struct MaskSelect {
    std::optional<double> max_luminance;  ///< of the base colour as stored (sRGB), 0..1; darker is in
    std::vector<Box> exclude;             ///< faces are dark too
    std::optional<Vec3> shell;            ///< only the connected piece that lies nearest to this point
    double lowest, highest;               ///< height band, metres; infinite where the spec has none
    double neighbour_majority = 0.5;      ///< kept when more than this share of welded neighbours is in too
};

struct ChainSpec {
    std::string id;
    std::string anchor;              ///< of new joints
    std::vector<Vec3> joints;        ///< places of new joints, root first
    std::vector<std::string> bones;  ///< or: bones that the avatar has already, root first
    Vec3 tip = Vec3::Zero();
    std::variant<std::monostate, SphereSelect, MaskSelect> select;
    Json feel;       ///< the manifest's own keys, as they go into it; vectors still in world space
    Json selection;  ///< as the spec writes it: chains of equal text are neighbours on one surface

    std::string joint_name(std::size_t i) const;  ///< of a new joint: the id with `_1`, `_2`...; or the bone
    std::size_t joint_count() const { return bones.empty() ? joints.size() : bones.size(); }
};

struct ApplySpec {
    std::vector<ChainSpec> chains;
    Json colliders = Json::array();  ///< the manifest's shape, vectors in world space
};

/// A spec with strict findings (rule "dynamics-spec"); without errors `spec` is whole.
struct ParsedSpec {
    ApplySpec spec;
    Findings findings;
};
ParsedSpec parse_spec(const Json& json);

/// A texture's pixels, rows top down.
struct Picture {
    int width = 0, height = 0;
    Bytes rgba;
};
/// By image index of the avatar; nothing when it cannot be decoded.
using PictureSource = std::function<std::optional<Picture>(int image)>;

/// What a chain took on each level.
struct TakenVertices {
    std::string chain;
    std::vector<std::size_t> vertices;  ///< with weight on its joints
    std::vector<double> weight;         ///< summed
};

struct Applied {
    gltf::Document document;
    Json manifest;
    Findings findings;  ///< warnings about the manifest on the avatar that came out
    std::vector<TakenVertices> taken;
    std::vector<std::string> notes;
};

/// `avatar`: of read_avatar(document). Pure; applying a spec to its own output changes nothing. Errors: unconvertible
/// (no such anchor or bone; a name that is taken; data that cannot be edited in place; another spec's chain of the same
/// id; a manifest that the engine would drop; a selection that takes nothing).
Result<Applied> apply(const gltf::Document& document, const avatar::Avatar& avatar, const ApplySpec& spec,
                      const PictureSource& pictures);

/// Chains proposed from geometry and weights: auxiliary joints that came with the avatar, and loose shells of hair or
/// skirt. A spec for a person to edit, and why each was proposed.
struct Suggestion {
    Json spec;
    std::vector<std::string> reasons;
};
Suggestion suggest(const avatar::Avatar& avatar);

}  // namespace helixavatar::dynamics
