// SPDX-License-Identifier: MIT
// The geometric half of the facts: where every vertex lies when the skins are evaluated at rest.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <helixavatar/gltf/accessor_view.hpp>

#include "preflight/facts.hpp"
#include "preflight/json_access.hpp"

namespace helixavatar::preflight {
namespace {

using gltf::AccessorView;

/// Weight sums may be off by this much (contract.md §4, `weights`): quantised weights round each to 1/255 at worst.
constexpr double kWeightSumTolerance = 2e-3;

Mat4 local_matrix(const Json& node) {
    const Json& matrix = list(node, "matrix");
    Mat4 out = Mat4::Identity();
    const auto at = [](const Json& array, std::size_t i, double fallback) {
        return i < array.size() && array[i].is_number() ? array[i].get<double>() : fallback;
    };
    if (matrix.size() == 16) {
        for (int i = 0; i < 16; ++i) out(i % 4, i / 4) = at(matrix, i, out(i % 4, i / 4));
        return out;
    }
    const Json& t = list(node, "translation");
    const Json& r = list(node, "rotation");
    const Json& s = list(node, "scale");
    Quat rotation(at(r, 3, 1), at(r, 0, 0), at(r, 1, 0), at(r, 2, 0));
    if (rotation.norm() > 0) rotation.normalize();
    out.topLeftCorner<3, 3>() = rotation.toRotationMatrix() * Vec3(at(s, 0, 1), at(s, 1, 1), at(s, 2, 1)).asDiagonal();
    out.topRightCorner<3, 1>() = Vec3(at(t, 0, 0), at(t, 1, 0), at(t, 2, 0));
    return out;
}

void place_nodes(const Json& root, Facts& facts) {
    const Json& nodes = list(root, "nodes");
    std::vector<int> open;
    std::vector<bool> placed(facts.nodes.size(), false);
    for (std::size_t i = 0; i < facts.nodes.size(); ++i) {
        if (facts.nodes[i].parent < 0) open.push_back(static_cast<int>(i));
    }
    while (!open.empty()) {
        const int index = open.back();
        open.pop_back();
        if (placed[index]) continue;
        placed[index] = true;
        NodeFacts& node = facts.nodes[index];
        node.world = local_matrix(element(nodes, index));
        if (node.parent >= 0) node.world = facts.nodes[node.parent].world * node.world;
        open.insert(open.end(), node.children.begin(), node.children.end());
    }
}

void read_inverse_binds(const gltf::Document& document, Facts& facts) {
    const Json& skins = list(document.json, "skins");
    for (std::size_t i = 0; i < facts.skins.size(); ++i) {
        SkinFacts& skin = facts.skins[i];
        skin.inverse_binds.assign(skin.joints.size(), Mat4::Identity());
        const int accessor = index_member(skins[i], "inverseBindMatrices");
        if (accessor < 0) continue;
        const Result<AccessorView> view = AccessorView::open(document, accessor);
        if (!view || view->components() != 16) continue;
        const std::vector<float> values = view->floats();
        for (std::size_t j = 0; j < skin.joints.size() && 16 * (j + 1) <= values.size(); ++j) {
            skin.inverse_binds[j] = Eigen::Map<const Eigen::Matrix4f>(values.data() + 16 * j).cast<double>();
        }
    }
}

/// The vertices that one primitive reads, skinned once however many primitives share them.
struct Pool {
    std::string pointer;
    int mesh = -1, node = -1, skin = -1, scene = -1;
    std::vector<float> positions, weights;
    std::vector<std::uint32_t> joints;
    std::vector<float> moved;  ///< how far morph targets move each vertex, or empty
};

std::vector<float> floats_of(const gltf::Document& document, int accessor, int components) {
    if (accessor < 0) return {};
    const Result<AccessorView> view = AccessorView::open(document, accessor);
    if (!view || view->components() != components) return {};
    return view->floats();
}

std::vector<std::uint32_t> joints_of(const gltf::Document& document, int accessor) {
    if (accessor < 0) return {};
    const Result<AccessorView> view = AccessorView::open(document, accessor);
    constexpr int kFloat = 5126;
    if (!view || view->components() != 4 || view->component_type() == kFloat) return {};
    return view->unsigned_integers();
}

void add_morphs(const gltf::Document& document, const Json& primitive, Pool& pool) {
    const std::size_t count = pool.positions.size() / 3;
    for (const Json& target : list(primitive, "targets")) {
        const std::vector<float> deltas = floats_of(document, index_member(target, "POSITION"), 3);
        if (deltas.size() != 3 * count) continue;
        pool.moved.resize(count, 0);
        for (std::size_t v = 0; v < count; ++v) {
            const float far = Eigen::Map<const Vec3f>(deltas.data() + 3 * v).norm();
            if (std::isfinite(far)) pool.moved[v] += far;
        }
    }
}

class Skinner {
public:
    Skinner(Facts& facts, SceneFacts& scene, const Pool& pool) : facts_(facts), scene_(scene), pool_(pool) {
        if (pool.skin >= 0) {
            const SkinFacts& skin = facts.skins[pool.skin];
            for (std::size_t j = 0; j < skin.joints.size(); ++j) {
                matrices_.push_back(facts.nodes[skin.joints[j]].world * skin.inverse_binds[j]);
            }
            clouds_.resize(skin.joints.size());
        }
        faults_.pointer = pool.pointer;
        faults_.mesh = facts.mesh_label(pool.mesh);
        faults_.scene = pool.scene;
    }

    void run() {
        const std::size_t count = pool_.positions.size() / 3;
        const bool skinned = pool_.skin >= 0 && pool_.joints.size() == 4 * count && pool_.weights.size() == 4 * count;
        for (std::size_t v = 0; v < count; ++v) {
            const Vec3 point = Eigen::Map<const Vec3f>(pool_.positions.data() + 3 * v).cast<double>();
            if (!point.allFinite()) continue;
            if (skinned) {
                place(v, point);
            } else {
                const Vec4 placed = facts_.nodes[pool_.node].world * point.homogeneous();
                scene_.bounds.add(placed.head<3>());
            }
        }
        if (!skinned) return;
        for (std::size_t j = 0; j < clouds_.size(); ++j) {
            if (clouds_[j].weight <= 0) continue;
            Cloud& total = scene_.clouds[facts_.nodes[facts_.skins[pool_.skin].joints[j]].name];
            total.weight += clouds_[j].weight;
            total.weighted_sum += clouds_[j].weighted_sum;
        }
        faults_.vertices = count;
        if (faults_.off_sum + faults_.negative + faults_.non_finite + faults_.bad_joint + faults_.unweighted) {
            facts_.weight_faults.push_back(faults_);
        }
    }

private:
    static void note(std::size_t& count, std::size_t& first, std::size_t vertex) {
        if (count++ == 0) first = vertex;
    }

    void place(std::size_t v, const Vec3& point) {
        double sum = 0;
        Vec3 placed = Vec3::Zero();
        bool sound = true;
        for (std::size_t k = 4 * v; k < 4 * v + 4; ++k) {
            const double weight = pool_.weights[k];
            if (pool_.joints[k] >= matrices_.size()) {
                if (sound) note(faults_.bad_joint, faults_.first_bad_joint, v);
                sound = false;
                continue;
            }
            if (!std::isfinite(weight)) {
                if (sound) note(faults_.non_finite, faults_.first_non_finite, v);
                sound = false;
                continue;
            }
            if (weight < 0) {
                if (sound) note(faults_.negative, faults_.first_negative, v);
                sound = false;
            }
            if (weight == 0) continue;
            sum += weight;
            const Mat4& matrix = matrices_[pool_.joints[k]];
            placed += weight * (matrix.topLeftCorner<3, 3>() * point + matrix.topRightCorner<3, 1>());
        }
        if (sound) judge_sum(v, sum);
        if (!(sum > 0) || !placed.allFinite()) return;
        placed /= sum;
        scene_.bounds.add(placed);
        add_to_clouds(v, placed, sum);
    }

    void judge_sum(std::size_t v, double sum) {
        if (sum == 0) {
            note(faults_.unweighted, faults_.first_unweighted, v);
        } else if (std::abs(sum - 1) > kWeightSumTolerance) {
            note(faults_.off_sum, faults_.first_off_sum, v);
            if (std::abs(sum - 1) > std::abs(faults_.worst_sum - 1)) faults_.worst_sum = sum;
        }
    }

    void add_to_clouds(std::size_t v, const Vec3& placed, double sum) {
        for (std::size_t k = 4 * v; k < 4 * v + 4; ++k) {
            const double weight = pool_.weights[k] / sum;
            if (pool_.joints[k] >= clouds_.size() || !(weight > 0)) continue;
            clouds_[pool_.joints[k]].weight += weight;
            clouds_[pool_.joints[k]].weighted_sum += weight * placed;
        }
        if (pool_.moved.empty() || !(pool_.moved[v] > 0)) return;
        scene_.face_morphs.weight += pool_.moved[v];
        scene_.face_morphs.weighted_sum += static_cast<double>(pool_.moved[v]) * placed;
    }

    Facts& facts_;
    SceneFacts& scene_;
    const Pool& pool_;
    std::vector<Mat4> matrices_;
    std::vector<Cloud> clouds_;
    WeightFaults faults_;
};

void measure_scene(const gltf::Document& document, Facts& facts, std::size_t index) {
    SceneFacts& scene = facts.scenes[index];
    std::set<std::tuple<int, int, int, int, int>> seen;
    for (const int instance : scene.instances) {
        const NodeFacts& node = facts.nodes[instance];
        const Json& primitives = list(element(list(document.json, "meshes"), node.mesh), "primitives");
        for (std::size_t p = 0; p < facts.meshes[node.mesh].primitives.size(); ++p) {
            const PrimitiveFacts& primitive = facts.meshes[node.mesh].primitives[p];
            const int place = node.skin >= 0 ? -1 : instance;
            if (!seen.emplace(primitive.position, primitive.joints, primitive.weights, node.skin, place).second)
                continue;
            Pool pool;
            pool.pointer = "/meshes/" + std::to_string(node.mesh) + "/primitives/" + std::to_string(p);
            pool.mesh = node.mesh;
            pool.node = instance;
            pool.skin = node.skin;
            pool.scene = static_cast<int>(index);
            pool.positions = floats_of(document, primitive.position, 3);
            pool.joints = joints_of(document, primitive.joints);
            pool.weights = floats_of(document, primitive.weights, 4);
            add_morphs(document, primitives[p], pool);
            Skinner(facts, scene, pool).run();
        }
    }
}

/// Counted with every scene and instance: a small file can repeat itself without end.
std::size_t vertices_to_place(const Facts& facts) {
    std::size_t total = 0;
    for (const SceneFacts& scene : facts.scenes) {
        for (const int instance : scene.instances) {
            for (const PrimitiveFacts& primitive : facts.meshes[facts.nodes[instance].mesh].primitives) {
                total += std::min(primitive.vertices, std::size_t{1} << 32);
            }
        }
    }
    return total;
}

}  // namespace

void measure_geometry(const gltf::Document& document, Facts& facts, const Limits& limits) {
    if (vertices_to_place(facts) > limits.vertices) {
        facts.unreadable_why =
            "the scenes draw more than " + std::to_string(limits.vertices) + " vertices, too many to measure";
        return;
    }
    place_nodes(document.json, facts);
    read_inverse_binds(document, facts);
    for (std::size_t i = 0; i < facts.scenes.size(); ++i) measure_scene(document, facts, i);
    facts.readable = true;
}

}  // namespace helixavatar::preflight
