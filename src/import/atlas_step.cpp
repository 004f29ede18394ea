// SPDX-License-Identifier: MIT
#include <helixavatar/lod/levels.hpp>
#include <helixavatar/texture/atlas.hpp>

#include "job.hpp"

namespace helixavatar::import {
namespace {

using avatar::Avatar;

/// Draws that the finished file will need: the levels repeat those of the nearest one.
std::size_t expected_draws(const Avatar& avatar, const Plan& plan) {
    Avatar one;
    one.joints = avatar.joints;
    one.levels = avatar.levels;
    if (plan.split_face) one = lod::split_face(std::move(one)).avatar;
    return one.levels[0].draw_calls() * plan.triangles.size();
}

/// A texture that repeats more often than the first number is left out of an atlas; a fit bakes it in coarsely rather
/// than miss the gate.
constexpr int kRepeats = 4, kFitRepeats = 16;

/// The largest number of materials that fits is taken: every one that can stay apart keeps its own way of being drawn.
Result<texture::AtlasOutput> bake(const Avatar& avatar, const ImportOptions& options, const Plan& plan, int repeats) {
    texture::AtlasOptions atlas;
    atlas.max_edge = options.textures.max_edge;
    atlas.encoder = options.textures.encoder;
    atlas.limits = options.limits;
    atlas.max_repeats = repeats;
    for (atlas.max_materials = 4;; --atlas.max_materials) {
        Result<texture::AtlasOutput> out = texture::atlas(avatar, atlas);
        if (!out) return out.error();
        out->avatar = lod::merge_surfaces(std::move(out->avatar));
        if (atlas.max_materials == 1 || !over_the_gate(out->avatar, plan)) return out;
    }
}

void take_atlas(Job& job, texture::AtlasOutput out) {
    job.avatar = std::move(out.avatar);
    for (const texture::AtlasRecord& made : out.atlases) {
        job.record.warnings.push_back(std::to_string(made.from.size()) + " materials were baked into the atlas \"" +
                                      made.material + "\"");
        std::string text = std::to_string(made.from.size()) + " materials drawn as one (\"" + made.material + "\")";
        if (made.scale < 0.99)
            text += ", the most detailed of their textures at " + std::to_string(std::lround(made.scale * 100)) +
                    " % of its resolution";
        job.record.fit.gave_up.push_back(text);
    }
    for (const texture::LeftOut& left : out.left_out)
        job.record.warnings.push_back("the material \"" + left.material + "\" stays out of the atlas: " + left.reason);
    job.warn(out.warnings);
    job.record.atlas = std::move(out);
    job.record.atlas.avatar = {};
}

/// What is left when no atlas is enough: fewer levels, then the head with the body.
void give_up_draws(Job& job) {
    Plan& plan = job.plan;
    std::vector<std::string>& gave_up = job.record.fit.gave_up;
    const std::size_t levels = plan.triangles.size();
    while (plan.triangles.size() > 2 && expected_draws(job.avatar, plan) > preflight::Budgets{}.draw_calls)
        plan.triangles.pop_back();
    if (plan.split_face && expected_draws(job.avatar, plan) > preflight::Budgets{}.draw_calls) {
        plan.split_face = false;
        gave_up.push_back("the FaceMesh slice: a first-person camera sees the head from inside");
    }
    while (plan.triangles.size() > 1 && expected_draws(job.avatar, plan) > preflight::Budgets{}.draw_calls)
        plan.triangles.pop_back();
    if (plan.triangles.size() < levels)
        gave_up.push_back(std::to_string(levels - plan.triangles.size()) + " of " + std::to_string(levels) +
                          " levels: each repeats every draw call");
}

}  // namespace

bool over_the_gate(const Avatar& avatar, const Plan& plan) {
    const preflight::Budgets gate;
    return avatar.materials.size() > gate.materials || expected_draws(avatar, plan) > gate.draw_calls;
}

Result<void> atlas_step(Job& job) {
    const ImportOptions& options = job.options;
    const bool baked = options.atlas == AtlasMode::always ||
                       (options.atlas == AtlasMode::automatic && over_the_gate(job.avatar, job.plan));
    if (baked) {
        Result<texture::AtlasOutput> out = bake(job.avatar, options, job.plan, kRepeats);
        if (out && options.fit && over_the_gate(out->avatar, job.plan))
            out = bake(job.avatar, options, job.plan, kFitRepeats);
        if (!out) return out.error();
        take_atlas(job, out.take());
    }
    if (options.fit) give_up_draws(job);
    return {};
}

}  // namespace helixavatar::import
