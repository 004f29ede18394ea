// SPDX-License-Identifier: MIT
#include "fixture_avatar.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <helixavatar/gltf/document_builder.hpp>

namespace helixavatar::test {
namespace {

using Target = gltf::DocumentBuilder::Target;

constexpr double kHairLength = 0.13;

std::vector<int> skin_places(const FixtureLevel& level) {
    std::vector<int> places(level.joints.size(), -1);
    int next = 0;
    for (std::size_t i = 0; i < level.joints.size(); ++i) {
        if (level.joints[i].skin) places[i] = next++;
    }
    return places;
}

/// An axis-aligned box whose eight corners hang on one joint.
void add_box(FixtureLevel& level, int joint, const Vec3& center, const Vec3& half,
             std::vector<std::uint32_t>& indices) {
    const auto first = static_cast<std::uint32_t>(level.vertices());
    const auto place = static_cast<std::uint16_t>(skin_places(level)[joint]);
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3 sign(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
        const Vec3 point = center + half.cwiseProduct(sign);
        const Vec3 normal = sign.normalized();
        for (int axis = 0; axis < 3; ++axis) {
            level.positions.push_back(static_cast<float>(point[axis]));
            level.normals.push_back(static_cast<float>(normal[axis]));
        }
        level.uvs.insert(level.uvs.end(), {corner & 1 ? 0.75f : 0.25f, corner & 2 ? 0.75f : 0.25f});
        level.influences.insert(level.influences.end(), {place, 0, 0, 0});
        level.weights.insert(level.weights.end(), {1, 0, 0, 0});
    }
    static constexpr std::array<std::uint32_t, 36> kBox = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                                           2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (const std::uint32_t corner : kBox) indices.push_back(first + corner);
}

FixtureLevel skeleton_level() {
    FixtureLevel level;
    for (const skeleton::CanonicalJoint& joint : skeleton::helix_humanoid().joints) {
        level.joints.push_back({joint.name, joint.parent, joint.skin, joint.world});
    }
    const int head = level.joint("head");
    const Pose head_pose = level.joints[head].world;
    Pose jaw = head_pose;
    jaw.translation += Vec3(0, 0.02, 0.04);
    level.joints.push_back({"jaw", head, true, jaw});
    Pose hair = head_pose;
    hair.translation += Vec3(0, 0.02, -0.14);
    level.joints.push_back({"hair_back_1", head, true, hair});
    hair.translation += Vec3(0, -kHairLength / 2, 0);
    level.joints.push_back({"hair_back_2", level.joint("hair_back_1"), true, hair});
    return level;
}

/// Boxes along the bones; a farther level leaves out fingers and twists, then more.
void add_boxes(FixtureLevel& level, int detail) {
    static const std::vector<std::string> kFar = {"pelvis", "spine_03", "head", "upperarm", "lowerarm",
                                                  "hand",   "thigh",    "calf", "foot",     "ball"};
    for (std::size_t i = 0; i < level.joints.size(); ++i) {
        const FixtureJoint& joint = level.joints[i];
        if (!joint.skin || joint.name == "root" || joint.name == "head" || joint.name == "jaw") continue;
        const bool hair = joint.name.rfind("hair", 0) == 0;
        const bool finger = joint.name.find("_0") != std::string::npos && joint.name.rfind("spine", 0) != 0 &&
                            joint.name.rfind("neck", 0) != 0;
        if (detail >= 1 && finger && !hair) continue;
        const bool wanted = std::any_of(kFar.begin(), kFar.end(),
                                        [&](const std::string& name) { return joint.name.rfind(name, 0) == 0; });
        if (detail >= 2 && !wanted && !hair) continue;
        Vec3 center = joint.world.translation;
        Vec3 half = Vec3::Constant(finger ? 0.008 : 0.03);
        if (joint.name.rfind("foot", 0) == 0) half = Vec3(0.03, 0.05, 0.05);
        if (joint.name.rfind("ball", 0) == 0) half = Vec3(0.03, std::max(0.005, center.y()), 0.05);
        if (hair) {
            center.y() -= kHairLength / 4;
            half = Vec3(0.02, kHairLength / 4 - 0.001, 0.005);
        }
        add_box(level, static_cast<int>(i), center, half, level.body);
    }
    const int head = level.joint("head");
    add_box(level, head, level.joints[head].world.translation + Vec3(0, 0.1, 0.02), Vec3(0.08, 0.1, 0.09), level.face);
    add_box(level, level.joint("jaw"), level.joints[level.joint("jaw")].world.translation + Vec3(0, -0.01, 0.05),
            Vec3(0.03, 0.01, 0.02), level.face);
}

Json vector_json(const Vec3& v) {
    return Json::array({v.x(), v.y(), v.z()});
}

Json hair_manifest(const FixtureLevel& level) {
    const Pose& last = level.joints[level.joint("hair_back_2")].world;
    const Vec3 tip = last.rotation.conjugate() * Vec3(0, -kHairLength / 2, 0);
    return {{"contract", "helix/dynamics@1"},
            {"chains",
             {{{"id", "hair-back"},
               {"root", "hair_back_1"},
               {"importance", "normal"},
               {"stiffness", {0.78, 0.70}},
               {"damping", {0.88, 0.85}},
               {"inertia", {0.9, 0.9}},
               {"gravity", 0.02},
               {"limit", {{"kind", "cone"}, {"maxDegrees", {7, 9}}}},
               {"endpoint", vector_json(tip)}}}}};
}

void add_joint_nodes(gltf::DocumentBuilder& builder, const FixtureLevel& level, std::size_t first) {
    std::vector<Json> children(level.joints.size(), Json::array());
    for (std::size_t i = 0; i < level.joints.size(); ++i) {
        if (level.joints[i].parent >= 0) children[level.joints[i].parent].push_back(first + i);
    }
    for (std::size_t i = 0; i < level.joints.size(); ++i) {
        const FixtureJoint& joint = level.joints[i];
        const Pose local = joint.parent < 0 ? joint.world : level.joints[joint.parent].world.inverse() * joint.world;
        Json node = {{"name", joint.name},
                     {"translation", vector_json(local.translation)},
                     {"rotation", {local.rotation.x(), local.rotation.y(), local.rotation.z(), local.rotation.w()}}};
        if (!children[i].empty()) node["children"] = children[i];
        builder.add("nodes", std::move(node));
    }
}

std::size_t add_skin(gltf::DocumentBuilder& builder, const FixtureLevel& level, std::size_t first) {
    Json joints = Json::array();
    std::vector<float> inverse;
    for (std::size_t i = 0; i < level.joints.size(); ++i) {
        if (!level.joints[i].skin) continue;
        joints.push_back(first + i);
        const Mat4 matrix = level.joints[i].world.inverse().matrix();
        for (int c = 0; c < 16; ++c) inverse.push_back(static_cast<float>(matrix(c % 4, c / 4)));
    }
    const std::size_t accessor = builder.add_floats(inverse, "MAT4", Target::none);
    return builder.add("skins", {{"joints", joints}, {"inverseBindMatrices", accessor}, {"skeleton", first}});
}

void add_level(gltf::DocumentBuilder& builder, const FixtureAvatar& avatar, std::size_t index) {
    const FixtureLevel& level = avatar.levels[index];
    const Json& root = builder.json();
    const std::size_t first = root.contains("nodes") ? root["nodes"].size() : 0;
    add_joint_nodes(builder, level, first);
    const std::size_t skin = add_skin(builder, level, first);
    const Json attributes = {{"POSITION", builder.add_floats(level.positions, "VEC3", Target::vertex, true)},
                             {"NORMAL", builder.add_floats(level.normals, "VEC3", Target::vertex)},
                             {"TEXCOORD_0", builder.add_floats(level.uvs, "VEC2", Target::vertex)},
                             {"JOINTS_0", builder.add_u16(level.influences, "VEC4", Target::vertex)},
                             {"WEIGHTS_0", builder.add_floats(level.weights, "VEC4", Target::vertex)}};
    Json roots = Json::array({first});
    for (const auto& [name, indices] : {std::make_pair("Body", &level.body), std::make_pair("FaceMesh", &level.face)}) {
        const Json primitive = {
            {"attributes", attributes}, {"indices", builder.add_indices(*indices)}, {"material", 0}};
        const std::size_t mesh = builder.add("meshes", {{"name", name}, {"primitives", Json::array({primitive})}});
        roots.push_back(builder.add("nodes", {{"name", name}, {"mesh", mesh}, {"skin", skin}}));
    }
    Json extras = Json::object();
    if (!avatar.hide.is_null()) extras["helixAvatar"] = {{"firstPersonHide", avatar.hide}};
    if (!avatar.dynamics.is_null()) extras["helixDynamics"] = avatar.dynamics;
    if (!avatar.face.is_null()) extras["helixFace"] = avatar.face;
    builder.add("scenes", {{"name", "lod" + std::to_string(index + 1)}, {"nodes", roots}, {"extras", extras}});
}

}  // namespace

int FixtureLevel::joint(const std::string& name) const {
    for (std::size_t i = 0; i < joints.size(); ++i) {
        if (joints[i].name == name) return static_cast<int>(i);
    }
    return -1;
}

FixtureAvatar good_avatar() {
    FixtureAvatar avatar;
    for (int detail = 0; detail < 3; ++detail) {
        FixtureLevel level = skeleton_level();
        add_boxes(level, detail);
        avatar.levels.push_back(std::move(level));
    }
    avatar.color = png(64, color_picture(64));
    avatar.normal = png(64, normal_picture(64));
    avatar.dynamics = hair_manifest(avatar.levels[0]);
    avatar.face = {
        {"contract", "helix/avatar-face@1"},
        {"capability", "jaw"},
        {"channels", {{{"name", "jawOpen"}, {"bone", {{"joint", "jaw"}, {"axis", {0, 1, 0}}, {"maxDegrees", 20}}}}}}};
    avatar.hide = Json::array({"FaceMesh"});
    avatar.materials =
        Json::array({{{"name", "Skin"},
                      {"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}, {"metallicFactor", 0}}},
                      {"normalTexture", {{"index", 1}}}}});
    return avatar;
}

gltf::Document to_document(const FixtureAvatar& avatar) {
    gltf::DocumentBuilder builder;
    for (std::size_t i = 0; i < avatar.levels.size(); ++i) add_level(builder, avatar, i);
    const std::size_t color = builder.add_image(avatar.color, avatar.mime, "Skin_Color");
    const std::size_t normal = builder.add_image(avatar.normal, avatar.mime, "Skin_Normal");
    builder.add("textures", {{"source", color}});
    builder.add("textures", {{"source", normal}});
    builder.json()["materials"] = avatar.materials;
    builder.json()["scene"] = 0;
    return builder.finish();
}

int node_of(const FixtureAvatar& avatar, std::size_t level, const std::string& joint) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < level; ++i) first += avatar.levels[i].joints.size() + 2;
    return static_cast<int>(first) + avatar.levels[level].joint(joint);
}

void turn_joints(FixtureAvatar& avatar, double angle) {
    const Quat turn(Eigen::AngleAxisd(radians(angle), Vec3::UnitY()));
    for (FixtureLevel& level : avatar.levels) {
        for (FixtureJoint& joint : level.joints) joint.world = Pose{Vec3::Zero(), turn} * joint.world;
    }
}

void turn_vertices(FixtureAvatar& avatar, double angle) {
    const Quat turn(Eigen::AngleAxisd(radians(angle), Vec3::UnitY()));
    for (FixtureLevel& level : avatar.levels) {
        for (std::size_t v = 0; v < level.vertices(); ++v) {
            Eigen::Map<Vec3f> point(level.positions.data() + 3 * v);
            point = (turn * point.cast<double>()).cast<float>();
        }
    }
}

void transform_all(FixtureAvatar& avatar, double scale, const Vec3& move) {
    for (FixtureLevel& level : avatar.levels) {
        for (FixtureJoint& joint : level.joints) joint.world.translation = scale * joint.world.translation + move;
        for (std::size_t v = 0; v < level.vertices(); ++v) {
            Eigen::Map<Vec3f> point(level.positions.data() + 3 * v);
            point = (scale * point.cast<double>() + move).cast<float>();
        }
    }
}

void remove_joint(FixtureLevel& level, const std::string& name) {
    const int gone = level.joint(name);
    const std::vector<int> places = skin_places(level);
    const int parent = level.joints[gone].parent;
    for (std::uint16_t& influence : level.influences) {
        if (influence == places[gone])
            influence = static_cast<std::uint16_t>(places[parent]);
        else if (influence > places[gone])
            --influence;
    }
    for (FixtureJoint& joint : level.joints) {
        if (joint.parent == gone) joint.parent = parent;
    }
    level.joints.erase(level.joints.begin() + gone);
    for (FixtureJoint& joint : level.joints) {
        if (joint.parent > gone) --joint.parent;
    }
}

}  // namespace helixavatar::test
