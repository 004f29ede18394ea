// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include <helixavatar/lod/levels.hpp>

#include "shapes.hpp"

using namespace helixavatar;

namespace {

avatar::Avatar levels_of(avatar::Avatar source, std::vector<std::size_t> targets,
                         std::vector<std::string>* warnings = nullptr) {
    auto out = lod::build_levels(std::move(source), {std::move(targets)});
    REQUIRE(out);
    if (warnings != nullptr) *warnings = out->warnings;
    return out.take().avatar;
}

}  // namespace

TEST_CASE("every level comes within two percent under its target") {
    const avatar::Avatar a = levels_of(shapes::character({shapes::ball(96, 60)}), {5000, 1500, 400, 100});
    REQUIRE(a.levels.size() == 4);
    const std::size_t targets[] = {5000, 1500, 400, 100};
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(a.levels[i].triangles() <= targets[i]);
        CHECK(static_cast<double>(a.levels[i].triangles()) >= 0.98 * static_cast<double>(targets[i]));
        CHECK(a.levels[i].name == "lod" + std::to_string(i + 1));
    }
}

TEST_CASE("a level whose target is not below the source is the source") {
    const avatar::Avatar source = shapes::character({shapes::ball(24, 12)});
    const avatar::Avatar a = levels_of(source, {100000, 300});
    CHECK(avatar::digest(a.levels[0]) == avatar::digest(source.levels[0]));
    CHECK(a.levels[0].error->max_mm == 0);
    CHECK(a.levels[1].triangles() <= 300);
    CHECK(a.levels[1].error->max_mm > 0);
}

TEST_CASE("a closed ball with a seam stays closed at every level") {
    const avatar::Avatar a = levels_of(shapes::character({shapes::ball(64, 40)}), {2000, 500, 120});
    for (const avatar::Level& level : a.levels) {
        CHECK(shapes::edge_counts(level).open == 0);
        CHECK(shapes::edge_counts(level).many == 0);
        CHECK(shapes::turned_over(level) == 0);
    }
}

TEST_CASE("the seam of a ball stays in pairs with both sides of the texture") {
    const avatar::Avatar a = levels_of(shapes::character({shapes::ball(64, 40)}), {2000, 500});
    for (const avatar::Level& level : a.levels) {
        const avatar::Surface& s = level.surfaces[0];
        std::set<shapes::Place> left, right;
        for (std::size_t v = 0; v < s.positions.size(); ++v) {
            if (s.positions[v].x() == 0 && s.positions[v].z() == 0)
                continue;  // the poles are one point for all columns
            if (s.uvs[0][v].x() == 0) left.insert(shapes::place(s.positions[v]));
            if (s.uvs[0][v].x() == 1) right.insert(shapes::place(s.positions[v]));
        }
        CHECK(left.size() >= 3);
        CHECK(left == right);
        for (std::size_t i = 0; i < s.body.size(); i += 3) {
            float low = 2, high = -1;
            for (std::size_t k = 0; k < 3; ++k) {
                low = std::min(low, s.uvs[0][s.body[i + k]].x());
                high = std::max(high, s.uvs[0][s.body[i + k]].x());
            }
            CHECK(high - low < 0.5F);  // no triangle runs across the whole texture
        }
    }
}

TEST_CASE("the open ends of a tube stay and do not grow") {
    const avatar::Avatar source = shapes::character({shapes::tube(40, 40)});
    const shapes::Edges before = shapes::edge_counts(source.levels[0]);
    const avatar::Avatar a = levels_of(source, {1000, 200});
    for (const avatar::Level& level : a.levels) {
        const shapes::Edges after = shapes::edge_counts(level);
        CHECK(after.open >= 6);
        CHECK(after.open_length <= before.open_length + 1e-6);
        CHECK(after.open_length > 0.9 * before.open_length);
        CHECK(after.many == 0);
    }
}

TEST_CASE("two materials that share a border stay closed between them") {
    avatar::Surface lower = shapes::ball(64, 40), upper = lower;
    upper.material = 1;
    const auto keep = [](avatar::Surface& s, bool above) {
        std::vector<std::uint32_t> kept;
        for (std::size_t i = 0; i < s.body.size(); i += 3) {
            const bool is_above = i >= s.body.size() / 2;
            if (is_above == above) kept.insert(kept.end(), s.body.begin() + i, s.body.begin() + i + 3);
        }
        s.body = kept;
    };
    keep(lower, false);
    keep(upper, true);
    lower.material = 0;
    const avatar::Avatar a = levels_of(shapes::character({lower, upper}), {1200, 300});
    for (const avatar::Level& level : a.levels) {
        REQUIRE(level.surfaces.size() == 2);
        CHECK(level.surfaces[0].triangles() > 20);
        CHECK(level.surfaces[1].triangles() > 20);
        CHECK(shapes::edge_counts(level).open == 0);
    }
}

TEST_CASE("output vertices carry what input vertices carried and have moved by little") {
    avatar::Surface s = shapes::ball(48, 30);
    avatar::MorphTarget grow{"grow", {}, {}};
    for (std::size_t v = 0; v < s.positions.size(); ++v) {
        grow.positions.push_back(s.positions[v] * 0.1F);
        avatar::Influences two{};
        two[0] = {0, 0.75F};
        two[1] = {1, 0.25F};
        s.influences.push_back(two);
    }
    s.morphs.push_back(grow);
    avatar::Avatar source = shapes::character({s});
    source.joints.push_back({"spine_01", 0, true, {}});
    const avatar::Avatar a = levels_of(source, {500});
    const avatar::Surface& out = a.levels[0].surfaces[0];
    REQUIRE(out.morphs.size() == 1);
    for (std::size_t v = 0; v < out.positions.size(); ++v) {
        const auto same_uv = std::find(s.uvs[0].begin(), s.uvs[0].end(), out.uvs[0][v]);
        REQUIRE(same_uv != s.uvs[0].end());
        const std::size_t from = static_cast<std::size_t>(same_uv - s.uvs[0].begin());
        CHECK(out.morphs[0].positions[v] == grow.positions[from]);
        CHECK(out.influences[v][1].weight == 0.25F);
        CHECK((out.positions[v] - s.positions[from]).norm() < 0.02F);
        CHECK(out.normals[v].norm() == Approx(1));
        CHECK(out.normals[v].dot(out.positions[v].normalized()) > 0.98F);
    }
}

TEST_CASE("a level of a ball does not shrink inside it") {
    const avatar::Avatar source = shapes::character({shapes::ball(64, 40)});
    const avatar::Avatar a = levels_of(source, {300});
    const auto volume = [](const avatar::Surface& s) {
        double sum = 0;
        for (std::size_t t = 0; t < s.body.size(); t += 3)
            sum += static_cast<double>(
                       s.positions[s.body[t]].dot(s.positions[s.body[t + 1]].cross(s.positions[s.body[t + 2]]))) /
                   6;
        return sum;
    };
    CHECK(volume(a.levels[0].surfaces[0]) > 0.98 * volume(source.levels[0].surfaces[0]));
    CHECK(volume(a.levels[0].surfaces[0]) < 1.01 * volume(source.levels[0].surfaces[0]));
    CHECK(avatar::bounds(a.levels[0]).low.y() >= -0.5);
}

TEST_CASE("the same source gives the same levels, and its own output is left as it is") {
    const avatar::Avatar source = shapes::character({shapes::ball(64, 40), shapes::tube(20, 20)});
    const avatar::Avatar first = levels_of(source, {2000, 500}), second = levels_of(source, {2000, 500});
    const avatar::Avatar again = levels_of(first, {2000, 500});
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(avatar::digest(first.levels[i]) == avatar::digest(second.levels[i]));
        CHECK(avatar::digest(first.levels[i]) == avatar::digest(again.levels[i]));
    }
}

TEST_CASE("a bent arm keeps rings at its elbow when a straight one would not need them") {
    avatar::Surface arm = shapes::tube(16, 60, 0.05F, 0.6F);
    for (const Vec3f& p : arm.positions) {
        const float fore = std::clamp((p.y() - 0.27F) / 0.06F, 0.0F, 1.0F);
        avatar::Influences two{};
        two[0] = {0, 1 - fore};
        two[1] = {1, fore};
        arm.influences.push_back(two);
    }
    avatar::Avatar source = shapes::character({arm});
    source.joints.push_back({"lowerarm_l", 0, true, {Vec3(0, 0.3, 0), Quat::Identity()}});
    const avatar::Avatar a = levels_of(source, {160});
    const avatar::Surface& out = a.levels[0].surfaces[0];
    std::size_t at_elbow = 0, elsewhere = 0;
    for (const Vec3f& p : out.positions) {
        if (p.y() > 0.25F && p.y() < 0.35F) ++at_elbow;
        if ((p.y() > 0.05F && p.y() <= 0.25F) || (p.y() >= 0.35F && p.y() < 0.55F)) ++elsewhere;
    }
    CHECK(at_elbow > 2 * elsewhere);
}

TEST_CASE("where a texture is mirrored both halves keep to their side of the line") {
    // Left and right share the texture: u is the distance from the middle, and the middle's vertices belong to both.
    avatar::Surface s = shapes::ball(64, 40);
    for (std::size_t v = 0; v < s.positions.size(); ++v)
        s.uvs[0][v] = Vec2f(std::abs(s.positions[v].x()), s.positions[v].y());
    const avatar::Avatar a = levels_of(shapes::character({s}), {1200, 400, 100});
    for (const avatar::Level& level : a.levels) {
        const avatar::Surface& out = level.surfaces[0];
        std::size_t across = 0;
        for (std::size_t i = 0; i < out.body.size(); i += 3) {
            float low = 1, high = -1;
            for (std::size_t k = 0; k < 3; ++k) {
                low = std::min(low, out.positions[out.body[i + k]].x());
                high = std::max(high, out.positions[out.body[i + k]].x());
            }
            if (low < -0.02F && high > 0.02F) ++across;
        }
        CHECK(across == 0);
    }
}

TEST_CASE("automatic targets spend the budget on what the source has") {
    CHECK(lod::automatic_targets(400000, 60000) == std::vector<std::size_t>{36363, 18181, 5454});
    CHECK(lod::automatic_targets(400000, 60000, 1) == std::vector<std::size_t>{60000});
    CHECK(lod::automatic_targets(8000, 60000) == std::vector<std::size_t>{8000, 4000, 1200});
    CHECK(lod::automatic_targets(1500, 60000) == std::vector<std::size_t>{1500, 750});
    CHECK(lod::automatic_targets(500, 60000) == std::vector<std::size_t>{500});
    CHECK(lod::automatic_targets(0, 60000).empty());
    const avatar::Avatar source = shapes::character({shapes::ball(64, 40)});
    lod::LevelOptions options;
    options.automatic = true;
    options.budget = 3000;
    const auto out = lod::build_levels(source, options);
    REQUIRE(out);
    REQUIRE(out->avatar.levels.size() == 2);
    CHECK(out->avatar.levels[0].triangles() + out->avatar.levels[1].triangles() <= 3000);
    const auto again = lod::build_levels(out->avatar, options);
    REQUIRE(again);
    CHECK(again->kept);
    for (std::size_t i = 0; i < 2; ++i)
        CHECK(avatar::digest(again->avatar.levels[i]) == avatar::digest(out->avatar.levels[i]));
}

TEST_CASE("levels that no target reaches down to are said to be the source") {
    std::vector<std::string> warnings;
    levels_of(shapes::character({shapes::ball(24, 12)}), {30000, 15000, 300}, &warnings);
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find("lod1 to lod2 are the same") != std::string::npos);
    CHECK(warnings[0].find("--auto") != std::string::npos);
}

TEST_CASE("small separate pieces go when the target leaves no room for them, and it is said") {
    std::vector<avatar::Surface> pieces = {shapes::ball(16, 10)};
    for (int i = 0; i < 40; ++i) {
        avatar::Surface button = shapes::ball(4, 2, 0.01F);
        for (Vec3f& p : button.positions) p += Vec3f(static_cast<float>(i), 2, 0);
        pieces.push_back(button);
    }
    std::vector<std::string> warnings;
    const avatar::Avatar a = levels_of(shapes::character(pieces), {100}, &warnings);
    CHECK(a.levels[0].triangles() <= 100);
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find("separate pieces") != std::string::npos);
    CHECK(a.levels[0].surfaces[0].triangles() >= 4);
}

TEST_CASE("targets that do not fall, none, or too many are refused") {
    const avatar::Avatar source = shapes::character({shapes::ball(16, 10)});
    for (const std::vector<std::size_t>& targets :
         {std::vector<std::size_t>{}, {100, 100}, {50, 100}, {0}, {500, 400, 300, 200, 100}}) {
        const auto out = lod::build_levels(source, {targets});
        REQUIRE_FALSE(out);
        CHECK(out.error().kind == ErrorKind::usage);
    }
}

TEST_CASE("values that are not finite neither crash nor hang the levels") {
    avatar::Surface s = shapes::ball(32, 20);
    s.positions[40] = Vec3f::Constant(std::numeric_limits<float>::quiet_NaN());
    s.uvs[0][50] = Vec2f::Constant(std::numeric_limits<float>::infinity());
    s.normals[60] = Vec3f::Zero();
    const avatar::Avatar a = levels_of(shapes::character({s}), {300});
    CHECK(a.levels[0].triangles() <= 300);
}

// Looking at every face of the hub at every move would take hours.
TEST_CASE("a fan of very many triangles around one vertex is simplified") {
    avatar::Surface fan;
    fan.positions.push_back(Vec3f::Zero());
    constexpr std::uint32_t kRim = 20000;
    for (std::uint32_t i = 0; i < kRim; ++i) {
        fan.positions.push_back(shapes::on_circle(static_cast<float>(i) / static_cast<float>(kRim)));
        fan.body.insert(fan.body.end(), {0, 1 + i, 1 + (i + 1) % kRim});
    }
    fan.normals.assign(fan.positions.size(), Vec3f::UnitY());
    const avatar::Avatar a = levels_of(shapes::character({fan}), {1000});
    CHECK(a.levels[0].triangles() <= 1000);
}
