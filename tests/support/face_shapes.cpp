// SPDX-License-Identifier: MIT
#include "support/face_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace helixavatar::test {
namespace {

float smooth_step(float from, float to, float x) {
    const float t = std::clamp((x - from) / (to - from), 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
}

float glow(const Vec3f& p, const Vec3f& centre, const Vec3f& radii) {
    return std::exp(-(p - centre).cwiseQuotient(radii).squaredNorm());
}

Vec3f sided(Vec3f v, float side) {
    v.x() *= side;
    return v;
}

/// 1 on the character's own side, fading out across a centimetre of the middle.
float on_side(const Vec3f& p, float side) {
    return side == 0 ? 1.0f : smooth_step(-0.005f, 0.005f, side * p.x());
}

/// How much a place moves with the lower jaw: all of it below the lip line in front of the hinge.
float jaw_share(const Vec3f& p) {
    using namespace landmark;
    const float below = smooth_step(0.0035f, -0.0025f, p.y() - kMouth.y() - 0.10f * (kMouth.z() - p.z()));
    const float front = smooth_step(kJawHinge.z() - 0.005f, kJawHinge.z() + 0.045f, p.z());
    const float above_neck = smooth_step(kChin.y() - 0.035f, kChin.y() - 0.008f, p.y());
    return below * front * above_neck;
}

/// The elementary movements, each 0..1; `side`: +1 the character's left, -1 the right, 0 both.
Vec3f basis(const std::string& shape, float side, const Vec3f& p) {
    using namespace landmark;
    if (p.y() < kChin.y() - 0.04f || p.z() < -0.02f) return Vec3f::Zero();
    const float own = on_side(p, side);
    if (own == 0) return Vec3f::Zero();
    const Vec3f folded(std::abs(p.x()), p.y(), p.z());
    const float out = p.x() < 0 ? -1.0f : 1.0f;
    const Vec3f from_eye = folded - kEye;
    const float lid = smooth_step(0.021f, 0.0145f, from_eye.norm()) * smooth_step(0.000f, 0.004f, from_eye.z());
    const float lips = glow(folded, kMouth, {0.022f, 0.011f, 0.022f});
    const float corner = glow(folded, kMouthCorner, {0.014f, 0.014f, 0.018f});
    const float upper = smooth_step(-0.0005f, 0.0025f, p.y() - kMouth.y());
    if (shape == "jaw") {
        // About the hinge's axis, 18 degrees.
        const float angle = 0.31f * jaw_share(p);
        const Vec3f d = p - kJawHinge;
        return {0, d.y() * (std::cos(angle) - 1) - d.z() * std::sin(angle),
                d.z() * (std::cos(angle) - 1) + d.y() * std::sin(angle)};
    }
    if (shape == "blink") {
        const float above = smooth_step(-0.002f, 0.003f, from_eye.y());
        return own * lid * above * Vec3f(0, -0.0105f, 0.0012f + 0.10f * std::max(from_eye.y(), 0.0f));
    }
    if (shape == "wide") return own * lid * smooth_step(0, 0.004f, from_eye.y()) * Vec3f(0, 0.0028f, 0);
    if (shape == "squint") return own * lid * smooth_step(0, -0.004f, from_eye.y()) * Vec3f(0, 0.0032f, 0.0006f);
    if (shape == "look_up" || shape == "look_down" || shape == "look_in" || shape == "look_out") {
        const float ball = smooth_step(0.0148f, 0.0136f, from_eye.norm()) * smooth_step(0.004f, 0.010f, from_eye.z());
        const Vec3f way = shape == "look_up"     ? Vec3f(0, 1, 0)
                          : shape == "look_down" ? Vec3f(0, -1, 0)
                          : shape == "look_in"   ? Vec3f(-out, 0, 0)
                                                 : Vec3f(out, 0, 0);
        return own * ball * 0.0035f * way;
    }
    if (shape == "pucker") return own * lips * Vec3f(-0.30f * p.x(), 0.06f * (kMouth.y() - p.y()), 0.0075f);
    if (shape == "funnel") return own * lips * Vec3f(-0.18f * p.x(), (upper > 0.5f ? 0.0028f : -0.0034f), 0.0065f);
    if (shape == "smile") return own * corner * sided({0.0075f, 0.0075f, -0.0030f}, out);
    if (shape == "frown") return own * corner * sided({0.0015f, -0.0070f, -0.0010f}, out);
    if (shape == "stretch") return own * corner * sided({0.0080f, -0.0015f, -0.0030f}, out);
    if (shape == "dimple") return own * corner * sided({0.0030f, 0.0008f, -0.0050f}, out);
    if (shape == "press") return own * lips * Vec3f(0, (kMouth.y() - p.y()) * 0.35f, -0.0012f);
    if (shape == "upper_up") return own * lips * upper * Vec3f(0, 0.0042f, 0.0012f);
    if (shape == "lower_down") return own * lips * (1 - upper) * Vec3f(0, -0.0048f, 0.0008f);
    if (shape == "roll_upper") return own * lips * upper * Vec3f(0, -0.0022f, -0.0035f);
    if (shape == "roll_lower") return own * lips * (1 - upper) * Vec3f(0, 0.0026f, -0.0038f);
    if (shape == "shrug_upper") return own * lips * upper * Vec3f(0, 0.0030f, 0.0022f);
    if (shape == "shrug_lower")
        return own * glow(folded, kMouth - Vec3f(0, 0.010f, 0), {0.022f, 0.012f, 0.022f}) * Vec3f(0, 0.0038f, 0.0020f);
    if (shape == "close") return -basis("jaw", 0, p) * glow(folded, kMouth, {0.026f, 0.012f, 0.022f});
    if (shape == "mouth_side")
        return own * glow(folded, kMouth, {0.030f, 0.016f, 0.026f}) * Vec3f(0.0070f * (side < 0 ? -1.0f : 1.0f), 0, 0);
    if (shape == "jaw_side") return jaw_share(p) * Vec3f(0.0075f * side, 0, 0);
    if (shape == "jaw_forward") return jaw_share(p) * Vec3f(0, 0, 0.0080f);
    if (shape == "brow_down")
        return own * glow(folded, kBrow, {0.026f, 0.012f, 0.030f}) * Vec3f(-0.0015f * out, -0.0058f, 0.0012f);
    if (shape == "brow_inner_up")
        return own * glow(folded, kBrow - Vec3f(0.018f, 0, 0), {0.016f, 0.014f, 0.030f}) * Vec3f(0, 0.0070f, 0);
    if (shape == "brow_outer_up")
        return own * glow(folded, kBrow + Vec3f(0.012f, 0, 0), {0.016f, 0.014f, 0.030f}) * Vec3f(0, 0.0065f, 0);
    if (shape == "cheek_puff")
        return own * glow(folded, {0.042f, kMouth.y() + 0.010f, 0.070f}, {0.020f, 0.022f, 0.030f}) *
               sided({0.0090f, 0, 0.0050f}, out);
    if (shape == "cheek_squint")
        return own * glow(folded, {0.040f, kMouth.y() + 0.040f, 0.085f}, {0.018f, 0.012f, 0.025f}) *
               sided({0.001f, 0.0045f, 0.0025f}, out);
    if (shape == "sneer")
        return own * glow(folded, kNoseTip + Vec3f(0.010f, 0.004f, -0.012f), {0.010f, 0.012f, 0.015f}) *
               sided({0.0008f, 0.0042f, 0}, out);
    if (shape == "tongue") return lips * (1 - upper) * Vec3f(0, 0, 0.0085f);
    throw std::logic_error("no basis shape " + shape);
}

/// One movement of a recipe.
struct Move {
    std::string shape;
    float side = 0;
    float weight = 1;
};
using Recipe = std::vector<Move>;
using Recipes = std::vector<std::pair<std::string, Recipe>>;

void add_pair(Recipes& out, const std::string& stem, const std::string& shape) {
    out.push_back({stem + "Left", {{shape, 1, 1}}});
    out.push_back({stem + "Right", {{shape, -1, 1}}});
}

Recipes arkit() {
    Recipes out;
    for (const auto& [stem, shape] :
         {std::pair("eyeBlink", "blink"), std::pair("eyeLookDown", "look_down"), std::pair("eyeLookIn", "look_in"),
          std::pair("eyeLookOut", "look_out"), std::pair("eyeLookUp", "look_up"), std::pair("eyeSquint", "squint"),
          std::pair("eyeWide", "wide")})
        add_pair(out, stem, shape);
    out.push_back({"jawForward", {{"jaw_forward"}}});
    out.push_back({"jawLeft", {{"jaw_side", 1}}});
    out.push_back({"jawRight", {{"jaw_side", -1}}});
    out.push_back({"jawOpen", {{"jaw"}}});
    out.push_back({"mouthClose", {{"close"}}});
    out.push_back({"mouthFunnel", {{"funnel"}}});
    out.push_back({"mouthPucker", {{"pucker"}}});
    out.push_back({"mouthLeft", {{"mouth_side", 1}}});
    out.push_back({"mouthRight", {{"mouth_side", -1}}});
    for (const auto& [stem, shape] : {std::pair("mouthSmile", "smile"), std::pair("mouthFrown", "frown"),
                                      std::pair("mouthDimple", "dimple"), std::pair("mouthStretch", "stretch")})
        add_pair(out, stem, shape);
    out.push_back({"mouthRollLower", {{"roll_lower"}}});
    out.push_back({"mouthRollUpper", {{"roll_upper"}}});
    out.push_back({"mouthShrugLower", {{"shrug_lower"}}});
    out.push_back({"mouthShrugUpper", {{"shrug_upper"}}});
    for (const auto& [stem, shape] : {std::pair("mouthPress", "press"), std::pair("mouthLowerDown", "lower_down"),
                                      std::pair("mouthUpperUp", "upper_up"), std::pair("browDown", "brow_down")})
        add_pair(out, stem, shape);
    out.push_back({"browInnerUp", {{"brow_inner_up"}}});
    add_pair(out, "browOuterUp", "brow_outer_up");
    out.push_back({"cheekPuff", {{"cheek_puff"}}});
    add_pair(out, "cheekSquint", "cheek_squint");
    add_pair(out, "noseSneer", "sneer");
    out.push_back({"tongueOut", {{"tongue"}}});
    return out;
}

/// The fifteen mouth positions of speech.
const std::vector<std::pair<const char*, Recipe>>& visemes() {
    static const std::vector<std::pair<const char*, Recipe>> table = {
        {"sil", {}},
        {"PP", {{"press", 0, 1.0f}}},
        {"FF", {{"roll_lower", 0, 0.8f}, {"upper_up", 0, 0.3f}}},
        {"TH", {{"jaw", 0, 0.15f}, {"tongue", 0, 0.8f}}},
        {"DD", {{"jaw", 0, 0.18f}, {"lower_down", 0, 0.3f}}},
        {"kk", {{"jaw", 0, 0.22f}, {"stretch", 0, 0.15f}}},
        {"CH", {{"funnel", 0, 0.7f}, {"jaw", 0, 0.10f}}},
        {"SS", {{"stretch", 0, 0.6f}, {"lower_down", 0, 0.2f}}},
        {"nn", {{"jaw", 0, 0.12f}, {"upper_up", 0, 0.2f}}},
        {"RR", {{"pucker", 0, 0.4f}, {"jaw", 0, 0.12f}}},
        {"aa", {{"jaw", 0, 0.80f}, {"lower_down", 0, 0.2f}}},
        {"E", {{"jaw", 0, 0.35f}, {"stretch", 0, 0.6f}}},
        {"ih", {{"jaw", 0, 0.22f}, {"smile", 0, 0.5f}}},
        {"oh", {{"jaw", 0, 0.45f}, {"funnel", 0, 0.7f}}},
        {"ou", {{"jaw", 0, 0.15f}, {"pucker", 0, 1.0f}}}};
    return table;
}

Recipe viseme(const std::string& name) {
    for (const auto& [known, recipe] : visemes())
        if (name == known) return recipe;
    return {};
}

/// Five vowels, blinks and moods under a set's own names.
struct Names {
    std::vector<std::pair<const char*, const char*>> vowels;  ///< name, viseme
    const char *blink, *blink_left, *blink_right, *happy, *angry, *sad, *surprised;
};

Recipes anime(const Names& names) {
    Recipes out;
    for (const auto& [name, sound] : names.vowels) out.push_back({name, viseme(sound)});
    out.push_back({names.blink, {{"blink"}}});
    out.push_back({names.blink_left, {{"blink", 1}}});
    out.push_back({names.blink_right, {{"blink", -1}}});
    out.push_back({names.happy, {{"smile"}, {"cheek_squint"}}});
    out.push_back({names.angry, {{"brow_down"}, {"sneer"}}});
    out.push_back({names.sad, {{"frown"}, {"brow_inner_up"}}});
    out.push_back({names.surprised, {{"brow_inner_up"}, {"brow_outer_up"}, {"wide"}, {"jaw", 0, 0.3f}}});
    return out;
}

Recipes recipes(const std::string& set) {
    Recipes out;
    if (set == "none") return out;
    if (set == "jaw") return {{"jawOpen", {{"jaw"}}}};
    if (set == "arkit") return arkit();
    if (set == "visemes" || set == "ready_player_me" || set == "vrchat") {
        if (set == "ready_player_me") out = arkit();
        for (const auto& [name, recipe] : visemes()) {
            std::string full = (set == "vrchat" ? "vrc.v_" : "viseme_") + std::string(name);
            if (set == "vrchat")
                std::transform(full.begin(), full.end(), full.begin(),
                               [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
            if (set == "ready_player_me" && full == "viseme_ih") full = "viseme_I";
            if (set == "ready_player_me" && full == "viseme_oh") full = "viseme_O";
            if (set == "ready_player_me" && full == "viseme_ou") full = "viseme_U";
            out.push_back({full, recipe});
        }
        if (set == "vrchat") out.push_back({"vrc.blink", {{"blink"}}});
        return out;
    }
    if (set == "vrm0")
        return anime({{{"A", "aa"}, {"I", "ih"}, {"U", "ou"}, {"E", "E"}, {"O", "oh"}},
                      "Blink",
                      "Blink_L",
                      "Blink_R",
                      "Joy",
                      "Angry",
                      "Sorrow",
                      "Surprised"});
    if (set == "vrm1")
        return anime({{{"aa", "aa"}, {"ih", "ih"}, {"ou", "ou"}, {"ee", "E"}, {"oh", "oh"}},
                      "blink",
                      "blinkLeft",
                      "blinkRight",
                      "happy",
                      "angry",
                      "sad",
                      "surprised"});
    if (set == "mmd")
        return anime({{{"あ", "aa"}, {"い", "ih"}, {"う", "ou"}, {"え", "E"}, {"お", "oh"}},
                      "まばたき",
                      "ウィンク",
                      "ウィンク右",
                      "笑い",
                      "怒り",
                      "困る",
                      "びっくり"});
    throw std::invalid_argument("no face set " + set);
}

}  // namespace

const std::vector<std::string>& face_sets() {
    static const std::vector<std::string> names = {"none", "arkit", "visemes", "ready_player_me", "vrchat", "vrm0",
                                                   "vrm1", "mmd",   "jaw"};
    return names;
}

std::vector<FaceShape> face_shapes(const HumanoidBody& body, const std::string& set) {
    std::vector<FaceShape> out;
    std::map<std::pair<std::string, float>, std::vector<Vec3f>> moved;  // each basis shape is worked out once
    for (const auto& [name, recipe] : recipes(set)) {
        FaceShape shape{name, std::vector<Vec3f>(body.positions.size(), Vec3f::Zero())};
        for (const Move& part : recipe) {
            std::vector<Vec3f>& deltas = moved[{part.shape, part.side}];
            if (deltas.empty())
                for (const Vec3f& p : body.positions) {
                    const Vec3f d = basis(part.shape, part.side, p);
                    deltas.push_back(d.norm() < 2e-5f ? Vec3f(Vec3f::Zero()) : d);
                }
            for (std::size_t i = 0; i < deltas.size(); ++i) shape.deltas[i] += part.weight * deltas[i];
        }
        out.push_back(std::move(shape));
    }
    return out;
}

}  // namespace helixavatar::test
