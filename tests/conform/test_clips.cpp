// SPDX-License-Identifier: MIT
// conform.md §1.1 and §1.5: rest frames are the table's, and a canonical clip puts every limb where the canonical body
// has it.
#include <cmath>

#include <catch2/catch.hpp>

#include "test_body.hpp"

using namespace helixavatar;
using namespace helixavatar::testing;

namespace {

const skeleton::Skeleton& canonical() {
    return skeleton::helix_humanoid();
}

/// A key of a shared clip: turns about the joint's own axes after the canonical rest, in degrees.
using Key = std::map<std::string, Vec3>;

Key step(double phase, double thigh, double knee, double arm, double elbow, double lean) {
    Key key;
    const double swing = std::sin(2 * kPi * phase);
    key["pelvis"] = {4 * swing, 0, 0};
    key["spine_01"] = {0, lean, 0};
    key["spine_03"] = {-6 * swing, lean, 0};
    key["neck_01"] = {3 * swing, -lean, 0};
    for (const char* side : {"_l", "_r"}) {
        const double s = *(side + 1) == 'l' ? swing : -swing;
        key[std::string("thigh") + side] = {2 * s, -thigh * s, 0};
        key[std::string("calf") + side] = {0, knee * (0.5 - 0.5 * s), 0};
        key[std::string("foot") + side] = {0, 10 * s, 3 * s};
        key[std::string("clavicle") + side] = {0, 5 * s, 4};
        key[std::string("upperarm") + side] = {8 * s, arm * s, -12};
        key[std::string("lowerarm") + side] = {20 * s, -elbow, 0};
        key[std::string("hand") + side] = {5, -8 * s, 4};
        key[std::string("index_01") + side] = {0, 20, 0};
    }
    return key;
}

std::vector<Key> clip(const std::string& name) {
    std::vector<Key> keys;
    for (int i = 0; i < 8; ++i) {
        const double phase = i / 8.0;
        if (name == "walk") keys.push_back(step(phase, 28, 40, 25, 15, 3));
        if (name == "run") keys.push_back(step(phase, 55, 95, 50, 70, 12));
        if (name == "crouch") {
            Key key = step(phase, 10, 20, 10, 45, 25);
            for (const char* side : {"_l", "_r"}) {
                key[std::string("thigh") + side].y() -= 70;
                key[std::string("calf") + side].y() += 100;
            }
            keys.push_back(key);
        }
    }
    return keys;
}

Quat turn(const Vec3& angles) {
    return Quat(Eigen::AngleAxisd(radians(angles.x()), Vec3::UnitX())) *
           Quat(Eigen::AngleAxisd(radians(angles.y()), Vec3::UnitY())) *
           Quat(Eigen::AngleAxisd(radians(angles.z()), Vec3::UnitZ()));
}

/// World places of joints that have `local` translations and play the key's absolute local rotations.
std::vector<Vec3> play(const Key& key, const std::vector<Vec3>& local) {
    std::vector<Pose> world;
    std::vector<Vec3> places;
    for (std::size_t j = 0; j < canonical().joints.size(); ++j) {
        const auto& joint = canonical().joints[j];
        const auto found = key.find(joint.name);
        const Quat rotation =
            found == key.end() ? joint.local.rotation : Quat(joint.local.rotation * turn(found->second));
        const Pose own{local[j], rotation};
        world.push_back(joint.parent < 0 ? own : world[static_cast<std::size_t>(joint.parent)] * own);
        places.push_back(world.back().translation);
    }
    return places;
}

std::vector<Vec3> local_translations(const avatar::Avatar& avatar) {
    std::vector<Vec3> local;
    for (const auto& joint : canonical().joints) {
        const Pose& world = testing::joint(avatar, joint.name).rest;
        local.push_back(
            joint.parent < 0
                ? world.translation
                : (avatar.joints[static_cast<std::size_t>(joint.parent)].rest.inverse() * world).translation);
    }
    return local;
}

/// A body with proportions of its own, in a T-pose.
TestBody lanky() {
    TestBody body = posed(canonical_body(), arms_at(88, true));
    for (const char* side : {"_l", "_r"}) {
        body = stretched(body, std::string("lowerarm") + side, std::string("hand") + side, 1.25);
        body = stretched(body, std::string("thigh") + side, std::string("calf") + side, 1.15);
        body = stretched(body, std::string("upperarm") + side, std::string("lowerarm") + side, 0.9);
        body = stretched(body, std::string("middle_01") + side, std::string("middle_02") + side, 1.2);
    }
    return stretched(body, "spine_03", "spine_04", 1.3);
}

}  // namespace

TEST_CASE("every canonical joint's local rotation is the table's and no finger, limb or spine is left out") {
    const auto output = conformed(lanky());
    const auto& joints = output.avatar.joints;
    REQUIRE(joints.size() == canonical().joints.size());
    for (std::size_t j = 0; j < joints.size(); ++j) {
        const auto& expected = canonical().joints[j];
        CAPTURE(expected.name);
        CHECK(joints[j].name == expected.name);
        CHECK(joints[j].parent == expected.parent);
        CHECK(joints[j].skin == expected.skin);
        const Quat parent = expected.parent < 0 ? Quat(Quat::Identity())
                                                : joints[static_cast<std::size_t>(expected.parent)].rest.rotation;
        CHECK(angle_degrees(parent.conjugate() * joints[j].rest.rotation, expected.local.rotation) < 0.01);
    }
    CHECK(joints.front().rest.translation.isZero());
}

TEST_CASE("a canonical clip turns every limb segment as it turns the canonical body's") {
    const std::string name = GENERATE(as<std::string>{}, "walk", "run", "crouch");
    std::vector<Vec3> canonical_local;
    for (const auto& joint : canonical().joints) canonical_local.push_back(joint.local.translation);
    const std::vector<Vec3> own_local = local_translations(conformed(lanky()).avatar);
    const std::vector<std::pair<std::string, std::string>> segments = {{"clavicle", "upperarm"},
                                                                       {"upperarm", "lowerarm"},
                                                                       {"lowerarm", "hand"},
                                                                       {"thigh", "calf"},
                                                                       {"calf", "foot"},
                                                                       {"hand", "middle_01"},
                                                                       {"index_01", "index_02"},
                                                                       {"thumb_02", "thumb_03"},
                                                                       {"middle_01", "middle_02"},
                                                                       {"upperarm", "upperarm_twist_02"},
                                                                       {"lowerarm", "lowerarm_twist_01"}};
    for (const Key& key : clip(name)) {
        const auto reference = play(key, canonical_local), own = play(key, own_local);
        for (const auto& [from, to] : segments)
            for (const char* side : {"_l", "_r"}) {
                CAPTURE(name, from, to, side);
                const auto at = [&](const std::vector<Vec3>& places, const std::string& joint) {
                    return places[static_cast<std::size_t>(canonical().find(joint + side))];
                };
                CHECK(angle_degrees(at(own, to) - at(own, from), at(reference, to) - at(reference, from)) < 0.5);
            }
    }
}

TEST_CASE("bone lengths stay the source's own") {
    const TestBody body = lanky();
    const auto output = conformed(body);
    const std::vector<std::pair<std::string, std::string>> bones = {{"upperarm", "lowerarm"},
                                                                    {"lowerarm", "hand"},
                                                                    {"thigh", "calf"},
                                                                    {"calf", "foot"},
                                                                    {"middle_01", "middle_02"}};
    for (const auto& [from, to] : bones) {
        const auto length = [&from = from, &to = to](const avatar::Avatar& avatar) {
            return (testing::joint(avatar, to + "_l").rest.translation -
                    testing::joint(avatar, from + "_l").rest.translation)
                .norm();
        };
        CAPTURE(from, to);
        CHECK(length(output.avatar) == Approx(length(body.avatar)).epsilon(1e-6));
    }
}

TEST_CASE("the body stands on the ground, over the origin, with the soles as authored") {
    const TestBody body = moved(posed(canonical_body(), arms_at(88, true)), Quat::Identity(), 1, Vec3(0.3, 0.4, -0.2));
    const auto output = conformed(body);
    const auto bounds = avatar::bounds(output.avatar.levels.front());
    CHECK(bounds.low.y() == Approx(0).margin(1e-5));
    const Vec3& pelvis = testing::joint(output.avatar, "pelvis").rest.translation;
    CHECK(pelvis.x() == Approx(0).margin(1e-6));
    CHECK(pelvis.z() == Approx(0.023).margin(1e-3));
    // Feet turn about the vertical alone: heights of foot vertices above the sole are the source's.
    const auto &before = body.avatar.levels.front().surfaces.front(),
               &after = output.avatar.levels.front().surfaces.front();
    const int foot = body.avatar.find_joint("foot_l");
    for (std::size_t v = 0; v < before.positions.size(); ++v)
        if (before.influences[v][0].joint == foot && before.influences[v][0].weight > 0.999F)
            CHECK(after.positions[v].y() == Approx(before.positions[v].y() - 0.4F).margin(1e-4));
}

TEST_CASE("what hangs from one joint moves as one piece") {
    const TestBody body = posed(canonical_body(), arms_at(88, true));
    const auto output = conformed(body);
    const auto &before = body.avatar.levels.front().surfaces.front(),
               &after = output.avatar.levels.front().surfaces.front();
    for (const char* name : {"head", "hand_l", "thigh_r", "calf_l", "index_02_r"}) {
        CAPTURE(name);
        const int joint = body.avatar.find_joint(name);
        std::vector<std::size_t> held;
        for (std::size_t v = 0; v < before.positions.size(); ++v)
            if (before.influences[v][0].joint == joint && before.influences[v][0].weight > 0.9999F) held.push_back(v);
        REQUIRE(held.size() > 10);
        for (const std::size_t v : held) {
            const float was = (before.positions[v] - before.positions[held.front()]).norm();
            const float is = (after.positions[v] - after.positions[held.front()]).norm();
            CHECK(is == Approx(was).margin(1e-5));
            CHECK(after.normals[v].norm() == Approx(1).margin(1e-5));
            // The morph grows along the normal in the source, so it does in the result.
            CHECK((after.morphs.front().positions[v] - 0.01F * after.normals[v]).norm() < 1e-5F);
        }
    }
}
