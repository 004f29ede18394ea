// SPDX-License-Identifier: MIT
// nodes, scenes, skins: the tree and what hangs on it.
#include <algorithm>
#include <cmath>
#include <set>

#include "check_context.hpp"
#include "json_read.hpp"
#include "node_forest.hpp"

namespace helixavatar::gltf {
namespace {

constexpr const char* kNode = "file-node";
constexpr const char* kScene = "file-scene";
constexpr const char* kSkin = "file-skin";

/// How far the length of a quaternion may be from one: what 8-bit quantised components bring about.
constexpr double kUnitTolerance = 0.00769;
/// Cosine between two axes of a matrix from which it is sheared. Single precision of real exports stays far below.
constexpr double kShearTolerance = 0.005;

std::vector<double> numbers_of(const Json& object, const char* name, std::size_t size) {
    std::vector<double> numbers;
    const Json* value = member(object, name);
    if (!value || !value->is_array() || value->size() != size) return {};
    for (const Json& number : *value) {
        if (!number.is_number()) return {};
        numbers.push_back(number.get<double>());
    }
    return numbers;
}

double dot(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// True when the matrix is translation, rotation and scale. Column-major.
bool is_trs(const std::vector<double>& m) {
    if (m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1) return false;
    const double* axes[3] = {&m[0], &m[4], &m[8]};
    for (int i = 0; i < 3; ++i) {
        const double* a = axes[i];
        const double* b = axes[(i + 1) % 3];
        const double lengths = std::sqrt(dot(a, a) * dot(b, b));
        if (!(lengths > 0) || std::abs(dot(a, b)) > kShearTolerance * lengths) return false;
    }
    return true;
}

void check_transform(CheckContext& context, const Json& node, const std::string& at) {
    const bool trs = node.contains("translation") || node.contains("rotation") || node.contains("scale");
    if (node.contains("matrix") && trs)
        context.error(kNode, at + "/matrix", "a node has either a matrix or translation, rotation and scale",
                      "NODE_MATRIX_TRS");
    if (const auto m = numbers_of(node, "matrix", 16); !m.empty() && !is_trs(m))
        context.error(kNode, at + "/matrix",
                      "the matrix is no translation, rotation and scale (it shears, flattens or projects)",
                      "NODE_MATRIX_NON_TRS");
    if (const auto q = numbers_of(node, "rotation", 4); !q.empty()) {
        const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        if (std::abs(length - 1) > kUnitTolerance)
            context.error(kNode, at + "/rotation", "the rotation is no unit quaternion", "ROTATION_NON_UNIT",
                          Json(length).dump(), "1");
    }
}

bool is_skinned(const Json& mesh) {
    const Json* primitives = member(mesh, "primitives");
    if (!primitives || !primitives->is_array()) return false;
    return std::any_of(primitives->begin(), primitives->end(), [](const Json& primitive) {
        const Json* attributes = member(primitive, "attributes");
        return attributes && member(*attributes, "JOINTS_0");
    });
}

void check_mesh_node(CheckContext& context, const Json& node, const std::string& at) {
    const auto mesh_index = whole_member(node, "mesh");
    const Json* mesh = mesh_index ? element(context.json, "meshes", *mesh_index) : nullptr;
    for (const char* name : {"skin", "weights"})
        if (node.contains(name) && !node.contains("mesh"))
            context.error(kNode, at + "/" + name, "the node has no mesh for it", "UNSATISFIED_DEPENDENCY");
    if (!mesh) return;
    if (node.contains("skin") && !is_skinned(*mesh))
        context.error(kNode, at, "the node has a skin, and its mesh has no JOINTS_0",
                      "NODE_SKIN_WITH_NON_SKINNED_MESH");
    if (!node.contains("skin") && is_skinned(*mesh))
        context.warning(kNode, at, "the node's mesh has joints and weights, and the node has no skin",
                        "NODE_SKINNED_MESH_WITHOUT_SKIN");
    const Json* weights = member(node, "weights");
    const Json* first = element(*mesh, "primitives", 0);
    const std::size_t targets = first ? element_count(*first, "targets") : 0;
    if (weights && weights->is_array() && weights->size() != targets)
        context.error(kNode, at + "/weights", "the node has not one weight for each morph target of its mesh",
                      "NODE_WEIGHTS_INVALID", std::to_string(weights->size()), std::to_string(targets), "weights");
}

void check_tree(CheckContext& context) {
    const NodeForest forest(context.json);
    std::vector<bool> claimed(forest.parent.size(), false);
    for (std::size_t node = 0; node < forest.parent.size(); ++node) {
        const std::string at = "/nodes/" + std::to_string(node);
        const Json* children = member(context.json["nodes"][node], "children");
        for (std::size_t i = 0; children && children->is_array() && i < children->size(); ++i) {
            const auto child = whole_number((*children)[i]);
            if (!child || *child >= claimed.size()) continue;
            if (claimed[*child])
                context.error(kNode, at + "/children/" + std::to_string(i), "the node has another parent already",
                              "NODE_PARENT_OVERRIDE");
            claimed[*child] = true;
        }
        if (forest.in_loop[node])
            context.error(kNode, at, "the node is its own ancestor, or hangs below one that is", "NODE_LOOP");
    }
}

/// The roots of a skin's joints; joints that do not exist or lie in a loop count as a root of their own.
std::set<std::size_t> joint_roots(const Json& skin, const NodeForest& forest) {
    std::set<std::size_t> roots;
    const Json* joints = member(skin, "joints");
    if (!joints || !joints->is_array()) return roots;
    for (const Json& joint : *joints) {
        const auto index = whole_number(joint);
        roots.insert(index && *index < forest.root.size() ? forest.root[*index] : NodeForest::kNone);
    }
    return roots;
}

void check_inverse_bind_matrices(CheckContext& context, const Json& skin, const std::string& at) {
    const auto index = whole_member(skin, "inverseBindMatrices");
    const Json* accessor = index ? element(context.json, "accessors", *index) : nullptr;
    if (!accessor || !accessor->is_object()) return;
    const std::string place = at + "/inverseBindMatrices";
    if (text_member(*accessor, "type") != "MAT4" || whole_member(*accessor, "componentType") != std::size_t{5126})
        context.error(kSkin, place, "inverse bind matrices must be MAT4 of floats", "SKIN_IBM_INVALID_FORMAT");
    const std::size_t joints = element_count(skin, "joints");
    const std::size_t count = whole_member_or(*accessor, "count", 0);
    if (count < joints)
        context.error(kSkin, place, "there are fewer inverse bind matrices than joints", "INVALID_IBM_ACCESSOR_COUNT",
                      std::to_string(count), std::to_string(joints), "matrices");
    const auto view_index = whole_member(*accessor, "bufferView");
    const Json* view = view_index ? element(context.json, "bufferViews", *view_index) : nullptr;
    if (view && view->is_object() && view->contains("byteStride"))
        context.error(kSkin, place, "the bufferView of inverse bind matrices has a byteStride",
                      "SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE");
}

void check_skeleton(CheckContext& context, const Json& skin, const std::string& at, const NodeForest& forest) {
    const auto skeleton = whole_member(skin, "skeleton");
    const Json* joints = member(skin, "joints");
    if (!skeleton || *skeleton >= forest.root.size() || !joints || !joints->is_array()) return;
    for (const Json& joint : *joints) {
        const auto index = whole_number(joint);
        if (!index || *index >= forest.root.size() || forest.is_at_or_above(*skeleton, *index)) continue;
        context.error(kSkin, at + "/skeleton", "the skeleton node is not above all joints", "SKIN_SKELETON_INVALID");
        return;
    }
}

/// A skinned node shows nothing in a scene that its joints are not part of.
void check_skins_in_scene(CheckContext& context, const Json& scene, const NodeForest& forest,
                          const std::vector<std::size_t>& skinned_nodes,
                          const std::vector<std::set<std::size_t>>& roots) {
    std::set<std::size_t> tops;
    const Json* nodes = member(scene, "nodes");
    if (!nodes || !nodes->is_array()) return;
    for (const Json& node : *nodes)
        if (const auto index = whole_number(node)) tops.insert(*index);
    for (const std::size_t node : skinned_nodes) {
        if (!tops.contains(forest.root[node])) continue;
        const auto skin = whole_member(context.json["nodes"][node], "skin");
        if (!skin || *skin >= roots.size() || roots[*skin].size() != 1 || tops.contains(*roots[*skin].begin()))
            continue;
        context.error(kNode, "/nodes/" + std::to_string(node), "the joints of the node's skin are not in its scene",
                      "NODE_SKIN_NO_SCENE");
    }
}

}  // namespace

void check_nodes(CheckContext& context) {
    for_each_object(context, kNode, context.json, "nodes", "",
                    [&](const Json& node, const std::string& at, std::size_t) {
                        check_members(context, kNode, node, at,
                                      {{"camera", Kind::reference, false, 0, 0, false, "cameras"},
                                       {"children", Kind::references, false, 0, 0, false, "nodes"},
                                       {"skin", Kind::reference, false, 0, 0, false, "skins"},
                                       {"mesh", Kind::reference, false, 0, 0, false, "meshes"},
                                       {"matrix", Kind::numbers, false, -FLT_MAX, FLT_MAX, false, nullptr, 16},
                                       {"rotation", Kind::numbers, false, -FLT_MAX, FLT_MAX, false, nullptr, 4},
                                       {"scale", Kind::numbers, false, -FLT_MAX, FLT_MAX, false, nullptr, 3},
                                       {"translation", Kind::numbers, false, -FLT_MAX, FLT_MAX, false, nullptr, 3},
                                       {"weights", Kind::numbers}});
                        check_transform(context, node, at);
                        check_mesh_node(context, node, at);
                    });
    check_tree(context);
}

void check_scenes(CheckContext& context) {
    check_members(context, kScene, context.json, "", {{"scene", Kind::reference, false, 0, 0, false, "scenes"}});
    const NodeForest forest(context.json);
    std::vector<std::size_t> skinned_nodes;
    for (std::size_t n = 0; n < forest.root.size(); ++n)
        if (member(context.json["nodes"][n], "skin") && forest.root[n] != NodeForest::kNone) skinned_nodes.push_back(n);
    std::vector<std::set<std::size_t>> roots;
    for (std::size_t s = 0; s < element_count(context.json, "skins"); ++s)
        roots.push_back(joint_roots(context.json["skins"][s], forest));
    for_each_object(
        context, kScene, context.json, "scenes", "", [&](const Json& scene, const std::string& at, std::size_t) {
            check_members(context, kScene, scene, at, {{"nodes", Kind::references, false, 0, 0, false, "nodes"}});
            for (std::size_t i = 0; i < element_count(scene, "nodes"); ++i) {
                const auto node = whole_number(scene["nodes"][i]);
                if (node && *node < forest.parent.size() && forest.parent[*node] != NodeForest::kNone)
                    context.error(kScene, at + "/nodes/" + std::to_string(i),
                                  "the scene lists a node that has a parent", "SCENE_NON_ROOT_NODE");
            }
            check_skins_in_scene(context, scene, forest, skinned_nodes, roots);
        });
}

void check_skins(CheckContext& context) {
    const NodeForest forest(context.json);
    for_each_object(
        context, kSkin, context.json, "skins", "", [&](const Json& skin, const std::string& at, std::size_t) {
            check_members(context, kSkin, skin, at,
                          {{"joints", Kind::references, true, 0, 0, false, "nodes"},
                           {"skeleton", Kind::reference, false, 0, 0, false, "nodes"},
                           {"inverseBindMatrices", Kind::reference, false, 0, 0, false, "accessors"}});
            check_inverse_bind_matrices(context, skin, at);
            check_skeleton(context, skin, at, forest);
            if (joint_roots(skin, forest).size() > 1)
                context.error(kSkin, at + "/joints", "the joints have no common root", "SKIN_NO_COMMON_ROOT");
        });
}

}  // namespace helixavatar::gltf
