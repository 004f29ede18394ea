// SPDX-License-Identifier: MIT
// The file as a file: what a loader trips over, what it carries for nothing.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <helixavatar/gltf/accessor_view.hpp>

#include "preflight/buffer_use.hpp"
#include "preflight/checks.hpp"
#include "preflight/json_access.hpp"
#include "preflight/places.hpp"
#include "preflight/wording.hpp"

namespace helixavatar::preflight {
namespace {

/// Extensions that the engine's loader (three.js GLTFLoader with its Draco, meshopt and KTX2 decoders) understands.
constexpr std::string_view kKnownExtensions[] = {
    "EXT_materials_bump",         "EXT_mesh_gpu_instancing",    "EXT_meshopt_compression",
    "EXT_texture_avif",           "EXT_texture_webp",           "KHR_animation_pointer",
    "KHR_draco_mesh_compression", "KHR_lights_punctual",        "KHR_materials_anisotropy",
    "KHR_materials_clearcoat",    "KHR_materials_dispersion",   "KHR_materials_emissive_strength",
    "KHR_materials_ior",          "KHR_materials_iridescence",  "KHR_materials_sheen",
    "KHR_materials_specular",     "KHR_materials_transmission", "KHR_materials_unlit",
    "KHR_materials_volume",       "KHR_mesh_quantization",      "KHR_meshopt_compression",
    "KHR_texture_basisu",         "KHR_texture_transform"};

/// Texture coordinates beyond this are strays: nothing tiles a thousand times over a character.
constexpr double kMaxUv = 1000;

/// Fewer unused bytes than this are padding, not data.
constexpr std::size_t kUnusedBytes = 256;

bool has_code(const Finding& finding, std::string_view code) {
    return finding.message.find("[" + std::string(code) + "]") != std::string::npos;
}

/// A structure finding with its figures in the sentence, the name of what it is about, and who can mend it.
Finding explained(const RuleContext& context, Finding finding) {
    if (finding.where.name.empty()) finding.where.name = name_at(context, finding.where.pointer);
    const std::size_t code = finding.message.rfind(" [");
    if (code != std::string::npos && !finding.measured.empty() && !finding.limit.empty() &&
        !has_code(finding, "ACCESSOR_WEIGHTS_NON_NORMALIZED")) {
        const std::string unit = finding.unit.empty() ? "" : " " + finding.unit;
        const std::string figures = has_code(finding, "UNRESOLVED_REFERENCE")
                                        ? "number " + finding.measured + ", but the file has " + finding.limit + unit
                                    : has_code(finding, "MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT")
                                        ? finding.measured + " here, " + finding.limit + " there"
                                        : "found " + finding.measured + ", limit " + finding.limit + unit;
        finding.message.insert(code, " (" + figures + ")");
    }
    const std::string generator = text_member(member(context.document.json, "asset"), "generator");
    if (has_code(finding, "ACCESSOR_WEIGHTS_NON_NORMALIZED"))
        finding.fix = "The same fault as `weights`: one repair clears both.";
    else if (finding.fix.empty() && generator.rfind("helixavatar", 0) == 0)
        finding.fix =
            "Make it again from its original: `helixavatar import SOURCE -o AVATAR`. If it is broken again, please "
            "report it to helixavatar's makers.";
    else if (finding.fix.empty() && !generator.empty())
        finding.fix =
            "Export the file again; if it is broken again, tell the makers of what wrote it: " + generator + ".";
    return finding;
}

}  // namespace

void check_file_structure(const RuleContext& context, Outcome& outcome) {
    for (const Finding& finding : context.structure) {
        if (finding.rule == outcome.rule().id) outcome.adopt(explained(context, finding));
    }
}

void check_not_glb(const RuleContext& context, Outcome& outcome) {
    if (context.document.container == gltf::Container::glb) return;
    outcome.fail({},
                 "This is a .gltf with its data outside; an avatar is one .glb file, and only that can be uploaded.");
}

void check_unknown_extension(const RuleContext& context, Outcome& outcome) {
    const Json& required = list(context.document.json, "extensionsRequired");
    for (std::size_t i = 0; i < required.size(); ++i) {
        if (!required[i].is_string()) continue;
        const std::string name = required[i].get<std::string>();
        if (std::find(std::begin(kKnownExtensions), std::end(kKnownExtensions), name) != std::end(kKnownExtensions))
            continue;
        outcome.fail({"/extensionsRequired/" + std::to_string(i), name, {}},
                     "The file requires the extension " + name +
                         ", which the engine's loader does not know: the avatar may not load at all.");
    }
}

/// Materials that no primitive draws with, by itself or in a variant.
std::vector<std::size_t> unused_materials(const Json& root) {
    std::set<int> used;
    for (const Json& mesh : list(root, "meshes")) {
        for (const Json& primitive : list(mesh, "primitives")) {
            used.insert(index_member(primitive, "material"));
            const Json& variants = member(member(primitive, "extensions"), "KHR_materials_variants");
            for (const Json& mapping : list(variants, "mappings")) used.insert(index_member(mapping, "material"));
        }
    }
    std::vector<std::size_t> unused;
    for (std::size_t i = 0; i < list(root, "materials").size(); ++i) {
        if (!used.count(static_cast<int>(i))) unused.push_back(i);
    }
    return unused;
}

void check_unused_data(const RuleContext& context, Outcome& outcome) {
    if (!geometry_known(context, outcome)) return;
    const BufferUse use = measure_buffer_use(context.document);
    if (use.unused_bytes >= kUnusedBytes) {
        Finding& finding = outcome.fail({"/bufferViews", {}, {}},
                                        "Nothing refers to " + megabytes(use.unused_bytes) + " of the " +
                                            megabytes(use.total_bytes) + " in the buffer" + use.where_text() +
                                            ": they were left behind by an edit and are downloaded for nothing.");
        finding.measured = std::to_string(use.unused_bytes);
        finding.limit = std::to_string(kUnusedBytes);
        finding.unit = "bytes";
    }
    if (!use.unused_accessors.empty()) {
        std::vector<std::string> names;
        for (const auto& [accessor, bytes] : use.unused_accessors) {
            names.push_back("accessor " + std::to_string(accessor) + " (" + megabytes(bytes) + ")");
        }
        Finding& finding = outcome.fail(
            {"/accessors/" + std::to_string(use.unused_accessors.front().first), {}, {}},
            plural(names.size(), "accessor") + " no mesh, skin or animation uses: " + listed(names, 6) + ".");
        finding.measured = std::to_string(names.size());
        finding.limit = "0";
        finding.unit = "accessors";
        finding.fix = "Export from the modelling tool again, or take these accessors and their bytes out of the file.";
    }
    for (std::size_t i = 0; i < context.facts.images.size(); ++i) {
        const ImageFacts& image = context.facts.images[i];
        if (!image.uses.empty() || image.bytes == 0 || use.other_images.count(static_cast<int>(i))) continue;
        Finding& finding = outcome.fail(
            {"/images/" + std::to_string(i), image.name, {}},
            "No material uses " + image.name + ": " + megabytes(image.bytes) + " are downloaded for nothing.");
        finding.measured = std::to_string(image.bytes);
        finding.limit = "0";
        finding.unit = "bytes";
        finding.fix = "Give it to the material it was made for, or take the image out of the file.";
    }
    for (const std::size_t material : unused_materials(context.document.json)) {
        const std::string name = context.facts.material_label(static_cast<int>(material));
        Finding& finding =
            outcome.fail({"/materials/" + std::to_string(material), name, {}},
                         "No mesh uses material " + name + ": it counts against the budget and draws nothing.");
        finding.measured = "0";
        finding.limit = "1";
        finding.unit = "uses";
        finding.fix = "Assign it to the mesh it was made for, or delete the material before exporting.";
    }
}

void check_uv_range(const RuleContext& context, Outcome& outcome) {
    if (!geometry_known(context, outcome)) return;
    const Json& meshes = list(context.plain.json, "meshes");
    std::map<int, std::pair<std::size_t, float>> judged;  // accessor → strays, farthest
    for (std::size_t m = 0; m < meshes.size(); ++m) {
        const Json& primitives = list(meshes[m], "primitives");
        for (std::size_t p = 0; p < primitives.size(); ++p) {
            const int accessor = index_member(member(primitives[p], "attributes"), "TEXCOORD_0");
            if (accessor < 0 || judged.count(accessor)) continue;
            auto& [strays, farthest] = judged[accessor];
            const Result<gltf::AccessorView> view = gltf::AccessorView::open(context.plain, accessor);
            if (!view) continue;
            for (const float value : view->floats()) {
                const float size = std::abs(value);
                if (!(size > kMaxUv)) continue;
                ++strays;
                farthest = std::max(farthest, size);
            }
            if (strays == 0) continue;
            const std::string mesh = context.facts.mesh_label(static_cast<int>(m));
            Finding& finding =
                outcome.fail({"/meshes/" + std::to_string(m) + "/primitives/" + std::to_string(p), mesh, {}},
                             plural(strays, "texture coordinate") + " of " + mesh + (strays == 1 ? " lies" : " lie") +
                                 " beyond 1000 (the farthest at " + fixed(farthest, 0) +
                                 "): one stray ruins every quantised coordinate of the mesh.");
            finding.measured = fixed(farthest, 0);
            finding.limit = "1000";
            finding.unit = "uv";
        }
    }
}

}  // namespace helixavatar::preflight
