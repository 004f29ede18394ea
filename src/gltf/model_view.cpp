// SPDX-License-Identifier: MIT
#include <helixavatar/gltf/model_view.hpp>

#include <exception>
#include <limits>

#include "json_read.hpp"

namespace helixavatar::gltf {
namespace {

Error malformed(std::string message) {
    while (!message.empty() && message.back() == '\n') message.pop_back();
    return {ErrorKind::malformed, "tinygltf cannot read the document: " + message, "", ""};
}

/// tinygltf refuses `3.0` where it wants an integer, though it means the same as `3`.
void write_whole_numbers_as_integers(Json& value) {
    if (value.is_number_float()) {
        if (const auto whole = whole_number(value)) value = *whole;
        return;
    }
    if (value.is_object()) {
        for (auto& [key, child] : value.items())
            if (key != "extras" && key != "extensions") write_whole_numbers_as_integers(child);
    } else if (value.is_array()) {
        for (Json& child : value) write_whole_numbers_as_integers(child);
    }
}

/// Channels without a node (KHR_animation_pointer has them) would be dropped, and the indices behind them shift.
struct NodelessChannel {
    std::size_t animation = 0;
    std::size_t channel = 0;
};

/// What the copy says otherwise than the document, to be put right in the model.
struct Disguises {
    std::vector<std::size_t> accessors_without_view;
    std::vector<NodelessChannel> nodeless;
};

/// tinygltf fails on an index accessor without a bufferView: all accessors without one get a bufferView past the
/// others.
void disguise_accessors(Json& json, Disguises& disguises) {
    if (!element_count(json, "accessors")) return;
    Json& accessors = json["accessors"];
    const std::size_t spare_view = element_count(json, "bufferViews");
    for (std::size_t i = 0; i < accessors.size(); ++i) {
        if (!accessors[i].is_object() || accessors[i].contains("bufferView")) continue;
        disguises.accessors_without_view.push_back(i);
        accessors[i]["bufferView"] = spare_view;
    }
    if (disguises.accessors_without_view.empty()) return;
    if (spare_view == 0) json["bufferViews"] = Json::array();
    json["bufferViews"].push_back({{"buffer", 0}, {"byteLength", 1}});
}

void disguise_channels(Json& json, Disguises& disguises) {
    for (std::size_t a = 0; a < element_count(json, "animations"); ++a) {
        Json& animation = json["animations"][a];
        for (std::size_t c = 0; c < element_count(animation, "channels"); ++c) {
            Json& channel = animation["channels"][c];
            if (!channel.is_object() || !channel.contains("target") || !channel["target"].is_object()) continue;
            if (channel["target"].contains("node")) continue;
            disguises.nodeless.push_back({a, c});
            channel["target"]["node"] = 0;
        }
    }
}

/// The document's JSON without what tinygltf would look for in memory or on the disk.
Json sanitised(const Document& document, Disguises& disguises) {
    Json json = Json::object();
    for (const auto& [key, value] : document.json.items())
        if (key != "buffers" && key != "images") json[key] = value;
    write_whole_numbers_as_integers(json);
    disguise_accessors(json, disguises);
    disguise_channels(json, disguises);
    return json;
}

int index_or_none(const Json& object, const char* key) {
    const auto index = whole_member(object, key);
    return index && *index <= static_cast<std::size_t>(std::numeric_limits<int>::max()) ? static_cast<int>(*index) : -1;
}

void restore(const Document& document, const Disguises& disguises, tinygltf::Model& model) {
    for (const std::size_t accessor : disguises.accessors_without_view) model.accessors[accessor].bufferView = -1;
    if (!disguises.accessors_without_view.empty()) model.bufferViews.pop_back();
    for (const auto& [animation, channel] : disguises.nodeless)
        model.animations[animation].channels[channel].target_node = -1;
    // tinygltf guesses targets; the view says what the document says.
    for (std::size_t i = 0; i < model.bufferViews.size(); ++i)
        model.bufferViews[i].target =
            static_cast<int>(whole_member_or(document.json["bufferViews"][i], "target", 0) & 0xFFFFU);
    model.buffers.resize(element_count(document.json, "buffers"));
    for (std::size_t i = 0; i < model.buffers.size(); ++i)
        model.buffers[i].name = text_member(document.json["buffers"][i], "name");
    model.images.resize(element_count(document.json, "images"));
    for (std::size_t i = 0; i < model.images.size(); ++i) {
        const Json& image = document.json["images"][i];
        model.images[i].name = text_member(image, "name");
        model.images[i].mimeType = text_member(image, "mimeType");
        model.images[i].bufferView = index_or_none(image, "bufferView");
        if (!text_member(image, "uri").starts_with("data:")) model.images[i].uri = text_member(image, "uri");
    }
}

/// The lengths that tinygltf must have kept for its indices to be the document's.
bool same_lengths(const Json& json, const tinygltf::Model& model) {
    const std::pair<const char*, std::size_t> lists[] = {{"accessors", model.accessors.size()},
                                                         {"animations", model.animations.size()},
                                                         {"bufferViews", model.bufferViews.size()},
                                                         {"cameras", model.cameras.size()},
                                                         {"materials", model.materials.size()},
                                                         {"meshes", model.meshes.size()},
                                                         {"nodes", model.nodes.size()},
                                                         {"samplers", model.samplers.size()},
                                                         {"scenes", model.scenes.size()},
                                                         {"skins", model.skins.size()},
                                                         {"textures", model.textures.size()}};
    for (const auto& [name, size] : lists)
        if (element_count(json, name) != size) return false;
    for (std::size_t a = 0; a < model.animations.size(); ++a)
        if (element_count(json["animations"][a], "channels") != model.animations[a].channels.size()) return false;
    return true;
}

/// Nothing is read from the disk: every callback says no.
tinygltf::FsCallbacks refusing_callbacks() {
    tinygltf::FsCallbacks refuse{};
    refuse.FileExists = [](const std::string&, void*) { return false; };
    refuse.ExpandFilePath = [](const std::string&, void*) { return std::string(); };
    refuse.ReadWholeFile = [](std::vector<unsigned char>*, std::string*, const std::string&, void*) { return false; };
    refuse.WriteWholeFile = [](std::string*, const std::string&, const std::vector<unsigned char>&, void*) {
        return false;
    };
    return refuse;
}

}  // namespace

Result<tinygltf::Model> view_model(const Document& document) {
    if (!document.json.is_object()) return malformed("the JSON is no object");
    try {
        Disguises disguises;
        const Json copy = sanitised(document, disguises);
        const std::string text = copy.dump(-1, ' ', false, Json::error_handler_t::replace);
        if (text.size() > std::numeric_limits<unsigned int>::max()) return malformed("the JSON is longer than 4 GiB");
        tinygltf::TinyGLTF reader;
        reader.SetFsCallbacks(refusing_callbacks());
        reader.SetImageLoader([](tinygltf::Image*, int, std::string*, std::string*, int, int, const unsigned char*, int,
                                 void*) { return false; },
                              nullptr);
        tinygltf::Model model;
        std::string errors;
        std::string warnings;
        const bool read = reader.LoadASCIIFromString(&model, &errors, &warnings, text.data(),
                                                     static_cast<unsigned int>(text.size()), "", tinygltf::NO_REQUIRE);
        // It also answers true after it dropped what it could not read.
        if (!read || !errors.empty()) return malformed(errors);
        if (!same_lengths(copy, model)) return malformed("some objects were dropped");
        restore(document, disguises, model);
        return model;
    } catch (const std::exception& exception) {
        return malformed(exception.what());
    }
}

}  // namespace helixavatar::gltf
