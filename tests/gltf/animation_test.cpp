// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <cmath>

#include <helixavatar/gltf/animation.hpp>
#include <helixavatar/gltf/edit.hpp>
#include <helixavatar/gltf/structure_check.hpp>

namespace helixavatar::gltf {
namespace {

TEST_CASE("an appended animation is sound and reads back as it was written") {
    Document document;
    document.json = {{"asset", {{"version", "2.0"}}},
                     {"nodes", {{{"name", "a"}}, {{"name", "b"}}}},
                     {"scenes", {{{"nodes", {0, 1}}}}}};
    const float h = std::sqrt(0.5F);
    Clip clip{"wave", 2, {}};
    clip.tracks.push_back({1, "b", TrackPath::rotation, Interpolation::linear, {0, 2}, {0, 0, 0, 1, h, 0, 0, h}, 4});
    clip.tracks.push_back({0, "a", TrackPath::translation, Interpolation::linear, {0, 2}, {0, 0, 0, 1, 2, 3}, 3});
    clip.tracks.push_back({0, "a", TrackPath::scale, Interpolation::linear, {0, 2}, {1, 1}, 3});  // does not fit
    append_animation(document, clip);
    CHECK_FALSE(has_error(check_structure(document)));
    const Document again = parse_document(write_glb(document), {}).take();
    const auto clips = read_clips(again);
    REQUIRE(clips.size() == 1);
    CHECK(clips[0].name == "wave");
    CHECK(clips[0].seconds == 2);
    REQUIRE(clips[0].tracks.size() == 2);
    CHECK(clips[0].tracks[0].node_name == "b");
    CHECK(clips[0].tracks[1].at(1)[2] == Approx(1.5));
    CHECK(clips[0].tracks[0].at(1)[0] == Approx(std::sin(kPi / 8)).margin(1e-6));
    CHECK(clips[0].tracks[1].at(-1)[0] == 0);
    CHECK(clips[0].tracks[1].at(99)[0] == 1);
    CHECK(again.json["accessors"].size() == 3);  // one list of times
}

TEST_CASE("steps hold, cubic keys follow their tangents, the shorter way round is taken") {
    Track step{0, "", TrackPath::translation, Interpolation::step, {0, 1}, {1, 1, 1, 2, 2, 2}, 3};
    CHECK(step.at(0.99)[0] == 1);
    CHECK(step.at(1)[0] == 2);
    // In-tangent, value, out-tangent: a ramp of slope 1 is a straight line.
    Track cubic{0,
                "",
                TrackPath::translation,
                Interpolation::cubic,
                {0, 2},
                {1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1},
                3};
    CHECK(cubic.at(0.5)[0] == Approx(0.5));
    Track turn{0, "", TrackPath::rotation, Interpolation::linear, {0, 1}, {0, 0, 0, 1, 0, 0, 0, -1}, 4};
    CHECK(std::abs(turn.at(0.5)[3]) == Approx(1));
}

TEST_CASE("tracks that cannot be read are left out") {
    Document document;
    document.json = {{"asset", {{"version", "2.0"}}}, {"nodes", {{{"name", "a"}}}}};
    const std::size_t good = append_floats(document, std::vector<float>{0, 1}, "SCALAR", true);
    const std::size_t falling = append_floats(document, std::vector<float>{1, 0}, "SCALAR", true);
    const std::size_t values = append_floats(document, std::vector<float>{0, 0, 0, 1, 1, 1}, "VEC3", false);
    const std::size_t lost = append_floats(document, std::vector<float>{0, NAN, 0, 1, 1, 1}, "VEC3", false);
    const auto sampler = [](std::size_t in, std::size_t out) { return Json{{"input", in}, {"output", out}}; };
    const auto channel = [](Json which, Json node, const char* path) {
        return Json{{"sampler", std::move(which)}, {"target", {{"node", std::move(node)}, {"path", path}}}};
    };
    document.json["animations"] = {
        {{"samplers", {sampler(good, values), sampler(falling, values), sampler(good, lost), sampler(good, 99)}},
         {"channels",
          {channel(0, 0, "translation"), channel(1, 0, "translation"), channel(2, 0, "translation"),
           channel(3, 0, "translation"), channel(9, 0, "translation"), channel(0, 7, "translation"),
           channel(0, 0, "colour"), channel(0, 0, "rotation"), channel("x", -1, "scale"), Json()}}},
        Json("x")};
    const auto clips = read_clips(document);
    REQUIRE(clips.size() == 2);
    CHECK(clips[0].tracks.size() == 1);
}

TEST_CASE("bytes inserted in a view move what lies behind it and nothing else") {
    Document document;
    document.json = {{"asset", {{"version", "2.0"}}}};
    const std::size_t a = append_floats(document, std::vector<float>{1, 2, 3, 4}, "VEC4", false);
    const std::size_t b = append_floats(document, std::vector<float>{5, 6, 7, 8}, "VEC4", false);
    const float more[4] = {9, 9, 9, 9};
    insert_bytes(document, 0, 16, {reinterpret_cast<const std::uint8_t*>(more), sizeof more});
    document.json["accessors"][a]["count"] = 2;
    CHECK_FALSE(has_error(check_structure(document)));
    CHECK(document.json["bufferViews"][0]["byteLength"] == 32);
    CHECK(document.json["bufferViews"][1]["byteOffset"] == 32);
    const auto place = place_of(document, b);
    REQUIRE(place);
    CHECK(place->offset == 32);
    CHECK(document.buffers[0].size() == 48);
    document.json["accessors"][b]["sparse"] = Json::object();
    CHECK_FALSE(place_of(document, b));
    CHECK_FALSE(place_of(document, 99));
    document.json["accessors"][a]["count"] = 4000000000U;
    CHECK_FALSE(place_of(document, a));
}

}  // namespace
}  // namespace helixavatar::gltf
