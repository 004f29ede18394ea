// SPDX-License-Identifier: MIT
#include "targets.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include <helixavatar/dynamics/check.hpp>
#include <helixavatar/dynamics/manifest.hpp>
#include <helixavatar/face/face.hpp>
#include <helixavatar/gltf/accessor_view.hpp>
#include <helixavatar/gltf/decode.hpp>
#include <helixavatar/gltf/image_header.hpp>
#include <helixavatar/gltf/model_view.hpp>
#include <helixavatar/gltf/structure_check.hpp>
#include <helixavatar/import/import.hpp>
#include <helixavatar/preflight/preflight.hpp>
#include <helixavatar/rig/recognise.hpp>

#include "preflight/image_pixels.hpp"
#include "texture/ktx2_levels.hpp"

namespace helixavatar::test {
namespace {

using gltf::Json;

/// Small enough that a case takes milliseconds, large enough that every path is open.
Limits small_limits() {
    Limits limits;
    limits.file_bytes = std::size_t{1} << 20;
    limits.vertices = 1 << 14;
    limits.image_edge = 256;
    return limits;
}

std::string_view text_of(ByteView bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void container(ByteView bytes) {
    const Result<gltf::Document> document = gltf::parse_document(bytes, {}, small_limits());
    if (!document) return;
    const Bytes written = gltf::write_glb(*document);
    const Result<gltf::Document> again = gltf::parse_document(ByteView(written), {});
    promise(static_cast<bool>(again), "what write_glb() wrote is read back");
}

void document(ByteView bytes) {
    const Limits limits = small_limits();
    Result<gltf::Document> document = gltf::parse_document(glb_of(bytes), {}, limits);
    if (!document) return;
    gltf::StructureCheckOptions options;
    options.limits = limits;
    const bool sound = !has_error(gltf::check_structure(*document, options));
    const Result<gltf::Document> plain = gltf::decompress(*document, limits);
    if (!plain) return;
    const Json& accessors = plain->json.contains("accessors") ? plain->json["accessors"] : Json::array();
    for (std::size_t i = 0; accessors.is_array() && i < accessors.size(); ++i) {
        const Result<gltf::AccessorView> view = gltf::AccessorView::open(*plain, i, limits);
        if (!view) continue;
        promise(view->floats().size() == view->count() * static_cast<std::size_t>(view->components()),
                "an accessor view gives as many numbers as it says");
        view->unsigned_integers();
    }
    const auto model = gltf::view_model(*plain);
    if (sound && plain->json == document->json)
        promise(static_cast<bool>(model), "a document without errors can be viewed");
}

std::uint16_t number_at(ByteView bytes, std::size_t at) {
    return static_cast<std::uint16_t>(bytes[at] | bytes[at + 1] << 8);
}

/// Reads what is left of `bytes` through a document that says it is compressed.
void decompress_as(Json json, ByteView bytes) {
    gltf::Document document;
    document.buffers.emplace_back(bytes.begin(), bytes.end());
    json["asset"]["version"] = "2.0";
    json["buffers"] = Json::array({{{"byteLength", bytes.size()}}});
    document.json = std::move(json);
    const Result<gltf::Document> plain = gltf::decompress(document, small_limits());
    (void)plain;
}

void meshopt(ByteView bytes) {
    if (bytes.size() < 5) return;
    static constexpr std::array<const char*, 3> kModes = {"ATTRIBUTES", "TRIANGLES", "INDICES"};
    static constexpr std::array<const char*, 4> kFilters = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"};
    const std::size_t count = number_at(bytes, 0), stride = bytes[2];
    const ByteView stream = bytes.subspan(5);
    Json extension = {{"buffer", 0},
                      {"byteOffset", 0},
                      {"byteLength", stream.size()},
                      {"byteStride", stride},
                      {"count", count},
                      {"mode", kModes[bytes[3] % kModes.size()]},
                      {"filter", kFilters[bytes[4] % kFilters.size()]}};
    Json json;
    json["extensionsUsed"] = json["extensionsRequired"] = Json::array({"EXT_meshopt_compression"});
    json["bufferViews"] = Json::array({{{"buffer", 0},
                                        {"byteLength", count * stride},
                                        {"byteStride", stride},
                                        {"extensions", {{"EXT_meshopt_compression", std::move(extension)}}}}});
    decompress_as(std::move(json), stream);
}

void draco(ByteView bytes) {
    if (bytes.size() < 4) return;
    const std::size_t vertices = number_at(bytes, 0), indices = number_at(bytes, 2);
    const ByteView stream = bytes.subspan(4);
    Json json;
    json["extensionsUsed"] = json["extensionsRequired"] = Json::array({"KHR_draco_mesh_compression"});
    json["bufferViews"] = Json::array({{{"buffer", 0}, {"byteLength", stream.size()}}});
    json["accessors"] = Json::array({{{"componentType", 5126}, {"type", "VEC3"}, {"count", vertices}},
                                     {{"componentType", 5121}, {"type", "VEC4"}, {"count", vertices}},
                                     {{"componentType", 5125}, {"type", "SCALAR"}, {"count", indices}}});
    const Json attributes = {{"POSITION", 0}, {"JOINTS_0", 1}};
    json["meshes"] = Json::array(
        {{{"primitives",
           Json::array({{{"attributes", attributes},
                         {"indices", 2},
                         {"extensions",
                          {{"KHR_draco_mesh_compression", {{"bufferView", 0}, {"attributes", attributes}}}}}}})}}});
    decompress_as(std::move(json), stream);
}

void image(ByteView bytes) {
    const Result<gltf::ImageHeader> header = gltf::read_image_header(bytes);
    if (!header || header->format == gltf::ImageFormat::ktx2) return;
    const Result<texture::Pixels> pixels = texture::decode(bytes, small_limits());
    if (!pixels) return;
    promise(
        pixels->rgba.size() == static_cast<std::size_t>(pixels->width) * static_cast<std::size_t>(pixels->height) * 4,
        "decoded pixels fill the picture");
}

void ktx2(ByteView bytes) {
    for (const int count : {1, 3}) {
        const Result<Bytes> smaller = texture::drop_largest_levels(bytes, count);
        if (smaller)
            promise(static_cast<bool>(gltf::read_image_header(*smaller)), "a KTX2 with fewer levels has a good header");
    }
    const Result<Bytes> single = preflight::single_level_ktx2(bytes, 64);
    if (single) promise(static_cast<bool>(gltf::read_image_header(*single)), "a KTX2 of one level has a good header");
}

void dynamics_manifest(ByteView bytes) {
    const Result<Json> json = gltf::parse_json(text_of(bytes), small_limits());
    if (!json) return;
    const bool good = !has_error(dynamics::check_manifest(*json, ""));
    const std::optional<dynamics::Manifest> manifest = dynamics::read_manifest(*json);
    promise(manifest.has_value() == good, "a manifest is read exactly when it has no error");
    dynamics::summarise(*json, nullptr);
    if (manifest)
        promise(!has_error(dynamics::check_manifest(dynamics::to_json(*manifest), "")),
                "a manifest that was read is written without a fault");
}

void face_manifest(ByteView bytes) {
    const Result<Json> json = gltf::parse_json(text_of(bytes), small_limits());
    if (!json) return;
    face::check_face(*json, nullptr, "", {});
    avatar::Avatar nobody;
    nobody.levels.emplace_back();
    face::FaceInput input;
    input.face_map = *json;
    const Result<face::FaceOutput> face = face::detect_face(nobody, input);
    (void)face;
}

void maps(ByteView bytes) {
    const auto bones = rig::parse_bone_map(text_of(bytes), skeleton::helix_humanoid());
    const auto provenance = import::parse_provenance(text_of(bytes));
    import::is_spdx_expression(text_of(bytes));
}

void whole_preflight(ByteView bytes) {
    preflight::PreflightOptions options;
    options.limits = small_limits();
    options.pixel_guards = false;
    const Result<preflight::Report> report = preflight::judge(glb_of(bytes), "fuzzed.glb", options);
    if (!report) return;
    for (const Finding& finding : report->findings) promise(!finding.message.empty(), "a finding says something");
}

void whole_import(ByteView bytes) {
    const Limits limits = small_limits();
    const Result<gltf::Document> document = gltf::parse_document(glb_of(bytes), {}, limits);
    if (!document) return;
    for (const Finding& finding : gltf::check_structure(*document)) {
        if (gltf::prevents_reading(finding)) return;
    }
    const Result<gltf::Document> plain = gltf::decompress(*document, limits);
    if (!plain) return;
    import::ImportOptions options;
    options.limits = limits;
    // Simplifying takes most of the time; one case in sixteen does it.
    if (bytes.size() % 16 == 0) options.lod_triangles = {300, 100, 30};
    options.textures.ktx2 = false;
    options.textures.cache = false;
    options.textures.max_edge = 64;
    const Result<import::ImportOutput> output =
        import::import_avatar(*plain, {"fuzzed.glb", bytes.size(), "", {}}, "out.web.glb", options);
    if (!output) return;
    const Result<gltf::Document> written = gltf::parse_document(ByteView(output->glb), {});
    promise(static_cast<bool>(written), "an imported avatar is read back");
    promise(!has_error(gltf::check_structure(*written)), "an imported avatar has no file error");
}

constexpr FuzzTarget kTargets[] = {
    {"container", "a .glb, or a .gltf without files beside it", container},
    {"document", "JSON text, NUL, BIN chunk", document},
    {"draco", "vertices and indices (two bytes each), a Draco stream", draco},
    {"dynamics", "a helix/dynamics@1 manifest", dynamics_manifest},
    {"face", "a helix/avatar-face@1 manifest, or a --face-map file", face_manifest},
    {"image", "PNG, JPEG or WebP", image},
    {"import", "JSON text, NUL, BIN chunk, imported whole", whole_import},
    {"ktx2", "a KTX2 file", ktx2},
    {"maps", "a --bone-map or --provenance file, an SPDX expression", maps},
    {"meshopt", "count (two bytes), stride, mode, filter, an EXT_meshopt_compression stream", meshopt},
    {"preflight", "JSON text, NUL, BIN chunk, judged whole", whole_preflight},
};

}  // namespace

std::span<const FuzzTarget> fuzz_targets() {
    return kTargets;
}

void promise(bool kept, const char* what) {
    if (kept) return;
    std::fprintf(stderr, "a promise was not kept: %s\n", what);
    std::abort();
}

Bytes glb_of(ByteView bytes) {
    const auto nul = std::find(bytes.begin(), bytes.end(), std::uint8_t{0});
    Bytes json(bytes.begin(), nul);
    Bytes bin(nul == bytes.end() ? nul : nul + 1, bytes.end());
    json.resize((json.size() + 3) / 4 * 4, ' ');
    bin.resize((bin.size() + 3) / 4 * 4, 0);
    Bytes glb;
    const auto word = [&](std::size_t value) {
        for (int shift = 0; shift < 32; shift += 8) glb.push_back(static_cast<std::uint8_t>(value >> shift));
    };
    word(0x46546C67);  // glTF
    word(2);
    word(12 + 8 + json.size() + (bin.empty() ? 0 : 8 + bin.size()));
    word(json.size());
    word(0x4E4F534A);  // JSON
    glb.insert(glb.end(), json.begin(), json.end());
    if (!bin.empty()) {
        word(bin.size());
        word(0x004E4942);  // BIN
        glb.insert(glb.end(), bin.begin(), bin.end());
    }
    return glb;
}

}  // namespace helixavatar::test
