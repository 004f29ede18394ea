// SPDX-License-Identifier: MIT
// Which pose is the rest: the nodes', or the one the inverse bind matrices speak of (conform.md, "Flatten").
#include "source_parts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <Eigen/SVD>

#include <helixavatar/gltf/accessor_view.hpp>

namespace helixavatar::avatar {
namespace {

// Poses count as the same when no joint differs by more than this share of the skeleton's extent.
constexpr double kSamePose = 2e-3;

Mat4 local_matrix(const tinygltf::Node& node) {
    Mat4 m = Mat4::Identity();
    if (node.matrix.size() == 16) {
        for (int i = 0; i < 16; ++i) m(i % 4, i / 4) = node.matrix[i];
        return m;
    }
    Quat rotation = Quat::Identity();
    if (node.rotation.size() == 4) {
        const Quat q(node.rotation[3], node.rotation[0], node.rotation[1], node.rotation[2]);
        if (q.norm() > 1e-9 && std::isfinite(q.norm())) rotation = q.normalized();
    }
    m.topLeftCorner<3, 3>() = rotation.toRotationMatrix();
    if (node.scale.size() == 3)
        for (int i = 0; i < 3; ++i) m.col(i) *= node.scale[i];
    if (node.translation.size() == 3)
        for (int i = 0; i < 3; ++i) m(i, 3) = node.translation[i];
    return m;
}

void walk_scene(const tinygltf::Model& model, SourcePose& pose) {
    std::vector<std::pair<int, int>> open;  // node, parent joint
    const auto push = [&](const std::vector<int>& nodes, int parent) {
        for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) open.emplace_back(*it, parent);
    };
    if (!model.scenes.empty()) {
        push(model.scenes[std::max(0, model.defaultScene)].nodes, -1);
    } else {
        std::vector<bool> child(model.nodes.size(), false);
        for (const tinygltf::Node& node : model.nodes)
            for (const int c : node.children) child[c] = true;
        std::vector<int> roots;
        for (std::size_t i = 0; i < child.size(); ++i)
            if (!child[i]) roots.push_back(static_cast<int>(i));
        push(roots, -1);
    }
    pose.node_to_joint.assign(model.nodes.size(), -1);
    while (!open.empty()) {
        const auto [node, parent] = open.back();
        open.pop_back();
        if (pose.node_to_joint[node] >= 0) continue;
        const int joint = static_cast<int>(pose.nodes.size());
        pose.node_to_joint[node] = joint;
        pose.nodes.push_back(node);
        pose.parents.push_back(parent);
        const Mat4 local = local_matrix(model.nodes[node]);
        pose.rest.push_back(parent < 0 ? local : pose.rest[parent] * local);
        push(model.nodes[node].children, joint);
    }
}

Result<std::vector<Mat4>> read_inverse_binds(const gltf::Document& document, const tinygltf::Skin& skin) {
    std::vector<Mat4> matrices(skin.joints.size(), Mat4::Identity());
    if (skin.inverseBindMatrices < 0) return matrices;
    Result<gltf::AccessorView> view = gltf::AccessorView::open(document, skin.inverseBindMatrices);
    if (!view) return view.error();
    const std::vector<float> values = view->floats();
    for (std::size_t j = 0; j < matrices.size() && 16 * j + 16 <= values.size(); ++j)
        for (int i = 0; i < 16; ++i) matrices[j](i % 4, i / 4) = values[16 * j + i];
    return matrices;
}

Mat4 safe_inverse(const Mat4& m) {
    return std::abs(m.determinant()) > 1e-18 ? m.inverse().eval() : Mat4::Identity().eval();
}

/// The same turn on the nearest axes: a posed anchor would tilt the whole body.
Mat4 snapped_to_axes(const Mat4& m) {
    const Pose pose = pose_of(m);
    const Mat3 r = pose.rotation.toRotationMatrix();
    Mat3 best = Mat3::Identity();
    double best_trace = -4;
    for (int x = 0; x < 6; ++x)
        for (int y = 0; y < 6; ++y) {
            if (x / 2 == y / 2) continue;
            Mat3 axes;
            axes.col(0) = Vec3::Unit(x / 2) * (x % 2 ? -1 : 1);
            axes.col(1) = Vec3::Unit(y / 2) * (y % 2 ? -1 : 1);
            axes.col(2) = axes.col(0).cross(axes.col(1));
            const double trace = (axes.transpose() * r).trace();
            if (trace > best_trace + 1e-12) {
                best_trace = trace;
                best = axes;
            }
        }
    Mat4 out = m;
    out.topLeftCorner<3, 3>() = best * r.transpose() * m.topLeftCorner<3, 3>();
    return out;
}

/// The topmost joint of a skin: the one whose pose carries the whole body.
std::size_t anchor_of(const tinygltf::Skin& skin, const SourcePose& pose) {
    std::size_t best = 0;
    int best_joint = -1;
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
        const int joint = pose.node_to_joint[skin.joints[k]];
        if (joint >= 0 && (best_joint < 0 || joint < best_joint)) {
            best = k;
            best_joint = joint;
        }
    }
    return best;
}

/// World matrices of all joints in the bind pose. Joints that no skin names follow their parent with their node's own
/// offset.
std::vector<Mat4> bind_matrices(const tinygltf::Model& model, const SourcePose& pose, const std::set<int>& skins) {
    std::vector<std::optional<Mat4>> bind(pose.nodes.size());
    for (const int s : skins) {
        const tinygltf::Skin& skin = model.skins[s];
        if (skin.joints.empty()) continue;
        const std::size_t a = anchor_of(skin, pose);
        const int anchor = pose.node_to_joint[skin.joints[a]];
        if (anchor < 0) continue;
        const Mat4 anchor_rest = bind[anchor] ? *bind[anchor] : pose.rest[anchor];
        const Mat4 raw = anchor_rest * pose.inverse_binds[s][a];
        const Mat4 to_world = bind[anchor] ? raw : snapped_to_axes(raw);
        for (std::size_t k = 0; k < skin.joints.size(); ++k) {
            const int joint = pose.node_to_joint[skin.joints[k]];
            if (joint >= 0 && !bind[joint]) bind[joint] = to_world * safe_inverse(pose.inverse_binds[s][k]);
        }
    }
    std::vector<Mat4> world;
    for (std::size_t j = 0; j < pose.nodes.size(); ++j) {
        const int parent = pose.parents[j];
        const Mat4 local = local_matrix(model.nodes[pose.nodes[j]]);
        world.push_back(bind[j] ? *bind[j] : parent < 0 ? local : world[parent] * local);
    }
    return world;
}

/// The name with its side word swapped, or empty when it has none.
std::string other_side(const std::string& name) {
    static const std::pair<const char*, const char*> kWords[] = {
        {"Left", "Right"}, {"left", "right"}, {"LEFT", "RIGHT"}, {"_L_", "_R_"},
        {"_l_", "_r_"},    {" L ", " R "},    {".L.", ".R."},    {"左", "右"}};
    for (const auto& [l, r] : kWords) {
        const std::size_t at = name.find(l);
        if (at != std::string::npos) return std::string(name).replace(at, std::string(l).size(), r);
    }
    if (name.size() < 3) return {};
    const char last = name.back();
    const char before = name[name.size() - 2];
    if ((last == 'L' || last == 'l') && !std::isalpha(static_cast<unsigned char>(before)))
        return name.substr(0, name.size() - 1) + (last == 'L' ? 'R' : 'r');
    if ((name[0] == 'L' || name[0] == 'l') && (name[1] == '_' || name[1] == '.' || name[1] == ' ')) {
        std::string partner = name;
        partner[0] = name[0] == 'L' ? 'R' : 'r';
        return partner;
    }
    return {};
}

/// How far a pose is from being its own mirror image, as a share of its extent; nothing when no joint has a partner by
/// name.
std::optional<double> asymmetry(const tinygltf::Model& model, const SourcePose& pose, const std::vector<Mat4>& world) {
    std::map<std::string, int> by_name;
    for (std::size_t j = 0; j < pose.nodes.size(); ++j)
        by_name.emplace(model.nodes[pose.nodes[j]].name, static_cast<int>(j));
    std::vector<std::pair<Vec3, Vec3>> pairs;
    for (const auto& [name, joint] : by_name) {
        const std::string partner = other_side(name);
        const auto found = partner.empty() ? by_name.end() : by_name.find(partner);
        if (found == by_name.end() || !pose.in_skin[joint] || !pose.in_skin[found->second]) continue;
        pairs.emplace_back(world[joint].topRightCorner<3, 1>(), world[found->second].topRightCorner<3, 1>());
    }
    if (pairs.size() < 3) return std::nullopt;
    Vec3 across = Vec3::Zero();
    Vec3 middle = Vec3::Zero();
    for (const auto& [l, r] : pairs) {
        across += l - r;
        middle += (l + r) / (2.0 * static_cast<double>(pairs.size()));
    }
    if (across.norm() <= 0) return std::nullopt;
    across.normalize();
    double error = 0;
    double extent = 0;
    for (const auto& [l, r] : pairs) {
        error += (l - r).cross(across).norm() + std::abs(((l + r) / 2 - middle).dot(across));
        extent = std::max(extent, (l - middle).norm());
    }
    return extent > 0 ? error / extent / static_cast<double>(pairs.size()) : 0.0;
}

double largest_difference(const SourcePose& pose, const std::vector<Mat4>& a, const std::vector<Mat4>& b) {
    Vec3 low = Vec3::Constant(1e300);
    Vec3 high = Vec3::Constant(-1e300);
    double difference = 0;
    for (std::size_t j = 0; j < pose.nodes.size(); ++j) {
        if (!pose.in_skin[j]) continue;
        const Vec3 p = a[j].topRightCorner<3, 1>();
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
        difference = std::max(difference, (p - b[j].topRightCorner<3, 1>()).norm());
    }
    const double extent = (high - low).norm();
    return extent > 0 ? difference / extent : 0;
}

}  // namespace

Pose pose_of(const Mat4& matrix) {
    Pose pose;
    pose.translation = matrix.topRightCorner<3, 1>();
    if (!pose.translation.allFinite()) pose.translation.setZero();
    Mat3 linear = matrix.topLeftCorner<3, 3>();
    if (!linear.allFinite() || linear.norm() <= 0) return pose;
    if (linear.determinant() < 0) linear = -linear;
    const Eigen::JacobiSVD<Mat3> svd(linear, Eigen::ComputeFullU | Eigen::ComputeFullV);
    Mat3 rotation = svd.matrixU() * svd.matrixV().transpose();
    if (rotation.determinant() < 0) {
        Mat3 u = svd.matrixU();
        u.col(2) *= -1;
        rotation = u * svd.matrixV().transpose();
    }
    pose.rotation = Quat(rotation).normalized();
    return pose;
}

namespace {

/// A character of rigid parts, each on a node of its own below another's: the nodes are its joints. A part that hangs
/// alone from a node without one, as exporters write a bone's child, is that node's. A mesh or two beside an armature
/// are a body that lost its skin.
void take_rigid_parts(const tinygltf::Model& model, SourcePose& pose, std::vector<std::string>& notes) {
    constexpr std::size_t kFewestParts = 6, kFewestBelowOthers = 3;
    const std::size_t count = pose.nodes.size();
    const auto mesh = [&](std::size_t j) { return model.nodes[pose.nodes[j]].mesh >= 0; };
    const auto leaf = [&](std::size_t j) { return mesh(j) && model.nodes[pose.nodes[j]].children.empty(); };
    std::vector<std::size_t> leaves(count, 0);
    for (std::size_t j = 0; j < count; ++j)
        if (leaf(j) && pose.parents[j] >= 0) ++leaves[pose.parents[j]];
    std::vector<bool> joint(count, false), below(count, false);
    std::size_t parts = 0, below_others = 0;
    for (std::size_t j = 0; j < count; ++j) {
        if (!mesh(j)) continue;
        ++parts;
        const int parent = pose.parents[j];
        const bool of_parent = leaf(j) && parent >= 0 && leaves[parent] == 1 && !mesh(parent);
        joint[of_parent ? static_cast<std::size_t>(parent) : j] = true;
    }
    for (std::size_t j = 0; j < count; ++j) {
        const int parent = pose.parents[j];
        below[j] = parent >= 0 && (joint[parent] || below[parent]);
        below_others += joint[j] && below[j];
    }
    if (parts < kFewestParts || below_others < kFewestBelowOthers) return;
    pose.in_skin = joint;
    notes.push_back("nothing in the file is skinned: its " + std::to_string(parts) +
                    " rigid parts were taken for the body and their nodes for its joints");
}

}  // namespace

Result<SourcePose> read_pose(const gltf::Document& document, const tinygltf::Model& model, const ReadOptions& options,
                             std::vector<std::string>& notes) {
    SourcePose pose;
    walk_scene(model, pose);
    for (const tinygltf::Skin& skin : model.skins) {
        Result<std::vector<Mat4>> matrices = read_inverse_binds(document, skin);
        if (!matrices) return matrices.error();
        pose.inverse_binds.push_back(matrices.take());
    }
    std::set<int> skins;
    for (const int node : pose.nodes)
        if (model.nodes[node].mesh >= 0 && model.nodes[node].skin >= 0) skins.insert(model.nodes[node].skin);
    pose.in_skin.assign(pose.nodes.size(), false);
    for (const int s : skins)
        for (const int node : model.skins[s].joints)
            if (pose.node_to_joint[node] >= 0) pose.in_skin[pose.node_to_joint[node]] = true;

    // A VRM is exported with its skin; one without is a rig's gizmo, whose parts have no front to measure.
    const bool vrm = model.extensions.count("VRM") || model.extensions.count("VRMC_vrm");
    if (skins.empty() && !vrm) take_rigid_parts(model, pose, notes);
    std::vector<Mat4> bind = bind_matrices(model, pose, skins);
    pose.chosen = "node";
    const double difference = largest_difference(pose, pose.rest, bind);
    if (difference > kSamePose || options.ignore_node_pose) {
        const std::optional<double> of_nodes = asymmetry(model, pose, pose.rest);
        const std::optional<double> of_binds = asymmetry(model, pose, bind);
        const bool take_bind = options.ignore_node_pose || !of_nodes || *of_binds <= *of_nodes + 1e-4;
        if (take_bind) {
            pose.chosen = "bind";
            pose.rest = std::move(bind);
        }
        notes.push_back("the nodes stand in another pose than the one the skin was bound in; the " + pose.chosen +
                        " pose is the more symmetric one and was taken as the rest");
    }
    return pose;
}

}  // namespace helixavatar::avatar
