// SPDX-License-Identifier: MIT
#include "preflight/explainer.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "preflight/buffer_use.hpp"
#include "preflight/frame_measure.hpp"
#include "preflight/repeated_geometry.hpp"
#include "preflight/size_measure.hpp"
#include "preflight/wording.hpp"

namespace helixavatar::preflight {
namespace {

// Bytes a pixel with mips, measured with basisu 1.15 on 2048-pixel maps: ETC1S quality 128 and UASTC level 1.
constexpr double kEtc1sBytes = 0.12;
constexpr double kUastcBytes = 1.03;

using Share = Measured::Share;
using Saving = Measured::Saving;

void sort_shares(std::vector<Share>& shares) {
    std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.amount > b.amount; });
}

void share_draws(const Facts& facts, std::vector<Share>& out) {
    std::map<std::string, std::size_t> triangles, materials;
    for (std::size_t i = 0; i < facts.scenes.size(); ++i) {
        const SceneFacts& scene = facts.scenes[i];
        out.push_back({"triangles", facts.scene_label(i), scene.triangles});
        out.push_back({"draw-calls", facts.scene_label(i), scene.draw_calls});
        for (const int node : scene.instances) {
            for (const PrimitiveFacts& primitive : facts.meshes[facts.nodes[node].mesh].primitives) {
                triangles["mesh " + facts.mesh_label(facts.nodes[node].mesh) + " in " + facts.scene_label(i)] +=
                    primitive.triangles;
                ++materials["material " + facts.material_label(primitive.material)];
            }
        }
    }
    for (const auto& [name, amount] : triangles) out.push_back({"triangles", name, amount});
    for (const auto& [name, amount] : materials) out.push_back({"draw-calls", name, amount});
}

Saving saving(const char* of, std::string action, std::size_t amount, std::size_t over) {
    return {of, std::move(action), amount, over > 0 && amount >= over};
}

std::size_t over(std::size_t measured, std::size_t limit) {
    return measured > limit ? measured - limit : 0;
}

void save_draws(const RuleContext& context, std::vector<Saving>& out) {
    const Facts& facts = context.facts;
    const std::size_t too_many = over(facts.draw_calls, context.options.budgets.draw_calls);
    std::size_t mergeable = 0, slices = 0;
    for (const JoinableParts& parts : facts.joinable_parts()) mergeable += parts.meshes.size() - 1;
    std::set<int> drawn_materials;
    for (const SceneFacts& scene : facts.scenes) {
        bool body = false, face = false;
        for (const int node : scene.instances) {
            (facts.nodes[node].name.find(avatar::kFaceMesh) != std::string::npos ? face : body) = true;
            for (const PrimitiveFacts& primitive : facts.meshes[facts.nodes[node].mesh].primitives)
                drawn_materials.insert(primitive.material);
        }
        slices += body + face;
    }
    if (mergeable) {
        out.push_back(saving("draw-calls",
                             "merge the meshes that share a material within a LOD: -" + plural(mergeable, "draw call"),
                             mergeable, too_many));
    }
    if (drawn_materials.size() > 1 && facts.draw_calls > slices) {
        out.push_back(saving("draw-calls",
                             "merge " + plural(drawn_materials.size(), "material") + " into one atlas: -" +
                                 plural(facts.draw_calls - slices, "draw call"),
                             facts.draw_calls - slices, too_many));
    }
}

void save_triangles(const RuleContext& context, std::vector<Saving>& out) {
    const Facts& facts = context.facts;
    const std::size_t too_many = over(facts.triangles, context.options.budgets.triangles);
    if (!too_many) return;
    for (std::size_t i = 0; i < facts.scenes.size(); ++i) {
        const std::size_t now = facts.scenes[i].triangles;
        if (now <= 2 * too_many) continue;
        out.push_back(saving(
            "triangles", facts.scene_label(i) + " " + grouped(now) + " to " + grouped(now - too_many) + " triangles",
            too_many, too_many));
    }
}

void save_textures(const RuleContext& context, std::vector<Saving>& out) {
    const std::size_t too_many = over(context.file_bytes, context.options.budgets.file_bytes);
    for (const ImageFacts& image : context.facts.images) {
        if (!image.header) continue;
        const int edge = std::max(image.header->width, image.header->height);
        const double pixels = static_cast<double>(image.header->width) * image.header->height;
        const bool is_normal = std::any_of(image.uses.begin(), image.uses.end(), [](const std::string& use) {
            return use.rfind("normalTexture", 0) == 0 || use.rfind("clearcoatNormalTexture", 0) == 0;
        });
        if (!image.header->ktx2) {
            const double encoded = pixels * (is_normal ? kUastcBytes : kEtc1sBytes);
            const double saved = static_cast<double>(image.bytes) - encoded;
            if (saved > 65536) {
                out.push_back(saving("file-size",
                                     image.name + " as KTX2: about -" + megabytes(static_cast<std::size_t>(saved)),
                                     static_cast<std::size_t>(saved), too_many));
            }
            const double memory = static_cast<double>(image.gpu_bytes) - pixels * (is_normal ? 1.0 : 0.5) * 4 / 3;
            if (memory > 0) {
                out.push_back(
                    saving("texture-memory",
                           image.name + " as KTX2: -" + megabytes(static_cast<std::size_t>(memory)) + " on the GPU",
                           static_cast<std::size_t>(memory), 0));
            }
        }
        if (edge > 1024) {
            const std::size_t saved = image.bytes * 3 / 4;
            out.push_back(saving("file-size",
                                 image.name + " " + std::to_string(edge) + " to " + std::to_string(edge / 2) +
                                     " pixels: about -" + megabytes(saved),
                                 saved, too_many));
        }
    }
}

/// What the file carries for nothing: each can go without anything looking different.
void save_dead_weight(const RuleContext& context, std::vector<Saving>& out) {
    if (!context.facts.readable) return;
    const std::size_t too_many = over(context.file_bytes, context.options.budgets.file_bytes);
    for (const RepeatedGeometry& repeated : repeated_geometry(context)) {
        out.push_back(saving("file-size",
                             "share the " + plural(repeated.accessors, "accessor") + " of " + repeated.level +
                                 " that repeat others byte for byte: -" + megabytes(repeated.bytes),
                             repeated.bytes, too_many));
    }
    const BufferUse use = measure_buffer_use(context.document);
    std::size_t unused = 0;
    for (const auto& [accessor, bytes] : use.unused_accessors) unused += bytes;
    if (unused) {
        out.push_back(saving("file-size",
                             "drop " + plural(use.unused_accessors.size(), "accessor") +
                                 " that no mesh, skin or animation uses: -" + megabytes(unused),
                             unused, too_many));
    }
    if (use.unused_bytes) {
        out.push_back(
            saving("file-size",
                   "cut out the bytes that nothing refers to" + use.where_text() + ": -" + megabytes(use.unused_bytes),
                   use.unused_bytes, too_many));
    }
    for (std::size_t i = 0; i < context.facts.images.size(); ++i) {
        const ImageFacts& image = context.facts.images[i];
        if (!image.uses.empty() || image.bytes == 0 || use.other_images.count(static_cast<int>(i))) continue;
        out.push_back(saving("file-size", "drop " + image.name + ", which no material uses: -" + megabytes(image.bytes),
                             image.bytes, too_many));
    }
}

void share_textures(const Facts& facts, std::vector<Share>& out) {
    for (const ImageFacts& image : facts.images) {
        if (image.gpu_bytes) out.push_back({"texture-memory", "texture " + image.name, image.gpu_bytes});
    }
}

void measure_body(const RuleContext& context, Measured& out) {
    const Facts& facts = context.facts;
    if (!facts.readable || facts.scenes.empty()) return;
    const BodySize size = body_size(facts, context.skeleton);
    out.height = size.height;
    out.pelvis_height = size.pelvis;
    out.foot_height = size.foot;
    out.leg_ratio = size.ratio;
    const int left = facts.joint(0, "upperarm_l"), right = facts.joint(0, "upperarm_r");
    if (left >= 0 && right >= 0) out.shoulder_width = (facts.position(left) - facts.position(right)).norm();
    Vec3 direction = Vec3::Zero();
    const char* sides[] = {"_l", "_r"};
    for (int i = 0; i < 2; ++i) {
        const double angle = arm_degrees(facts, 0, sides[i], direction);
        if (std::isfinite(angle)) out.arm_degrees[i] = angle;
    }
    const Facing skeleton = skeleton_facing(facts, 0), geometry = geometry_facing(facts, 0);
    out.skeleton_yaw = skeleton.yaw;
    out.geometry_yaw = geometry.yaw;
    out.skeleton_facing = skeleton.text();
    out.geometry_facing = geometry.text();
}

}  // namespace

Measured measured_of(const RuleContext& context) {
    const Facts& facts = context.facts;
    Measured out;
    out.triangles = facts.triangles;
    out.draw_calls = facts.draw_calls;
    out.materials = facts.materials.size();
    out.file_bytes = context.file_bytes;
    for (const ImageFacts& image : facts.images) {
        out.texture_memory_bytes += image.gpu_bytes;
        if (!image.header) continue;
        const int edge = std::max({image.header->width, image.header->height, 0});
        out.largest_texture_edge = std::max(out.largest_texture_edge, static_cast<std::size_t>(edge));
    }
    for (const SceneFacts& scene : facts.scenes) {
        out.levels.push_back({scene.name, scene.triangles, scene.draw_calls, scene.vertices});
    }
    measure_body(context, out);
    share_draws(facts, out.shares);
    share_textures(facts, out.shares);
    for (Share& share : byte_shares(context)) out.shares.push_back(std::move(share));
    sort_shares(out.shares);
    save_triangles(context, out.savings);
    save_draws(context, out.savings);
    save_textures(context, out.savings);
    save_dead_weight(context, out.savings);
    std::stable_sort(out.savings.begin(), out.savings.end(),
                     [](const Saving& a, const Saving& b) { return a.of != b.of ? a.of < b.of : a.amount > b.amount; });
    return out;
}

}  // namespace helixavatar::preflight
