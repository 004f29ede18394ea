// SPDX-License-Identifier: MIT
#include <helixavatar/skeleton/skeleton.hpp>

#include <cassert>
#include <cmath>

#include <helixavatar/base/file_io.hpp>

namespace helixavatar::embedded {
extern const std::string_view helix_humanoid_1_json;
}

namespace helixavatar::skeleton {
namespace {

using gltf::Json;

constexpr double kSameDegrees = 0.01;  // contract.md: conform.md §1.1's tolerance
constexpr double kSameMetres = 0.0001;

Error bad_skeleton(const std::string& message, const std::string& where) {
    return {ErrorKind::usage, message, where,
            "a skeleton file has the shape that `helixavatar skeleton --json` prints"};
}

bool read_numbers(const Json& list, std::size_t count, double* out) {
    if (!list.is_array() || list.size() != count) return false;
    for (std::size_t i = 0; i < count; ++i) {
        if (!list[i].is_number()) return false;
        out[i] = list[i].get<double>();
        if (!std::isfinite(out[i])) return false;
    }
    return true;
}

Result<CanonicalJoint> parse_joint(const Json& entry, const Skeleton& so_far, const std::string& where) {
    CanonicalJoint joint;
    if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string())
        return bad_skeleton("a joint has no name", where);
    joint.name = entry["name"];
    if (so_far.find(joint.name) >= 0) return bad_skeleton("the joint " + joint.name + " is there twice", where);
    const Json parent = entry.value("parent", Json());
    if (parent.is_string()) {
        joint.parent = so_far.find(parent.get<std::string>());
        if (joint.parent < 0)
            return bad_skeleton("the parent of " + joint.name + " is not among the joints before it",
                                where + "/parent");
    } else if (!so_far.joints.empty()) {
        return bad_skeleton("the joint " + joint.name + " has no parent, and only the first joint may have none",
                            where);
    }
    if (entry.contains("skin") && !entry["skin"].is_boolean())
        return bad_skeleton("\"skin\" of " + joint.name + " is neither true nor false", where + "/skin");
    joint.skin = entry.value("skin", true);
    double t[3];
    double q[4];
    if (!entry.contains("translation") || !read_numbers(entry["translation"], 3, t))
        return bad_skeleton("the translation of " + joint.name + " is not three numbers", where + "/translation");
    if (!entry.contains("rotation") || !read_numbers(entry["rotation"], 4, q))
        return bad_skeleton("the rotation of " + joint.name + " is not four numbers", where + "/rotation");
    const Quat rotation(q[3], q[0], q[1], q[2]);
    if (std::abs(rotation.norm() - 1) > 1e-3)
        return bad_skeleton("the rotation of " + joint.name + " is not a unit quaternion", where + "/rotation");
    joint.local = {Vec3(t[0], t[1], t[2]), rotation.normalized()};
    joint.world = joint.parent < 0 ? joint.local : so_far.joints[joint.parent].world * joint.local;
    return joint;
}

/// Every joint of helix-humanoid@1 must be there with its parent; what else hangs there is not ours to judge.
Result<void> check_names(const Skeleton& skeleton) {
    for (const CanonicalJoint& expected : helix_humanoid().joints) {
        const int at = skeleton.find(expected.name);
        if (at < 0) return bad_skeleton("the joint " + expected.name + " of helix-humanoid@1 is missing", "");
        const std::string parent = expected.parent < 0 ? "" : helix_humanoid().joints[expected.parent].name;
        const int actual = skeleton.joints[at].parent;
        const std::string actual_parent = actual < 0 ? "" : skeleton.joints[actual].name;
        if (parent != actual_parent)
            return bad_skeleton("the parent of " + expected.name + " is \"" + actual_parent +
                                    "\"; helix-humanoid@1 has \"" + parent + "\"",
                                "");
    }
    return {};
}

Result<Skeleton> parse(std::string_view text, bool check) {
    Result<Json> json = gltf::parse_json(text);
    if (!json) return bad_skeleton("the skeleton is not JSON: " + json.error().message, json.error().where);
    if (!json->is_object() || !json->contains("joints") || !(*json)["joints"].is_array())
        return bad_skeleton("the skeleton has no \"joints\" array", "");
    Skeleton skeleton;
    skeleton.id = json->contains("id") && (*json)["id"].is_string() ? (*json)["id"].get<std::string>() : "custom";
    for (std::size_t i = 0; i < (*json)["joints"].size(); ++i) {
        Result<CanonicalJoint> joint = parse_joint((*json)["joints"][i], skeleton, "/joints/" + std::to_string(i));
        if (!joint) return joint.error();
        skeleton.joints.push_back(joint.take());
    }
    if (check) {
        const Result<void> names = check_names(skeleton);
        if (!names) return names.error();
    }
    return skeleton;
}

double rounded(double value) {
    const double scaled = std::round(value * 1e7) / 1e7;
    return scaled == 0 ? 0.0 : scaled;  // no negative zero in the text
}

Json numbers(const Vec3& v) {
    return Json::array({rounded(v.x()), rounded(v.y()), rounded(v.z())});
}
Json numbers(const Quat& q) {
    return Json::array({rounded(q.x()), rounded(q.y()), rounded(q.z()), rounded(q.w())});
}

}  // namespace

int Skeleton::find(std::string_view name) const {
    for (std::size_t i = 0; i < joints.size(); ++i)
        if (joints[i].name == name) return static_cast<int>(i);
    return -1;
}

const CanonicalJoint& Skeleton::joint(std::string_view name) const {
    const int at = find(name);
    assert(at >= 0);
    return joints[at];
}

const Skeleton& helix_humanoid() {
    static const Skeleton instance = [] {
        Result<Skeleton> parsed = parse(embedded::helix_humanoid_1_json, false);
        assert(parsed && "the compiled-in skeleton is well formed");
        return parsed.take();
    }();
    return instance;
}

Result<Skeleton> parse_skeleton(std::string_view json_text) {
    return parse(json_text, true);
}

Result<Skeleton> read_skeleton(const std::filesystem::path& path) {
    Result<Bytes> bytes = read_file(path);
    if (!bytes) return bytes.error();
    const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    const auto named = [&](Error error) {
        error.where = path.string() + (error.where.empty() ? "" : ": " + error.where);
        return error;
    };
    const bool is_glb = text.substr(0, 4) == "glTF";
    if (!is_glb) {
        Result<Skeleton> skeleton = parse_skeleton(text);
        if (!skeleton) return named(skeleton.error());
        return skeleton;
    }
    Result<gltf::Document> document = gltf::parse_document(*bytes, path.parent_path());
    if (!document) return named(document.error());
    Result<Skeleton> skeleton = skeleton_from_document(*document);
    if (!skeleton) return named(skeleton.error());
    return skeleton;
}

std::string to_json_text(const Skeleton& skeleton) {
    Json json = {{"id", skeleton.id}, {"units", "m"}, {"up", "+Y"},
                 {"forward", "+Z"},   {"left", "+X"}, {"quaternion", "xyzw"}};
    Json& joints = json["joints"] = Json::array();
    for (const CanonicalJoint& joint : skeleton.joints) {
        Json entry = {{"name", joint.name}};
        entry["parent"] = joint.parent < 0 ? Json() : Json(skeleton.joints[joint.parent].name);
        entry["skin"] = joint.skin;
        entry["translation"] = numbers(joint.local.translation);
        entry["rotation"] = numbers(joint.local.rotation);
        entry["world_position"] = numbers(joint.world.translation);
        entry["world_rotation"] = numbers(joint.world.rotation);
        joints.push_back(std::move(entry));
    }
    return json.dump(2) + "\n";
}

std::vector<JointDifference> differences(const Skeleton& a, const Skeleton& b) {
    std::vector<JointDifference> list;
    for (const CanonicalJoint& joint : a.joints) {
        const int other = b.find(joint.name);
        if (other < 0) continue;
        JointDifference difference{joint.name, angle_degrees(joint.local.rotation, b.joints[other].local.rotation),
                                   (joint.local.translation - b.joints[other].local.translation).norm()};
        if (difference.degrees > kSameDegrees || difference.metres > kSameMetres) list.push_back(std::move(difference));
    }
    return list;
}

std::string mirrored(std::string_view name) {
    std::string other(name);
    if (name.ends_with("_l")) other.back() = 'r';
    if (name.ends_with("_r")) other.back() = 'l';
    return other;
}

}  // namespace helixavatar::skeleton
