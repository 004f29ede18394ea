// SPDX-License-Identifier: MIT
// Primitives as world-space surfaces: linear-blend skinning as a viewer does it, once, at the chosen rest.
#include "source_parts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <helixavatar/avatar/vertices.hpp>
#include <helixavatar/gltf/accessor_view.hpp>

namespace helixavatar::avatar {
namespace {

// primitive.mode; up to kLineStrip points and lines, which no avatar draws
constexpr int kLineStrip = 3, kTriangles = 4, kTriangleStrip = 5, kTriangleFan = 6;

template <class V>
std::vector<V> vectors(const std::vector<float>& values, int components) {
    std::vector<V> out(components > 0 ? values.size() / components : 0, V::Zero());
    const int take = std::min<int>(components, V::RowsAtCompileTime);
    for (std::size_t i = 0; i < out.size(); ++i)
        for (int c = 0; c < take; ++c) out[i][c] = values[i * components + c];
    return out;
}

Result<std::vector<float>> floats(const gltf::Document& document, int accessor) {
    Result<gltf::AccessorView> view = gltf::AccessorView::open(document, static_cast<std::size_t>(accessor));
    if (!view) return view.error();
    return view->floats();
}

int attribute(const std::map<std::string, int>& attributes, const std::string& name) {
    const auto found = attributes.find(name);
    return found == attributes.end() ? -1 : found->second;
}

std::vector<std::uint32_t> as_triangles(std::vector<std::uint32_t> indices, int mode) {
    if (mode == kTriangles) {
        indices.resize(indices.size() / 3 * 3);
        return indices;
    }
    std::vector<std::uint32_t> out;
    for (std::size_t i = 2; i < indices.size(); ++i) {
        const std::uint32_t a = mode == kTriangleFan ? indices[0] : indices[i - 2];
        const bool odd = mode == kTriangleStrip && i % 2 == 1;
        out.insert(out.end(), {odd ? indices[i - 1] : a, odd ? a : indices[i - 1], indices[i]});
    }
    return out;
}

class MeshReader {
public:
    MeshReader(const gltf::Document& document, const tinygltf::Model& model, const SourcePose& pose,
               const UvSets& uv_sets, Pools pools, std::vector<std::string>& warnings)
        : document_(document), model_(model), pose_(pose), uv_sets_(uv_sets), pools_(pools), warnings_(warnings) {}

    /// Of all that was read, as the file has them.
    std::size_t vertices() const { return vertices_; }

    Result<std::optional<Surface>> read(int node_index, int primitive_index) {
        const tinygltf::Node& node = model_.nodes[node_index];
        const tinygltf::Mesh& mesh = model_.meshes[node.mesh];
        const tinygltf::Primitive& primitive = mesh.primitives[primitive_index];
        const int mode = primitive.mode < 0 ? kTriangles : primitive.mode;
        Surface surface;
        surface.name = !node.name.empty() ? node.name : mesh.name;
        if (mode <= kLineStrip) {
            warnings_.push_back("\"" + surface.name +
                                "\": points and lines are not drawn on an avatar; they were left out");
            return std::optional<Surface>{};
        }
        surface.material = primitive.material;
        const Result<void> vertices = read_vertices(primitive, surface);
        if (!vertices) return vertices.error();
        const Result<void> morphs = read_morphs(node, mesh, primitive, surface);
        if (!morphs) return morphs.error();
        const Result<void> triangles = read_triangles(primitive, mode, surface);
        if (!triangles) return triangles.error();
        vertices_ += surface.positions.size();
        // Many primitives over one pool would carry it as often.
        std::vector<std::uint32_t> kept = used_vertices(surface);
        if (pools_ == Pools::whole) {
            kept.resize(surface.positions.size());
            std::iota(kept.begin(), kept.end(), 0U);
        } else if (kept.size() < surface.positions.size()) {
            surface = keep_vertices(surface, kept);
        }
        const Result<void> placed =
            node.skin >= 0 ? place_skinned(node, primitive, kept, surface) : place_rigid(node_index, surface);
        if (!placed) return placed.error();
        return std::optional<Surface>(std::move(surface));
    }

private:
    Result<void> read_vertices(const tinygltf::Primitive& primitive, Surface& surface) {
        const auto read = [&](const std::string& name, auto& out, int components) -> Result<void> {
            const int accessor = attribute(primitive.attributes, name);
            if (accessor < 0) return {};
            const Result<std::vector<float>> values = floats(document_, accessor);
            if (!values) return values.error();
            using V = typename std::decay_t<decltype(out)>::value_type;
            out = vectors<V>(*values, components);
            return {};
        };
        for (Result<void> result : {read("POSITION", surface.positions, 3), read("NORMAL", surface.normals, 3),
                                    read("TANGENT", surface.tangents, 4)})
            if (!result) return result;
        const int color = attribute(primitive.attributes, "COLOR_0");
        if (color >= 0) {
            const int components = gltf::component_count(document_.json["accessors"][color].value("type", "VEC4"));
            const Result<void> colors = read("COLOR_0", surface.colors, components);
            if (!colors) return colors;
            if (components == 3)
                for (Vec4f& c : surface.colors) c.w() = 1;
        }
        return read_uvs(primitive, surface);
    }

    Result<void> read_uvs(const tinygltf::Primitive& primitive, Surface& surface) {
        std::vector<UvSet> sets;
        if (surface.material >= 0) sets = uv_sets_[surface.material];
        if (sets.empty() && attribute(primitive.attributes, "TEXCOORD_0") >= 0) sets.push_back({});
        for (const UvSet& set : sets) {
            const int accessor = attribute(primitive.attributes, "TEXCOORD_" + std::to_string(set.texcoord));
            std::vector<Vec2f> uvs(surface.positions.size(), Vec2f::Zero());
            if (accessor >= 0) {
                const Result<std::vector<float>> values = floats(document_, accessor);
                if (!values) return values.error();
                uvs = vectors<Vec2f>(*values, 2);
            }
            const double c = std::cos(set.rotation);
            const double s = std::sin(set.rotation);
            if (!(set == UvSet{set.texcoord}))
                for (Vec2f& uv : uvs) {
                    const Vec2 scaled = uv.cast<double>().cwiseProduct(set.scale);
                    uv = (Vec2(c * scaled.x() + s * scaled.y(), -s * scaled.x() + c * scaled.y()) + set.offset)
                             .cast<float>();
                }
            surface.uvs.push_back(std::move(uvs));
        }
        return {};
    }

    std::vector<std::string> morph_names(const tinygltf::Mesh& mesh, const tinygltf::Primitive& primitive) const {
        const int mesh_index = static_cast<int>(&mesh - model_.meshes.data());
        const int primitive_index = static_cast<int>(&primitive - mesh.primitives.data());
        const Json& mesh_json = document_.json["meshes"][mesh_index];
        const Json& primitive_json = mesh_json["primitives"][primitive_index];
        std::vector<std::string> names;
        for (std::size_t t = 0; t < primitive.targets.size(); ++t) {
            std::string name;
            for (const Json* owner : {&mesh_json, &primitive_json}) {
                const Json* list = owner->contains("extras") && (*owner)["extras"].is_object() &&
                                           (*owner)["extras"].contains("targetNames")
                                       ? &(*owner)["extras"]["targetNames"]
                                       : nullptr;
                if (name.empty() && list && list->is_array() && t < list->size() && (*list)[t].is_string())
                    name = (*list)[t];
            }
            const int position = attribute(primitive.targets[t], "POSITION");
            if (name.empty() && position >= 0) name = document_.json["accessors"][position].value("name", "");
            if (name.empty()) name = "mesh" + std::to_string(mesh_index) + "_target" + std::to_string(t);
            names.push_back(std::move(name));
        }
        return names;
    }

    Result<void> read_morphs(const tinygltf::Node& node, const tinygltf::Mesh& mesh,
                             const tinygltf::Primitive& primitive, Surface& surface) {
        const std::vector<std::string> names = morph_names(mesh, primitive);
        const std::vector<double>& defaults = node.weights.empty() ? mesh.weights : node.weights;
        for (std::size_t t = 0; t < primitive.targets.size(); ++t) {
            MorphTarget morph;
            morph.name = names[t];
            morph.positions.assign(surface.positions.size(), Vec3f::Zero());
            const int positions = attribute(primitive.targets[t], "POSITION");
            if (positions >= 0) {
                const Result<std::vector<float>> values = floats(document_, positions);
                if (!values) return values.error();
                morph.positions = vectors<Vec3f>(*values, 3);
            }
            const int normals = attribute(primitive.targets[t], "NORMAL");
            if (normals >= 0 && !surface.normals.empty()) {
                const Result<std::vector<float>> values = floats(document_, normals);
                if (!values) return values.error();
                morph.normals = vectors<Vec3f>(*values, 3);
            }
            const double weight = t < defaults.size() ? defaults[t] : 0;
            if (weight != 0 && std::isfinite(weight)) {
                warnings_.push_back("\"" + surface.name + "\": the morph target " + morph.name +
                                    " is on at rest (weight " + Json(weight).dump() + "); it was baked into the shape");
                for (std::size_t v = 0; v < surface.positions.size() && v < morph.positions.size(); ++v)
                    surface.positions[v] += static_cast<float>(weight) * morph.positions[v];
            }
            surface.morphs.push_back(std::move(morph));
        }
        return {};
    }

    Result<void> read_triangles(const tinygltf::Primitive& primitive, int mode, Surface& surface) {
        std::vector<std::uint32_t> indices;
        if (primitive.indices >= 0) {
            Result<gltf::AccessorView> view = gltf::AccessorView::open(document_, primitive.indices);
            if (!view) return view.error();
            indices = view->unsigned_integers();
        } else {
            indices.resize(surface.positions.size());
            for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::uint32_t>(i);
        }
        surface.body = as_triangles(std::move(indices), mode);
        const auto out_of_range = [&](std::uint32_t v) { return v >= surface.positions.size(); };
        if (std::any_of(surface.body.begin(), surface.body.end(), out_of_range))
            return Error{ErrorKind::malformed, "an index points past the last vertex", surface.name,
                         "export the file again"};
        return {};
    }

    /// `kept`: the file's number of each vertex.
    Result<void> read_weights(const tinygltf::Node& node, const tinygltf::Primitive& primitive,
                              const std::vector<std::uint32_t>& kept, Surface& surface) {
        const std::vector<int>& joints = model_.skins[node.skin].joints;
        surface.influences.assign(surface.positions.size(), Influences{});
        struct Set {
            std::vector<std::uint32_t> indices;
            std::vector<float> weights;
        };
        std::vector<Set> sets;
        for (;;) {
            const std::string number = std::to_string(sets.size());
            const int joint_accessor = attribute(primitive.attributes, "JOINTS_" + number);
            const int weight_accessor = attribute(primitive.attributes, "WEIGHTS_" + number);
            if (joint_accessor < 0 || weight_accessor < 0) break;
            Result<gltf::AccessorView> view = gltf::AccessorView::open(document_, joint_accessor);
            if (!view) return view.error();
            Result<std::vector<float>> weights = floats(document_, weight_accessor);
            if (!weights) return weights.error();
            sets.push_back({view->unsigned_integers(), weights.take()});
        }
        std::vector<Influence> list;
        for (std::size_t v = 0; v < surface.positions.size(); ++v) {
            list.clear();
            for (const auto& [indices, weights] : sets)
                for (std::size_t k = 4 * std::size_t{kept[v]}, end = k + 4;
                     k < end && k < indices.size() && k < weights.size(); ++k) {
                    if (!(weights[k] > 0) || !std::isfinite(weights[k]) || indices[k] >= joints.size()) continue;
                    const int joint = pose_.node_to_joint[joints[indices[k]]];
                    if (joint >= 0) list.push_back({static_cast<std::uint16_t>(joint), weights[k]});
                }
            store(list, surface.influences[v]);
        }
        return {};
    }

    static void store(std::vector<Influence>& list, Influences& out) {
        std::sort(list.begin(), list.end(), [](const Influence& a, const Influence& b) { return a.joint < b.joint; });
        std::size_t count = 0;  // joints, each with all of its weight, at the front of the list
        for (const Influence& influence : list) {
            if (count > 0 && list[count - 1].joint == influence.joint)
                list[count - 1].weight += influence.weight;
            else
                list[count++] = influence;
        }
        list.resize(count);
        std::sort(list.begin(), list.end(), [](const Influence& a, const Influence& b) {
            return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
        });
        std::copy_n(list.begin(), std::min(count, kMaxInfluences), out.begin());
        limit_influences(out, kMaxInfluences);
    }

    Result<void> place_skinned(const tinygltf::Node& node, const tinygltf::Primitive& primitive,
                               const std::vector<std::uint32_t>& kept, Surface& surface) {
        const Result<void> weights = read_weights(node, primitive, kept, surface);
        if (!weights) return weights;
        const std::vector<int>& joints = model_.skins[node.skin].joints;
        std::vector<Mat4> to_world(pose_.nodes.size(), Mat4::Identity());
        int first = -1;
        for (std::size_t k = 0; k < joints.size(); ++k) {
            const int joint = pose_.node_to_joint[joints[k]];
            if (joint < 0) continue;
            to_world[joint] = pose_.rest[joint] * pose_.inverse_binds[node.skin][k];
            if (first < 0) first = joint;
        }
        if (first < 0)
            return Error{ErrorKind::unconvertible, "no joint of its skin is in the scene", surface.name,
                         "export mesh and armature together"};
        std::size_t unweighted = 0;
        const auto matrix_of = [&](std::size_t v) {
            Influences& influences = surface.influences[v];
            Mat4 blend = Mat4::Zero();
            for (const Influence& influence : influences)
                if (influence.weight > 0) blend += static_cast<double>(influence.weight) * to_world[influence.joint];
            if (!(influences[0].weight > 0)) {
                ++unweighted;
                blend = to_world[first];
                influences[0] = {nearest_joint(joints, blend, surface.positions[v]), 1.0F};
            }
            return blend;
        };
        transform(matrix_of, surface);
        if (unweighted)
            warnings_.push_back("\"" + surface.name + "\": " + std::to_string(unweighted) +
                                " vertices had no skin weight; each was bound to its nearest joint");
        return {};
    }

    std::uint16_t nearest_joint(const std::vector<int>& joints, const Mat4& matrix, const Vec3f& position) const {
        const Vec3 p = (matrix * position.cast<double>().homogeneous()).head<3>();
        double best = 1e300;
        int nearest = 0;
        for (const int node : joints) {
            const int joint = pose_.node_to_joint[node];
            if (joint < 0) continue;
            const double distance = (pose_.rest[joint].topRightCorner<3, 1>() - p).squaredNorm();
            if (distance < best) {
                best = distance;
                nearest = joint;
            }
        }
        return static_cast<std::uint16_t>(nearest);
    }

    Result<void> place_rigid(int node_index, Surface& surface) {
        const int joint = pose_.node_to_joint[node_index];
        Influences rigid{};
        rigid[0] = {static_cast<std::uint16_t>(joint), 1.0F};
        surface.influences.assign(surface.positions.size(), rigid);
        transform([&](std::size_t) -> const Mat4& { return pose_.rest[joint]; }, surface);
        return {};
    }

    /// Moves every vertex by its matrix; a mirroring one turns the triangles over so that outside stays outside.
    template <class MatrixOf>
    static void transform(const MatrixOf& matrix_of, Surface& surface) {
        std::size_t mirrored = 0;
        for (std::size_t v = 0; v < surface.positions.size(); ++v) {
            const Mat4& matrix = matrix_of(v);
            const Mat3 linear = matrix.template topLeftCorner<3, 3>();
            const bool mirror = linear.determinant() < 0;
            mirrored += mirror;
            surface.positions[v] =
                (linear * surface.positions[v].cast<double>() + matrix.template topRightCorner<3, 1>()).cast<float>();
            // The cofactor matrix carries normals through scale and shear, and needs no inverse.
            Mat3 cofactor;
            cofactor.col(0) = linear.col(1).cross(linear.col(2));
            cofactor.col(1) = linear.col(2).cross(linear.col(0));
            cofactor.col(2) = linear.col(0).cross(linear.col(1));
            if (mirror) cofactor = -cofactor;
            if (v < surface.normals.size()) turn_normal(cofactor, surface.normals[v], v, surface);
            if (v < surface.tangents.size()) {
                const Vec3 t = linear * surface.tangents[v].head<3>().cast<double>();
                if (t.norm() > 0) surface.tangents[v].head<3>() = t.normalized().cast<float>();
                if (mirror) surface.tangents[v].w() *= -1;
            }
            for (MorphTarget& morph : surface.morphs)
                if (v < morph.positions.size())
                    morph.positions[v] = (linear * morph.positions[v].cast<double>()).cast<float>();
        }
        if (2 * mirrored > surface.positions.size())
            for (std::size_t i = 0; i + 2 < surface.body.size(); i += 3)
                std::swap(surface.body[i + 1], surface.body[i + 2]);
    }

    static void turn_normal(const Mat3& cofactor, Vec3f& normal, std::size_t v, Surface& surface) {
        const Vec3 source = normal.cast<double>();
        const Vec3 turned = cofactor * source;
        if (turned.norm() > 0) normal = turned.normalized().cast<float>();
        for (MorphTarget& morph : surface.morphs) {
            if (v >= morph.normals.size()) continue;
            const Vec3 moved = cofactor * (source + morph.normals[v].cast<double>());
            morph.normals[v] =
                moved.norm() > 0 ? (moved.normalized().cast<float>() - normal).eval() : Vec3f::Zero().eval();
        }
    }

    const gltf::Document& document_;
    const tinygltf::Model& model_;
    const SourcePose& pose_;
    const UvSets& uv_sets_;
    const Pools pools_;
    std::size_t vertices_ = 0;
    std::vector<std::string>& warnings_;
};

bool under_root(const tinygltf::Model& model, const SourcePose& pose, int joint, const std::string& root) {
    for (; joint >= 0; joint = pose.parents[joint])
        if (model.nodes[pose.nodes[joint]].name == root) return true;
    return false;
}

/// Whether a rigid mesh hangs from the skeleton: itself or an ancestor is a joint of a skin.
bool on_skeleton(const SourcePose& pose, int joint) {
    for (; joint >= 0; joint = pose.parents[joint])
        if (pose.in_skin[joint]) return true;
    return false;
}

bool wanted(const tinygltf::Model& model, const SourcePose& pose, const ReadOptions& options, int joint) {
    for (int j = joint; j >= 0; j = pose.parents[j]) {
        const std::string& name = model.nodes[pose.nodes[j]].name;
        if (std::find(options.drop_nodes.begin(), options.drop_nodes.end(), name) != options.drop_nodes.end())
            return false;
    }
    if (options.root.empty()) return true;
    const int skin = model.nodes[pose.nodes[joint]].skin;
    if (skin < 0) return under_root(model, pose, joint, options.root);
    const std::vector<int>& joints = model.skins[skin].joints;
    return std::any_of(joints.begin(), joints.end(),
                       [&](int node) { return under_root(model, pose, pose.node_to_joint[node], options.root); });
}

}  // namespace

Result<SourceMeshes> read_meshes(const gltf::Document& document, const tinygltf::Model& model, const SourcePose& pose,
                                 const UvSets& uv_sets, const ReadOptions& options, Pools pools,
                                 std::vector<std::string>& warnings) {
    SourceMeshes out;
    MeshReader reader(document, model, pose, uv_sets, pools, warnings);
    std::vector<std::string> props;
    out.mesh_morph_names.resize(model.meshes.size());
    for (std::size_t joint = 0; joint < pose.nodes.size(); ++joint) {
        const int node = pose.nodes[joint];
        const int mesh = model.nodes[node].mesh;
        if (mesh < 0 || !wanted(model, pose, options, static_cast<int>(joint))) continue;
        if (model.nodes[node].skin < 0) {
            if (!on_skeleton(pose, static_cast<int>(joint))) {
                warnings.push_back("the mesh \"" + model.nodes[node].name +
                                   "\" neither has a skin nor hangs from a joint; it was left out");
                continue;
            }
            props.push_back(model.nodes[node].name);
        }
        for (std::size_t p = 0; p < model.meshes[mesh].primitives.size(); ++p) {
            Result<std::optional<Surface>> surface = reader.read(node, static_cast<int>(p));
            if (!surface) return surface.error();
            ++out.primitives;
            if (!*surface) continue;
            auto& names = out.mesh_morph_names[mesh];
            if (names.empty())
                for (const MorphTarget& morph : (*surface)->morphs) names.push_back(morph.name);
            out.surfaces.push_back(std::move(**surface));
            out.origin.push_back({node, static_cast<int>(p)});
            out.position_accessors.push_back(attribute(model.meshes[mesh].primitives[p].attributes, "POSITION"));
        }
    }
    out.vertices = reader.vertices();
    if (!props.empty()) {
        std::string list;
        for (const std::string& name : props) list += (list.empty() ? "\"" : ", \"") + name + "\"";
        warnings.push_back("rigid meshes on bones became part of the body: " + list +
                           "; leave one out with --drop-node NAME");
    }
    return out;
}

}  // namespace helixavatar::avatar
