// SPDX-License-Identifier: MIT
// A character as plain values, before and after it became an avatar. World space: metres, +Y up; after conforming also
// +Z forward, +X the character's left, feet on Y = 0.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <helixavatar/base/bytes.hpp>
#include <helixavatar/base/geometry.hpp>
#include <helixavatar/gltf/document.hpp>

namespace helixavatar::avatar {

using gltf::Json;

/// Names of the mesh nodes that every written level has (reference text, "LODs").
inline constexpr const char* kBodyMesh = "Body";
inline constexpr const char* kFaceMesh = "FaceMesh";

struct Joint {
    std::string name;
    int parent = -1;   ///< index into Avatar::joints, always smaller than the joint's own; -1: a root
    bool skin = true;  ///< false: a node of the hierarchy that no skin names (helper, empty, armature)
    Pose rest;         ///< world-space rest = bind pose of the flattened vertices; no scale
};

/// Joints that move a vertex, heaviest first; unused places hold {0, 0}. Weights sum to 1. Eight places because several
/// source joints may fold into one canonical joint; a written avatar has at most four.
struct Influence {
    std::uint16_t joint = 0;  ///< index into Avatar::joints
    float weight = 0;
};
inline constexpr std::size_t kMaxInfluences = 8;
inline constexpr std::size_t kWrittenInfluences = 4;
using Influences = std::array<Influence, kMaxInfluences>;

struct MorphTarget {
    std::string name;              ///< one name is one control over all surfaces
    std::vector<Vec3f> positions;  ///< deltas, world space metres, one a vertex
    std::vector<Vec3f> normals;    ///< deltas, or empty
};

/// One material's triangles over one pool of vertices. `body` and `face` index the same pool: FaceMesh is an index-only
/// slice. Every attribute vector is empty or as long as `positions`.
struct Surface {
    std::string name;   ///< of the source mesh(es), for messages
    int material = -1;  ///< index into Avatar::materials; -1: glTF's default material
    std::vector<Vec3f> positions;
    std::vector<Vec3f> normals;           ///< unit length
    std::vector<Vec4f> tangents;          ///< xyz unit, w = ±1 bitangent sign
    std::vector<std::vector<Vec2f>> uvs;  ///< TEXCOORD_0, 1, ...
    std::vector<Vec4f> colors;            ///< COLOR_0, linear, alpha 1 when the source has none
    std::vector<Influences> influences;
    std::vector<MorphTarget> morphs;
    std::vector<std::uint32_t> body;  ///< triangle list, counter-clockwise from outside
    std::vector<std::uint32_t> face;  ///< triangle list of the FaceMesh slice

    std::size_t triangles() const { return (body.size() + face.size()) / 3; }
};

/// Deviation of a level from the source surface.
struct LevelError {
    double max_mm = 0;
    double rms_mm = 0;
};

struct Level {
    std::string name;  ///< scene name, "lod1" nearest
    std::vector<Surface> surfaces;
    std::optional<LevelError> error;

    std::size_t triangles() const;
    std::size_t vertices() const;
    /// One for each surface with body triangles and one for each with face triangles.
    std::size_t draw_calls() const;
};

/// What a texture means to the shader; decides colour space, filter and codec.
enum class TextureRole { base_color, normal, occlusion_roughness_metallic, emissive, other_color, other_data };

const char* to_string(TextureRole role);  ///< "baseColor", "normal", "orm", "emissive", "color", "data"
bool is_srgb(TextureRole role);

struct TextureSlot {
    std::string pointer;  ///< of the textureInfo in the material's JSON: "/pbrMetallicRoughness/baseColorTexture"
    int texture = -1;     ///< index into Avatar::textures
};

struct Material {
    Json json;  ///< the glTF material; textureInfo indices in it are replaced from `slots` on writing
    std::vector<TextureSlot> slots;

    std::string name() const;
    /// The texture behind a slot pointer, or -1.
    int texture(std::string_view pointer) const;
};

/// The role that a slot pointer gives to its texture.
TextureRole role_of(std::string_view slot_pointer);

struct Image {
    std::string name;
    std::string mime;  ///< "image/png", "image/jpeg", "image/webp", "image/ktx2"
    Bytes bytes;       ///< the encoded file
};

struct Texture {
    std::string name;
    int image = -1;               ///< index into Avatar::images
    std::optional<Json> sampler;  ///< the glTF sampler object
};

struct Avatar {
    std::string name;
    std::vector<Joint> joints;  ///< parents before children
    std::vector<Level> levels;  ///< nearest first; one until levels are built
    std::vector<Material> materials;
    std::vector<Texture> textures;
    std::vector<Image> images;
    std::optional<Json> face;      ///< helix/avatar-face@1
    std::optional<Json> dynamics;  ///< helix/dynamics@1
    std::vector<std::string> first_person_hide;

    int find_joint(std::string_view joint_name) const;  ///< index or -1
};

/// Axis-aligned bounds of every vertex of a level.
struct Bounds {
    Vec3 low = Vec3::Zero();
    Vec3 high = Vec3::Zero();
    bool empty = true;
    double height() const { return high.y() - low.y(); }
};
Bounds bounds(const Level& level);

/// Keeps the `keep` heaviest influences of a vertex, merges equal joints, sorts heaviest first and makes the sum 1.
/// Returns the share of weight that was dropped. A vertex without weight keeps none.
float limit_influences(Influences& influences, std::size_t keep);

/// Names of the morph targets that move at least one vertex of the mesh, in order of first appearance. `face_slice`
/// picks FaceMesh or Body. What the writer emits as targets, hence what a face manifest may name.
std::vector<std::string> written_morphs(const Level& level, bool face_slice);

/// A stable digest of every value that a vertex or index carries; for tests of determinism and of untouchedness.
std::string digest(const Level& level);

}  // namespace helixavatar::avatar
