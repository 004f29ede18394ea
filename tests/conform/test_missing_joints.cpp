// SPDX-License-Identifier: MIT
// Rigs with fewer joints than the canonical one, or others.
#include <limits>

#include <catch2/catch.hpp>

#include "test_body.hpp"

using namespace helixavatar;
using namespace helixavatar::testing;

namespace {

/// An unmapped joint below `parent` that takes the weight of the vertices that `takes` picks.
void add_joint(TestBody& body, const std::string& name, const std::string& parent, const Vec3& place,
               const std::function<bool(const Vec3&, const avatar::Influences&)>& takes) {
    const auto index = static_cast<std::uint16_t>(body.avatar.joints.size());
    body.avatar.joints.push_back({name, body.avatar.find_joint(parent), true, {place, Quat::Identity()}});
    for (avatar::Surface& surface : body.avatar.levels.front().surfaces)
        for (std::size_t v = 0; v < surface.positions.size(); ++v)
            if (takes(surface.positions[v].cast<double>(), surface.influences[v])) {
                surface.influences[v] = {};
                surface.influences[v][0] = {index, 1.0F};
            }
}

float weight_of(const avatar::Avatar& avatar, std::size_t vertex, const std::string& name) {
    const int joint = avatar.find_joint(name);
    for (const avatar::Influence& influence : avatar.levels.front().surfaces.front().influences[vertex])
        if (influence.weight > 0 && influence.joint == joint) return influence.weight;
    return 0;
}

const conform::UnmappedJoint& unmapped(const conform::ConformReport& report, const std::string& name) {
    for (const auto& entry : report.unmapped)
        if (entry.source == name) return entry;
    FAIL("not listed: " + name);
    return report.unmapped.front();
}

}  // namespace

TEST_CASE("a joint that the source lacks is placed where the canonical body has it") {
    const auto reference = conformed(canonical_body());
    SECTION("spine") {
        const auto output = conformed(without(canonical_body(), {"spine_02", "spine_04"}));
        CHECK(joint_distance(output.avatar, reference.avatar) < 0.006);
    }
    SECTION("clavicles") {
        const auto output = conformed(without(canonical_body(), {"clavicle_l", "clavicle_r"}));
        CHECK(joint_distance(output.avatar, reference.avatar) < 1e-4);
    }
    SECTION("neck") {
        const auto output = conformed(without(canonical_body(), {"neck_01", "neck_02"}));
        CHECK(joint_distance(output.avatar, reference.avatar) < 0.03);
    }
    SECTION("twists") {
        std::set<std::string> twists;
        for (const auto& joint : skeleton::helix_humanoid().joints)
            if (joint.name.find("twist") != std::string::npos) twists.insert(joint.name);
        const auto output = conformed(without(canonical_body(), twists));
        CHECK(joint_distance(output.avatar, reference.avatar) < 1e-4);
    }
    SECTION("toes") {
        const auto output = conformed(without(canonical_body(), {"ball_l", "ball_r"}));
        CHECK(joint_distance(output.avatar, reference.avatar) < 0.02);
    }
    SECTION("the last two phalanges") {
        const auto output = conformed(without(canonical_body(), {"ring_02_l", "ring_03_l", "ring_02_r", "ring_03_r"}));
        CHECK(joint_distance(output.avatar, reference.avatar) < 1e-3);
    }
    SECTION("fingers, outside the hands") {
        const auto output = conformed(without(canonical_body(), finger_names()));
        CHECK(joint_distance(output.avatar, reference.avatar, finger_names()) < 1e-4);
        CHECK(joint_distance(output.avatar, reference.avatar) < 0.03);
    }
}

TEST_CASE("a hand without fingers in a T-pose turns by its mesh and its elbow") {
    const auto reference = conformed(posed(canonical_body(), arms_at(90, true)));
    const auto output = conformed(without(posed(canonical_body(), arms_at(90, true)), finger_names()));
    // The canonical hand's palm is not exactly across its elbow's hinge; hand directions from the mesh are good to 5
    // degrees.
    const auto turn = [](const conform::ConformReport& report) {
        for (const auto& aimed : report.aimed)
            if (aimed.canonical == "hand_l") return aimed.degrees;
        return 0.0;
    };
    CHECK(turn(output.report) == Approx(turn(reference.report)).margin(20));
    CHECK(joint_distance(output.avatar, reference.avatar, finger_names()) < 1e-3);
}

TEST_CASE("a pelvis far from the hip line is put at the canonical offset") {
    TestBody body = canonical_body();
    const double shift = GENERATE(-0.3, 0.4, -0.02, 0.05);
    body.avatar.joints[static_cast<std::size_t>(body.avatar.find_joint("pelvis"))].rest.translation.y() += shift;
    const double y = joint(conformed(body).avatar, "pelvis").rest.translation.y();
    const bool own = shift > -0.05 && shift < 0.1;
    CHECK(y == Approx(own ? 0.959 + shift : 0.959).margin(1e-4));
}

TEST_CASE("the weight of an unmapped joint goes to the nearest mapped one above it and is listed") {
    TestBody body = canonical_body();
    add_joint(body, "jaw", "head", Vec3(0, 1.6, 0.1),
              [](const Vec3& p, const avatar::Influences&) { return p.y() > 1.75; });
    const auto output = conformed(body);
    const auto& entry = unmapped(output.report, "jaw");
    CHECK(entry.merged_into == "head");
    CHECK(entry.weight_share > 0);
    CHECK(output.avatar.find_joint("jaw") < 0);
    CHECK(vertex_distance(output.avatar, conformed(canonical_body()).avatar).max < 1e-5);
}

TEST_CASE("a palm bone beside the hand goes with the hand, a sleeve on the fore-arm does not") {
    TestBody body = canonical_body();
    const Vec3 wrist = joint(body.avatar, "hand_l").rest.translation,
               elbow = joint(body.avatar, "lowerarm_l").rest.translation;
    const auto held = [&](const avatar::Influences& influences, const char* name) {
        return influences[0].joint == static_cast<std::uint16_t>(body.avatar.find_joint(name));
    };
    const auto beyond = [&](const Vec3& p) { return (p - wrist).dot(wrist - elbow) > 0.01; };
    add_joint(body, "palm", "lowerarm_l", wrist + Vec3(0, 0, 0.02),
              [&](const Vec3& p, const avatar::Influences& i) { return held(i, "hand_l") && beyond(p); });
    add_joint(body, "sleeve", "lowerarm_l", (wrist + elbow) / 2,
              [&](const Vec3& p, const avatar::Influences& i) { return held(i, "middle_01_l") && beyond(p); });
    const auto output = conformed(body);
    CHECK(unmapped(output.report, "palm").merged_into == "hand_l");
    CHECK(unmapped(output.report, "palm").weight_share > 0);
    CHECK(unmapped(output.report, "sleeve").merged_into == "lowerarm_l");
    CHECK(unmapped(output.report, "sleeve").weight_share > 0);
}

TEST_CASE(
    "what hangs from control joints beside the spine goes with the trunk, not with what is nearest to a control") {
    // As Rigify exports: the limbs hang from control joints at the root's feet, the spine that carries skin stands
    // alone.
    TestBody body = canonical_body();
    const auto at = [&](const char* name) { return body.avatar.find_joint(name); };
    const auto under = [&](const char* name, int parent) {
        body.avatar.joints[static_cast<std::size_t>(at(name))].parent = parent;
    };
    std::vector<avatar::Joint>& joints = body.avatar.joints;
    const int first = at("root") + 1;
    // Controls stand before the joints that hang from them: parents come first.
    const std::vector<std::pair<std::string, int>> controls = {{"MCH-torso", at("root")},
                                                               {"ORG-hips", first},
                                                               {"ORG-chest", first},
                                                               {"DEF-hips", first + 1},
                                                               {"DEF-breast", first + 2}};
    for (std::size_t i = 0; i < controls.size(); ++i) {
        for (avatar::Joint& joint : joints)
            if (joint.parent >= first + static_cast<int>(i)) ++joint.parent;
        avatar::Joint control;
        control.name = controls[i].first;
        control.parent = controls[i].second;
        control.rest.translation = Vec3(-0.1, 0.02, 0);
        control.skin = true;
        joints.insert(joints.begin() + first + static_cast<std::ptrdiff_t>(i), control);
    }
    for (avatar::Surface& surface : body.avatar.levels.front().surfaces)
        for (std::size_t v = 0; v < surface.influences.size(); ++v) {
            for (avatar::Influence& influence : surface.influences[v])
                if (influence.joint >= first)
                    influence.joint = static_cast<std::uint16_t>(influence.joint + controls.size());
            avatar::Influence& most = surface.influences[v][0];
            const Vec3f& p = surface.positions[v];
            if (most.joint == at("pelvis") && p.x() > 0) most.joint = static_cast<std::uint16_t>(at("DEF-hips"));
            if (most.joint == at("spine_05") && p.x() > 0) most.joint = static_cast<std::uint16_t>(at("DEF-breast"));
        }
    for (avatar::BoneMatch& match : body.map.matches) match.source = at(match.canonical.c_str());
    for (const char* limb : {"thigh_l", "thigh_r"}) under(limb, at("ORG-hips"));
    for (const char* limb : {"clavicle_l", "clavicle_r", "neck_01"}) under(limb, at("ORG-chest"));
    const auto output = conformed(body);
    CHECK(unmapped(output.report, "DEF-hips").merged_into == "pelvis");
    CHECK(unmapped(output.report, "DEF-hips").weight_share > 0);
    CHECK(unmapped(output.report, "DEF-breast").merged_into == "spine_05");
    CHECK(unmapped(output.report, "DEF-breast").weight_share > 0);
    CHECK(output.report.controls == std::vector<std::string>{"MCH-torso", "ORG-hips", "ORG-chest"});
    for (const auto& entry : output.report.unmapped) CHECK(entry.source != "root");
}

TEST_CASE("hair and cloth joints are kept when asked, twist and volume joints are not") {
    TestBody body = posed(canonical_body(), arms_at(88, true));
    add_joint(body, "Hair_01", "head", Vec3(0, 1.75, -0.1),
              [](const Vec3& p, const avatar::Influences&) { return p.y() > 1.75; });
    add_joint(body, "Hair_end", "Hair_01", Vec3(0, 1.6, -0.2),
              [](const Vec3&, const avatar::Influences&) { return false; });
    add_joint(body, "sleeve_twist", "lowerarm_l", joint(body.avatar, "lowerarm_twist_01_l").rest.translation,
              [&](const Vec3&, const avatar::Influences& i) {
                  return i[0].joint == body.avatar.find_joint("lowerarm_l") && i[0].weight > 0.999F;
              });
    add_joint(body, "hand_l", "lowerarm_l", Vec3(5, 5, 5),
              [](const Vec3&, const avatar::Influences&) { return false; });
    conform::ConformOptions options;
    SECTION("by keep_aux") {
        options.keep_aux = true;
    }
    SECTION("by name of the joint") {
        options.always_keep = {body.avatar.find_joint("Hair_01")};
    }
    const auto output = conformed(body, options);
    const int hair = output.avatar.find_joint("Hair_01");
    REQUIRE(hair >= 76);
    CHECK(output.avatar.joints[static_cast<std::size_t>(hair)].parent == output.avatar.find_joint("head"));
    CHECK(output.report.kept_aux.at(body.avatar.find_joint("Hair_01")) == "Hair_01");
    CHECK(output.avatar.find_joint("Hair_end") < 0);
    CHECK(output.avatar.find_joint("sleeve_twist") < 0);
    CHECK(unmapped(output.report, "Hair_end").merged_into == "Hair_01");
    CHECK(unmapped(output.report, "sleeve_twist").merged_into == "lowerarm_l");
}

TEST_CASE("a kept joint's place and frame turn with the joint that it hangs from") {
    TestBody body = posed(canonical_body(), arms_at(88, true));
    const Vec3 hand = joint(body.avatar, "hand_l").rest.translation,
               middle = joint(body.avatar, "middle_01_l").rest.translation;
    add_joint(body, "ribbon", "hand_l", 0.5 * (hand + middle),
              [](const Vec3&, const avatar::Influences&) { return false; });
    conform::ConformOptions options;
    options.always_keep = {body.avatar.find_joint("ribbon")};
    const auto output = conformed(body, options);
    const Vec3 expected =
        0.5 * (joint(output.avatar, "hand_l").rest.translation + joint(output.avatar, "middle_01_l").rest.translation);
    CHECK((joint(output.avatar, "ribbon").rest.translation - expected).norm() < 1e-3);
    CHECK(angle_degrees(joint(output.avatar, "ribbon").rest.rotation, Quat::Identity()) > 30);
}

TEST_CASE("weights of spine joints beyond the canonical ones are split by arc length") {
    TestBody body = without(canonical_body(), {"spine_02"});
    const Vec3 low = joint(body.avatar, "spine_01").rest.translation,
               high = joint(body.avatar, "spine_03").rest.translation;
    // Between spine_01 and spine_03, a quarter of the way up, in the chain.
    const auto index = static_cast<std::size_t>(body.avatar.find_joint("spine_03"));
    avatar::Avatar& a = body.avatar;
    a.joints.insert(a.joints.begin() + static_cast<long>(index),
                    {"extra", a.find_joint("spine_01"), true, {low + 0.25 * (high - low), Quat::Identity()}});
    for (std::size_t j = index + 1; j < a.joints.size(); ++j)
        if (a.joints[j].parent >= static_cast<int>(index)) ++a.joints[j].parent;
    a.joints[index + 1].parent = static_cast<int>(index);
    for (avatar::BoneMatch& match : body.map.matches) match.source = a.find_joint(match.canonical);
    auto& influences = a.levels.front().surfaces.front().influences;
    for (avatar::Influences& held : influences)
        for (avatar::Influence& influence : held)
            if (influence.weight > 0 && influence.joint >= index) ++influence.joint;
    influences[0] = {};
    influences[0][0] = {static_cast<std::uint16_t>(index), 1.0F};
    const auto output = conformed(body);
    CHECK(weight_of(output.avatar, 0, "spine_01") == Approx(0.75F).margin(1e-4));
    CHECK(weight_of(output.avatar, 0, "spine_03") == Approx(0.25F).margin(1e-4));
}

TEST_CASE("arm weight is shared onto twist joints along the bone when the source has none") {
    std::set<std::string> twists;
    for (const auto& joint : skeleton::helix_humanoid().joints)
        if (joint.name.find("twist") != std::string::npos) twists.insert(joint.name);
    const TestBody body = without(canonical_body(), twists);
    conform::ConformOptions options;
    SECTION("shared") {
        const auto output = conformed(body, options);
        const auto& surface = output.avatar.levels.front().surfaces.front();
        const Vec3 elbow = joint(output.avatar, "lowerarm_l").rest.translation;
        const Vec3 bone = joint(output.avatar, "hand_l").rest.translation - elbow;
        int near = 0, far = 0;
        for (std::size_t v = 0; v < surface.positions.size(); ++v) {
            const auto& source = body.avatar.levels.front().surfaces.front().influences[v];
            if (source[0].joint != body.avatar.find_joint("lowerarm_l") || source[0].weight < 0.999F) continue;
            const double t = (surface.positions[v].cast<double>() - elbow).dot(bone) / bone.squaredNorm();
            const float twist_near = weight_of(output.avatar, v, "lowerarm_twist_02_l");
            const float twist_far = weight_of(output.avatar, v, "lowerarm_twist_01_l");
            if (t < 0.33) {
                CHECK(twist_near == Approx(3 * t).margin(0.01));
                ++near;
            }
            if (t > 0.67) {
                CHECK(twist_far == Approx(1).margin(0.01));
                ++far;
            }
        }
        CHECK(near > 0);
        CHECK(far > 0);
    }
    SECTION("left alone when asked") {
        options.share_twist = false;
        const auto output = conformed(body, options);
        const auto& surface = output.avatar.levels.front().surfaces.front();
        for (std::size_t v = 0; v < surface.positions.size(); ++v)
            CHECK(weight_of(output.avatar, v, "lowerarm_twist_01_l") == 0);
    }
}

TEST_CASE("a shield on the fore-arm stays flat") {
    TestBody body = posed(canonical_body(), arms_at(88, true));
    avatar::Surface shield;
    const Vec3f elbow = joint(body.avatar, "lowerarm_l").rest.translation.cast<float>();
    for (const auto& [x, z] :
         std::vector<std::pair<float, float>>{{0, -0.2F}, {0, 0.2F}, {0.25F, 0.2F}, {0.25F, -0.2F}}) {
        shield.positions.push_back(elbow + Vec3f(x, 0.06F, z));
        shield.influences.push_back({});
        shield.influences.back()[0] = {static_cast<std::uint16_t>(body.avatar.find_joint("lowerarm_l")), 1.0F};
    }
    shield.body = {0, 1, 2, 0, 2, 3};
    body.avatar.levels.front().surfaces.push_back(shield);
    const auto output = conformed(body);
    const auto& p = output.avatar.levels.front().surfaces.back().positions;
    for (std::size_t a = 0; a < 4; ++a)
        for (std::size_t b = 0; b < 4; ++b)
            CHECK((p[a] - p[b]).norm() == Approx((shield.positions[a] - shield.positions[b]).norm()).margin(1e-5));
}

TEST_CASE("shoes that hang from the root and vertices without weight go with the bone that is nearest") {
    TestBody body = canonical_body();
    const int foot = body.avatar.find_joint("foot_r");
    SECTION("a shoe joint under the root") {
        add_joint(body, "shoe", "root", Vec3::Zero(),
                  [&](const Vec3&, const avatar::Influences& i) { return i[0].joint == foot && i[0].weight > 0.999F; });
        CHECK(unmapped(conformed(body).report, "shoe").merged_into == "foot_r");
    }
    SECTION("no weight, and weights that are no weights") {
        auto& influences = body.avatar.levels.front().surfaces.front().influences;
        std::vector<std::size_t> loose;
        for (std::size_t v = 0; v < influences.size(); ++v)
            if (influences[v][0].joint == foot && influences[v][0].weight > 0.999F) {
                influences[v][0].weight = loose.size() % 2 == 0 ? 0.0F : std::numeric_limits<float>::quiet_NaN();
                influences[v][1] = {60000, 0.5F};
                loose.push_back(v);
            }
        REQUIRE_FALSE(loose.empty());
        const auto output = conformed(body);
        CHECK(output.report.warnings.size() == 1);
        // At the ankle the calf's bone may be the nearer one.
        for (const std::size_t v : loose)
            CHECK(weight_of(output.avatar, v, "foot_r") + weight_of(output.avatar, v, "calf_r") == 1);
    }
}
