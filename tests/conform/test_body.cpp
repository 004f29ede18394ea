// SPDX-License-Identifier: MIT
#include "test_body.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

namespace helixavatar::testing {

namespace {

const skeleton::Skeleton& canonical() {
    return skeleton::helix_humanoid();
}

struct Ring {
    Vec3 centre;
    Vec3 along;
    double radius;
    avatar::Influences influences;
};

void add_tube(avatar::Surface& surface, const std::vector<Ring>& rings) {
    constexpr std::uint32_t kSides = 10;
    const auto first = static_cast<std::uint32_t>(surface.positions.size());
    Vec3 across = rings.front().along.unitOrthogonal();
    for (const Ring& ring : rings) {
        // Carried along without turning about the tube.
        across = (across - across.dot(ring.along) * ring.along).normalized();
        for (std::uint32_t k = 0; k < kSides; ++k) {
            const Vec3 out = Eigen::AngleAxisd(2 * kPi * k / kSides, ring.along) * across;
            surface.positions.push_back((ring.centre + ring.radius * out).cast<float>());
            surface.normals.push_back(out.cast<float>());
            Vec4f tangent;
            tangent << ring.along.cast<float>(), 1.0F;
            surface.tangents.push_back(tangent);
            surface.influences.push_back(ring.influences);
        }
    }
    for (std::uint32_t r = 0; r + 1 < rings.size(); ++r)
        for (std::uint32_t k = 0; k < kSides; ++k) {
            const std::uint32_t a = first + r * kSides + k, b = first + r * kSides + (k + 1) % kSides;
            for (const std::uint32_t i : {a, b, a + kSides, b, b + kSides, a + kSides}) surface.body.push_back(i);
        }
}

/// A tube along a chain of joints and on to `tip`; weight passes from bone to bone over a quarter of each around the
/// joint.
void add_chain(avatar::Surface& surface, const std::vector<std::string>& names, const Vec3& tip, double radius) {
    constexpr int kRings = 9;
    constexpr double kFade = 0.25;
    std::vector<Vec3> points;
    for (const std::string& name : names) points.push_back(canonical().joint(name).world.translation);
    points.push_back(tip);
    std::vector<Ring> rings;
    for (std::size_t b = 0; b + 1 < points.size(); ++b) {
        const Vec3 bone = points[b + 1] - points[b];
        for (int i = 0; i < kRings; ++i) {
            const double t = (i + 0.5) / kRings;
            Ring ring{points[b] + t * bone, bone.normalized(), radius, {}};
            const auto at = [&](std::size_t n) { return static_cast<std::uint16_t>(canonical().find(names[n])); };
            float neighbour = 0;
            std::size_t other = b;
            if (t < kFade && b > 0) {
                neighbour = static_cast<float>(0.5 * (1 - t / kFade));
                other = b - 1;
            } else if (t > 1 - kFade && b + 1 < names.size()) {
                neighbour = static_cast<float>(0.5 * (1 - (1 - t) / kFade));
                other = b + 1;
            }
            ring.influences[0] = {at(b), 1 - neighbour};
            if (neighbour > 0) ring.influences[1] = {at(other), neighbour};
            rings.push_back(ring);
        }
    }
    add_tube(surface, rings);
}

Vec3 beyond(const std::string& joint, const std::string& previous, double share) {
    const Vec3 a = canonical().joint(previous).world.translation, b = canonical().joint(joint).world.translation;
    return b + share * (b - a);
}

void add_side(avatar::Surface& surface, const std::string& s) {
    const std::string palm = "hand" + s;
    add_chain(surface, {"clavicle" + s, "upperarm" + s, "lowerarm" + s, palm},
              canonical().joint("middle_01" + s).world.translation, 0.035);
    for (const char* finger : {"thumb", "index", "middle", "ring", "pinky"}) {
        const std::string f = finger;
        add_chain(surface, {f + "_01" + s, f + "_02" + s, f + "_03" + s}, beyond(f + "_03" + s, f + "_02" + s, 1),
                  0.008);
    }
    add_chain(surface, {"thigh" + s, "calf" + s}, canonical().joint("foot" + s).world.translation, 0.05);
    const Vec3 toe = beyond("ball" + s, "foot" + s, 0.4);
    add_chain(surface, {"foot" + s, "ball" + s},
              Vec3(toe.x(), canonical().joint("ball" + s).world.translation.y(), toe.z()), 0.03);
}

Quat turn_of(const Turns& turns, const std::string& name) {
    const auto found = turns.find(name);
    return found == turns.end() ? Quat(Quat::Identity()) : found->second;
}

void transform(avatar::Avatar& avatar, const Quat& turn, double scale, const Vec3& shift) {
    const auto direction = [&](const Vec3f& v) -> Vec3f { return (turn * v.cast<double>()).cast<float>(); };
    for (avatar::Joint& joint : avatar.joints)
        joint.rest = {turn * (scale * joint.rest.translation) + shift, (turn * joint.rest.rotation).normalized()};
    for (avatar::Level& level : avatar.levels)
        for (avatar::Surface& surface : level.surfaces) {
            for (Vec3f& p : surface.positions) p = (turn * (scale * p.cast<double>()) + shift).cast<float>();
            for (Vec3f& n : surface.normals) n = direction(n);
            for (Vec4f& t : surface.tangents) t.head<3>() = direction(t.head<3>());
            for (avatar::MorphTarget& morph : surface.morphs)
                for (Vec3f& d : morph.positions) d = (turn * (scale * d.cast<double>())).cast<float>();
        }
}

}  // namespace

TestBody canonical_body() {
    TestBody body;
    body.map.family = "canonical";
    for (const auto& joint : canonical().joints) {
        body.avatar.joints.push_back({joint.name, joint.parent, joint.skin, joint.world});
        if (joint.skin)
            body.map.matches.push_back(
                {joint.name, canonical().find(joint.name), avatar::MappedBy::name, 1, {}, -1, {}});
    }
    avatar::Surface surface;
    surface.name = "tubes";
    add_chain(surface,
              {"pelvis", "spine_01", "spine_02", "spine_03", "spine_04", "spine_05", "neck_01", "neck_02", "head"},
              Vec3(0, 1.8, 0.02), 0.09);
    for (const char* side : {"_l", "_r"}) add_side(surface, side);
    // Flat soles: the feet stand on the ground.
    for (Vec3f& p : surface.positions) p.y() = std::max(p.y(), 0.0F);
    avatar::MorphTarget morph;
    morph.name = "swell";
    for (const Vec3f& n : surface.normals) morph.positions.push_back(0.01F * n);
    surface.morphs.push_back(morph);
    body.avatar.levels.push_back({"lod1", {surface}, {}});
    return body;
}

TestBody posed(const TestBody& body, const Turns& turns) {
    TestBody result = body;
    std::vector<Pose> motion;
    for (std::size_t j = 0; j < body.avatar.joints.size(); ++j) {
        const avatar::Joint& joint = body.avatar.joints[j];
        const Pose above = joint.parent < 0 ? Pose{} : motion[static_cast<std::size_t>(joint.parent)];
        const Quat own = turn_of(turns, joint.name);
        const Vec3& pivot = joint.rest.translation;
        // A turn is in world axes whatever the parents did.
        const Quat whole = turns.count(joint.name) > 0 ? Quat(own * above.rotation) : above.rotation;
        motion.push_back({above * pivot - whole * pivot, whole});
        result.avatar.joints[j].rest = motion[j] * joint.rest;
    }
    for (avatar::Level& level : result.avatar.levels)
        for (avatar::Surface& surface : level.surfaces)
            for (std::size_t v = 0; v < surface.positions.size(); ++v) {
                Vec3 place = Vec3::Zero();
                Mat3 turn = Mat3::Zero();
                for (const avatar::Influence& influence : surface.influences[v]) {
                    const double w = static_cast<double>(influence.weight);
                    place += w * (motion[influence.joint] * surface.positions[v].cast<double>());
                    turn += w * motion[influence.joint].rotation.toRotationMatrix();
                }
                surface.positions[v] = place.cast<float>();
                surface.normals[v] = (turn * surface.normals[v].cast<double>()).normalized().cast<float>();
                const Vec3f tangent = surface.tangents[v].head<3>();
                surface.tangents[v].head<3>() = (turn * tangent.cast<double>()).normalized().cast<float>();
                for (avatar::MorphTarget& morph : surface.morphs)
                    morph.positions[v] = (turn * morph.positions[v].cast<double>()).cast<float>();
            }
    return result;
}

Turns arms_at(double angle, bool straight_elbows) {
    Turns turns;
    for (const char* side : {"_l", "_r"}) {
        const auto at = [&](const char* name) { return canonical().joint(std::string(name) + side).world.translation; };
        const Vec3 upper = at("lowerarm") - at("upperarm"), lower = at("hand") - at("lowerarm");
        const double sign = *(side + 1) == 'l' ? 1 : -1;
        const double now = degrees(std::atan2(std::abs(upper.x()), -upper.y()));
        const Quat lift(Eigen::AngleAxisd(sign * radians(angle - now), Vec3::UnitZ()));
        turns[std::string("upperarm") + side] = lift;
        if (!straight_elbows) continue;
        const Quat straighten = Quat::FromTwoVectors(lift * lower, lift * upper);
        turns[std::string("lowerarm") + side] = straighten;
        const Vec3 knuckles = straighten * (lift * (at("middle_01") - at("hand")));
        turns[std::string("hand") + side] = Quat::FromTwoVectors(knuckles, lift * upper);
    }
    return turns;
}

TestBody moved(const TestBody& body, const Quat& turn, double scale, const Vec3& shift) {
    TestBody result = body;
    transform(result.avatar, turn, scale, shift);
    result.frame.up = turn * body.frame.up;
    result.frame.forward = turn * body.frame.forward;
    return result;
}

TestBody mirrored(const TestBody& body) {
    TestBody result = body;
    const Vec3 flip(-1, 1, 1);
    const Vec3f flip_f(-1, 1, 1);
    for (avatar::Joint& joint : result.avatar.joints) {
        joint.name = skeleton::mirrored(joint.name);
        joint.rest.translation = joint.rest.translation.cwiseProduct(flip);
        joint.rest.rotation = Quat::Identity();  // frames of a source do not count
    }
    for (avatar::BoneMatch& match : result.map.matches) match.source = result.avatar.find_joint(match.canonical);
    for (avatar::Surface& surface : result.avatar.levels.front().surfaces) {
        for (Vec3f& p : surface.positions) p = p.cwiseProduct(flip_f);
        for (Vec3f& n : surface.normals) n = n.cwiseProduct(flip_f);
        for (Vec4f& t : surface.tangents) t.x() = -t.x();
        for (avatar::MorphTarget& morph : surface.morphs)
            for (Vec3f& d : morph.positions) d = d.cwiseProduct(flip_f);
        for (std::size_t i = 0; i + 2 < surface.body.size(); i += 3)
            std::swap(surface.body[i + 1], surface.body[i + 2]);
    }
    return result;
}

TestBody stretched(const TestBody& body, const std::string& name, const std::string& child, double factor) {
    TestBody result = body;
    const Vec3 shift =
        (factor - 1) * (joint(body.avatar, child).rest.translation - joint(body.avatar, name).rest.translation);
    std::vector<double> share(body.avatar.joints.size(), 0);
    for (std::size_t j = 0; j < share.size(); ++j) {
        const int parent = body.avatar.joints[j].parent;
        share[j] = body.avatar.joints[j].name == child ? 1 : parent < 0 ? 0 : share[static_cast<std::size_t>(parent)];
        result.avatar.joints[j].rest.translation += share[j] * shift;
    }
    for (avatar::Surface& surface : result.avatar.levels.front().surfaces)
        for (std::size_t v = 0; v < surface.positions.size(); ++v)
            for (const avatar::Influence& influence : surface.influences[v])
                surface.positions[v] +=
                    (static_cast<double>(influence.weight) * share[influence.joint] * shift).cast<float>();
    return result;
}

TestBody without(const TestBody& body, const std::set<std::string>& joints) {
    TestBody result = body;
    std::vector<int> kept(body.avatar.joints.size(), -1);
    result.avatar.joints.clear();
    for (std::size_t j = 0; j < kept.size(); ++j) {
        avatar::Joint joint = body.avatar.joints[j];
        joint.parent = joint.parent < 0 ? -1 : kept[static_cast<std::size_t>(joint.parent)];
        if (joints.count(joint.name) > 0) {
            kept[j] = joint.parent;  // what it held and what hung from it
            continue;
        }
        kept[j] = static_cast<int>(result.avatar.joints.size());
        result.avatar.joints.push_back(joint);
    }
    for (avatar::BoneMatch& match : result.map.matches) match.source = result.avatar.find_joint(match.canonical);
    for (avatar::Surface& surface : result.avatar.levels.front().surfaces)
        for (avatar::Influences& influences : surface.influences) {
            for (avatar::Influence& influence : influences)
                influence.joint = static_cast<std::uint16_t>(std::max(0, kept[influence.joint]));
            avatar::limit_influences(influences, avatar::kMaxInfluences);
        }
    return result;
}

conform::ConformOutput conformed(const TestBody& body, const conform::ConformOptions& options) {
    auto result = conform::conform(body.avatar, body.map, body.frame, canonical(), options);
    if (!result) FAIL(result.error().message);
    return result.take();
}

TestBody as_source(const conform::ConformOutput& output, const TestBody& original) {
    TestBody result = original;
    result.avatar = output.avatar;
    result.map.matches.clear();
    for (const auto& joint : canonical().joints)
        if (joint.skin)
            result.map.matches.push_back(
                {joint.name, output.avatar.find_joint(joint.name), avatar::MappedBy::name, 1, {}, -1, {}});
    result.frame = {};
    return result;
}

const avatar::Joint& joint(const avatar::Avatar& avatar, const std::string& name) {
    const int at = avatar.find_joint(name);
    REQUIRE(at >= 0);
    return avatar.joints[static_cast<std::size_t>(at)];
}

Distance vertex_distance(const avatar::Avatar& a, const avatar::Avatar& b,
                         const std::function<bool(std::size_t, std::size_t)>& counts) {
    std::vector<double> all;
    const auto &left = a.levels.front().surfaces, &right = b.levels.front().surfaces;
    REQUIRE(left.size() == right.size());
    for (std::size_t s = 0; s < left.size(); ++s) {
        REQUIRE(left[s].positions.size() == right[s].positions.size());
        for (std::size_t v = 0; v < left[s].positions.size(); ++v)
            if (!counts || counts(s, v))
                all.push_back(static_cast<double>((left[s].positions[v] - right[s].positions[v]).norm()));
    }
    REQUIRE_FALSE(all.empty());
    std::sort(all.begin(), all.end());
    return {all.back(), all[all.size() * 99 / 100]};
}

double joint_distance(const avatar::Avatar& a, const avatar::Avatar& b, const std::set<std::string>& skip) {
    double most = 0;
    for (const auto& canonical_joint : canonical().joints)
        if (skip.count(canonical_joint.name) == 0)
            most = std::max(most, (joint(a, canonical_joint.name).rest.translation -
                                   joint(b, canonical_joint.name).rest.translation)
                                      .norm());
    return most;
}

std::set<std::string> finger_names() {
    std::set<std::string> names;
    for (const auto& joint : canonical().joints)
        for (const char* finger : {"thumb", "index", "middle", "ring", "pinky"})
            if (joint.name.rfind(finger, 0) == 0) names.insert(joint.name);
    return names;
}

}  // namespace helixavatar::testing
