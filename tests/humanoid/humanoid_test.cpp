// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <set>

#include <helixavatar/humanoid/performance.hpp>
#include <helixavatar/humanoid/phonemes.hpp>

namespace helixavatar::humanoid {
namespace {

TEST_CASE("states follow signals as a conversation goes") {
    using S = AvatarState;
    for (const S state : kAvatarStates) {
        CHECK(next_state(state, Signal::listening_started) == S::listening);
        CHECK(next_state(state, Signal::listening_stopped) == S::thinking);
        CHECK(next_state(state, Signal::response_requested) == S::thinking);
        CHECK(next_state(state, Signal::talking_started) == S::talking);
        CHECK(next_state(state, Signal::talking_stopped) == S::idle_active);
        CHECK(next_state(state, Signal::reset) == S::idle_active);
        CHECK((next_state(state, Signal::idle_timeout) == S::idle_passive) ==
              (state == S::idle_active || state == S::idle_passive));
        CHECK(avatar_state(to_string(state)) == state);
    }
    for (const Signal known : kSignals) CHECK(signal(to_string(known)) == known);
    CHECK_FALSE(signal("shouting"));
    CHECK_FALSE(avatar_state("idle"));
}

TEST_CASE("there are fifty-two shapes, each once") {
    CHECK(std::set<std::string_view>(kArkitShapes.begin(), kArkitShapes.end()).size() == 52);
    CHECK_FALSE(arkit_shape("eyeBlink"));
}

TEST_CASE("layers add up or take over, by their weight, and end between 0 and 1") {
    const std::size_t jaw = *arkit_shape("jawOpen"), blink = *arkit_shape("eyeBlinkLeft");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<AnimationLayer> layers{{{{jaw, 0.4}, {blink, 0.5}}}, {{{jaw, 0.3}}, LayerMode::add, 0.5}};
    AnimationFrame frame = composite(layers);
    CHECK(frame[jaw] == Approx(0.55));
    CHECK(frame[blink] == Approx(0.5));
    layers.push_back({{{blink, 1}}, LayerMode::override, 0.5});
    CHECK(composite(layers)[blink] == Approx(0.75));
    layers.push_back({{{jaw, 9}, {blink, -9}}});
    frame = composite(layers);
    CHECK(frame[jaw] == 1);
    CHECK(frame[blink] == 0);
    layers.push_back({{{jaw, nan}, {99, 1}}, LayerMode::override});
    layers.push_back({{{jaw, 0}}, LayerMode::override, nan});
    CHECK(composite(layers) == frame);
    CHECK(composite({}).empty());
}

TEST_CASE("looking left turns the left eye out and the right eye in, looking up both up") {
    const auto weight = [](const AnimationFrame& frame, const char* name) {
        const auto found = frame.find(*arkit_shape(name));
        return found == frame.end() ? 0.0 : found->second;
    };
    const AnimationFrame left = gaze_shapes({10, 0}, 60, 30), up = gaze_shapes({0, 10}, 60, 30);
    const double expected = std::atan2(10, 60) * 180 / std::acos(-1) / 30;
    CHECK(weight(left, "eyeLookOutLeft") == Approx(expected));
    CHECK(weight(left, "eyeLookInRight") == Approx(expected));
    CHECK(weight(left, "eyeLookInLeft") + weight(left, "eyeLookOutRight") == 0);
    CHECK(weight(gaze_shapes({-10, 0}, 60, 30), "eyeLookOutRight") == Approx(expected));
    CHECK(weight(up, "eyeLookUpLeft") == Approx(expected));
    CHECK(weight(up, "eyeLookUpRight") == Approx(expected));
    CHECK(weight(gaze_shapes({0, -1000}, 60, 30), "eyeLookDownLeft") == 1);
    CHECK(gaze_shapes({1, 1}, 0, 30).empty());
}

TEST_CASE("a gaze layer goes to its goal exponentially, and draws anew when its time is up") {
    GazeState gaze;
    gaze.macro.goal = {10, 0};
    gaze.macro.until = 99;
    gaze.micro.until = gaze.nano.until = 99;
    const GazeConfig config;
    std::size_t draws = 0;
    const Random counting = [&] {
        ++draws;
        return 0.5;
    };
    gaze = step_gaze(gaze, {0.05, AvatarState::listening}, config, counting);
    CHECK(draws == 0);
    CHECK(gaze.combined.x == Approx(10 * (1 - std::exp(-config.macro_rate * 0.05))));
    // Two half steps are a whole one.
    GazeState halves;
    halves.macro.goal = {10, 0};
    halves.macro.until = halves.micro.until = halves.nano.until = 99;
    for (int i = 0; i < 2; ++i) halves = step_gaze(halves, {0.025, AvatarState::listening}, config, counting);
    CHECK(halves.combined.x == Approx(gaze.combined.x));
    gaze.macro.until = 0.01;
    gaze = step_gaze(gaze, {0.05, AvatarState::listening}, config, counting);
    CHECK(gaze.away);
    CHECK(draws == 3);
    // 0.5 is over the chance of a second glance: back to who is there.
    gaze.macro.until = 0.01;
    gaze = step_gaze(gaze, {0.05, AvatarState::listening}, config, counting);
    CHECK_FALSE(gaze.away);
    CHECK(gaze.macro.goal.x == 0);
    const GazeState same = step_gaze(gaze, {std::nan(""), AvatarState::listening}, config, counting);
    CHECK(same.combined.x == gaze.combined.x);
    const GazeState off = step_gaze(gaze, {0.01, AvatarState::listening}, config, counting, {false, false, false});
    CHECK(off.combined.x == 0);
}

TEST_CASE("who listens looks longer than who thinks") {
    const auto share_away = [](AvatarState state) {
        const Random random = seeded(3);
        GazeState gaze;
        int away = 0;
        for (int i = 0; i < 30 * 600; ++i) {
            gaze = step_gaze(gaze, {1 / 30.0, state}, {}, random);
            away += gaze.away ? 1 : 0;
        }
        return away / (30.0 * 600);
    };
    CHECK(share_away(AvatarState::listening) < share_away(AvatarState::talking));
    CHECK(share_away(AvatarState::talking) < share_away(AvatarState::thinking));
}

TEST_CASE("a performance is decided by its seed, blinks every three to five seconds, and says what its track says") {
    PerformanceOptions options;
    options.seconds = 60;
    options.seed = 7;
    const Script script = demonstration(options.seconds);
    const auto frames = perform(script, options), again = perform(script, options);
    options.seed = 8;
    const auto others = perform(script, options);
    REQUIRE(frames.size() == 1801);
    const std::size_t blink = *arkit_shape("eyeBlinkLeft");
    bool other_differs = false, closed = false;
    std::vector<double> blinks;
    std::set<std::string> said;
    std::set<AvatarState> states;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        CHECK(frames[i].arkit == again[i].arkit);
        CHECK(frames[i].visemes == again[i].visemes);
        other_differs = other_differs || frames[i].arkit != others[i].arkit;
        const auto lid = frames[i].arkit.find(blink);
        const bool now = lid != frames[i].arkit.end() && lid->second > 0.5;
        if (now && !closed) blinks.push_back(static_cast<double>(i) / options.rate);
        closed = now;
        for (const auto& entry : frames[i].visemes) {
            said.insert(entry.first);
            CHECK((entry.second > 0 && entry.second <= 1));
        }
        states.insert(frames[i].state);
    }
    CHECK(other_differs);
    REQUIRE(blinks.size() > 10);
    for (std::size_t i = 1; i < blinks.size(); ++i) {
        CHECK(blinks[i] - blinks[i - 1] > 3.1);
        CHECK(blinks[i] - blinks[i - 1] < 5.5);
    }
    CHECK(said.size() == 15);
    CHECK(states.size() == 4);  // thirty seconds of silence would make the fifth
}

TEST_CASE("silence long enough makes idling passive") {
    PerformanceOptions options;
    options.seconds = 40;
    CHECK(perform({}, options).back().state == AvatarState::idle_passive);
    options.seconds = 20;
    CHECK(perform({}, options).back().state == AvatarState::idle_active);
}

TEST_CASE("phonemes are visemes, visemes fold into vowels and a jaw") {
    CHECK(viseme_of_phoneme("AA1") == "aa");
    CHECK(viseme_of_phoneme("sh") == "CH");
    CHECK(viseme_of_phoneme("SIL") == "sil");
    CHECK_FALSE(viseme_of_phoneme("QQ"));
    for (const std::string_view viseme : kVisemes) {
        const FoldedViseme folded = folded_to_vowel(viseme);
        CHECK(folded.vowel.empty() == (viseme == "sil" || viseme == "PP"));
        CHECK((jaw_of_viseme(viseme) >= 0 && jaw_of_viseme(viseme) <= 1));
    }
    CHECK(folded_to_vowel("aa").weight == 1);
    CHECK(folded_to_vowel("SS").vowel == "ih");
    CHECK(jaw_of_viseme("PP") == 0);
}

}  // namespace
}  // namespace helixavatar::humanoid
