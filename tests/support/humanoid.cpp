// SPDX-License-Identifier: MIT
#include "support/humanoid.hpp"

#include <algorithm>
#include <cmath>

#include <helixavatar/gltf/document_builder.hpp>

#include "support/humanoid_model.hpp"
#include "support/paint.hpp"

namespace helixavatar::test {
namespace {

using gltf::DocumentBuilder;
using gltf::Json;
using Target = DocumentBuilder::Target;

/// From the character's frame to the file's data and from there to the scene.
class Placement {
public:
    explicit Placement(const HumanoidOptions& o, const HumanoidModel& model) {
        float top = 0;
        for (const Vec3f& p : model.body.positions) top = std::max(top, p.y());
        scale_ = o.height ? *o.height / top : 1.0;
        const double unit = o.units == Units::metres ? 1 : 100;
        if (o.units == Units::centimetres_under_node) node_scale_ = Vec3::Constant(0.01);
        const double yaw = o.yaw_degrees + (model.rig.faces_back ? 180 : 0);
        turn_ = Eigen::AngleAxisd(radians(yaw), Vec3::UnitY()).toRotationMatrix();
        if (o.up != UpAxis::y) turn_ = Eigen::AngleAxisd(kPi / 2, Vec3::UnitX()).toRotationMatrix() * turn_;
        if (o.up == UpAxis::z_under_node) node_rotation_ = Quat(Eigen::AngleAxisd(-kPi / 2, Vec3::UnitX()));
        if (o.mirrored_node) mirror_.x() = -1;
        if (o.mirrored_node || o.faults.contains(Fault::mirrored_body)) node_scale_.x() *= -1;
        scale_ *= unit;
    }

    Vec3 vector(const Vec3& v) const { return scale_ * mirror_.cwiseProduct(turn_ * v); }
    Vec3f vector(const Vec3f& v) const { return vector(Vec3(v.cast<double>())).cast<float>(); }
    Vec3f direction(const Vec3f& v) const {
        return mirror_.cwiseProduct(turn_ * v.cast<double>()).normalized().cast<float>();
    }
    Pose pose(const Pose& p) const {
        const Mat3 turned = mirror_.asDiagonal() * (turn_ * p.rotation.toRotationMatrix()) * mirror_.asDiagonal();
        return {vector(p.translation), Quat(turned).normalized()};
    }
    /// The data is a mirror image, so what turned anticlockwise turns clockwise.
    bool mirrors() const { return mirror_.x() < 0; }
    bool mirroring_node() const { return node_scale_.x() < 0; }
    Json armature() const {
        Json node = {{"name", "Armature"}};
        const Quat& q = node_rotation_;
        if (q.angularDistance(Quat::Identity()) > 1e-9) node["rotation"] = {q.x(), q.y(), q.z(), q.w()};
        if ((node_scale_ - Vec3::Ones()).norm() > 1e-12)
            node["scale"] = {node_scale_.x(), node_scale_.y(), node_scale_.z()};
        return node;
    }

private:
    double scale_ = 1;
    Mat3 turn_ = Mat3::Identity();
    Vec3 mirror_ = Vec3::Ones();
    Quat node_rotation_ = Quat::Identity();
    Vec3 node_scale_ = Vec3::Ones();
};

/// Vertices and triangles of one mesh of the file.
struct Piece {
    std::vector<std::uint32_t> vertices;                   ///< of the body
    std::vector<std::vector<std::uint32_t>> indices;       ///< one list a material
    std::vector<std::vector<std::uint32_t>> head_indices;  ///< of the FaceMesh slice
};

class DocumentMaker {
public:
    explicit DocumentMaker(const HumanoidOptions& options) : options_(options), models_(make_models(options)) {}

    gltf::Document make() {
        builder_.json()["asset"]["generator"] = "helixavatar humanoid builder";
        add_materials();
        for (std::size_t level = 0; level < models_.size(); ++level) add_level(level);
        builder_.json()["scene"] = 0;
        gltf::Document document = builder_.finish();
        apply_faults(document, options_);
        return document;
    }

private:
    void add_materials() {
        if (options_.texture_size > 0) {
            const FigureOptions figure{options_.long_hair};
            PaintedTextures textures =
                paint(humanoid_body(options_.triangles, figure), humanoid_field(figure), options_.texture_size);
            if (options_.faults.contains(Fault::swapped_textures)) std::swap(textures.base_color, textures.normal);
            const std::size_t base = builder_.add_image(textures.base_color, "image/png", "BaseColor");
            const std::size_t normal = builder_.add_image(textures.normal, "image/png", "Normal");
            builder_.add("samplers", {{"magFilter", 9729}, {"minFilter", 9987}});
            builder_.add("textures", {{"sampler", 0}, {"source", base}});
            builder_.add("textures", {{"sampler", 0}, {"source", normal}});
        }
        for (std::size_t m = 0; m < options_.materials; ++m) {
            Json pbr = {{"metallicFactor", 0}, {"roughnessFactor", material_roughness(m, options_.materials)}};
            if (options_.texture_size > 0) pbr["baseColorTexture"] = {{"index", 0}};
            Json material = {{"name", material_name(m, options_.materials)}, {"pbrMetallicRoughness", pbr}};
            if (options_.texture_size > 0) material["normalTexture"] = {{"index", 1}};
            builder_.add("materials", std::move(material));
        }
    }

    void add_level(std::size_t level) {
        const HumanoidModel& model = models_[level];
        const Placement placement(options_, models_[0]);
        Json scene_nodes = Json::array();
        const bool share = level > 0 && options_.faults.contains(Fault::shared_lod_skeleton);
        if (!share) armature_ = add_joint_nodes(model, placement);
        scene_nodes.push_back(armature_);
        if (!model.rig.skinned) {
            add_rigid_parts(model, placement);
        } else {
            std::vector<Piece> pieces = split(model);
            if (placement.mirrors())
                for (Piece& piece : pieces) turn_over(piece);
            for (std::size_t i = 0; i < pieces.size(); ++i) add_skinned(model, placement, pieces[i], i, scene_nodes);
        }
        Json scene = {{"nodes", scene_nodes}};
        if (models_.size() > 1) scene["name"] = "lod" + std::to_string(level + 1);
        builder_.add("scenes", std::move(scene));
    }

    std::string joint_name(const HumanoidModel& model, std::size_t joint) const {
        return options_.opaque_names ? "bone_" + std::to_string(joint) : model.rig.joints[joint].name;
    }

    std::size_t add_joint_nodes(const HumanoidModel& model, const Placement& placement) {
        Json& nodes = builder_.json()["nodes"];
        first_node_ = nodes.is_array() ? nodes.size() : 0;
        const std::size_t count = model.rig.joints.size();
        std::vector<Json> made(count);
        Json armature = placement.armature();
        for (std::size_t j = 0; j < count; ++j) {
            const int parent = model.rig.joints[j].parent;
            const Pose own = placement.pose(model.nodes[j]);
            const Pose local = parent < 0 ? own : placement.pose(model.nodes[parent]).inverse() * own;
            made[j] = {{"name", joint_name(model, j)},
                       {"translation", {local.translation.x(), local.translation.y(), local.translation.z()}},
                       {"rotation", {local.rotation.x(), local.rotation.y(), local.rotation.z(), local.rotation.w()}}};
            (parent < 0 ? armature : made[parent])["children"].push_back(first_node_ + j);
        }
        for (Json& node : made) builder_.add("nodes", std::move(node));
        return builder_.add("nodes", std::move(armature));
    }

    /// Triangles by height into as many pieces as there are skins; what shares a vertex may part, as it does in real
    /// files.
    std::vector<Piece> split(const HumanoidModel& model) const {
        std::vector<Piece> pieces(options_.skins);
        std::vector<std::vector<std::uint32_t>> renamed(options_.skins,
                                                        std::vector<std::uint32_t>(model.body.positions.size(), ~0u));
        for (Piece& piece : pieces) {
            piece.indices.resize(options_.materials);
            piece.head_indices.resize(options_.materials);
        }
        for (std::size_t t = 0; t < model.materials.size(); ++t) {
            const std::size_t which = static_cast<std::size_t>(model.body.parts[t]) * options_.skins / kParts;
            auto& list = (model.head[t] ? pieces[which].head_indices : pieces[which].indices)[model.materials[t]];
            for (int k = 0; k < 3; ++k) {
                const std::uint32_t v = model.body.triangles[3 * t + k];
                if (renamed[which][v] == ~0u) {
                    renamed[which][v] = static_cast<std::uint32_t>(pieces[which].vertices.size());
                    pieces[which].vertices.push_back(v);
                }
                list.push_back(renamed[which][v]);
            }
        }
        pieces.erase(std::remove_if(pieces.begin(), pieces.end(), [](const Piece& p) { return p.vertices.empty(); }),
                     pieces.end());
        return pieces;
    }

    static void turn_over(Piece& piece) {
        for (auto* lists : {&piece.indices, &piece.head_indices})
            for (auto& list : *lists)
                for (std::size_t i = 0; i < list.size(); i += 3) std::swap(list[i + 1], list[i + 2]);
    }

    /// Skinned meshes stand at the root, as the specification advises; below a mirroring armature they stay under it,
    /// for a viewer that looks at the node to know which side is out.
    void hang(const Placement& placement, std::size_t node, Json& scene_nodes) {
        if (placement.mirroring_node())
            builder_.json()["nodes"][armature_]["children"].push_back(node);
        else
            scene_nodes.push_back(node);
    }

    std::size_t add_vectors(const std::vector<Vec3f>& list, bool min_max) {
        return builder_.add_floats({list[0].data(), list.size() * 3}, "VEC3", Target::vertex, min_max);
    }

    Json add_attributes(const HumanoidModel& model, const Placement& placement, const Piece& piece) {
        std::vector<Vec3f> positions;
        std::vector<Vec3f> normals;
        std::vector<Vec2f> uvs;
        for (const std::uint32_t v : piece.vertices) {
            positions.push_back(placement.vector(model.body.positions[v]));
            normals.push_back(placement.direction(model.body.normals[v]));
            uvs.push_back(model.body.uvs[v]);
        }
        Json attributes = {{"POSITION", add_vectors(positions, true)}, {"NORMAL", add_vectors(normals, false)}};
        attributes["TEXCOORD_0"] = builder_.add_floats({uvs[0].data(), uvs.size() * 2}, "VEC2", Target::vertex);
        return attributes;
    }

    void add_influences(Json& attributes, const HumanoidModel& model, const Piece& piece,
                        const std::vector<int>& slot) {
        const bool fifth = options_.faults.contains(Fault::five_influences);
        std::vector<std::uint16_t> joints;
        std::vector<float> weights;
        std::vector<std::uint16_t> more_joints;
        std::vector<float> more_weights;
        for (const std::uint32_t v : piece.vertices) {
            const float keep = fifth ? 0.9f : 1.0f;
            for (std::size_t k = 0; k < avatar::kWrittenInfluences; ++k) {
                const avatar::Influence& influence = model.influences[v][k];
                joints.push_back(influence.weight > 0 ? static_cast<std::uint16_t>(slot[influence.joint])
                                                      : std::uint16_t{0});
                weights.push_back(keep * influence.weight);
                more_joints.push_back(k == 0 ? joints[joints.size() - 1] : std::uint16_t{0});
                more_weights.push_back(k == 0 ? 0.1f : 0.0f);
            }
        }
        attributes["JOINTS_0"] = builder_.add_u16(joints, "VEC4", Target::vertex);
        attributes["WEIGHTS_0"] = builder_.add_floats(weights, "VEC4", Target::vertex);
        if (!fifth) return;
        attributes["JOINTS_1"] = builder_.add_u16(more_joints, "VEC4", Target::vertex);
        attributes["WEIGHTS_1"] = builder_.add_floats(more_weights, "VEC4", Target::vertex);
    }

    /// Joints of the piece's skin: all when there is one skin, else those that it uses.
    std::vector<int> skin_joints(const HumanoidModel& model, const Piece& piece) const {
        std::vector<bool> used(model.rig.joints.size(), options_.skins == 1);
        for (const std::uint32_t v : piece.vertices)
            for (const avatar::Influence& influence : model.influences[v])
                if (influence.weight > 0) used[influence.joint] = true;
        std::vector<int> out;
        for (std::size_t j = 0; j < used.size(); ++j)
            if (used[j] && model.rig.joints[j].skin) out.push_back(static_cast<int>(j));
        return out;
    }

    std::size_t add_skin(const HumanoidModel& model, const Placement& placement, const std::vector<int>& joints) {
        Json list = Json::array();
        std::vector<float> inverse;
        for (const int j : joints) {
            list.push_back(first_node_ + static_cast<std::size_t>(j));
            const Eigen::Matrix4f m = placement.pose(model.rig.joints[j].world).inverse().matrix().cast<float>();
            inverse.insert(inverse.end(), m.data(), m.data() + 16);
        }
        // The last row of an affine inverse is 0 0 0 1 to the bit.
        for (std::size_t i = 0; i < inverse.size(); i += 16)
            for (const int k : {3, 7, 11, 15}) inverse[i + k] = k == 15 ? 1.0f : 0.0f;
        return builder_.add("skins", {{"name", "Armature"},
                                      {"joints", list},
                                      {"inverseBindMatrices", builder_.add_floats(inverse, "MAT4", Target::none)}});
    }

    Json add_targets(const HumanoidModel& model, const Placement& placement, const Piece& piece) {
        Json targets = Json::array();
        for (const FaceShape& shape : model.shapes) {
            std::vector<Vec3f> deltas;
            for (const std::uint32_t v : piece.vertices) deltas.push_back(placement.vector(shape.deltas[v]));
            targets.push_back({{"POSITION", builder_.add_morph_deltas({deltas[0].data(), deltas.size() * 3}, true)}});
        }
        return targets;
    }

    Json primitives(const std::vector<std::vector<std::uint32_t>>& indices, const Json& attributes,
                    const Json& targets) {
        Json list = Json::array();
        for (std::size_t m = 0; m < indices.size(); ++m) {
            if (indices[m].empty()) continue;
            Json primitive = {
                {"attributes", attributes}, {"indices", builder_.add_indices(indices[m])}, {"material", m}};
            if (!targets.empty()) primitive["targets"] = targets;
            list.push_back(std::move(primitive));
        }
        return list;
    }

    std::size_t add_mesh_node(const std::string& name, Json list, const HumanoidModel& model,
                              std::optional<std::size_t> skin) {
        Json mesh = {{"name", name}, {"primitives", std::move(list)}};
        if (!model.shapes.empty()) {
            for (const FaceShape& shape : model.shapes) mesh["extras"]["targetNames"].push_back(shape.name);
            mesh["weights"] = std::vector<int>(model.shapes.size(), 0);
        }
        Json node = {{"name", name}, {"mesh", builder_.add("meshes", std::move(mesh))}};
        if (skin) node["skin"] = *skin;
        return builder_.add("nodes", std::move(node));
    }

    void add_skinned(const HumanoidModel& model, const Placement& placement, const Piece& piece, std::size_t i,
                     Json& scene_nodes) {
        const std::vector<int> joints = skin_joints(model, piece);
        std::vector<int> slot(model.rig.joints.size(), 0);
        for (std::size_t s = 0; s < joints.size(); ++s) slot[joints[s]] = static_cast<int>(s);
        Json attributes = add_attributes(model, placement, piece);
        std::optional<std::size_t> skin;
        if (!options_.faults.contains(Fault::no_skin)) {
            add_influences(attributes, model, piece, slot);
            skin = add_skin(model, placement, joints);
        }
        const Json targets = add_targets(model, placement, piece);
        const bool avatar = options_.family == "helix" || options_.face_mesh;
        const std::string name = avatar ? avatar::kBodyMesh : "char" + std::to_string(i + 1);
        const Json body = primitives(piece.indices, attributes, targets);
        if (!body.empty()) {
            hang(placement, add_mesh_node(name, body, model, skin), scene_nodes);
            if (i == 0 && builder_.json()["scenes"].is_null())
                add_vrm(builder_.json(), options_, model, first_node_, builder_.json()["meshes"].size() - 1,
                        builder_.json()["nodes"].size() - 1);
        }
        const Json head = primitives(piece.head_indices, attributes, targets);
        if (!head.empty()) hang(placement, add_mesh_node(avatar::kFaceMesh, head, model, skin), scene_nodes);
    }

    /// One unskinned mesh a joint, in the joint's own frame.
    void add_rigid_parts(const HumanoidModel& model, const Placement& placement) {
        for (std::size_t j = 0; j < model.rig.joints.size(); ++j) {
            Piece piece;
            piece.indices.resize(options_.materials);
            std::vector<std::uint32_t> renamed(model.body.positions.size(), ~0u);
            for (std::size_t t = 0; t < model.materials.size(); ++t) {
                if (model.influences[model.body.triangles[3 * t]][0].joint != j) continue;
                for (int k = 0; k < 3; ++k) {
                    const std::uint32_t v = model.body.triangles[3 * t + k];
                    if (renamed[v] == ~0u) {
                        renamed[v] = static_cast<std::uint32_t>(piece.vertices.size());
                        piece.vertices.push_back(v);
                    }
                    piece.indices[model.materials[t]].push_back(renamed[v]);
                }
            }
            if (piece.vertices.empty()) continue;
            if (placement.mirrors()) turn_over(piece);
            const Pose to_joint = placement.pose(model.rig.joints[j].world).inverse();
            std::vector<Vec3f> positions;
            std::vector<Vec3f> normals;
            std::vector<Vec2f> uvs;
            for (const std::uint32_t v : piece.vertices) {
                positions.push_back(
                    (to_joint * placement.vector(model.body.positions[v]).cast<double>().eval()).cast<float>());
                normals.push_back(
                    (to_joint.rotation * placement.direction(model.body.normals[v]).cast<double>()).cast<float>());
                uvs.push_back(model.body.uvs[v]);
            }
            Json attributes = {{"POSITION", add_vectors(positions, true)}, {"NORMAL", add_vectors(normals, false)}};
            attributes["TEXCOORD_0"] = builder_.add_floats({uvs[0].data(), uvs.size() * 2}, "VEC2", Target::vertex);
            const Json list = primitives(piece.indices, attributes, Json::array());
            const std::size_t mesh = builder_.add("meshes", {{"name", model.rig.joints[j].name}, {"primitives", list}});
            builder_.json()["nodes"][first_node_ + j]["mesh"] = mesh;
        }
    }

    const HumanoidOptions& options_;
    std::vector<HumanoidModel> models_;
    DocumentBuilder builder_;
    std::size_t first_node_ = 0;
    std::size_t armature_ = 0;
};

}  // namespace

gltf::Document build_humanoid(const HumanoidOptions& options) {
    return DocumentMaker(options).make();
}

HumanoidOptions sample_options() {
    HumanoidOptions options;
    options.family = "meshy";
    options.pose = BodyPose::t;
    options.triangles = 80000;
    options.units = Units::centimetres_under_node;
    options.texture_size = 2048;
    return options;
}

HumanoidOptions monster_options() {
    HumanoidOptions options = sample_options();
    options.triangles = 400000;
    options.texture_size = 4096;
    options.materials = 30;
    return options;
}

}  // namespace helixavatar::test
