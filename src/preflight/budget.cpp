// SPDX-License-Identifier: MIT
// The five budgets. Each message says where the budget goes, and the smallest change that passes.
#include <algorithm>
#include <map>

#include "preflight/checks.hpp"
#include "preflight/wording.hpp"

namespace helixavatar::preflight {
namespace {

void numbers(Finding& finding, std::size_t measured, std::size_t limit, const char* unit) {
    finding.measured = std::to_string(measured);
    finding.limit = std::to_string(limit);
    finding.unit = unit;
}

std::string by_level(const Facts& facts, std::size_t SceneFacts::*count) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < facts.scenes.size(); ++i) {
        parts.push_back(facts.scene_label(i) + " " + grouped(facts.scenes[i].*count));
    }
    return parts.empty() ? "no scene draws them" : listed(parts);
}

/// The scene with the most of what is counted, or -1.
int heaviest(const Facts& facts, std::size_t SceneFacts::*count) {
    int most = -1;
    for (std::size_t i = 0; i < facts.scenes.size(); ++i) {
        if (most < 0 || facts.scenes[i].*count > facts.scenes[most].*count) most = static_cast<int>(i);
    }
    return most;
}

/// Targets that fit, fall from level to level, and ask no level for more than it has.
std::string fitting_targets(const Facts& facts, std::size_t limit) {
    std::vector<std::size_t> now;
    for (const SceneFacts& scene : facts.scenes) now.push_back(scene.triangles);
    std::sort(now.rbegin(), now.rend());
    std::string targets;
    for (const std::size_t triangles : now) {
        const double share =
            static_cast<double>(triangles) / static_cast<double>(std::max<std::size_t>(1, facts.triangles));
        const std::size_t target =
            std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(limit)));
        targets += (targets.empty() ? "" : ",") + std::to_string(target);
    }
    return targets;
}

std::string triangle_fix(const Facts& facts, std::size_t over, std::size_t limit) {
    const int level = heaviest(facts, &SceneFacts::triangles);
    if (facts.scenes.size() < 2) return "Build the three levels from it: `helixavatar lod AVATAR -o OUT`.";
    // One level may give up all of it as long as it stays the heaviest.
    std::size_t next = 0;
    for (std::size_t i = 0; i < facts.scenes.size(); ++i) {
        if (static_cast<int>(i) != level) next = std::max(next, facts.scenes[i].triangles);
    }
    const std::size_t now = facts.scenes[level].triangles;
    if (level != 0 || now <= over + next) {
        return "Bring the levels down together: `helixavatar lod AVATAR -o OUT --lod-tris " +
               fitting_targets(facts, limit) + "`.";
    }
    std::string targets;
    for (std::size_t i = 0; i < facts.scenes.size(); ++i)
        targets += (i ? "," : "") + std::to_string(i == 0 ? now - over : facts.scenes[i].triangles);
    return "Take " + grouped(over) + " triangles off LOD0 (" + grouped(now) + " to " + grouped(now - over) +
           "): `helixavatar lod AVATAR -o OUT --lod-tris " + targets + "`.";
}

/// Whether the level's FaceMesh draws with the material.
bool head_draws(const Facts& facts, std::size_t scene, int material) {
    const std::vector<int>& instances = facts.scenes[scene].instances;
    return std::any_of(instances.begin(), instances.end(), [&](int node) {
        const std::vector<PrimitiveFacts>& primitives = facts.meshes[facts.nodes[node].mesh].primitives;
        return facts.nodes[node].name.find(avatar::kFaceMesh) != std::string::npos &&
               std::any_of(primitives.begin(), primitives.end(),
                           [&](const PrimitiveFacts& primitive) { return primitive.material == material; });
    });
}

/// Meshes of a level that draw with one material are joined at no loss; only then do materials have to merge.
std::string draw_call_fix(const Facts& facts, std::size_t over) {
    const std::vector<JoinableParts> joinable = facts.joinable_parts();
    std::size_t saved = 0;
    for (const JoinableParts& parts : joinable) saved += parts.meshes.size() - 1;
    if (saved >= over) {
        const JoinableParts& first = joinable.front();
        std::vector<std::string> meshes = first.meshes;
        meshes.erase(std::unique(meshes.begin(), meshes.end()), meshes.end());
        const bool of_head = first.meshes.front().find(avatar::kFaceMesh) != std::string::npos;
        const char* const apart = !of_head && head_draws(facts, first.scene, first.material)
                                      ? ", and once more in FaceMesh, which stays apart"
                                      : "";
        return facts.scene_label(first.scene) + " draws material " + facts.material_label(first.material) + " in " +
               std::to_string(first.meshes.size()) + " parts (" + listed(meshes, 6) + ")" + apart +
               ". Join parts of one material, at least " + plural(over, "draw call") +
               " in all: `helixavatar import AVATAR -o OUT` joins them.";
    }
    return "Put materials into one atlas, on every LOD: `helixavatar import SOURCE -o OUT --atlas=always`.";
}

}  // namespace

void check_triangles(const RuleContext& context, Outcome& outcome) {
    const Facts& facts = context.facts;
    const std::size_t limit = context.options.budgets.triangles;
    if (facts.triangles <= limit) return;
    const std::size_t over = facts.triangles - limit;
    Finding& finding =
        outcome.fail({"/meshes", {}, {}}, "The file draws " + grouped(facts.triangles) + " triangles, " +
                                              grouped(over) + " over the limit of " + grouped(limit) +
                                              " for all LODs together: " + by_level(facts, &SceneFacts::triangles) +
                                              ". The upload is refused.");
    numbers(finding, facts.triangles, limit, "triangles");
    finding.fix = triangle_fix(facts, over, limit);
}

void check_draw_calls(const RuleContext& context, Outcome& outcome) {
    const Facts& facts = context.facts;
    const std::size_t limit = context.options.budgets.draw_calls;
    if (facts.draw_calls <= limit) return;
    std::map<std::string, std::size_t> by_material;
    for (const int node : facts.instances) {
        for (const PrimitiveFacts& primitive : facts.meshes[facts.nodes[node].mesh].primitives) {
            ++by_material[facts.material_label(primitive.material)];
        }
    }
    std::vector<std::string> parts;
    for (const auto& [name, count] : by_material) parts.push_back(name + " " + std::to_string(count));
    Finding& finding = outcome.fail({"/meshes", {}, {}},
                                    "The file needs " + grouped(facts.draw_calls) + " draw calls, " +
                                        grouped(facts.draw_calls - limit) + " over the limit of " + grouped(limit) +
                                        " for all LODs together (each material of each mesh is one, on every LOD): " +
                                        by_level(facts, &SceneFacts::draw_calls) + "; by material: " + listed(parts) +
                                        ". The upload is refused.");
    numbers(finding, facts.draw_calls, limit, "draw calls");
    finding.fix = draw_call_fix(facts, facts.draw_calls - limit);
}

void check_file_size(const RuleContext& context, Outcome& outcome) {
    const std::size_t limit = context.options.budgets.file_bytes;
    if (context.file_bytes <= limit) return;
    std::size_t images = 0;
    const ImageFacts* largest = nullptr;
    for (const ImageFacts& image : context.facts.images) {
        images += image.bytes;
        if (!largest || image.bytes > largest->bytes) largest = &image;
    }
    Finding& finding = outcome.fail(
        {}, "The file is " + megabytes(context.file_bytes) + " (" + grouped(context.file_bytes) + " bytes), " +
                megabytes(context.file_bytes - limit) + " over the limit of " + megabytes(limit) + "; textures take " +
                megabytes(images) + " of it. The upload is refused.");
    numbers(finding, context.file_bytes, limit, "bytes");
    const bool image_heavy = largest && largest->bytes * 2 > context.file_bytes - limit;
    finding.fix = image_heavy
                      ? "Encode textures as KTX2 or lower their edge; the largest is " + largest->name + " with " +
                            megabytes(largest->bytes) + ": `helixavatar import SOURCE -o AVATAR --max-texture 1024`."
                      : std::string(
                            "Lower the triangle targets or drop morph targets that no face channel needs: "
                            "`helixavatar import SOURCE -o AVATAR --fit`.");
}

void check_materials(const RuleContext& context, Outcome& outcome) {
    const Facts& facts = context.facts;
    const std::size_t limit = context.options.budgets.materials;
    if (facts.materials.size() <= limit) return;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < facts.materials.size(); ++i) names.push_back(facts.material_label(static_cast<int>(i)));
    const std::size_t over = facts.materials.size() - limit;
    Finding& finding =
        outcome.fail({"/materials", {}, {}}, "The file has " + plural(facts.materials.size(), "material") + ", " +
                                                 grouped(over) + " over the limit of " + grouped(limit) + ": " +
                                                 listed(names) + ". The upload is refused.");
    numbers(finding, facts.materials.size(), limit, "materials");
    finding.fix = "Put at least " + grouped(over + 1) +
                  " of them into one atlas material: `helixavatar import SOURCE -o AVATAR --atlas=always`.";
}

void check_texture_edge(const RuleContext& context, Outcome& outcome) {
    const std::size_t limit = context.options.budgets.texture_edge;
    for (std::size_t i = 0; i < context.facts.images.size(); ++i) {
        const ImageFacts& image = context.facts.images[i];
        const Where where{"/images/" + std::to_string(i), image.name, {}};
        if (!image.header) {
            outcome.not_measured("the size of this image cannot be read: " + image.fault, where);
            continue;
        }
        const std::size_t edge = static_cast<std::size_t>(std::max({image.header->width, image.header->height, 0}));
        if (edge <= limit) continue;
        Finding& finding =
            outcome.fail(where, "Image " + image.name + " is " + std::to_string(image.header->width) + " x " +
                                    std::to_string(image.header->height) + " pixels; the longer edge may be " +
                                    std::to_string(limit) + " at most. The upload is refused.");
        numbers(finding, edge, limit, "px");
        finding.fix = "Scale it to " + std::to_string(limit) +
                      " pixels: `helixavatar import SOURCE -o AVATAR --max-texture " + std::to_string(limit) + "`.";
    }
}

}  // namespace helixavatar::preflight
