// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "support/face_shapes.hpp"
#include "support/humanoid.hpp"
#include "support/reference_pose.hpp"

using namespace helixavatar;
using namespace helixavatar::test;
using gltf::Json;

namespace {

constexpr std::size_t kTriangles = 2000;

HumanoidOptions small(const std::string& family) {
    HumanoidOptions options;
    options.family = family;
    options.triangles = kTriangles;
    options.texture_size = 0;
    return options;
}

template <class T>
std::vector<T> values(const gltf::Document& document, const Json& accessor, std::size_t components) {
    const Json& view = document.json["bufferViews"][accessor["bufferView"].get<std::size_t>()];
    std::vector<T> out(accessor["count"].get<std::size_t>() * components);
    std::memcpy(out.data(), document.buffers[0].data() + view["byteOffset"].get<std::size_t>(), out.size() * sizeof(T));
    return out;
}

Mat4 node_matrix(const Json& node) {
    Eigen::Affine3d m = Eigen::Affine3d::Identity();
    if (node.contains("translation"))
        m.translate(Vec3(node["translation"][0], node["translation"][1], node["translation"][2]));
    if (node.contains("rotation")) {
        const Json& q = node["rotation"];
        m.rotate(Quat(q[3].get<double>(), q[0].get<double>(), q[1].get<double>(), q[2].get<double>()));
    }
    if (node.contains("scale")) m.scale(Vec3(node["scale"][0], node["scale"][1], node["scale"][2]));
    return m.matrix();
}

void walk(const Json& nodes, std::size_t node, const Mat4& above, std::vector<Mat4>& world) {
    world[node] = above * node_matrix(nodes[node]);
    for (const Json& child : nodes[node].value("children", Json::array()))
        walk(nodes, child.get<std::size_t>(), world[node], world);
}

std::vector<Mat4> world_matrices(const gltf::Document& document) {
    const Json& nodes = document.json["nodes"];
    std::vector<Mat4> world(nodes.size(), Mat4::Identity());
    for (const Json& scene : document.json["scenes"])
        for (const Json& root : scene["nodes"]) walk(nodes, root.get<std::size_t>(), Mat4::Identity(), world);
    return world;
}

/// What a viewer shows: every skinned vertex of the file, moved by joints times inverse bind matrices.
std::vector<Vec3> shown(const gltf::Document& document) {
    const std::vector<Mat4> world = world_matrices(document);
    std::vector<Vec3> out;
    for (const Json& node : document.json["nodes"]) {
        if (!node.contains("skin")) continue;
        const Json& skin = document.json["skins"][node["skin"].get<std::size_t>()];
        const auto inverse =
            values<float>(document, document.json["accessors"][skin["inverseBindMatrices"].get<std::size_t>()], 16);
        const Json& attributes =
            document.json["meshes"][node["mesh"].get<std::size_t>()]["primitives"][0]["attributes"];
        const auto accessor = [&](const char* name) -> const Json& {
            return document.json["accessors"][attributes[name].get<std::size_t>()];
        };
        const auto positions = values<float>(document, accessor("POSITION"), 3);
        const auto joints = values<std::uint16_t>(document, accessor("JOINTS_0"), 4);
        const auto weights = values<float>(document, accessor("WEIGHTS_0"), 4);
        for (std::size_t v = 0; v < positions.size() / 3; ++v) {
            const Vec4 p(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2], 1);
            Vec4 sum = Vec4::Zero();
            for (std::size_t k = 0; k < 4; ++k) {
                if (weights[4 * v + k] == 0) continue;
                const std::size_t slot = joints[4 * v + k];
                const Mat4 bind = Eigen::Map<const Eigen::Matrix4f>(&inverse[16 * slot]).cast<double>();
                sum += weights[4 * v + k] * (world[skin["joints"][slot].get<std::size_t>()] * bind * p);
            }
            out.push_back(sum.head<3>());
        }
    }
    return out;
}

std::vector<Vec3> flattened(const HumanoidOptions& options) {
    const avatar::Avatar avatar = humanoid_avatar(options);
    std::vector<Vec3> out;
    for (const Vec3f& p : avatar.levels[0].surfaces[0].positions) out.push_back(p.cast<double>());
    return out;
}

/// Largest distance from a place of `a` to the nearest of `b`: they may be in another order, or doubled.
double farthest(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); i += 7) {
        double nearest = 1e9;
        for (const Vec3& q : b) nearest = std::min(nearest, (a[i] - q).squaredNorm());
        worst = std::max(worst, std::sqrt(nearest));
    }
    return worst;
}

}  // namespace

TEST_CASE("every family of the table can be emitted and shows the same person") {
    REQUIRE(rig_families().size() == 45);
    for (const std::string& family : rig_families()) {
        INFO(family);
        const HumanoidOptions options = small(family);
        const gltf::Document document = build_humanoid(options);
        if (family == "kenney_blocky") {
            CHECK(!document.json.contains("skins"));
            continue;
        }
        std::vector<Vec3> seen = shown(document);
        if (family == "vrm0" || family == "roblox_r15" || family == "mmd" || family == "mmd_english")
            for (Vec3& p : seen) p = {-p.x(), p.y(), -p.z()};  // these face back
        CHECK(farthest(seen, flattened(options)) < 1e-4);
    }
}

TEST_CASE("every joint of a family has a name of its own and its parent before it") {
    for (const std::string& family : rig_families()) {
        const Rig rig = make_rig(family, pose_joints(BodyPose::t));
        std::set<std::string> names;
        for (std::size_t j = 0; j < rig.joints.size(); ++j) {
            INFO(family << " " << rig.joints[j].name);
            CHECK(names.insert(rig.joints[j].name).second);
            CHECK(rig.joints[j].parent < static_cast<int>(j));
        }
    }
}

TEST_CASE("units, axes, turns, mirrored nodes and split skins leave what a viewer shows as it was") {
    const std::vector<Vec3> plain = flattened(small("mixamo"));
    for (const Units units : {Units::metres, Units::centimetres_under_node, Units::centimetres})
        for (const UpAxis up : {UpAxis::y, UpAxis::z_under_node, UpAxis::z})
            for (const double yaw : {0.0, 90.0, 180.0, 37.0})
                for (const bool mirrored : {false, true}) {
                    HumanoidOptions options = small("mixamo");
                    options.units = units;
                    options.up = up;
                    options.yaw_degrees = yaw;
                    options.mirrored_node = mirrored;
                    options.skins = 3;
                    Mat3 back = Eigen::AngleAxisd(-radians(yaw), Vec3::UnitY()).toRotationMatrix();
                    if (up == UpAxis::z) back = back * Eigen::AngleAxisd(-kPi / 2, Vec3::UnitX()).toRotationMatrix();
                    // A mirrored node undoes mirrored data, also when the data has an axis of its own.
                    std::vector<Vec3> seen = shown(build_humanoid(options));
                    for (Vec3& p : seen) p = back * p * (units == Units::centimetres ? 0.01 : 1);
                    seen.resize(seen.size() / 4);
                    CHECK(farthest(seen, plain) < 2e-4);
                }
}

TEST_CASE("a Meshy export has its 24 joints in their odd order, in centimetres under a 0.01 node") {
    HumanoidOptions options = sample_options();
    options.triangles = kTriangles;
    options.texture_size = 64;
    const gltf::Document document = build_humanoid(options);
    const Json& nodes = document.json["nodes"];
    CHECK(document.json["skins"][0]["joints"].size() == 24);
    std::map<std::string, std::string> parent;
    for (const Json& node : nodes)
        for (const Json& child : node.value("children", Json::array()))
            parent[nodes[child.get<std::size_t>()]["name"]] = node["name"];
    CHECK(parent["Spine02"] == "Hips");
    CHECK(parent["Spine01"] == "Spine02");
    CHECK(parent["Spine"] == "Spine01");
    CHECK(parent["neck"] == "Spine");
    CHECK(parent["LeftShoulder"] == "Spine");
    CHECK(parent["headfront"] == "Head");
    CHECK(parent["Hips"] == "Armature");
    for (const Json& node : nodes) {
        if (node["name"] == "Armature") CHECK(node["scale"][0] == 0.01);
        if (node["name"] == "Hips") CHECK(node["translation"][1].get<double>() == Approx(95.9).margin(0.1));
    }
    CHECK(document.json["images"].size() == 2);
    CHECK(document.json["materials"].size() == 1);
}

TEST_CASE("each pose puts the arms where its name says") {
    const auto drop = [](BodyPose pose, const char* from, const char* to) {
        const PosedJoints posed = pose_joints(pose);
        const Vec3 d = posed.world[reference_index(to)].translation - posed.world[reference_index(from)].translation;
        return degrees(std::asin(-d.normalized().y()));
    };
    for (const auto& [pose, angle] :
         {std::pair(BodyPose::t, 0.0), std::pair(BodyPose::a30, 30.0), std::pair(BodyPose::a45, 45.0),
          std::pair(BodyPose::a60, 60.0), std::pair(BodyPose::arms_down, 83.0)})
        for (const std::string side : {"_l", "_r"}) {
            CHECK(drop(pose, ("upperarm" + side).c_str(), ("lowerarm" + side).c_str()) == Approx(angle).margin(0.01));
            CHECK(drop(pose, ("lowerarm" + side).c_str(), ("hand" + side).c_str()) == Approx(angle).margin(0.01));
        }
}

TEST_CASE("posing keeps what one joint carries rigid and both sides alike") {
    const HumanoidBody& body = humanoid_body(kTriangles);
    const PosedJoints posed = pose_joints(BodyPose::t);
    std::vector<Vec3f> positions = body.positions;
    std::vector<Vec3f> normals = body.normals;
    move_surface(posed, body.influences, positions, normals);
    float worst = 0;
    for (std::size_t i = 0; i < body.triangles.size(); ++i) {
        const std::size_t a = body.triangles[i];
        const std::size_t b = body.triangles[i % 3 == 2 ? i - 2 : i + 1];
        if (body.influences[a][0].weight < 1 || body.influences[b][0].weight < 1) continue;
        if (body.influences[a][0].joint != body.influences[b][0].joint) continue;
        worst = std::max(
            worst, std::abs((positions[a] - positions[b]).norm() - (body.positions[a] - body.positions[b]).norm()));
    }
    CHECK(worst < 1e-6f);
    Vec3f low = Vec3f::Constant(9);
    Vec3f high = -low;
    for (const Vec3f& p : positions) {
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
    }
    CHECK(high.x() == Approx(-low.x()).margin(1e-4));
    CHECK(2 * high.x() == Approx(1.75).margin(0.15));  // arm span is about the height
}

TEST_CASE("a left shape moves the character's left, and each shape does what its name says") {
    const HumanoidBody& body = humanoid_body(20000);
    const std::vector<FaceShape> arkit = face_shapes(body, "arkit");
    CHECK(arkit.size() == 52);
    for (const FaceShape& shape : arkit) {
        Vec3 centre = Vec3::Zero();
        Vec3 move = Vec3::Zero();
        double sum = 0;
        for (std::size_t i = 0; i < shape.deltas.size(); ++i) {
            const double weight = shape.deltas[i].norm();
            centre += weight * body.positions[i].cast<double>();
            move += shape.deltas[i].cast<double>();
            sum += weight;
        }
        INFO(shape.name);
        REQUIRE(sum > 0.001);
        const bool sideways = shape.name == "jawLeft" || shape.name == "mouthLeft" || shape.name == "jawRight" ||
                              shape.name == "mouthRight";
        if (shape.name.ends_with("Left")) CHECK((sideways ? move.x() : centre.x() / sum) > 0);
        if (shape.name.ends_with("Right")) CHECK((sideways ? move.x() : centre.x() / sum) < 0);
        if (shape.name == "jawOpen" || shape.name.starts_with("eyeBlink")) CHECK(move.y() < 0);
    }
    CHECK(face_shapes(body, "visemes").size() == 15);
    CHECK_THROWS_AS(face_shapes(body, "nonsense"), std::invalid_argument);
}

TEST_CASE("levels share a texture and have skeletons of their own unless the fault is asked for") {
    HumanoidOptions options = small("helix");
    options.pose = BodyPose::canonical;
    options.triangles = 6000;
    options.lods = 3;
    options.face_mesh = true;
    for (const bool shared : {false, true}) {
        if (shared) options.faults = {Fault::shared_lod_skeleton};
        const gltf::Document document = build_humanoid(options);
        CHECK(document.json["scenes"].size() == 3);
        std::set<std::size_t> joints;
        for (const Json& skin : document.json["skins"])
            for (const Json& joint : skin["joints"]) joints.insert(joint.get<std::size_t>());
        CHECK(joints.size() == (shared ? 68u : 204u));
    }
    const avatar::Avatar avatar = humanoid_avatar(options);
    REQUIRE(avatar.levels.size() == 3);
    CHECK(static_cast<double>(avatar.levels[1].triangles()) < 0.45 * static_cast<double>(avatar.levels[0].triangles()));
    CHECK(!avatar.levels[2].surfaces[0].face.empty());
}

TEST_CASE("the same options give the same bytes") {
    HumanoidOptions options = small("vrm1");
    options.face = "vrm1";
    options.long_hair = true;
    options.texture_size = 32;
    CHECK(gltf::write_glb(build_humanoid(options)) == gltf::write_glb(build_humanoid(options)));
}

TEST_CASE("every fault changes the file, and an option out of range is refused") {
    const Bytes good = gltf::write_glb(build_humanoid(small("ue5_mannequin")));
    for (int f = 0; f <= static_cast<int>(Fault::swapped_textures); ++f) {
        const auto fault = static_cast<Fault>(f);
        if (fault == Fault::shared_lod_skeleton || fault == Fault::swapped_textures) continue;
        HumanoidOptions options = small("ue5_mannequin");
        options.faults = {fault};
        INFO(f);
        CHECK(gltf::write_glb(build_humanoid(options)) != good);
    }
    HumanoidOptions options = small("mixamo");
    options.texture_size = 32;
    const Bytes plain = gltf::write_glb(build_humanoid(options));
    options.faults = {Fault::swapped_textures};
    CHECK(gltf::write_glb(build_humanoid(options)) != plain);
    options = small("mixamo");
    options.skins = 0;
    CHECK_THROWS_AS(build_humanoid(options), std::invalid_argument);
    CHECK_THROWS_AS(build_humanoid(small("nobody")), std::invalid_argument);
}
