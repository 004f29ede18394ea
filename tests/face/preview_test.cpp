// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <set>

#include <helixavatar/avatar/document_io.hpp>
#include <helixavatar/face/face.hpp>
#include <helixavatar/face/preview.hpp>
#include <helixavatar/gltf/animation.hpp>
#include <helixavatar/gltf/structure_check.hpp>
#include <helixavatar/humanoid/phonemes.hpp>

#include "face_fixture.hpp"
#include "support/playback.hpp"

namespace helixavatar::face {
namespace {

using gltf::Json;
using Names = std::vector<std::string>;

gltf::Document document_of(avatar::Avatar avatar, const Json& map) {
    FaceInput input;
    input.face_map = map;
    const auto face = detect_face(avatar, input);
    REQUIRE(face);
    avatar.face = face->manifest;
    for (auto& influences : avatar.levels[0].surfaces[0].influences)
        if (!(influences[0].weight > 0)) influences[0] = {0, 1.0F};
    return avatar::write_avatar(avatar);
}

std::vector<humanoid::PerformanceFrame> frames(std::uint64_t seed = 7) {
    humanoid::PerformanceOptions options;
    options.seconds = 20;
    options.seed = seed;
    return humanoid::perform(humanoid::demonstration(20), options);
}

TEST_CASE("a baked face blinks, looks and speaks in a sound file, the same for the same seed") {
    const Json map =
        Json::parse(R"({"channels": {"viseme.aa": ["A"], "viseme.E": ["E"], "viseme.ih": ["I"], "viseme.oh": ["O"],
        "viseme.ou": ["U"], "blink.left": ["BL"], "blink.right": ["BR"], "gaze.left.up": ["UP"],
        "jawOpen": {"bone": "kiefer", "axis": [0, 1, 0], "maxDegrees": 20}}})");
    avatar::Avatar avatar = face_avatar(Names{"A", "E", "I", "O", "U", "BL", "BR", "UP"});
    add_joint(avatar, "kiefer");
    gltf::Document document = document_of(avatar, map), same = document, other = document;
    const Json manifest = document.json["scenes"][0]["extras"]["helixFace"];
    const BakedFace baked = bake_face(document, manifest, frames(), 30, "face");
    bake_face(same, manifest, frames(), 30, "face");
    bake_face(other, manifest, frames(8), 30, "face");
    CHECK_FALSE(baked.mute);
    CHECK(baked.blinks);
    CHECK(baked.looks);
    CHECK(baked.still == Names{"jawOpen"});  // five vowels say more than a jaw
    CHECK(gltf::write_glb(document) == gltf::write_glb(same));
    CHECK(gltf::write_glb(document) != gltf::write_glb(other));
    CHECK_FALSE(has_error(gltf::check_structure(document)));
    const auto clips = gltf::read_clips(document);
    REQUIRE(clips.size() == 1);
    std::vector<double> most;
    for (const gltf::Track& track : clips[0].tracks) {
        if (track.path != gltf::TrackPath::weights) continue;
        REQUIRE(track.width == 8);
        most.resize(8, 0);
        for (double t = 0; t < 20; t += 1 / 30.0) {
            const auto now = track.at(t);
            for (std::size_t i = 0; i < 8; ++i) {
                CHECK((now[i] >= 0 && now[i] <= 1));
                most[i] = std::max(most[i], now[i]);
            }
        }
    }
    REQUIRE(most.size() == 8);
    CHECK(*std::min_element(most.begin(), most.end()) > 0.02);
    if (const auto seen = test::played(document)) {
        CHECK((*seen)["seconds"].get<double>() == Approx(20).margin(0.01));
        for (const char* shape : {"FaceMesh.A", "FaceMesh.U", "FaceMesh.BL", "FaceMesh.BR", "FaceMesh.UP"}) {
            INFO(shape << " of " << seen->dump());
            REQUIRE((*seen)["shapes"].contains(shape));
            CHECK((*seen)["shapes"][shape].get<double>() > 0.02);
        }
    }
    CHECK(most[5] == Approx(1).margin(0.35));  // a blink is short: 30 frames a second may miss its middle
}

TEST_CASE("a face with a jaw bone alone turns it, from its rest and no further than it may") {
    avatar::Avatar avatar = face_avatar(Names{});
    add_joint(avatar, "kiefer");
    gltf::Document document = document_of(
        avatar, Json::parse(R"({"channels": {"jawOpen": {"bone": "kiefer", "axis": [0, 2, 0], "maxDegrees": 20}}})"));
    const BakedFace baked =
        bake_face(document, document.json["scenes"][0]["extras"]["helixFace"], frames(), 30, "face");
    CHECK_FALSE(baked.mute);
    CHECK_FALSE(baked.blinks);
    const auto clips = gltf::read_clips(document);
    REQUIRE(clips[0].tracks.size() == 1);
    const gltf::Track& track = clips[0].tracks[0];
    CHECK(track.node_name == "kiefer");
    double widest = 0;
    for (double t = 0; t < 20; t += 1 / 30.0) {
        const auto q = track.at(t), rest = track.at(0);
        widest =
            std::max(widest, angle_degrees(Quat(q[3], q[0], q[1], q[2]), Quat(rest[3], rest[0], rest[1], rest[2])));
    }
    CHECK(widest == Approx(20).margin(0.5));
    if (const auto seen = test::played(document))
        CHECK((*seen)["bones"]["kiefer"].get<double>() == Approx(20).margin(0.5));
}

TEST_CASE("a face shows of each viseme what its channels can") {
    humanoid::PerformanceFrame frame;
    for (const std::string_view viseme : humanoid::kVisemes) {
        frame.visemes = {{std::string(viseme), 1.0}};
        const std::string channel = std::string("viseme.").append(viseme);
        CHECK(channels_of(frame, {channel, "jawOpen"}).at(channel) == 1);
        CHECK(channels_of(frame, {"blink.left"}).empty());
    }
    frame.visemes = {{"SS", 1.0}};
    const Names vowels{"viseme.aa", "viseme.E", "viseme.ih", "viseme.oh", "viseme.ou", "jawOpen"};
    CHECK(channels_of(frame, vowels) == std::map<std::string, double>{{"viseme.ih", 0.4}});
    CHECK(channels_of(frame, {"jawOpen"}) == std::map<std::string, double>{{"jawOpen", 0.1}});
}

TEST_CASE("a script is read strictly and sorted by time") {
    const ParsedScript good = parse_script(Json::parse(
        R"({"signals": [{"t": 2, "signal": "talking_started"}, {"t": 1, "signal": "response_requested"}],
            "visemes": [{"t": 3, "viseme": "aa", "weight": 0.5}], "phonemes": [{"t": 2.5, "phoneme": "SH"}]})"));
    CHECK(good.findings.empty());
    CHECK(good.script.signals[0].signal == humanoid::Signal::response_requested);
    CHECK(good.script.visemes[0].viseme == "CH");
    CHECK(good.script.visemes[1].weight == 0.5);
    std::set<std::string> at;
    for (const Finding& finding :
         parse_script(
             Json::parse(R"({"signal": [], "signals": [{"t": -1, "signal": "reset"}, {"t": 1, "signal": "shout"}, 7],
            "visemes": [{"viseme": "aa"}, {"t": 1, "viseme": "aa", "weight": 2}], "phonemes": [{"t": 1, "phoneme": "QQ"}]})"))
             .findings)
        at.insert(finding.where.pointer);
    CHECK(at == std::set<std::string>{"/signal", "/signals/0/t", "/signals/1/signal", "/signals/2", "/visemes/0",
                                      "/visemes/1/weight", "/phonemes/0/phoneme"});
}

}  // namespace
}  // namespace helixavatar::face
