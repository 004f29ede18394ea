// SPDX-License-Identifier: MIT
#include <helixavatar/import/inspect.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <helixavatar/face/face.hpp>
#include <helixavatar/gltf/image_header.hpp>
#include <helixavatar/import/before_eyes.hpp>

#include "receipt.hpp"

namespace helixavatar::import {
namespace {

using avatar::Avatar;
using gltf::Json;

// GPU bytes a texel with a full mip chain (4/3): RGBA8 against BC7/ASTC 4x4, what UASTC and ETC1S transcode to.
constexpr double kUncompressed = 4.0 * 4.0 / 3.0;
constexpr double kBlockCompressed = 1.0 * 4.0 / 3.0;

Json names_of(const Json& root, const char* array) {
    Json list = Json::array();
    if (!root.contains(array) || !root[array].is_array()) return list;
    for (std::size_t i = 0; i < root[array].size(); ++i) {
        const Json& entry = root[array][i];
        const bool named = entry.is_object() && entry.contains("name") && entry["name"].is_string();
        list.push_back(named && entry["name"] != "" ? entry["name"] : Json(std::string("#").append(std::to_string(i))));
    }
    return list;
}

std::map<int, std::string> image_roles(const Avatar& avatar) {
    std::map<int, std::string> roles;
    for (const avatar::Material& material : avatar.materials)
        for (const avatar::TextureSlot& slot : material.slots) {
            if (slot.texture < 0) continue;
            std::string& role = roles[avatar.textures[slot.texture].image];
            const std::string name = avatar::to_string(avatar::role_of(slot.pointer));
            if (role.find(name) == std::string::npos) role += (role.empty() ? "" : "+") + name;
        }
    return roles;
}

void add_textures(Json& facts, const Avatar& avatar, const char* without_role = "unused") {
    std::map<int, std::string> roles = image_roles(avatar);
    Json list = Json::array();
    double gpu = 0;
    double gpu_ktx2 = 0;
    for (std::size_t i = 0; i < avatar.images.size(); ++i) {
        const avatar::Image& image = avatar.images[i];
        const Result<gltf::ImageHeader> header = gltf::read_image_header(image.bytes);
        const double texels = header ? static_cast<double>(header->width) * header->height : 0;
        const double now = texels * (header && header->ktx2 ? kBlockCompressed : kUncompressed);
        const std::string role = roles.count(static_cast<int>(i)) ? roles[static_cast<int>(i)] : without_role;
        list.push_back({{"name", image.name.empty() ? std::string("#").append(std::to_string(i)) : image.name},
                        {"role", role},
                        {"mime", image.mime},
                        {"width", header ? header->width : 0},
                        {"height", header ? header->height : 0},
                        {"bytes", image.bytes.size()},
                        {"gpuBytes", static_cast<std::size_t>(now)},
                        {"gpuBytesKtx2", static_cast<std::size_t>(texels * kBlockCompressed)}});
        gpu += now;
        gpu_ktx2 += texels * kBlockCompressed;
    }
    facts["textures"] = std::move(list);
    facts["gpuBytes"] = static_cast<std::size_t>(gpu);
    facts["gpuBytesKtx2"] = static_cast<std::size_t>(gpu_ktx2);
}

std::string axis_name(const Vec3& direction) {
    static const char* const kNames[] = {"+X", "-X", "+Y", "-Y", "+Z", "-Z"};
    int axis = 0;
    direction.cwiseAbs().maxCoeff(&axis);
    return kNames[2 * axis + (direction[axis] < 0 ? 1 : 0)];
}

/// Degrees of an upper arm from straight down, NaN-free: 0 when the arm is not mapped.
double arm_degrees(const Understood& seen, const char* upper, const char* lower) {
    const avatar::BoneMap& map = seen.recognition.map;
    if (map.source(upper) < 0 || map.source(lower) < 0) return 0;
    const auto& joints = seen.source.avatar.joints;
    const Vec3 arm = joints[map.source(lower)].rest.translation - joints[map.source(upper)].rest.translation;
    return angle_degrees(arm, -seen.recognition.frame.up);
}

Json rig_facts(const Understood& seen) {
    const avatar::BoneMap& map = seen.recognition.map;
    const rig::Frame& frame = seen.recognition.frame;
    const double arms[2] = {arm_degrees(seen, "upperarm_l", "lowerarm_l"),
                            arm_degrees(seen, "upperarm_r", "lowerarm_r")};
    const double mean = (arms[0] + arms[1]) / 2;
    Json mapping = Json::object();
    for (const avatar::BoneMatch& match : map.matches)
        if (match.source >= 0) mapping[match.canonical] = seen.source.avatar.joints[match.source].name;
    // Yaw as the turn about +Y that +Z would need; only meaningful when the file is Y-up, and said with the axis beside
    // it.
    const double yaw = degrees(std::atan2(frame.forward.x(), frame.forward.z()));
    return {{"family", map.family},
            {"confidence", map.family_confidence},
            {"mapped", mapping.size()},
            {"height", height_along(seen.source.avatar.levels[0], frame.up)},
            {"up", axis_name(frame.up)},
            {"facing", axis_name(frame.forward)},
            {"yawDegrees", yaw},
            {"pose", mean > 75   ? "T"
                     : mean > 17 ? "A"
                                 : "arms-down"},
            {"armDegrees", {arms[0], arms[1]}},
            {"boneMap", std::move(mapping)}};
}

Json face_facts(const avatar::Source& source, const ImportOptions& options) {
    face::FaceInput input;
    input.face_map = options.face_map;
    if (source.vrm) {
        input.vrm_version = source.vrm->version;
        input.expressions = vrm_expressions(source);
    }
    const Result<face::FaceOutput> face = face::detect_face(source.avatar, input);
    if (!face) return {{"capability", "none"}, {"channels", Json::array()}, {"refused", face.error().message}};
    return {{"capability", face->capability},
            {"channels", face->channels},
            {"derived", face->derived},
            {"blink", face->blink},
            {"gaze", face->gaze}};
}

std::size_t count_at(const Json& root, const Json& accessor) {
    if (!accessor.is_number_unsigned() || !root.contains("accessors")) return 0;
    const Json& list = root["accessors"];
    const auto index = accessor.get<std::size_t>();
    return index < list.size() ? list[index].value("count", std::size_t{0}) : 0;
}

/// What a file shows that no character can be read from: its meshes, materials and pictures.
Json facts_without_character(const gltf::Document& document, const SourceFile& file, const Error& why) {
    const Json& root = document.json;
    std::size_t draws = 0, triangles = 0, vertices = 0;
    for (const Json& mesh : root.value("meshes", Json::array()))
        for (const Json& primitive : mesh.value("primitives", Json::array())) {
            const std::size_t points =
                count_at(root, primitive.value("attributes", Json::object()).value("POSITION", Json()));
            ++draws;
            vertices += points;
            const std::size_t corners = primitive.contains("indices") ? count_at(root, primitive["indices"]) : points;
            if (primitive.value("mode", 4) == 4) triangles += corners / 3;
        }
    const Json asset = root.value("asset", Json::object());
    const char* const format = document.container == gltf::Container::glb   ? "glb"
                               : document.container == gltf::Container::fbx ? "fbx"
                                                                            : "gltf";
    Json facts = {{"file", file.file}, {"format", format}, {"bytes", file.bytes}, {"sha256", file.sha256}};
    facts["generator"] = asset.value("generator", Json());
    facts["meshes"] = names_of(root, "meshes").size();
    facts["drawCalls"] = draws;
    facts["triangles"] = triangles;
    facts["vertices"] = vertices;
    facts["joints"] = 0;
    facts["materials"] = names_of(root, "materials");
    Avatar pictures;
    const Json names = names_of(root, "images");
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Result<ByteView> bytes = gltf::image_bytes(document, i);
        if (!bytes) continue;
        const auto format_found = gltf::recognise_image(*bytes);
        pictures.images.push_back({names[i].get<std::string>(),
                                   format_found ? gltf::mime_type(*format_found) : "unknown",
                                   Bytes(bytes->begin(), bytes->end())});
    }
    add_textures(facts, pictures, "unknown");
    facts["morphTargets"] = Json::array();
    facts["face"] = {{"capability", "none"},
                     {"channels", Json::array()},
                     {"derived", Json::array()},
                     {"blink", false},
                     {"gaze", false}};
    facts["animations"] = names_of(root, "animations");
    facts["extensions"] = root.value("extensionsUsed", Json::array());
    facts["notes"] = Json::array();
    facts["rig"] = {{"refused", why.message}};
    return facts;
}

/// What the first-person camera would look into, by name: candidates for helixAvatar.firstPersonHide.
Json first_person_facts(const gltf::Document& document, const Understood& seen) {
    Json hidden = Json::array();
    const Json::json_pointer at("/scenes/0/extras/helixAvatar/firstPersonHide");
    if (document.json.contains(at) && document.json[at].is_array())
        for (const Json& name : document.json[at])
            if (name.is_string()) hidden.push_back(name);
    Json before = Json::array();
    const rig::Frame& frame = seen.recognition.frame;
    for (const BeforeEyes& thing :
         before_eyes(seen.source.avatar, seen.recognition.map.source("head"), frame.up, frame.forward)) {
        const bool listed = std::any_of(hidden.begin(), hidden.end(), [&](const Json& name) {
            return thing.mesh.find(name.get<std::string>()) != std::string::npos;
        });
        before.push_back(
            {{"mesh", thing.mesh}, {"distance", thing.distance}, {"onHead", thing.on_head}, {"hidden", listed}});
    }
    return {{"hide", std::move(hidden)}, {"beforeEyes", std::move(before)}};
}

}  // namespace

Result<Inspection> inspect(const gltf::Document& document, const SourceFile& file, const ImportOptions& options) {
    avatar::ReadOptions read;
    read.root = options.root;
    read.drop_nodes = options.drop_nodes;
    Result<avatar::Source> source = avatar::read_source(document, read);
    if (!source && source.error().kind == ErrorKind::unconvertible && options.root.empty())
        return Inspection{facts_without_character(document, file, source.error()), std::nullopt};
    if (!source) return source.error();
    Inspection out;
    Json& facts = out.facts;
    facts = {{"file", file.file}, {"format", source->facts.format}, {"bytes", file.bytes}, {"sha256", file.sha256}};
    facts["generator"] = source->facts.generator.empty() ? Json() : Json(source->facts.generator);
    facts["meshes"] = source->facts.meshes;
    facts["drawCalls"] = source->facts.primitives;
    facts["triangles"] = source->facts.triangles;
    facts["vertices"] = source->facts.vertices;
    facts["joints"] = source->facts.joints;
    facts["materials"] = names_of(document.json, "materials");
    add_textures(facts, source->avatar);
    std::set<std::string> morphs;
    for (const auto& names : source->mesh_morph_names) morphs.insert(names.begin(), names.end());
    facts["morphTargets"] = morphs;
    facts["face"] = face_facts(*source, options);
    facts["animations"] = names_of(document.json, "animations");
    facts["extensions"] = document.json.value("extensionsUsed", Json::array());
    facts["notes"] = source->notes;

    Result<Understood> understood = understand(document, options);
    if (understood) {
        facts["rig"] = rig_facts(*understood);
        facts["firstPerson"] = first_person_facts(document, *understood);
        for (const std::string& note : understood->recognition.map.notes) facts["notes"].push_back(note);
        for (const std::string& note : understood->recognition.frame.notes) facts["notes"].push_back(note);
        out.recognised = understood.take();
    } else if (understood.error().kind == ErrorKind::usage) {
        return understood.error();
    } else {
        facts["rig"] = {{"refused", understood.error().message}};
    }
    return out;
}

}  // namespace helixavatar::import
