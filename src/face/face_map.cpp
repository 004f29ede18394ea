// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include <helixavatar/avatar/manifest_faults.hpp>
#include <helixavatar/gltf/json_pointer.hpp>

#include "face/channel.hpp"
#include "face/channel_names.hpp"

namespace helixavatar::face {
namespace {

using gltf::Json;

const char* const kShape =
    R"(a face map is {"channels": {"viseme.aa": ["shape"], "blink.left": {"shape": 0.8}, "jawOpen": {"bone": "jaw", "axis": [x,y,z], "maxDegrees": 20}}})";

Error usage(const std::string& what, const std::string& pointer) {
    return {ErrorKind::usage, what, "face map " + pointer, kShape};
}

Error absent(const char* kind, const std::string& name, const std::string& pointer,
             const std::vector<std::string>& candidates) {
    std::string nearest;
    for (const std::string& candidate : avatar::nearest_names(name, candidates))
        nearest += (nearest.empty() ? "" : ", ") + candidate;
    const std::string hint = !nearest.empty()     ? "the nearest: " + nearest
                             : candidates.empty() ? std::string("the character has no ") + kind + " at all"
                                                  : std::string("no ") + kind + " has a similar name";
    return {ErrorKind::unconvertible, std::string("the character has no ") + kind + " " + name, "face map " + pointer,
            hint};
}

class FaceMap {
public:
    FaceMap(const avatar::Avatar& avatar, const Shapes& shapes, std::vector<std::string>& empty)
        : avatar_(avatar), shapes_(shapes), empty_(empty) {}

    Result<std::optional<Channel>> channel(const std::string& name, const Json& value, const std::string& at) {
        if (value.is_null()) return std::optional<Channel>{};
        if (value.is_object() && value.contains("bone")) return bone(value, at);
        Recipe recipe;
        if (value.is_string()) {
            if (auto added = shape(recipe, value.get<std::string>(), 1, at, name); !added) return added.error();
        } else if (value.is_array()) {
            for (std::size_t i = 0; i < value.size(); ++i) {
                const std::string place = at + "/" + std::to_string(i);
                if (!value[i].is_string()) return usage(avatar::shown(value[i]) + " is not the name of a shape", place);
                if (auto added = shape(recipe, value[i].get<std::string>(), 1, place, name); !added)
                    return added.error();
            }
        } else if (value.is_object()) {
            for (const auto& [wanted, weight] : value.items()) {
                const std::string place = at + "/" + gltf::pointer_token(wanted);
                const double number = weight.is_number() ? weight.get<double>() : -1;
                if (!(number > 0 && number <= 1))
                    return usage(avatar::shown(weight) + " is not a weight over 0 and at most 1", place);
                if (auto added = shape(recipe, wanted, number, place, name); !added) return added.error();
            }
        } else {
            return usage(avatar::shown(value) + " is neither shape names nor a bone", at);
        }
        const bool nothing = recipe.empty() && !may_rest(name);
        if (nothing && value.is_array() && value.empty()) return usage(name + " names no shape", at);
        if (nothing) return std::optional<Channel>{};  // all its shapes are empty; the caller warns
        return std::optional<Channel>(Channel{recipe, false});
    }

private:
    Result<void> shape(Recipe& recipe, const std::string& wanted, double weight, const std::string& at,
                       const std::string& channel) {
        if (!shapes_.exists(wanted)) return absent("shape", wanted, at, shapes_.names());
        if (shapes_.moves(wanted))
            recipe.emplace_back(wanted, weight);
        else if (channel != "viseme.sil")
            empty_.push_back(wanted);
        return {};
    }

    Result<std::optional<Channel>> bone(const Json& value, const std::string& at) {
        for (const auto& [key, unused] : value.items())
            if (key != "bone" && key != "axis" && key != "maxDegrees")
                return usage("unknown key " + avatar::shown(Json(key)), at);
        if (!value["bone"].is_string()) return usage("`bone` is not a name", at + "/bone");
        BoneTurn turn;
        turn.joint = value["bone"].get<std::string>();
        const Json axis = value.contains("axis") ? value["axis"] : Json();
        const auto finite = [](const Json& v) { return v.is_number() && std::isfinite(v.get<double>()); };
        if (!axis.is_array() || axis.size() != 3 || !std::all_of(axis.begin(), axis.end(), finite))
            return usage("`axis` has to be three numbers", at + "/axis");
        turn.axis = {axis[0].get<double>(), axis[1].get<double>(), axis[2].get<double>()};
        if (!(turn.axis.norm() > 0)) return usage("`axis` is zero", at + "/axis");
        const Json degrees = value.contains("maxDegrees") ? value["maxDegrees"] : Json();
        turn.max_degrees = degrees.is_number() ? degrees.get<double>() : 0;
        if (!(turn.max_degrees > 0 && turn.max_degrees <= kMaxBoneDegrees))
            return usage("`maxDegrees` has to be over 0 and at most 45", at + "/maxDegrees");
        std::vector<std::string> bones;
        for (const avatar::Joint& joint : avatar_.joints)
            if (joint.skin) bones.push_back(joint.name);
        if (std::find(bones.begin(), bones.end(), turn.joint) == bones.end())
            return absent("bone", turn.joint, at + "/bone", bones);
        return std::optional<Channel>(Channel{turn, false});
    }

    const avatar::Avatar& avatar_;
    const Shapes& shapes_;
    std::vector<std::string>& empty_;
};

}  // namespace

Result<void> apply_face_map(const avatar::Avatar& avatar, const Shapes& shapes, const Json& map, Channels& channels,
                            std::vector<std::string>& empty) {
    if (!map.is_object() || !map.contains("channels") || !map["channels"].is_object())
        return usage("there is no object `channels`", "");
    for (const auto& [key, unused] : map.items())
        if (key != "channels")
            return usage("unknown key " + avatar::shown(Json(key)),
                         std::string("/").append(gltf::pointer_token(key)));
    FaceMap reader(avatar, shapes, empty);
    for (const auto& [name, value] : map["channels"].items()) {
        const std::string at = "/channels/" + gltf::pointer_token(name);
        const auto& known = channel_names();
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            const auto nearest = avatar::nearest_names(name, known, 3);
            std::string hint;
            for (const std::string& near : nearest) hint += (hint.empty() ? "; the nearest: " : ", ") + near;
            return usage("there is no channel " + avatar::shown(Json(name)) + hint, at);
        }
        auto channel = reader.channel(name, value, at);
        if (!channel) return channel.error();
        if (*channel)
            channels[name] = **channel;
        else
            channels.erase(name);
    }
    return {};
}

}  // namespace helixavatar::face
