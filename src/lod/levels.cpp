// SPDX-License-Identifier: MIT
#include <helixavatar/lod/levels.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <future>
#include <numeric>
#include <optional>

#include <helixavatar/base/parallel.hpp>
#include <helixavatar/lod/measure.hpp>

#include "flexed_poses.hpp"
#include "simplifier.hpp"

namespace helixavatar::lod {

using avatar::Avatar;
using avatar::Level;
using avatar::Surface;

namespace {

constexpr std::size_t kMostLevels = 4;
constexpr double kWithin = 0.98;  // a level may stay this far under its target
// Levels that an earlier automatic run made are what this one would make, to what rounding and kWithin leave open.
constexpr double kAutomaticSlack = 0.05;
// Shares of a level in the first one, and triangles under which a body is no body any more.
constexpr std::array<double, 3> kShares = {1, 1.0 / 2, 3.0 / 20};
constexpr std::size_t kFewest = 300;

// Squared errors count this much more than elsewhere on the skin of a head that looks ahead, and on a hand: people look
// there first.
constexpr float kFaceImportance = 1.5F;
constexpr float kHandImportance = 1.1F;

std::size_t triangles_of(const std::vector<Surface>& surfaces) {
    std::size_t sum = 0;
    for (const Surface& surface : surfaces) sum += surface.triangles();
    return sum;
}

struct Importance {
    float all = 1;    ///< of every side
    float ahead = 0;  ///< comes on top where the surface looks ahead
};

std::vector<Importance> joint_importance(const Avatar& avatar) {
    std::vector<Importance> importance(avatar.joints.size());
    for (std::size_t j = 0; j < importance.size(); ++j) {
        const avatar::Joint& joint = avatar.joints[j];
        if (joint.name == "head")
            importance[j] = {1, kFaceImportance - 1};
        else if (joint.name == "hand_l" || joint.name == "hand_r")
            importance[j] = {kHandImportance, 0};
        else if (joint.parent >= 0 && static_cast<std::size_t>(joint.parent) < j)
            importance[j] = importance[joint.parent];
    }
    return importance;
}

std::vector<float> vertex_importance(const Surface& surface, const std::vector<Importance>& of_joint) {
    std::vector<float> importance(surface.positions.size(), 1.0F);
    for (std::size_t v = 0; v < surface.influences.size(); ++v) {
        const float z = surface.normals.empty() ? 0 : surface.normals[v].z();
        const float ahead = z > 0 ? std::min(z, 1.0F) : 0;  // 0 for what is no number
        float sum = 0, total = 0;
        for (const avatar::Influence& influence : surface.influences[v]) {
            if (influence.weight <= 0 || influence.joint >= of_joint.size()) continue;
            const Importance& joint = of_joint[influence.joint];
            sum += influence.weight * (joint.all + joint.ahead * ahead);
            total += influence.weight;
        }
        if (total > 0) importance[v] = sum / total;
    }
    return importance;
}

SimplifierInput prepare(const Avatar& avatar, const Level& source) {
    SimplifierInput input;
    const std::vector<Importance> of_joint = joint_importance(avatar);
    for (const Surface& surface : source.surfaces) {
        Surface pooled = surface;
        pooled.body.insert(pooled.body.end(), surface.face.begin(), surface.face.end());
        pooled.face.clear();
        input.surfaces.push_back(weld(pooled));
        input.posed.push_back(flexed_poses(avatar, input.surfaces.back()));
        input.importance.push_back(vertex_importance(input.surfaces.back(), of_joint));
        const bool has_material =
            surface.material >= 0 && static_cast<std::size_t>(surface.material) < avatar.materials.size();
        input.textured.push_back(!surface.colors.empty() ||
                                 (has_material && !avatar.materials[surface.material].slots.empty()));
    }
    return input;
}

/// True when the levels are what these targets would make: then they stay as they are.
bool already_built(const Avatar& avatar, const std::vector<std::size_t>& targets, bool automatic) {
    if (avatar.levels.size() != targets.size()) return false;
    if (avatar.levels.size() == 1 && avatar.levels.front().name != "lod1") return false;
    if (automatic) {
        return std::equal(
            targets.begin(), targets.end(), avatar.levels.begin(), [](std::size_t target, const Level& l) {
                const double off = static_cast<double>(triangles_of(l.surfaces)) - static_cast<double>(target);
                return std::abs(off) <= kAutomaticSlack * static_cast<double>(target);
            });
    }
    const std::size_t most = triangles_of(avatar.levels.front().surfaces);
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const std::size_t count = triangles_of(avatar.levels[i].surfaces);
        if (count > targets[i] ||
            (count < most && static_cast<double>(count) < kWithin * static_cast<double>(targets[i])))
            return false;
    }
    return true;
}

Result<void> check(const Avatar& avatar, const std::vector<std::size_t>& targets) {
    if (avatar.levels.empty() || triangles_of(avatar.levels.front().surfaces) == 0)
        return Error{ErrorKind::usage, "the avatar has no triangle to make levels from", "", ""};
    if (targets.empty())
        return Error{ErrorKind::usage, "no triangle target was given", "", "give one to four falling numbers"};
    if (targets.size() > kMostLevels)
        return Error{ErrorKind::usage, std::to_string(targets.size()) + " levels were asked for", "",
                     "at most four levels can be made"};
    for (std::size_t i = 0; i < targets.size(); ++i)
        if (targets[i] == 0 || (i > 0 && targets[i] >= targets[i - 1]))
            return Error{ErrorKind::usage, "triangle targets must be above zero and fall from level to level", "", ""};
    return {};
}

std::vector<std::string> what_it_cost(const Level& level, std::size_t target, std::size_t pieces) {
    std::vector<std::string> warnings;
    const std::size_t count = triangles_of(level.surfaces);
    if (count > target)
        warnings.push_back("level " + level.name + " has " + std::to_string(count) + " triangles, the target was " +
                           std::to_string(target) + ": what is left cannot be collapsed without opening a hole");
    if (pieces > 0)
        warnings.push_back("level " + level.name + " leaves out " + std::to_string(pieces) +
                           " of the source's separate pieces, which were too small to keep at this size");
    return warnings;
}

/// Levels that no target reaches down to are all the source.
void say_whole(std::vector<std::string>& warnings, std::size_t whole, std::size_t count,
               const std::vector<std::size_t>& targets) {
    if (whole < 2) return;
    warnings.push_back("levels lod1 to lod" + std::to_string(whole) + " are the same: the source has " +
                       std::to_string(count) + " triangles, not above the target of " +
                       std::to_string(targets[whole - 1]) +
                       "; give lower targets, or let `helixavatar lod --auto` choose them");
}

/// Beside the caller where there is a core for it, else when the result is asked for.
std::launch when_to_run() {
    return threads_at_hand() > 1 ? std::launch::async : std::launch::deferred;
}

}  // namespace

std::vector<std::size_t> automatic_targets(std::size_t source_triangles, std::size_t budget, std::size_t levels) {
    levels = std::min(levels, kShares.size());
    const double sum = std::accumulate(kShares.begin(), kShares.begin() + levels, 0.0);
    const auto most = static_cast<std::size_t>(static_cast<double>(budget) / sum);
    const std::size_t first = std::min(source_triangles, std::max<std::size_t>(most, 1));
    std::vector<std::size_t> targets;
    for (std::size_t level = 0; level < levels; ++level) {
        const auto target = static_cast<std::size_t>(static_cast<double>(first) * kShares[level]);
        if (target == 0 || (!targets.empty() && target < kFewest)) break;
        targets.push_back(target);
    }
    return targets;
}

Result<LevelsOutput> build_levels(Avatar avatar, const LevelOptions& given) {
    LevelOptions options = given;
    if (options.automatic)
        options.triangles =
            automatic_targets(avatar.levels.empty() ? 0 : triangles_of(avatar.levels.front().surfaces), options.budget);
    if (Result<void> fit = check(avatar, options.triangles); !fit) return fit.error();
    LevelsOutput out;
    if (already_built(avatar, options.triangles, options.automatic)) {
        out.avatar = std::move(avatar);
        out.kept = true;
        return out;
    }
    const Level source = avatar.levels.front();
    const bool split =
        std::any_of(source.surfaces.begin(), source.surfaces.end(), [](const Surface& s) { return !s.face.empty(); });
    std::optional<Simplifier> simplifier;
    std::vector<std::size_t> pieces;          // that each level leaves out
    std::shared_future<DistanceMeter> meter;  // gets ready while the first level is made
    std::vector<std::future<Level>> made;     // and each level while the next one is
    for (const std::size_t target : options.triangles) {
        if (triangles_of(source.surfaces) <= target) continue;
        if (!simplifier) {
            meter = std::async(when_to_run(), [&source] { return DistanceMeter(source); });
            simplifier.emplace(prepare(avatar, source));
        }
        simplifier->reduce_to(target);
        pieces.push_back(simplifier->missing_pieces());
        made.push_back(std::async(when_to_run(), [&simplifier, meter, mesh = simplifier->level()] {
            Level level;
            level.surfaces = simplifier->surfaces(mesh);
            level.error = meter.get().to(level);
            return level;
        }));
    }
    avatar.levels.clear();
    const std::size_t whole = options.triangles.size() - made.size();  // levels that are the source
    for (std::size_t i = 0; i < options.triangles.size(); ++i) {
        Level level;
        if (i < whole) {
            level.surfaces = source.surfaces;
            level.error = avatar::LevelError{};
        } else {
            level = made[i - whole].get();
        }
        level.name = "lod" + std::to_string(i + 1);
        const auto cost = what_it_cost(level, options.triangles[i], i < whole ? 0 : pieces[i - whole]);
        out.warnings.insert(out.warnings.end(), cost.begin(), cost.end());
        avatar.levels.push_back(std::move(level));
    }
    say_whole(out.warnings, whole, triangles_of(source.surfaces), options.triangles);
    out.avatar = split ? split_face(std::move(avatar)).avatar : std::move(avatar);
    return out;
}

}  // namespace helixavatar::lod
