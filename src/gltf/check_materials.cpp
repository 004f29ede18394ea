// SPDX-License-Identifier: MIT
// images, textures, samplers, materials, cameras.
#include <algorithm>

#include <helixavatar/gltf/image_header.hpp>

#include "check_context.hpp"
#include "json_read.hpp"
#include "uri.hpp"

namespace helixavatar::gltf {
namespace {

constexpr const char* kImage = "file-image";
constexpr const char* kTexture = "file-texture";
constexpr const char* kMaterial = "file-material";
constexpr const char* kCamera = "file-camera";

/// The extension that a file must declare to hold this format; empty for what the core allows.
std::string_view enabling_extension(std::string_view mime) {
    if (mime == "image/webp") return "EXT_texture_webp";
    if (mime == "image/ktx2") return "KHR_texture_basisu";
    return {};
}

/// What an image says or is; empty when neither is known.
std::string image_mime(const CheckContext& context, std::size_t image) {
    if (const auto bytes = image_bytes(context.document, image))
        if (const auto format = recognise_image(*bytes)) return mime_type(*format);
    const Json* json = element(context.json, "images", image);
    return json ? std::string(text_member(*json, "mimeType")) : std::string();
}

void check_image_bytes(CheckContext& context, const Json& image, const std::string& at, std::size_t index) {
    const auto bytes = image_bytes(context.document, index);
    if (!bytes) return;
    const auto format = recognise_image(*bytes);
    if (!format) {
        context.warning(kImage, at, read_image_header(*bytes).error().message, "IMAGE_UNRECOGNIZED_FORMAT");
        return;
    }
    const std::string mime = mime_type(*format);
    const auto header = read_image_header(*bytes);
    // No format's header is shorter than a PNG's.
    if (!header)
        context.error(kImage, at, header.error().message,
                      bytes->size() < 33 ? "IMAGE_UNEXPECTED_EOS" : "IMAGE_DATA_INVALID");
    else if (static_cast<std::size_t>(std::max(header->width, header->height)) > context.options.limits.image_edge)
        context.error(kImage, at, "the image is larger than will be decoded", "",
                      std::to_string(std::max(header->width, header->height)),
                      std::to_string(context.options.limits.image_edge), "pixels");
    const std::string_view said = text_member(image, "mimeType");
    if (!said.empty() && said != mime)
        context.error(kImage, at, "the image's mimeType is not what its data are", "IMAGE_MIME_TYPE_INVALID", mime,
                      std::string(said));
    const std::string_view needs = enabling_extension(mime);
    if (!needs.empty() && !declares(context.json, needs))
        context.error(kImage, at, "the image's format needs the extension " + std::string(needs),
                      "IMAGE_NON_ENABLED_MIME_TYPE", mime);
}

/// The image that a texture shows, directly or through an extension, has the format that belongs there.
void check_source(CheckContext& context, const Json& holder, const std::string& at, std::string_view wanted) {
    const auto source = whole_member(holder, "source");
    if (!source || !element(context.json, "images", *source)) return;
    const std::string mime = image_mime(context, *source);
    const bool core = mime.empty() || mime == "image/png" || mime == "image/jpeg";
    if (wanted.empty() ? !core : !mime.empty() && mime != wanted)
        context.error(kTexture, at + "/source", "the texture's image has a format that does not belong there",
                      "TEXTURE_INVALID_IMAGE_MIME_TYPE", mime,
                      wanted.empty() ? "image/png or image/jpeg" : std::string(wanted));
}

void check_zrange(CheckContext& context, const Json& lens, const std::string& at) {
    const Json* near = member(lens, "znear");
    const Json* far = member(lens, "zfar");
    if (near && far && near->is_number() && far->is_number() && far->get<double>() <= near->get<double>())
        context.error(kCamera, at, "zfar is not beyond znear", "CAMERA_ZFAR_LEQUAL_ZNEAR", far->dump(), near->dump());
}

void check_orthographic(CheckContext& context, const Json& lens, const std::string& at) {
    check_members(context, kCamera, lens, at,
                  {{"xmag", Kind::number, true},
                   {"ymag", Kind::number, true},
                   {"zfar", Kind::number, true, 0, FLT_MAX, true},
                   {"znear", Kind::number, true, 0}});
    for (const char* name : {"xmag", "ymag"}) {
        const Json* value = member(lens, name);
        if (!value || !value->is_number()) continue;
        if (value->get<double>() == 0)
            context.error(kCamera, at + "/" + name, "the camera has no width or height", "CAMERA_XMAG_YMAG_ZERO");
        else if (value->get<double>() < 0)
            context.warning(kCamera, at + "/" + name, "the camera's width or height is negative",
                            "CAMERA_XMAG_YMAG_NEGATIVE");
    }
    check_zrange(context, lens, at);
}

}  // namespace

void check_images(CheckContext& context) {
    for_each_object(
        context, kImage, context.json, "images", "", [&](const Json& image, const std::string& at, std::size_t index) {
            check_members(context, kImage, image, at,
                          {{"uri", Kind::text},
                           {"mimeType", Kind::text},
                           {"bufferView", Kind::reference, false, 0, 0, false, "bufferViews"}});
            check_choice(context, kImage, image, at, "mimeType",
                         {"image/png", "image/jpeg", "image/webp", "image/ktx2"});
            const bool in_view = image.contains("bufferView");
            if (in_view == image.contains("uri"))
                context.error(kImage, at, "an image has either a uri or a bufferView", "ONE_OF_MISMATCH");
            if (in_view && !image.contains("mimeType"))
                context.error(kImage, at + "/bufferView", "an image in a bufferView must name its mimeType",
                              "UNSATISFIED_DEPENDENCY");
            const auto view_index = whole_member(image, "bufferView");
            const Json* view = view_index ? element(context.json, "bufferViews", *view_index) : nullptr;
            if (view && view->contains("byteStride"))
                context.error(kImage, at + "/bufferView", "the bufferView of an image has a byteStride",
                              "IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE");
            const std::string uri_mime = data_uri_mime(text_member(image, "uri"));
            if (!uri_mime.empty() && uri_mime != "image/png" && uri_mime != "image/jpeg" && uri_mime != "image/webp" &&
                uri_mime != "image/ktx2" && !uri_mime.starts_with("application/"))
                context.error(kImage, at + "/uri", "the data URI's MIME type is no image format that glTF knows",
                              "INVALID_URI", uri_mime.substr(0, 60));
            const std::string_view said = text_member(image, "mimeType");
            if (!uri_mime.empty() && (!said.empty() ? uri_mime != said : uri_mime.starts_with("application/")))
                context.error(kImage, at + "/uri", "the data URI's MIME type is not the image's",
                              "IMAGE_MIME_TYPE_INVALID", uri_mime.substr(0, 60), std::string(said));
            check_image_bytes(context, image, at, index);
        });
}

void check_textures(CheckContext& context) {
    for_each_object(
        context, kTexture, context.json, "samplers", "", [&](const Json& sampler, const std::string& at, std::size_t) {
            check_members(context, kTexture, sampler, at,
                          {{"magFilter", Kind::whole, false, 0},
                           {"minFilter", Kind::whole, false, 0},
                           {"wrapS", Kind::whole, false, 0},
                           {"wrapT", Kind::whole, false, 0}});
            check_choice(context, kTexture, sampler, at, "magFilter", {9728U, 9729U});
            check_choice(context, kTexture, sampler, at, "minFilter", {9728U, 9729U, 9984U, 9985U, 9986U, 9987U});
            for (const char* name : {"wrapS", "wrapT"})
                check_choice(context, kTexture, sampler, at, name, {33071U, 33648U, 10497U});
        });
    for_each_object(
        context, kTexture, context.json, "textures", "", [&](const Json& texture, const std::string& at, std::size_t) {
            const Member source = {"source", Kind::reference, false, 0, 0, false, "images"};
            check_members(context, kTexture, texture, at,
                          {source, {"sampler", Kind::reference, false, 0, 0, false, "samplers"}});
            check_source(context, texture, at, "");
            for (const auto& [name, mime] :
                 {std::pair("EXT_texture_webp", "image/webp"), std::pair("KHR_texture_basisu", "image/ktx2")}) {
                const Json* other = extension(texture, name);
                if (!other) continue;
                const std::string place = at + "/extensions/" + name;
                check_members(context, kTexture, *other, place, {source});
                check_source(context, *other, place, mime);
            }
        });
}

void check_materials(CheckContext& context) {
    for_each_object(
        context, kMaterial, context.json, "materials", "",
        [&](const Json& material, const std::string& at, std::size_t) {
            check_members(context, kMaterial, material, at,
                          {{"pbrMetallicRoughness", Kind::object},
                           {"normalTexture", Kind::texture},
                           {"occlusionTexture", Kind::texture},
                           {"emissiveTexture", Kind::texture},
                           {"emissiveFactor", Kind::numbers, false, 0, 1, false, nullptr, 3},
                           {"alphaMode", Kind::text},
                           {"alphaCutoff", Kind::number, false, 0},
                           {"doubleSided", Kind::boolean}});
            check_choice(context, kMaterial, material, at, "alphaMode", {"OPAQUE", "MASK", "BLEND"});
            if (material.contains("alphaCutoff") && text_member(material, "alphaMode") != "MASK")
                context.warning(kMaterial, at + "/alphaCutoff", "alphaCutoff does nothing without the alpha mode MASK",
                                "MATERIAL_ALPHA_CUTOFF_INVALID_MODE");
            if (const Json* pbr = member(material, "pbrMetallicRoughness"); pbr && pbr->is_object())
                check_members(context, kMaterial, *pbr, at + "/pbrMetallicRoughness",
                              {{"baseColorFactor", Kind::numbers, false, 0, 1, false, nullptr, 4},
                               {"baseColorTexture", Kind::texture},
                               {"metallicFactor", Kind::number, false, 0, 1},
                               {"roughnessFactor", Kind::number, false, 0, 1},
                               {"metallicRoughnessTexture", Kind::texture}});
            if (const Json* normal = member(material, "normalTexture"))
                check_members(context, kMaterial, *normal, at + "/normalTexture", {{"scale", Kind::number}});
            if (const Json* occlusion = member(material, "occlusionTexture"))
                check_members(context, kMaterial, *occlusion, at + "/occlusionTexture",
                              {{"strength", Kind::number, false, 0, 1}});
        });
}

void check_cameras(CheckContext& context) {
    for_each_object(
        context, kCamera, context.json, "cameras", "", [&](const Json& camera, const std::string& at, std::size_t) {
            check_members(context, kCamera, camera, at,
                          {{"type", Kind::text, true}, {"perspective", Kind::object}, {"orthographic", Kind::object}});
            check_choice(context, kCamera, camera, at, "type", {"perspective", "orthographic"});
            if (camera.contains("perspective") && camera.contains("orthographic"))
                context.error(kCamera, at, "a camera is either perspective or orthographic", "ONE_OF_MISMATCH");
            const std::string_view type = text_member(camera, "type");
            if ((type == "perspective" || type == "orthographic") && !camera.contains(std::string(type)))
                context.error(kCamera, at, "the camera lacks the object that its type names", "UNDEFINED_PROPERTY");
            if (const Json* lens = member(camera, "perspective"); lens && lens->is_object()) {
                const std::string place = at + "/perspective";
                check_members(context, kCamera, *lens, place,
                              {{"yfov", Kind::number, true, 0, FLT_MAX, true},
                               {"znear", Kind::number, true, 0, FLT_MAX, true},
                               {"zfar", Kind::number, false, 0, FLT_MAX, true},
                               {"aspectRatio", Kind::number, false, 0, FLT_MAX, true}});
                const Json* angle = member(*lens, "yfov");
                if (angle && angle->is_number() && angle->get<double>() >= 3.14159265358979)
                    context.warning(kCamera, place, "the field of view is half a turn or more", "CAMERA_YFOV_GEQUAL_PI",
                                    angle->dump());
                check_zrange(context, *lens, place);
            }
            if (const Json* lens = member(camera, "orthographic"); lens && lens->is_object())
                check_orthographic(context, *lens, at + "/orthographic");
        });
}

}  // namespace helixavatar::gltf
