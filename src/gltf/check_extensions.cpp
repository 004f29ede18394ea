// SPDX-License-Identifier: MIT
// What ratified extensions that avatars carry must hold.
#include "check_context.hpp"
#include "json_read.hpp"

#include <set>

namespace helixavatar::gltf {
namespace {

constexpr const char* kExtension = "file-extension";

struct MaterialExtension {
    const char* name;
    std::initializer_list<Member> members;
};

constexpr double kMost = FLT_MAX;

const MaterialExtension kMaterialExtensions[] = {
    {"KHR_materials_anisotropy",
     {{"anisotropyStrength", Kind::number, false, 0, 1},
      {"anisotropyRotation", Kind::number},
      {"anisotropyTexture", Kind::texture}}},
    {"KHR_materials_clearcoat",
     {{"clearcoatFactor", Kind::number, false, 0, 1},
      {"clearcoatRoughnessFactor", Kind::number, false, 0, 1},
      {"clearcoatTexture", Kind::texture},
      {"clearcoatRoughnessTexture", Kind::texture},
      {"clearcoatNormalTexture", Kind::texture}}},
    {"KHR_materials_dispersion", {{"dispersion", Kind::number, false, 0}}},
    {"KHR_materials_emissive_strength", {{"emissiveStrength", Kind::number, false, 0}}},
    {"KHR_materials_iridescence",
     {{"iridescenceFactor", Kind::number, false, 0, 1},
      {"iridescenceIor", Kind::number, false, 1},
      {"iridescenceThicknessMinimum", Kind::number, false, 0},
      {"iridescenceThicknessMaximum", Kind::number, false, 0},
      {"iridescenceTexture", Kind::texture},
      {"iridescenceThicknessTexture", Kind::texture}}},
    {"KHR_materials_pbrSpecularGlossiness",
     {{"diffuseFactor", Kind::numbers, false, 0, 1, false, nullptr, 4},
      {"specularFactor", Kind::numbers, false, 0, 1, false, nullptr, 3},
      {"glossinessFactor", Kind::number, false, 0, 1},
      {"diffuseTexture", Kind::texture},
      {"specularGlossinessTexture", Kind::texture}}},
    {"KHR_materials_sheen",
     {{"sheenColorFactor", Kind::numbers, false, 0, 1, false, nullptr, 3},
      {"sheenRoughnessFactor", Kind::number, false, 0, 1},
      {"sheenColorTexture", Kind::texture},
      {"sheenRoughnessTexture", Kind::texture}}},
    {"KHR_materials_specular",
     {{"specularFactor", Kind::number, false, 0, 1},
      {"specularColorFactor", Kind::numbers, false, 0, kMost, false, nullptr, 3},
      {"specularTexture", Kind::texture},
      {"specularColorTexture", Kind::texture}}},
    {"KHR_materials_transmission",
     {{"transmissionFactor", Kind::number, false, 0, 1}, {"transmissionTexture", Kind::texture}}},
    {"KHR_materials_volume",
     {{"thicknessFactor", Kind::number, false, 0},
      {"thicknessTexture", Kind::texture},
      {"attenuationDistance", Kind::number, false, 0, kMost, true},
      {"attenuationColor", Kind::numbers, false, 0, 1, false, nullptr, 3}}},
};

void check_material_extensions(CheckContext& context) {
    for (std::size_t m = 0; m < element_count(context.json, "materials"); ++m) {
        const Json& material = context.json["materials"][m];
        const std::string at = "/materials/" + std::to_string(m) + "/extensions/";
        for (const MaterialExtension& known : kMaterialExtensions)
            if (const Json* found = extension(material, known.name))
                check_members(context, kExtension, *found, at + known.name, known.members);
        const Json* ior = extension(material, "KHR_materials_ior");
        const Json* value = ior ? member(*ior, "ior") : nullptr;
        if (value && (!value->is_number() || (value->get<double>() < 1 && value->get<double>() != 0)))
            context.error(kExtension, at + "KHR_materials_ior/ior", "the index of refraction is 0 or at least 1",
                          "VALUE_NOT_IN_RANGE", value->dump(), "1");
    }
}

void check_light(CheckContext& context, const Json& light, const std::string& at) {
    check_members(context, kExtension, light, at,
                  {{"type", Kind::text, true},
                   {"color", Kind::numbers, false, 0, 1, false, nullptr, 3},
                   {"intensity", Kind::number, false, 0},
                   {"range", Kind::number, false, 0, kMost, true},
                   {"spot", Kind::object, text_member(light, "type") == "spot"}});
    check_choice(context, kExtension, light, at, "type", {"directional", "point", "spot"});
    const Json* spot = member(light, "spot");
    if (!spot || !spot->is_object()) return;
    constexpr double kRightAngle = 1.5707963267948966;
    check_members(context, kExtension, *spot, at + "/spot",
                  {{"innerConeAngle", Kind::number, false, 0, kRightAngle},
                   {"outerConeAngle", Kind::number, false, 0, kRightAngle + 1e-6, true}});
    const Json* inner = member(*spot, "innerConeAngle");
    const Json* outer = member(*spot, "outerConeAngle");
    const double from = inner && inner->is_number() ? inner->get<double>() : 0;
    const double to = outer && outer->is_number() ? outer->get<double>() : kRightAngle / 2;
    if (to <= from)
        context.error(kExtension, at + "/spot/outerConeAngle", "the outer cone is not wider than the inner one",
                      "KHR_LIGHTS_PUNCTUAL_LIGHT_SPOT_ANGLES", Json(to).dump(), Json(from).dump(), "radians");
}

void check_lights(CheckContext& context) {
    const Json* lights = extension(context.json, "KHR_lights_punctual");
    const std::string at = "/extensions/KHR_lights_punctual";
    if (lights) {
        if (!lights->contains("lights"))
            context.error(kExtension, at, "the member \"lights\" is missing", "UNDEFINED_PROPERTY");
        for_each_object(
            context, kExtension, *lights, "lights", at,
            [&](const Json& light, const std::string& place, std::size_t) { check_light(context, light, place); });
    }
    for (std::size_t n = 0; n < element_count(context.json, "nodes"); ++n) {
        const Json* use = extension(context.json["nodes"][n], "KHR_lights_punctual");
        if (!use) continue;
        const std::string place = "/nodes/" + std::to_string(n) + at;
        if (!lights) context.error(kExtension, place, "the file has no list of lights", "UNSATISFIED_DEPENDENCY");
        check_members(context, kExtension, *use, place, {{"light", Kind::whole, true, 0}});
        const auto light = whole_member(*use, "light");
        if (lights && light && *light >= element_count(*lights, "lights"))
            context.error(kExtension, place + "/light", "refers to lights that are not there", "UNRESOLVED_REFERENCE",
                          std::to_string(*light), std::to_string(element_count(*lights, "lights")), "lights");
    }
}

void check_variant_mappings(CheckContext& context, const Json& use, const std::string& at, const Json* root) {
    if (!use.contains("mappings"))
        context.error(kExtension, at, "the member \"mappings\" is missing", "UNDEFINED_PROPERTY");
    std::set<std::size_t> seen;
    const std::size_t count = root ? element_count(*root, "variants") : 0;
    for_each_object(
        context, kExtension, use, "mappings", at, [&](const Json& mapping, const std::string& place, std::size_t) {
            check_members(
                context, kExtension, mapping, place,
                {{"material", Kind::reference, true, 0, 0, false, "materials"}, {"variants", Kind::numbers, true, 0}});
            if (!root) context.error(kExtension, place, "the file has no list of variants", "UNSATISFIED_DEPENDENCY");
            for (std::size_t v = 0; root && v < element_count(mapping, "variants"); ++v) {
                const auto variant = whole_number(mapping["variants"][v]);
                const std::string where = place + "/variants/" + std::to_string(v);
                if (!variant || *variant >= count)
                    context.error(kExtension, where, "refers to variants that are not there", "UNRESOLVED_REFERENCE");
                else if (!seen.insert(*variant).second)
                    context.error(kExtension, where, "the variant is mapped twice",
                                  "KHR_MATERIALS_VARIANTS_NON_UNIQUE_VARIANT");
            }
        });
}

void check_variants(CheckContext& context) {
    const Json* root = extension(context.json, "KHR_materials_variants");
    const std::string at = "/extensions/KHR_materials_variants";
    if (root) {
        if (!root->contains("variants"))
            context.error(kExtension, at, "the member \"variants\" is missing", "UNDEFINED_PROPERTY");
        for_each_object(context, kExtension, *root, "variants", at,
                        [&](const Json& variant, const std::string& place, std::size_t) {
                            check_members(context, kExtension, variant, place, {{"name", Kind::text, true}});
                        });
    }
    for (std::size_t m = 0; m < element_count(context.json, "meshes"); ++m) {
        const Json& mesh = context.json["meshes"][m];
        for (std::size_t p = 0; p < element_count(mesh, "primitives"); ++p)
            if (const Json* use = extension(mesh["primitives"][p], "KHR_materials_variants"))
                check_variant_mappings(context, *use,
                                       "/meshes/" + std::to_string(m) + "/primitives/" + std::to_string(p) + at, root);
    }
}

bool is_pointer(std::string_view text) {
    if (!text.starts_with('/')) return false;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '~' && (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1'))) return false;
    return true;
}

void check_animation_pointers(CheckContext& context) {
    for (std::size_t a = 0; a < element_count(context.json, "animations"); ++a) {
        const Json& animation = context.json["animations"][a];
        for (std::size_t c = 0; c < element_count(animation, "channels"); ++c) {
            const Json* target = member(animation["channels"][c], "target");
            const Json* use = target ? extension(*target, "KHR_animation_pointer") : nullptr;
            if (!use) continue;
            const std::string at = "/animations/" + std::to_string(a) + "/channels/" + std::to_string(c) +
                                   "/target/extensions/KHR_animation_pointer";
            check_members(context, kExtension, *use, at, {{"pointer", Kind::text, true}});
            if (use->contains("pointer") && !is_pointer(text_member(*use, "pointer")))
                context.error(kExtension, at + "/pointer", "this is no JSON pointer", "PATTERN_MISMATCH");
            if (target->contains("node"))
                context.error(kExtension, at, "a channel with a pointer must not name a node",
                              "KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_NODE");
            if (text_member(*target, "path") != "pointer")
                context.error(kExtension, at, "a channel with a pointer must have the path \"pointer\"",
                              "KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_PATH");
        }
    }
}

}  // namespace

void check_known_extensions(CheckContext& context) {
    check_material_extensions(context);
    check_lights(context);
    check_variants(context);
    check_animation_pointers(context);
}

}  // namespace helixavatar::gltf
