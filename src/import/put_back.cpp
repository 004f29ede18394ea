// SPDX-License-Identifier: MIT
#include "put_back.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <helixavatar/gltf/accessor_view.hpp>
#include <helixavatar/gltf/compact.hpp>
#include <helixavatar/gltf/document_builder.hpp>

#include "retarget.hpp"

namespace helixavatar::import {
namespace {

using avatar::Surface;
using gltf::DocumentBuilder;
using gltf::flat;
using gltf::Json;
using Target = DocumentBuilder::Target;

Json numbers(const Eigen::Ref<const Eigen::VectorXd>& v) {
    return Json(std::vector<double>(v.data(), v.data() + v.size()));
}

Json take(Json& root, const char* key) {
    Json out = root.contains(key) ? std::move(root[key]) : Json::array();
    root.erase(key);
    return out;
}

class PutBack {
public:
    PutBack(const gltf::Document& document, const avatar::Source& source, const conform::ConformOutput& conformed)
        : document_(document), source_(source), avatar_(conformed.avatar), out_(document) {
        Json& json = out_.json();
        nodes_ = take(json, "nodes");
        meshes_ = take(json, "meshes");
        scenes_ = take(json, "scenes");
        json.erase("skins");
        json.erase("cameras");
    }

    void write_skeleton(const avatar::BoneMap& map) {
        std::vector<float> binds;
        Json joints = Json::array();
        std::uint16_t next = 0;
        for (const avatar::Joint& joint : avatar_.joints) {
            const Pose local = joint.parent < 0
                                   ? joint.rest
                                   : avatar_.joints[static_cast<std::size_t>(joint.parent)].rest.inverse() * joint.rest;
            Json node = {{"name", joint.name},
                         {"translation", numbers(local.translation)},
                         {"rotation", numbers(local.rotation.coeffs())}};
            if (const int own = map.source(joint.name); own >= 0) {
                const Json& was = nodes_[static_cast<std::size_t>(source_.joint_node[static_cast<std::size_t>(own)])];
                if (was.contains("extras")) node["extras"] = was["extras"];
            }
            joint_nodes_.push_back(out_.add("nodes", std::move(node)));
            skin_index_.push_back(next);
            if (joint.parent >= 0)
                out_.json()["nodes"][joint_nodes_[static_cast<std::size_t>(joint.parent)]]["children"].push_back(
                    joint_nodes_.back());
            else
                roots_.push_back(joint_nodes_.back());
            if (!joint.skin) continue;
            ++next;
            joints.push_back(joint_nodes_.back());
            const Mat4 inverse = joint.rest.inverse().matrix();
            for (int i = 0; i < 16; ++i) binds.push_back(static_cast<float>(inverse(i % 4, i / 4)));
        }
        out_.add("skins", {{"inverseBindMatrices", out_.add_floats(binds, "MAT4", Target::none)},
                           {"skeleton", joint_nodes_.front()},
                           {"joints", std::move(joints)}});
    }

    /// Every mesh node of the source, at the root of the scene.
    void write_meshes() {
        const std::vector<Surface>& surfaces = avatar_.levels.front().surfaces;
        for (std::size_t i = 0; i < surfaces.size();) {
            const int node = source_.surface_origin[i].first;
            Json shell = nodes_[static_cast<std::size_t>(node)];
            Json mesh = meshes_[shell["mesh"].get<std::size_t>()];
            const Json old = std::move(mesh["primitives"]);
            mesh["primitives"] = Json::array();
            const Json& weights = shell.contains("weights") ? shell["weights"] : mesh["weights"];
            for (; i < surfaces.size() && source_.surface_origin[i].first == node; ++i)
                mesh["primitives"].push_back(primitive(old[static_cast<std::size_t>(source_.surface_origin[i].second)],
                                                       surfaces[i], weights, node, source_.surface_origin[i].second));
            if (mesh["weights"].is_null()) mesh.erase("weights");
            for (const char* key : {"translation", "rotation", "scale", "matrix", "children", "camera"})
                shell.erase(key);
            shell["mesh"] = out_.add("meshes", std::move(mesh));
            shell["skin"] = 0;
            mesh_nodes_[node] = out_.add("nodes", std::move(shell));
            roots_.push_back(mesh_nodes_[node]);
        }
    }

    void write_scene() {
        Json& json = out_.json();
        const auto which = json.value("scene", std::size_t{0});
        Json scene = which < scenes_.size() ? scenes_[which] : Json::object();
        scene["nodes"] = roots_;
        json["scenes"] = Json::array({std::move(scene)});
        json["scene"] = 0;
    }

    void drop_what_cannot_stay(std::vector<std::string>& warnings) {
        Json& json = out_.json();
        if (const Json& cameras = document_.json.value("cameras", Json::array()); !cameras.empty())
            warnings.push_back(std::to_string(cameras.size()) + " camera(s) were left out: their nodes are gone");
        if (json.contains("extensions") && json["extensions"].is_object())
            for (const std::string name :
                 {"VRM", "VRMC_vrm", "VRMC_springBone", "VRMC_node_constraint", "KHR_lights_punctual"}) {
                if (!json["extensions"].contains(name)) continue;
                json["extensions"].erase(name);
                warnings.push_back("the file's " + name +
                                   " data names nodes that are gone and was left out; `helixavatar import` carries "
                                   "what an avatar can have of it");
            }
        if (json.contains("extensions") && json["extensions"].empty()) json.erase("extensions");
        std::set<std::string> used;
        collect(json, used);
        // Not the name of an object: it allows integer accessors.
        used.insert("KHR_mesh_quantization");
        for (const char* list : {"extensionsUsed", "extensionsRequired"}) {
            if (!json.contains(list)) continue;
            Json kept = Json::array();
            for (const Json& name : json[list])
                if (name.is_string() && used.count(name)) kept.push_back(name);
            json[list] = std::move(kept);
            if (json[list].empty()) json.erase(list);
        }
    }

    DocumentBuilder& out() { return out_; }
    const std::vector<std::size_t>& joint_nodes() const { return joint_nodes_; }
    const std::map<int, std::size_t>& mesh_nodes() const { return mesh_nodes_; }

private:
    static void collect(const Json& value, std::set<std::string>& names) {
        if (value.is_object() && value.contains("extensions") && value["extensions"].is_object())
            for (const auto& item : value["extensions"].items()) names.insert(item.key());
        if (value.is_structured())
            for (const Json& child : value) collect(child, names);
    }

    Json primitive(const Json& old, const Surface& surface, const Json& weights, int node, int index) {
        Json out = old;
        // Primitives that share their vertices go on sharing them, whether or not both have morph targets.
        const int skin = nodes_[static_cast<std::size_t>(node)].value("skin", -1 - node);
        const bool on_at_rest = std::any_of(weights.begin(), weights.end(),
                                            [](const Json& w) { return w.is_number() && w.get<double>() != 0; });
        const std::string targets = old.contains("targets") ? old["targets"].dump() : std::string();
        const std::string place = std::to_string(skin) + old["attributes"].dump();
        out["attributes"] = once(place + (on_at_rest ? targets + weights.dump() : ""),
                                 [&] { return write_attributes(old, surface, weights); });
        if (old.contains("targets"))
            out["targets"] = once(place + targets, [&] { return write_targets(old, surface); });
        if (!same_triangles(node, index, surface)) {
            out["indices"] = out_.add_indices(surface.body);
            out.erase("mode");
        }
        return out;
    }

    /// False where the triangles had to be turned over or the primitive was a strip.
    bool same_triangles(int node, int index, const Surface& surface) const {
        const Json& shell = document_.json["nodes"][static_cast<std::size_t>(node)];
        const Json& old =
            document_.json["meshes"][shell["mesh"].get<std::size_t>()]["primitives"][static_cast<std::size_t>(index)];
        if (old.value("mode", 4) != 4) return false;
        if (!old.contains("indices")) {
            for (std::size_t i = 0; i < surface.body.size(); ++i)
                if (surface.body[i] != i) return false;
            return true;
        }
        const auto view = gltf::AccessorView::open(document_, old["indices"].get<std::size_t>());
        return view && view->unsigned_integers() == surface.body;
    }

    /// What `write` gives, or gave before under the same key.
    template <class Write>
    const Json& once(const std::string& key, const Write& write) {
        const auto known = written_.find(key);
        return known != written_.end() ? known->second : written_.emplace(key, write()).first->second;
    }

    Json write_attributes(const Json& old, const Surface& surface, const Json& weights) {
        Json attributes = old["attributes"];
        std::vector<std::string> gone;
        for (const auto& item : attributes.items())
            if (item.key().starts_with("JOINTS_") || item.key().starts_with("WEIGHTS_")) gone.push_back(item.key());
        for (const std::string& name : gone) attributes.erase(name);
        // Morph targets that are on at rest were part of the shape that was conformed; in the file they still are on.
        std::vector<Vec3f> positions = surface.positions;
        for (std::size_t t = 0; t < surface.morphs.size() && t < weights.size(); ++t)
            for (std::size_t v = 0; v < positions.size() && weights[t].is_number(); ++v)
                positions[v] -= weights[t].get<float>() * surface.morphs[t].positions[v];
        attributes["POSITION"] = out_.add_floats(flat(positions), "VEC3", Target::vertex, true);
        if (attributes.contains("NORMAL") && !surface.normals.empty())
            attributes["NORMAL"] = out_.add_floats(flat(surface.normals), "VEC3", Target::vertex);
        if (attributes.contains("TANGENT") && !surface.tangents.empty())
            attributes["TANGENT"] = out_.add_floats(flat(surface.tangents), "VEC4", Target::vertex);
        write_influences(surface, attributes);
        return attributes;
    }

    Json write_targets(const Json& old, const Surface& surface) {
        Json targets = Json::array();
        for (std::size_t t = 0; t < old["targets"].size(); ++t) {
            Json target = old["targets"][t];
            const avatar::MorphTarget& morph = surface.morphs[t];
            if (target.contains("POSITION")) target["POSITION"] = out_.add_morph_deltas(flat(morph.positions), true);
            if (target.contains("NORMAL") && !morph.normals.empty())
                target["NORMAL"] = out_.add_morph_deltas(flat(morph.normals), false);
            target.erase("TANGENT");  // follows from the others within the eye's reach
            targets.push_back(std::move(target));
        }
        return targets;
    }

    void write_influences(const Surface& surface, Json& attributes) {
        std::vector<std::uint16_t> joints;
        std::vector<float> weights;
        for (avatar::Influences influences : surface.influences) {
            avatar::limit_influences(influences, avatar::kWrittenInfluences);
            for (std::size_t k = 0; k < avatar::kWrittenInfluences; ++k) {
                const bool held = influences[k].weight > 0;
                joints.push_back(held ? skin_index_[influences[k].joint] : std::uint16_t{0});
                weights.push_back(held ? influences[k].weight : 0.0F);
            }
        }
        attributes["JOINTS_0"] = out_.add_u16(joints, "VEC4", Target::vertex);
        attributes["WEIGHTS_0"] = out_.add_floats(weights, "VEC4", Target::vertex);
    }

    const gltf::Document& document_;
    const avatar::Source& source_;
    const avatar::Avatar& avatar_;
    DocumentBuilder out_;
    Json nodes_, meshes_, scenes_;  ///< the source's, accessors numbered as in the new file
    std::vector<std::size_t> joint_nodes_;
    std::vector<std::uint16_t> skin_index_;
    std::map<int, std::size_t> mesh_nodes_;
    std::map<std::string, Json> written_;  ///< attributes and targets of primitives
    Json roots_ = Json::array();
};

}  // namespace

gltf::Document put_back(const gltf::Document& document, const avatar::Source& source,
                        const std::vector<avatar::Joint>& source_joints, const avatar::BoneMap& map,
                        const conform::ConformOutput& conformed, const std::string& generator,
                        std::vector<std::string>& warnings) {
    PutBack file(document, source, conformed);
    file.write_skeleton(map);
    file.write_meshes();
    file.write_scene();
    retarget_animations({document, source, source_joints, map, conformed, file.joint_nodes(), file.mesh_nodes()},
                        file.out(), warnings);
    file.drop_what_cannot_stay(warnings);
    file.out().json()["asset"]["generator"] = generator;
    gltf::Document out = file.out().finish();
    out.container = gltf::Container::glb;
    gltf::compact(out);
    return out;
}

}  // namespace helixavatar::import
