// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "support/body.hpp"
#include "support/paint.hpp"
#include "support/reference_pose.hpp"

using namespace helixavatar;
using namespace helixavatar::test;

namespace {

using Place = std::array<float, 3>;

Place key(const Vec3f& p) {
    return {p.x(), p.y(), p.z()};
}

float share_of(const BodyInfluences& influences, const std::string& stem) {
    float share = 0;
    for (const avatar::Influence& influence : influences)
        if (reference_joints()[influence.joint].name.find(stem) != std::string::npos) share += influence.weight;
    return share;
}

/// Area of the triangle in the texture, positive when it lies as it should: V runs down, so outside is clockwise.
float uv_area(const HumanoidBody& body, std::size_t t) {
    const Vec2f a = body.uvs[body.triangles[3 * t]];
    const Vec2f b = body.uvs[body.triangles[3 * t + 1]] - a;
    const Vec2f c = body.uvs[body.triangles[3 * t + 2]] - a;
    return -0.5f * (b.x() * c.y() - b.y() * c.x());
}

}  // namespace

TEST_CASE("the body is one closed shell") {
    const HumanoidBody& body = humanoid_body(8000);
    std::map<std::pair<Place, Place>, int> edges;
    for (std::size_t i = 0; i < body.triangles.size(); i += 3)
        for (int k = 0; k < 3; ++k)
            ++edges[{key(body.positions[body.triangles[i + k]]), key(body.positions[body.triangles[i + (k + 1) % 3]])}];
    std::size_t open = 0;
    for (const auto& [edge, count] : edges) open += !edges.contains({edge.second, edge.first});
    CHECK(open == 0);
}

TEST_CASE("the body is its own mirror image to the bit") {
    const HumanoidBody& body = humanoid_body(8000);
    std::set<Place> places;
    for (const Vec3f& p : body.positions) places.insert(key(p));
    std::size_t lonely = 0;
    for (const Vec3f& p : body.positions) lonely += !places.contains(key({p.x() == 0 ? 0 : -p.x(), p.y(), p.z()}));
    CHECK(lonely == 0);
}

TEST_CASE("the body meets the triangle count that was asked for") {
    for (const std::size_t wanted : {1000u, 3000u, 20000u, 80000u}) {
        const double got = static_cast<double>(humanoid_body(wanted).triangles.size()) / 3;
        CHECK(std::abs(got / static_cast<double>(wanted) - 1) < 0.03);
    }
    CHECK_THROWS_AS(humanoid_body(10), std::invalid_argument);
}

TEST_CASE("the body has a grown person's size and stands on the ground") {
    const HumanoidBody& body = humanoid_body(20000);
    Vec3f low = Vec3f::Constant(9);
    Vec3f high = -low;
    for (const Vec3f& p : body.positions) {
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
    }
    CHECK(std::abs(low.y()) < 0.001f);
    CHECK(high.y() == Approx(1.81).margin(0.03));
    CHECK(high.z() < 0.30f);  // the hands
    const float head = high.y() - landmark::kChin.y();
    CHECK(high.y() / head == Approx(7.5).margin(0.6));  // heads tall
}

TEST_CASE("weights are whole, few and only between neighbours") {
    const HumanoidBody& body = humanoid_body(20000);
    for (std::size_t i = 0; i < body.positions.size(); ++i) {
        float sum = 0;
        for (const avatar::Influence& influence : body.influences[i]) {
            sum += influence.weight;
            CHECK((influence.weight == 0 || reference_joints()[influence.joint].skin));
        }
        REQUIRE(sum == Approx(1).margin(1e-5));
        const float hand = share_of(body.influences[i], "hand") + share_of(body.influences[i], "index") +
                           share_of(body.influences[i], "thumb_");
        const float leg = share_of(body.influences[i], "thigh") + share_of(body.influences[i], "calf");
        REQUIRE(std::min(hand, leg) == 0);
        REQUIRE(std::min(share_of(body.influences[i], "arm_l"), share_of(body.influences[i], "arm_r")) == 0);
    }
}

TEST_CASE("every skin joint that families map moves some of the surface") {
    const HumanoidBody& body = humanoid_body(20000);
    std::vector<float> total(reference_joints().size(), 0);
    for (const BodyInfluences& influences : body.influences)
        for (const avatar::Influence& influence : influences) total[influence.joint] += influence.weight;
    for (std::size_t j = 0; j < total.size(); ++j) {
        INFO(reference_joints()[j].name);
        if (reference_joints()[j].name == "root" || !reference_joints()[j].skin)
            CHECK(total[j] == 0);
        else
            CHECK(total[j] > 1);
    }
}

TEST_CASE("the surface of the fingertips belongs to the fingertips and the crown to the head") {
    const Field& field = humanoid_field();
    for (const char* name : {"thumb", "index", "middle", "ring", "pinky"}) {
        const std::string stem = name;
        const Pose last = reference_joints()[reference_index(stem + "_03_l")].world;
        const Vec3f tip = (last.translation + last.rotation * Vec3(0.018, 0, 0.006)).cast<float>();
        INFO(stem);
        CHECK(share_of(weigh(field, tip), stem + "_03_l") > 0.95f);
    }
    CHECK(share_of(weigh(field, {0, 1.80f, 0}), "head") > 0.99f);
    CHECK(share_of(weigh(field, landmark::kChin), "head") > 0.9f);
}

TEST_CASE("charts lie inside the texture, the right way up, and hardly overlap") {
    const HumanoidBody& body = humanoid_body(20000);
    for (const Vec2f& uv : body.uvs) REQUIRE((uv.minCoeff() >= 0 && uv.maxCoeff() <= 1));
    double upright = 0;
    double reversed = 0;
    for (std::size_t t = 0; t < body.triangles.size() / 3; ++t)
        (uv_area(body, t) > 0 ? upright : reversed) += std::abs(uv_area(body, t));
    CHECK(reversed < 0.02 * upright);
    CHECK(upright > 0.45);                                     // of the texture
    CHECK(body.positions.size() > body.triangles.size() / 6);  // seams double vertices
}

TEST_CASE("textures are painted for every size, the normal map with unit vectors") {
    const HumanoidBody& body = humanoid_body(3000);
    const PaintedTextures a = paint(body, humanoid_field(), 64);
    const PaintedTextures b = paint(body, humanoid_field(), 64);
    CHECK(a.base_color == b.base_color);
    CHECK(a.normal == b.normal);
    CHECK(a.base_color[1] == 'P');
    CHECK(a.base_color != a.normal);
    CHECK_THROWS_AS(paint(body, humanoid_field(), 0), std::invalid_argument);
    // Cloth, skin and hair look like what they are.
    const auto color = [&](const Vec3f& p) { return appearance(humanoid_field(), p, Vec3f::UnitZ(), 1).color; };
    const Vec3f shirt = color({0.05f, 1.15f, 0.124f});
    CHECK(shirt.z() > shirt.x());
    const Vec3f cheek = color({0.045f, 1.640f, 0.085f});
    CHECK(cheek.x() > cheek.z());
    CHECK(color({0, 1.81f, 0}).norm() < 0.6f * cheek.norm());
}
