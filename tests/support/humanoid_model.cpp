// SPDX-License-Identifier: MIT
#include "support/humanoid_model.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "support/paint.hpp"
#include "support/reference_pose.hpp"

namespace helixavatar::test {
namespace {

void require(bool good, const char* what) {
    if (!good) throw std::invalid_argument(what);
}

void check(const HumanoidOptions& o) {
    require(o.skins >= 1 && o.skins <= 16, "skins: 1 to 16");
    require(o.materials >= 1 && o.materials <= kMostMaterials, "materials: 1 to 64");
    require(o.lods >= 1 && o.lods <= 4, "lods: 1 to 4");
    require(o.texture_size == 0 || (o.texture_size >= 4 && o.texture_size <= 8192), "texture_size: 0 or 4 to 8192");
    require(!o.height || (*o.height > 0 && std::isfinite(*o.height)), "height: metres above 0");
    require(o.lods == 1 || o.skins == 1, "levels have one skin each");
    require(!o.faults.contains(Fault::shared_lod_skeleton) || o.lods > 1, "a shared skeleton needs lods > 1");
}

float smooth_step(float from, float to, float x) {
    const float t = std::clamp((x - from) / (to - from), 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
}

/// Heights of the three joints of long hair, metres.
constexpr std::array<float, 3> kHairJoints = {1.640f, 1.530f, 1.420f};

void add_hair_joints(Rig& rig, const PosedJoints& posed) {
    const std::size_t head = reference_index("head");
    int parent = rig.carriers[head];
    const Pose move = posed.skin[head];
    for (std::size_t i = 0; i < kHairJoints.size(); ++i) {
        const Vec3 place(0, kHairJoints[i], -0.105 - 0.018 * static_cast<double>(i));
        rig.joints.push_back(
            {"hair_0" + std::to_string(i + 1), "", parent, true, {move * place, rig.joints[parent].world.rotation}});
        parent = static_cast<int>(rig.joints.size()) - 1;
    }
}

void add_weight(avatar::Influences& list, int joint, float weight) {
    if (weight <= 0) return;
    for (avatar::Influence& influence : list) {
        if (influence.weight > 0 && influence.joint != joint) continue;
        influence.joint = static_cast<std::uint16_t>(joint);
        influence.weight += weight;
        return;
    }
}

/// The reference joints' weights on the joints that the rig has; heaviest first.
std::vector<avatar::Influences> fold(const HumanoidBody& body, const Rig& rig, const Field* hair_field) {
    std::vector<avatar::Influences> out(body.positions.size());
    const int first_hair = static_cast<int>(rig.joints.size() - kHairJoints.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        float rest = 1;
        if (hair_field) {
            const Field::Sample sample = hair_field->sample(body.positions[i]);
            const bool hair = std::min_element(sample.parts.begin(), sample.parts.end()) - sample.parts.begin() ==
                              static_cast<int>(Part::hair);
            float passed = hair && body.positions[i].z() < -0.02f ? 1.0f : 0.0f;
            std::array<float, 4> beyond{};
            for (std::size_t h = 0; h < kHairJoints.size(); ++h)
                beyond[h] = passed *=
                    smooth_step(kHairJoints[h] + 0.035f, kHairJoints[h] - 0.035f, body.positions[i].y());
            rest = 1 - beyond[0];
            for (std::size_t h = 0; h < kHairJoints.size(); ++h)
                add_weight(out[i], first_hair + static_cast<int>(h), beyond[h] - beyond[h + 1]);
        }
        for (const avatar::Influence& influence : body.influences[i])
            add_weight(out[i], rig.carriers[influence.joint], rest * influence.weight);
        avatar::Influences& list = out[i];
        std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.weight > b.weight; });
        float sum = 0;
        for (std::size_t k = 0; k < avatar::kMaxInfluences; ++k) {
            if (k >= avatar::kWrittenInfluences) list[k] = {};
            sum += list[k].weight;
        }
        for (avatar::Influence& influence : list) influence.weight /= sum;
    }
    return out;
}

float head_share(const HumanoidBody& body, std::size_t vertex) {
    static const std::size_t head = reference_index("head");
    float share = 0;
    for (const avatar::Influence& influence : body.influences[vertex])
        if (influence.joint == head) share += influence.weight;
    return share;
}

/// The first material of a stuff; those up to the next stuff's first share its triangles.
std::size_t first_material(std::size_t stuff, std::size_t count) {
    return (stuff * count + kStuffs - 1) / kStuffs;
}

/// The material of each triangle: some stuffs each, or a part of one, chart after chart, so that all of them draw.
std::vector<int> share_materials(const HumanoidBody& body, std::size_t count) {
    std::array<std::vector<std::size_t>, kStuffs> triangles;
    for (std::size_t t = 0; t < body.stuffs.size(); ++t)
        triangles[static_cast<std::size_t>(body.stuffs[t])].push_back(t);
    std::vector<int> materials(body.stuffs.size());
    for (std::size_t s = 0; s < kStuffs; ++s) {
        std::vector<std::size_t>& own = triangles[s];
        const auto chart = [&](std::size_t t) { return body.charts[body.triangles[3 * t]]; };
        std::stable_sort(own.begin(), own.end(), [&](std::size_t a, std::size_t b) { return chart(a) < chart(b); });
        const std::size_t first = count <= kStuffs ? s * count / kStuffs : first_material(s, count);
        const std::size_t parts = count <= kStuffs ? 1 : first_material(s + 1, count) - first;
        for (std::size_t i = 0; i < own.size(); ++i)
            materials[own[i]] = static_cast<int>(first + i * parts / own.size());
    }
    return materials;
}

HumanoidModel make_model(const HumanoidOptions& options, HumanoidBody body, const Field& field) {
    const PosedJoints posed = pose_joints(options.pose);
    HumanoidModel model;
    model.rig = make_rig(options.family, posed);
    if (options.long_hair) add_hair_joints(model.rig, posed);
    if (options.node_pose) {
        const PosedJoints other = pose_joints(*options.node_pose);
        Rig moved = make_rig(options.family, other);
        if (options.long_hair) add_hair_joints(moved, other);
        // A joint turns with the body, whatever frame its family would give it in that pose.
        for (std::size_t j = 0; j < moved.joints.size(); ++j) {
            const RigJoint& joint = model.rig.joints[j];
            int bearer = static_cast<int>(j);
            while (model.rig.joints[bearer].canonical.empty() && model.rig.joints[bearer].parent >= 0)
                bearer = model.rig.joints[bearer].parent;
            const std::string& canonical = model.rig.joints[bearer].canonical;
            const std::size_t reference = canonical.empty() ? 0 : reference_index(canonical);
            const Quat turn = other.world[reference].rotation * posed.world[reference].rotation.conjugate();
            model.nodes.push_back({moved.joints[j].world.translation, (turn * joint.world.rotation).normalized()});
        }
    } else {
        for (const RigJoint& joint : model.rig.joints) model.nodes.push_back(joint.world);
    }
    model.influences = fold(body, model.rig, options.long_hair ? &field : nullptr);
    model.shapes = face_shapes(body, options.face);
    model.materials = share_materials(body, options.materials);
    for (std::size_t t = 0; t < body.stuffs.size(); ++t) {
        bool head = options.face_mesh;
        for (int k = 0; k < 3; ++k) head = head && head_share(body, body.triangles[3 * t + k]) > 0.5f;
        model.head.push_back(head);
    }
    move_surface(posed, body.influences, body.positions, body.normals);
    model.body = std::move(body);
    return model;
}

}  // namespace

std::string material_name(std::size_t i, std::size_t count) {
    static constexpr std::array<const char*, kStuffs> names = {"Skin",  "Hair",  "Shirt", "Trousers",
                                                               "Shoes", "Soles", "Eyes"};
    if (count == 1) return "Material_1";
    for (std::size_t s = kStuffs; count > kStuffs && s-- > 0;)
        if (first_material(s, count) <= i) return names[s] + (" " + std::to_string(i - first_material(s, count) + 1));
    for (std::size_t s = 0; s < kStuffs; ++s)
        if (s * count / kStuffs == i) return names[s];
    return "Material";
}

double material_roughness(std::size_t i, std::size_t count) {
    // The few are told apart by name only, the many by their gloss.
    return count <= kStuffs ? 0.8 : 0.5 + 0.4 * static_cast<double>(i) / static_cast<double>(count);
}

std::vector<HumanoidModel> make_models(const HumanoidOptions& options) {
    check(options);
    const FigureOptions figure{options.long_hair};
    const Field& field = humanoid_field(figure);
    const HumanoidBody& body = humanoid_body(options.triangles, figure);
    std::vector<HumanoidModel> out;
    double triangles = static_cast<double>(options.triangles);
    for (std::size_t level = 0; level < options.lods; ++level, triangles /= 2.5)
        out.push_back(
            make_model(options, level == 0 ? body : coarser(body, field, static_cast<std::size_t>(triangles)), field));
    return out;
}

avatar::Avatar humanoid_avatar(const HumanoidOptions& options) {
    const std::vector<HumanoidModel> models = make_models(options);
    avatar::Avatar out;
    out.name = "humanoid";
    for (const RigJoint& joint : models[0].rig.joints)
        out.joints.push_back({joint.name, joint.parent, joint.skin, joint.world});
    for (std::size_t level = 0; level < models.size(); ++level) {
        const HumanoidModel& model = models[level];
        avatar::Level& to = out.levels.emplace_back();
        to.name = "lod" + std::to_string(level + 1);
        for (std::size_t m = 0; m < options.materials; ++m) {
            avatar::Surface& surface = to.surfaces.emplace_back();
            surface.name = material_name(m, options.materials);
            surface.material = static_cast<int>(m);
            std::vector<std::uint32_t> renamed(model.body.positions.size(), ~0u);
            surface.uvs.resize(1);
            for (const FaceShape& shape : model.shapes) surface.morphs.push_back({shape.name, {}, {}});
            for (std::size_t t = 0; t < model.materials.size(); ++t) {
                if (model.materials[t] != static_cast<int>(m)) continue;
                for (int k = 0; k < 3; ++k) {
                    const std::uint32_t v = model.body.triangles[3 * t + k];
                    if (renamed[v] == ~0u) {
                        renamed[v] = static_cast<std::uint32_t>(surface.positions.size());
                        surface.positions.push_back(model.body.positions[v]);
                        surface.normals.push_back(model.body.normals[v]);
                        surface.uvs[0].push_back(model.body.uvs[v]);
                        surface.influences.push_back(model.influences[v]);
                        for (std::size_t s = 0; s < model.shapes.size(); ++s)
                            surface.morphs[s].positions.push_back(model.shapes[s].deltas[v]);
                    }
                    (model.head[t] ? surface.face : surface.body).push_back(renamed[v]);
                }
            }
        }
    }
    const bool textured = options.texture_size > 0;
    for (std::size_t m = 0; m < options.materials; ++m) {
        avatar::Material material;
        material.json = {{"name", material_name(m, options.materials)},
                         {"pbrMetallicRoughness",
                          {{"metallicFactor", 0}, {"roughnessFactor", material_roughness(m, options.materials)}}}};
        if (textured) {
            material.json["pbrMetallicRoughness"]["baseColorTexture"] = {{"index", 0}};
            material.json["normalTexture"] = {{"index", 1}};
            material.slots = {{"/pbrMetallicRoughness/baseColorTexture", 0}, {"/normalTexture", 1}};
        }
        out.materials.push_back(std::move(material));
    }
    if (textured) {
        PaintedTextures textures = paint(humanoid_body(options.triangles, {options.long_hair}),
                                         humanoid_field({options.long_hair}), options.texture_size);
        out.images = {{"BaseColor", "image/png", std::move(textures.base_color)},
                      {"Normal", "image/png", std::move(textures.normal)}};
        out.textures = {{"BaseColor", 0, std::nullopt}, {"Normal", 1, std::nullopt}};
    }
    return out;
}

}  // namespace helixavatar::test
