// SPDX-License-Identifier: MIT
// asset, extensionsUsed and extensionsRequired, and where extension objects stand.
#include <algorithm>
#include <cctype>
#include <set>

#include "check_context.hpp"
#include "json_read.hpp"

namespace helixavatar::gltf {
namespace {

struct Version {
    int major = 0;
    int minor = 0;
};

/// "2.0"; nothing for any other form.
std::optional<Version> parse_version(std::string_view text) {
    const std::size_t dot = text.find('.');
    const auto digits = [](std::string_view part) {
        return !part.empty() && part.size() < 6 &&
               std::all_of(part.begin(), part.end(), [](unsigned char c) { return std::isdigit(c); });
    };
    if (dot == std::string_view::npos || !digits(text.substr(0, dot)) || !digits(text.substr(dot + 1)))
        return std::nullopt;
    return Version{std::stoi(std::string(text.substr(0, dot))), std::stoi(std::string(text.substr(dot + 1)))};
}

void check_name_list(CheckContext& context, const char* list, std::set<std::string>& names) {
    const Json* value = member(context.json, list);
    const std::string pointer = std::string("/") + list;
    if (!value) return;
    if (!value->is_array()) return context.error("file-extension", pointer, "must be an array", "TYPE_MISMATCH");
    if (value->empty())
        context.error("file-extension", pointer, "the array is empty; it must be left out instead", "EMPTY_ENTITY");
    for (std::size_t i = 0; i < value->size(); ++i) {
        const std::string at = pointer + "/" + std::to_string(i);
        if (!(*value)[i].is_string())
            context.error("file-extension", at, "must be a string", "ARRAY_TYPE_MISMATCH");
        else if (!names.insert((*value)[i].get<std::string>()).second)
            context.error("file-extension", at, "the extension is listed twice", "DUPLICATE_ELEMENTS");
    }
}

/// The places at which a ratified extension may stand, with # for an index; "*Texture" is any texture reference.
struct Home {
    std::string_view extension;
    std::initializer_list<std::string_view> places;
};

constexpr std::string_view kMaterial = "/materials/#";
constexpr std::string_view kPrimitive = "/meshes/#/primitives/#";
const Home kHomes[] = {
    {"EXT_meshopt_compression", {"/bufferViews/#", "/buffers/#"}},
    {"EXT_texture_webp", {"/textures/#"}},
    {"KHR_animation_pointer", {"/animations/#/channels/#/target"}},
    {"KHR_draco_mesh_compression", {kPrimitive}},
    {"KHR_lights_punctual", {"", "/nodes/#"}},
    {"KHR_materials_anisotropy", {kMaterial}},
    {"KHR_materials_clearcoat", {kMaterial}},
    {"KHR_materials_dispersion", {kMaterial}},
    {"KHR_materials_emissive_strength", {kMaterial}},
    {"KHR_materials_ior", {kMaterial}},
    {"KHR_materials_iridescence", {kMaterial}},
    {"KHR_materials_pbrSpecularGlossiness", {kMaterial}},
    {"KHR_materials_sheen", {kMaterial}},
    {"KHR_materials_specular", {kMaterial}},
    {"KHR_materials_transmission", {kMaterial}},
    {"KHR_materials_unlit", {kMaterial}},
    {"KHR_materials_variants", {"", kPrimitive}},
    {"KHR_materials_volume", {kMaterial}},
    {"KHR_mesh_quantization", {}},
    {"KHR_node_visibility", {"/nodes/#"}},
    {"KHR_texture_basisu", {"/textures/#"}},
    {"KHR_texture_transform", {"*Texture"}},
};

bool is_at_home(std::string_view extension, std::string_view place) {
    for (const Home& home : kHomes) {
        if (home.extension != extension) continue;
        return std::any_of(home.places.begin(), home.places.end(), [&](std::string_view allowed) {
            return allowed == "*Texture" ? place.ends_with("Texture") : place == allowed;
        });
    }
    return true;
}

/// Walks every object; `place` is the pointer with # for indices. Depth is bounded by the parser's limit.
class ExtensionWalk {
public:
    explicit ExtensionWalk(CheckContext& context) : context_(context) {
        const Json* used = member(context.json, "extensionsUsed");
        if (used && used->is_array())
            for (const Json& name : *used)
                if (name.is_string()) declared_.insert(name.get<std::string>());
    }

    void walk(const Json& value, const std::string& pointer, const std::string& place) {
        if (value.is_array()) {
            if (value.empty() || !value.front().is_structured()) return;
            for (std::size_t i = 0; i < value.size(); ++i)
                walk(value[i], pointer + "/" + std::to_string(i), place + "/#");
            return;
        }
        if (!value.is_object()) return;
        for (const auto& [key, child] : value.items()) {
            if (key == "extras" || !child.is_structured()) {
                if (key == "extensions") not_an_object(pointer + "/extensions");
                continue;
            }
            const std::string token = pointer_token(key);
            if (key == "extensions")
                extensions(child, pointer, place);
            else
                walk(child, pointer + "/" + token, place + "/" + token);
        }
    }

private:
    void not_an_object(const std::string& pointer) {
        context_.error("file-extension", pointer, "must be an object", "TYPE_MISMATCH");
    }

    void extensions(const Json& list, const std::string& pointer, const std::string& place) {
        if (!list.is_object()) return not_an_object(pointer + "/extensions");
        for (const auto& [name, value] : list.items()) {
            const std::string at = pointer + "/extensions/" + pointer_token(name);
            if (!declared_.contains(name))
                context_.error("file-extension", at, "the extension is not listed in extensionsUsed",
                               "UNDECLARED_EXTENSION");
            if (!value.is_object())
                not_an_object(at);
            else if (!is_at_home(name, place))
                context_.error("file-extension", at, "the extension does not belong on this object",
                               "UNEXPECTED_EXTENSION_OBJECT");
            else
                walk(value, at, place + "/" + pointer_token(name));
        }
    }

    CheckContext& context_;
    std::set<std::string> declared_;
};

}  // namespace

void check_asset(CheckContext& context) {
    const Json* asset = member(context.json, "asset");
    if (!asset) return context.error("file-asset", "", "the member \"asset\" is missing", "UNDEFINED_PROPERTY");
    if (!asset->is_object()) return context.error("file-asset", "/asset", "must be an object", "TYPE_MISMATCH");
    check_members(context, "file-asset", *asset, "/asset",
                  {{"version", Kind::text, true},
                   {"minVersion", Kind::text},
                   {"generator", Kind::text},
                   {"copyright", Kind::text}});
    const std::string_view text = text_member(*asset, "version");
    const auto version = parse_version(text);
    if (!version) {
        if (!text.empty())
            context.error("file-asset", "/asset/version", "the version is not of the form 2.0", "PATTERN_MISMATCH",
                          std::string(text.substr(0, 20)));
        return;
    }
    if (version->major != 2)
        context.error("file-asset", "/asset/version", "only glTF 2 can be read", "UNKNOWN_ASSET_MAJOR_VERSION",
                      std::string(text), "2.0");
    else if (version->minor != 0)
        context.warning("file-asset", "/asset/version", "the file is of a later glTF 2 than 2.0",
                        "UNKNOWN_ASSET_MINOR_VERSION", std::string(text), "2.0");
    const auto least = parse_version(text_member(*asset, "minVersion"));
    if (least && std::pair(least->major, least->minor) > std::pair(version->major, version->minor))
        context.error("file-asset", "/asset/minVersion", "minVersion is later than version",
                      "ASSET_MIN_VERSION_GREATER_THAN_VERSION", std::string(text_member(*asset, "minVersion")),
                      std::string(text));
}

void check_names(CheckContext& context) {
    static constexpr std::pair<const char*, const char*> kNamed[] = {
        {"accessors", "file-accessor"}, {"animations", "file-animation"}, {"bufferViews", "file-buffer-view"},
        {"buffers", "file-buffer"},     {"cameras", "file-camera"},       {"images", "file-image"},
        {"materials", "file-material"}, {"meshes", "file-mesh"},          {"nodes", "file-node"},
        {"samplers", "file-texture"},   {"scenes", "file-scene"},         {"skins", "file-skin"},
        {"textures", "file-texture"}};
    for (const auto& [list, rule] : kNamed)
        for (std::size_t i = 0; i < element_count(context.json, list); ++i)
            check_members(context, rule, context.json[list][i], std::string("/") + list + "/" + std::to_string(i),
                          {{"name", Kind::text}});
}

void check_extension_lists(CheckContext& context) {
    std::set<std::string> used;
    std::set<std::string> required;
    check_name_list(context, "extensionsUsed", used);
    check_name_list(context, "extensionsRequired", required);
    if (!required.empty() && !member(context.json, "extensionsUsed"))
        context.error("file-extension", "/extensionsRequired", "extensionsRequired stands without extensionsUsed",
                      "UNSATISFIED_DEPENDENCY");
    for (const std::string& name : required)
        if (!used.contains(name))
            context.error("file-extension", "/extensionsRequired",
                          "the required extension is not listed in extensionsUsed", "UNUSED_EXTENSION_REQUIRED", name);
    // Quantised positions are garbage to a reader that does not know of them.
    if (used.contains("KHR_mesh_quantization") && !required.contains("KHR_mesh_quantization"))
        context.error("file-extension", "/extensionsUsed", "KHR_mesh_quantization must also be required",
                      "NON_REQUIRED_EXTENSION");
}

void check_extension_objects(CheckContext& context) {
    ExtensionWalk(context).walk(context.json, "", "");
}

}  // namespace helixavatar::gltf
