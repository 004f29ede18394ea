// SPDX-License-Identifier: MIT
#include <helixavatar/skeleton/skeleton.hpp>

#include <functional>
#include <map>

#include <helixavatar/gltf/structure_check.hpp>

namespace helixavatar::skeleton {
namespace {

using gltf::Json;

Error unfit(const std::string& message) {
    return {ErrorKind::unconvertible, message, "",
            "give an avatar GLB on helix-humanoid@1, whose first scene holds its 68 joints and 8 metacarpal helpers"};
}

Pose local_pose(const Json& node) {
    Pose pose;
    if (node.contains("matrix")) {
        Mat4 m;
        for (int i = 0; i < 16; ++i) m(i % 4, i / 4) = node["matrix"][i].get<double>();
        pose.translation = m.topRightCorner<3, 1>();
        pose.rotation = Quat(Eigen::Affine3d(m).rotation());
        return pose;
    }
    if (node.contains("translation"))
        for (int i = 0; i < 3; ++i) pose.translation[i] = node["translation"][i].get<double>();
    if (node.contains("rotation")) {
        const Json& q = node["rotation"];
        pose.rotation =
            Quat(q[3].get<double>(), q[0].get<double>(), q[1].get<double>(), q[2].get<double>()).normalized();
    }
    return pose;
}

std::vector<int> scene_roots(const Json& json) {
    if (json.contains("scenes") && !json["scenes"].empty() && json["scenes"][0].contains("nodes"))
        return json["scenes"][0]["nodes"].get<std::vector<int>>();
    return {};
}

}  // namespace

Result<Skeleton> skeleton_from_document(const gltf::Document& document) {
    const Json& json = document.json;
    for (const Finding& finding : gltf::check_structure(document, {false, {}}))
        if (gltf::prevents_reading(finding))
            return Error{ErrorKind::malformed, finding.message, finding.where.pointer,
                         "run `helixavatar preflight` on the file for the whole list, then export it again"};
    if (!json.contains("nodes")) return unfit("the file has no nodes");
    std::map<std::string, int> node_of;
    std::map<int, int> parent_of;
    const std::function<void(int, int)> walk = [&](int node, int parent) {
        const Json& entry = json["nodes"][node];
        parent_of[node] = parent;
        node_of.emplace(entry.value("name", std::string()), node);
        for (const Json& child : entry.value("children", Json::array())) walk(child.get<int>(), node);
    };
    for (const int root : scene_roots(json)) walk(root, -1);

    Skeleton skeleton;
    skeleton.id = "custom";
    for (const CanonicalJoint& expected : helix_humanoid().joints) {
        const auto found = node_of.find(expected.name);
        if (found == node_of.end())
            return unfit("the joint " + expected.name + " of helix-humanoid@1 is missing in the first scene");
        CanonicalJoint joint = expected;
        const int parent = parent_of[found->second];
        if (expected.parent >= 0) {
            const std::string& wanted = helix_humanoid().joints[expected.parent].name;
            const std::string actual = parent < 0 ? "" : json["nodes"][parent].value("name", std::string());
            if (actual != wanted)
                return unfit("the joint " + expected.name + " hangs from \"" + actual +
                             "\"; helix-humanoid@1 hangs it from \"" + wanted + "\"");
        }
        joint.local = local_pose(json["nodes"][found->second]);
        joint.world = joint.parent < 0 ? joint.local : skeleton.joints[joint.parent].world * joint.local;
        skeleton.joints.push_back(std::move(joint));
    }
    return skeleton;
}

}  // namespace helixavatar::skeleton
