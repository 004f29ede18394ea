// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <set>

#include <helixavatar/face/face.hpp>

#include "face/channel.hpp"
#include "face/channel_names.hpp"

namespace helixavatar::face {
namespace {

using gltf::Json;

constexpr const char* kVowels[][2] = {{"viseme.aa", "vowel_aa"},
                                      {"viseme.E", "vowel_ee"},
                                      {"viseme.ih", "vowel_ih"},
                                      {"viseme.oh", "vowel_oh"},
                                      {"viseme.ou", "vowel_ou"}};
constexpr double kOffCentre = 1e-3;  // metres: a shape's centre nearer to the middle than this has no side

std::string viseme_target(const std::string& channel) {
    return "viseme_" + channel.substr(channel.find('.') + 1);
}

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

class Detector {
public:
    Detector(const avatar::Avatar& avatar, const FaceInput& input) : avatar_(avatar), input_(input), shapes_(avatar) {
        if (input.vrm_version >= 0) extension_ = &family(input.vrm_version == 0 ? "vrm0" : "vrm1");
    }

    Result<FaceOutput> run() {
        mouth();
        jaw();
        blink();
        gaze();
        expressions();
        if (!extension_) add_joint_channels(avatar_, channels_);
        if (input_.face_map)
            if (auto applied = apply_face_map(avatar_, shapes_, *input_.face_map, channels_, empty_); !applied)
                return applied.error();
        return output();
    }

private:
    using Set = std::map<std::string, Resolved>;  // by channel name

    // --- finding one target ---

    /// A preset's expression, by the names that the extension's family knows for the target.
    std::optional<Resolved> from_extension(const std::string& target, bool rest) {
        if (!extension_) return {};
        for (const Recipe& recipe : extension_->recipes(target)) {
            for (const Expression& expression : input_.expressions) {
                if (recipe.empty() || name_key(expression.preset) != name_key(recipe.front().first)) continue;
                Resolved resolved;
                for (const auto& [name, weight] : expression.morphs) {
                    const double share = std::min(weight, 1.0);
                    if (shapes_.moves(name) && share > 0)
                        resolved.shapes.emplace_back(name, share);
                    else if (shapes_.exists(name) && share > 0)
                        empty_.push_back(name);
                }
                if (!resolved.shapes.empty() || rest) return resolved;
            }
        }
        return {};
    }

    /// A custom expression by an ARKit name: "perfect sync" avatars have all 52 of them, over shapes of any name.
    std::optional<Resolved> custom(const std::string& arkit_name) {
        if (!extension_) return {};
        for (const Expression& expression : input_.expressions) {
            if (name_key(expression.preset) != name_key(arkit_name)) continue;
            Resolved resolved;
            for (const auto& [name, weight] : expression.morphs)
                if (shapes_.moves(name) && weight > 0) resolved.shapes.emplace_back(name, std::min(weight, 1.0));
            if (!resolved.shapes.empty()) return resolved;
        }
        return {};
    }

    /// The vowels by ARKit's recipes over custom expressions; the face is then derived like ARKit's own.
    Set perfect_sync_vowels() {
        Set set;
        for (const auto& [channel, target] : kVowels)
            for (const Recipe& recipe : family("arkit").recipes(target)) {
                Resolved made;
                made.native = false;
                bool whole = !recipe.empty();
                for (const auto& [name, weight] : recipe) {
                    const auto found = custom(name);
                    whole = whole && found;
                    if (!whole) break;
                    for (const auto& [shape, share] : found->shapes) made.shapes.emplace_back(shape, share * weight);
                }
                if (whole && set.count(channel) == 0) set[channel] = made;
            }
        return set;
    }

    std::optional<Resolved> from_family(const Family& family, const std::string& target, bool rest = false) {
        return resolve(shapes_, family, target, rest, empty_);
    }

    /// From the extension, else from the first family that has it.
    std::optional<Resolved> anywhere(const std::string& target) {
        if (auto found = from_extension(target, false)) return found;
        for (const Family& family : families())
            if (!family.by_extension)
                if (auto found = from_family(family, target)) return found;
        return {};
    }

    // --- mouth ---

    Set visemes_of(const Family& family) {
        Set set;
        for (const std::string& channel : viseme_channels()) {
            auto found = from_family(family, viseme_target(channel), true);
            if (found && found->native) set[channel] = *found;
        }
        // A "rest" recipe for silence completes a set, it does not start one.
        if (set.size() < viseme_channels().size() && set.count("viseme.sil") > 0 && set["viseme.sil"].shapes.empty() &&
            !from_family(family, "viseme_sil"))
            set.erase("viseme.sil");
        return set;
    }

    Set vowels_of(const Family& family) {
        Set set;
        for (const auto& [channel, target] : kVowels)
            if (auto found = &family == extension_ ? from_extension(target, false) : from_family(family, target))
                set[channel] = *found;
        return set;
    }

    static bool has_vowels(const Set& set) {
        return std::all_of(vowel_channels().begin(), vowel_channels().end(),
                           [&](const std::string& v) { return set.count(v) > 0; });
    }

    static bool native(const Set& set) {
        return std::all_of(set.begin(), set.end(), [](const auto& entry) { return entry.second.native; });
    }

    void take(const Set& set) {
        for (const auto& [channel, resolved] : set) put(channel, resolved);
    }

    void put(const std::string& channel, const Resolved& resolved) {
        channels_[channel] = {resolved.shapes, !resolved.native};
    }

    /// Extension, exact viseme set, ARKit recipe, five-vowel set, recipes of others, what single shapes there are.
    void mouth() {
        if (extension_) {
            const Set set = vowels_of(*extension_);
            if (has_vowels(set)) return take(set);
            const Set synced = perfect_sync_vowels();
            if (has_vowels(synced)) return take(synced);
        }
        std::vector<Set> visemes, vowels;
        for (const Family& family : families()) {
            visemes.push_back(family.by_extension ? Set{} : visemes_of(family));
            vowels.push_back(family.by_extension ? Set{} : vowels_of(family));
        }
        const auto fullest = [](const Set& a, const Set& b) { return a.size() < b.size(); };
        const Set& best = *std::max_element(visemes.begin(), visemes.end(), fullest);
        if (has_vowels(best)) return take(best);
        const Set arkit = vowels_of(family("arkit"));
        if (has_vowels(arkit)) return take(arkit);
        for (const bool made_for_it : {true, false})
            for (const Set& set : vowels)
                if (has_vowels(set) && (native(set) || !made_for_it)) return take(set);
        lone_shapes(best);
        if (extension_) take(vowels_of(*extension_));
    }

    /// Visemes without the five vowels: kept where a name is long enough to mean what it says.
    void lone_shapes(const Set& set) {
        constexpr std::size_t kTelling = 4;
        for (const auto& [channel, resolved] : set) {
            const bool telling = std::all_of(resolved.shapes.begin(), resolved.shapes.end(), [&](const auto& shape) {
                return name_key(shape.first).size() >= kTelling;
            });
            if (telling && !resolved.shapes.empty()) put(channel, resolved);
        }
    }

    /// Never from a shape that is also the vowel A: the jaw moves on every vowel, and would open the A shape on each.
    void jaw() {
        if (extension_) return;
        for (const Family& family : families()) {
            const auto found = family.by_extension ? std::nullopt : from_family(family, "jawOpen");
            if (!found) continue;
            const auto a = from_family(family, "vowel_aa");
            if (a && a->native && a->shapes == found->shapes) continue;
            return put("jawOpen", *found);
        }
    }

    // --- eyes ---

    void blink() {
        auto left = anywhere("blinkLeft"), right = anywhere("blinkRight");
        if (!left) left = custom("eyeBlinkLeft");
        if (!right) right = custom("eyeBlinkRight");
        if (!left && !right) {
            left = anywhere("blink");
            right = left;
        } else {
            put_on_sides(left, right, "blink");
        }
        if (left) put("blink.left", *left);
        if (right) put("blink.right", *right);
    }

    std::optional<double> centre(const std::optional<Resolved>& resolved) const {
        if (!resolved || resolved->shapes.empty()) return {};
        return shapes_.side(resolved->shapes.front().first);
    }

    /// Left is where X is positive, whatever the names say: packs come mirrored, or named from the viewer's side.
    void put_on_sides(std::optional<Resolved>& left, std::optional<Resolved>& right, const char* what) {
        const auto l = centre(left), r = centre(right);
        const bool left_wrong = l && *l < -kOffCentre, right_wrong = r && *r > kOffCentre;
        const bool swap = (left_wrong && right_wrong) || (left_wrong && !right) || (right_wrong && !left);
        if (!swap) return;
        std::swap(left, right);
        warn(std::string("the ") + what +
             " shapes move the other side than their names say; they were taken by what they move");
    }

    /// True when the file has all eight eye movements as custom expressions.
    bool perfect_sync_gaze() {
        std::map<std::string, Resolved> eyes;
        for (const char* side : {"left", "right"})
            for (const char* way : {"up", "down", "in", "out"}) {
                std::string name = std::string("eyeLook") + way + side;  // keys fold case
                if (const auto found = custom(name)) eyes[std::string("gaze.") + side + "." + way] = *found;
            }
        if (eyes.size() < 8) return false;
        for (const auto& [channel, resolved] : eyes) put(channel, {resolved.shapes, true});
        return true;
    }

    void gaze() {
        if (perfect_sync_gaze()) return;
        // In the families a pair of shapes is the left eye's, then the right eye's.
        constexpr const char* kWays[][3] = {{"lookUp", "up", "up"},
                                            {"lookDown", "down", "down"},
                                            {"lookLeft", "out", "in"},
                                            {"lookRight", "in", "out"}};
        for (const auto& [target, left_way, right_way] : kWays) {
            const auto found = anywhere(target);
            if (!found) continue;
            std::optional<Resolved> left = found, right = found;
            if (found->shapes.size() == 2 && !from_extension(target, false)) {
                left->shapes = {found->shapes[0]};
                right->shapes = {found->shapes[1]};
                put_on_sides(left, right, "gaze");
            }
            put(std::string("gaze.left.") + left_way, {left->shapes, true});
            put(std::string("gaze.right.") + right_way, {right->shapes, true});
        }
    }

    // --- moods ---

    void expressions() {
        std::string source;  // of the first expression; its family's neutral is rest
        for (const char* mood : {"happy", "angry", "sad", "relaxed", "surprised"})
            if (const auto found = anywhere(std::string("expr_") + mood)) {
                put(std::string("expression.") + mood, *found);
                source = mood;
            }
        auto neutral = anywhere("expr_neutral");
        if (!neutral && !source.empty()) neutral = from_extension("expr_neutral", true);
        if (!neutral && !source.empty() && !extension_) neutral = arkit_rest();
        if (neutral) put("expression.neutral", *neutral);
    }

    std::optional<Resolved> arkit_rest() {
        const Family& arkit = family("arkit");
        return from_family(arkit, "expr_happy") ? from_family(arkit, "expr_neutral", true) : std::nullopt;
    }

    // --- what comes out ---

    void warn(const std::string& text) {
        if (std::find(warnings_.begin(), warnings_.end(), text) == warnings_.end()) warnings_.push_back(text);
    }

    void say_what_is_missing() {
        std::vector<std::string> names;
        for (const std::string& name : empty_)
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
        if (!names.empty()) warn("these shapes move nothing and drive nothing: " + listed(names));
        std::vector<std::string> missing;
        for (const std::string& viseme : viseme_channels())
            if (channels_.count(viseme) == 0) missing.push_back(viseme);
        const bool near = missing.size() <= 5 && !missing.empty();
        if (near) warn("the mouth lacks only " + listed(missing) + " to be viseme15");
        if (channels_.count("blink.left") != channels_.count("blink.right"))
            warn("there is a blink for one side only, so one eye stays open");
    }

    /// Recipes raise a face to vowel5 and no further.
    void cap_derived() {
        const auto has = [&](const std::string& name) { return channels_.count(name) > 0; };
        if (capability_of(has) != "viseme15") return;
        const auto& visemes = viseme_channels();
        if (std::none_of(visemes.begin(), visemes.end(), [&](const std::string& v) { return channels_.at(v).derived; }))
            return;
        for (const std::string& viseme : visemes)
            if (std::find(vowel_channels().begin(), vowel_channels().end(), viseme) == vowel_channels().end())
                channels_.erase(viseme);
    }

    static Json number(double value) {
        const double six = std::round(value * 1e6) / 1e6;
        if (six == std::round(six)) return static_cast<std::int64_t>(six);
        return six;
    }

    Json json_of(const std::string& name, const Channel& channel, FaceOutput& out) const {
        Json json = {{"name", name}};
        if (const auto* turn = std::get_if<BoneTurn>(&channel.drives)) {
            json["bone"] = {{"joint", turn->joint},
                            {"axis", {number(turn->axis.x()), number(turn->axis.y()), number(turn->axis.z())}},
                            {"maxDegrees", number(turn->max_degrees)}};
            return json;
        }
        Recipe merged;  // a shape named twice is driven once, by both weights together
        for (const auto& [shape, weight] : std::get<Recipe>(channel.drives)) {
            auto same = std::find_if(merged.begin(), merged.end(),
                                     [&name = shape](const auto& entry) { return entry.first == name; });
            if (same == merged.end())
                merged.emplace_back(shape, weight);
            else
                same->second = std::min(1.0, same->second + weight);
        }
        json["morphs"] = Json::array();
        for (const auto& [shape, weight] : merged) {
            for (const std::string& mesh : shapes_.meshes(shape))
                json["morphs"].push_back({{"mesh", mesh}, {"target", shape}, {"weight", number(weight)}});
            if (std::find(out.used_morphs.begin(), out.used_morphs.end(), shape) == out.used_morphs.end())
                out.used_morphs.push_back(shape);
        }
        return json;
    }

    FaceOutput output() {
        cap_derived();
        say_what_is_missing();
        FaceOutput out;
        out.capability = capability_of([&](const std::string& name) { return channels_.count(name) > 0; });
        Json manifest = {{"contract", kContract}, {"capability", out.capability}, {"channels", Json::array()}};
        for (const std::string& name : channel_names()) {
            const auto found = channels_.find(name);
            if (found == channels_.end()) continue;
            manifest["channels"].push_back(json_of(name, found->second, out));
            out.channels.push_back(name);
            if (found->second.derived) out.derived.push_back(name);
            out.blink = out.blink || name.starts_with("blink.");
            out.gaze = out.gaze || name.starts_with("gaze.");
        }
        // Rest alone is no face.
        const bool alive =
            std::any_of(out.channels.begin(), out.channels.end(), [](const std::string& n) { return !may_rest(n); });
        if (alive) {
            out.manifest = std::move(manifest);
        } else {
            out.channels.clear();
            out.used_morphs.clear();
        }
        out.warnings = warnings_;
        return out;
    }

    const avatar::Avatar& avatar_;
    const FaceInput& input_;
    Shapes shapes_;
    const Family* extension_ = nullptr;
    Channels channels_;
    std::vector<std::string> empty_, warnings_;
};

}  // namespace

Result<FaceOutput> detect_face(const avatar::Avatar& avatar, const FaceInput& input) {
    return Detector(avatar, input).run();
}

}  // namespace helixavatar::face
