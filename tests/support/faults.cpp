// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "support/humanoid_model.hpp"

namespace helixavatar::test {
namespace {

using gltf::Json;

/// The document's own numbers, to be spoilt in place.
class Spoiler {
public:
    explicit Spoiler(gltf::Document& document) : document_(document), json_(document.json) {}

    Json& attribute_accessor(const char* name) {
        return json_["accessors"][json_["meshes"][0]["primitives"][0]["attributes"][name].get<std::size_t>()];
    }
    template <class T>
    T* data(const Json& accessor) {
        const Json& view = json_["bufferViews"][accessor["bufferView"].get<std::size_t>()];
        return reinterpret_cast<T*>(document_.buffers[0].data() + view["byteOffset"].get<std::size_t>());
    }
    std::size_t count(const Json& accessor) const { return accessor["count"].get<std::size_t>(); }

    /// Node of the rig joint that stands for a canonical one.
    Json& node(const HumanoidOptions& options, const std::string& canonical) {
        return json_["nodes"][node_index(options, canonical)];
    }
    std::size_t node_index(const HumanoidOptions& options, const std::string& canonical) const {
        const Rig rig = make_rig(options.family, pose_joints(options.pose));
        for (std::size_t j = 0; j < rig.joints.size(); ++j)
            if (rig.joints[j].canonical == canonical) return j;
        throw std::invalid_argument(options.family + " has no " + canonical);
    }

    void drop_attribute(const char* name) {
        for (Json& mesh : json_["meshes"])
            for (Json& primitive : mesh["primitives"]) primitive["attributes"].erase(name);
    }
    Json& json() { return json_; }

private:
    gltf::Document& document_;
    Json& json_;
};

void spoil_weights(Spoiler& s, Fault fault) {
    Json& accessor = s.attribute_accessor("WEIGHTS_0");
    float* weights = s.data<float>(accessor);
    if (fault == Fault::halved_weights)
        for (std::size_t i = 0; i < 4 * s.count(accessor); ++i) weights[i] *= 0.5f;
    if (fault == Fault::negative_weight) {
        weights[0] = 1.5f;
        weights[1] = -0.5f;
        weights[2] = weights[3] = 0;
    }
    if (fault == Fault::unweighted_vertices) std::fill(weights, weights + 400, 0.0f);
}

void spoil_nodes(Spoiler& s, const HumanoidOptions& options, Fault fault) {
    if (fault == Fault::nan_joint) s.node(options, "head")["translation"][1] = 1e300;
    if (fault == Fault::zero_quaternion) s.node(options, "neck_01")["rotation"] = {0, 0, 0, 0};
    if (fault == Fault::zero_length_bone) s.node(options, "spine_05")["translation"] = {0, 0, 0};
    if (fault == Fault::duplicate_names) s.node(options, "hand_l")["name"] = s.node(options, "upperarm_l")["name"];
    if (fault == Fault::node_cycle) s.node(options, "hand_l")["children"].push_back(s.node_index(options, "pelvis"));
}

void spoil_accessors(Spoiler& s, Fault fault) {
    Json& json = s.json();
    if (fault == Fault::nan_position)
        s.data<float>(s.attribute_accessor("POSITION"))[0] = std::numeric_limits<float>::quiet_NaN();
    if (fault == Fault::lying_count) s.attribute_accessor("POSITION")["count"] = 4294967295u;
    if (fault == Fault::joint_out_of_range) s.data<std::uint16_t>(s.attribute_accessor("JOINTS_0"))[0] = 60000;
    if (fault == Fault::index_out_of_range) {
        const Json& accessor = json["accessors"][json["meshes"][0]["primitives"][0]["indices"].get<std::size_t>()];
        if (accessor["componentType"] == 5123)
            *s.data<std::uint16_t>(accessor) = 65534;
        else
            *s.data<std::uint32_t>(accessor) = 0x7fffffffu;
    }
    if (fault == Fault::missing_ibms) json["skins"][0].erase("inverseBindMatrices");
    if (fault == Fault::short_ibms) {
        Json& accessor = json["accessors"][json["skins"][0]["inverseBindMatrices"].get<std::size_t>()];
        accessor["count"] = s.count(accessor) - 1;
    }
    if (fault == Fault::missing_normals) s.drop_attribute("NORMAL");
    if (fault == Fault::missing_uvs) s.drop_attribute("TEXCOORD_0");
}

}  // namespace

void apply_faults(gltf::Document& document, const HumanoidOptions& options) {
    Spoiler spoiler(document);
    for (const Fault fault : options.faults) {
        if (fault == Fault::halved_weights || fault == Fault::negative_weight || fault == Fault::unweighted_vertices)
            spoil_weights(spoiler, fault);
        spoil_nodes(spoiler, options, fault);
        spoil_accessors(spoiler, fault);
    }
}

}  // namespace helixavatar::test
