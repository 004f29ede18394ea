// SPDX-License-Identifier: MIT
#include "support/reference_pose.hpp"

#include <stdexcept>

#include <nlohmann/json.hpp>

namespace helixavatar::embedded {
extern const std::string_view helix_humanoid_1_json;
}

namespace helixavatar::test {
namespace {

std::vector<ReferenceJoint> read_joints() {
    const auto table = nlohmann::json::parse(embedded::helix_humanoid_1_json);
    std::vector<ReferenceJoint> joints;
    for (const auto& entry : table.at("joints")) {
        ReferenceJoint joint;
        joint.name = entry.at("name").get<std::string>();
        joint.skin = entry.at("skin").get<bool>();
        if (!entry.at("parent").is_null()) {
            const auto parent = entry.at("parent").get<std::string>();
            for (std::size_t i = 0; i < joints.size(); ++i)
                if (joints[i].name == parent) joint.parent = static_cast<int>(i);
        }
        const auto& t = entry.at("translation");
        const auto& q = entry.at("rotation");
        const Pose local{
            {t[0].get<double>(), t[1].get<double>(), t[2].get<double>()},
            Quat(q[3].get<double>(), q[0].get<double>(), q[1].get<double>(), q[2].get<double>()).normalized()};
        joint.world = joint.parent < 0 ? local : joints[joint.parent].world * local;
        joints.push_back(std::move(joint));
    }
    return joints;
}

}  // namespace

const std::vector<ReferenceJoint>& reference_joints() {
    static const std::vector<ReferenceJoint> joints = read_joints();
    return joints;
}

std::size_t reference_index(std::string_view name) {
    const auto& joints = reference_joints();
    for (std::size_t i = 0; i < joints.size(); ++i)
        if (joints[i].name == name) return i;
    throw std::out_of_range("no reference joint " + std::string(name));
}

Vec3 reference_position(std::string_view name) {
    return reference_joints()[reference_index(name)].world.translation;
}

}  // namespace helixavatar::test
