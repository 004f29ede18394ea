// SPDX-License-Identifier: MIT
// Judging one avatar file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <helixavatar/base/finding.hpp>
#include <helixavatar/base/limits.hpp>
#include <helixavatar/base/result.hpp>
#include <helixavatar/gltf/document.hpp>
#include <helixavatar/preflight/rules.hpp>
#include <helixavatar/skeleton/skeleton.hpp>
#include <helixavatar/texture/pixel_statistics.hpp>

namespace helixavatar::preflight {

enum class Profile { publish, gate };

struct Budgets {
    std::size_t triangles = 60000;
    std::size_t draw_calls = 12;
    std::size_t file_bytes = 10485760;
    std::size_t materials = 8;
    std::size_t texture_edge = 2048;
};

struct PreflightOptions {
    Profile profile = Profile::publish;
    Budgets budgets;
    const skeleton::Skeleton* skeleton = nullptr;  ///< null: the built-in one
    std::optional<double> declared_height;         ///< metres
    std::vector<std::string> only;                 ///< rule ids; empty: all of the profile
    std::vector<std::string> ignore;
    bool pixel_guards = true;  ///< decode textures for the material guards
    struct KnownImage {
        ByteView encoded;
        texture::PixelStatistics statistics;
    };
    std::vector<KnownImage> known_images;  ///< images of the file that need not be decoded again
    Limits limits;
};

/// What was measured, whether or not a rule fired; printed by `preflight` and `inspect`, kept in JSON reports.
struct Measured {
    std::size_t triangles = 0, draw_calls = 0, materials = 0, file_bytes = 0, largest_texture_edge = 0;
    std::size_t texture_memory_bytes = 0;  ///< GPU memory with mips, as the file's formats upload
    struct LevelMeasure {
        std::string scene;
        std::size_t triangles = 0, draw_calls = 0, vertices = 0;
    };
    std::vector<LevelMeasure> levels;
    double height = 0, pelvis_height = 0, foot_height = 0, leg_ratio = 0;  ///< metres, LOD0 skinned at rest
    double arm_degrees[2] = {0, 0};                                        ///< left, right upper arm from straight down
    double skeleton_yaw = 0, geometry_yaw = 0;                             ///< degrees off +Z
    double shoulder_width = 0;                                             ///< metres between the upper arm joints
    std::string skeleton_facing, geometry_facing;  ///< every witness with its yaw, and how well they agree

    /// Where a budget goes, largest share first.
    struct Share {
        std::string of;    ///< "triangles", "draw-calls", "file-size", "texture-memory"
        std::string what;  ///< "LOD0 (lod1)", "mesh Body in LOD0 (lod1)", "material Skin", "texture Skin_Color", "morph
                           ///< targets"
        std::size_t amount = 0;
    };
    std::vector<Share> shares;

    /// A change and what it saves, per budget the most effective first. Estimates where the text says "about".
    struct Saving {
        std::string of;
        std::string action;  ///< "merge 3 materials into one atlas: -9 draw calls"
        std::size_t amount = 0;
        bool enough = false;  ///< this change alone brings the budget under its limit
    };
    std::vector<Saving> savings;
};

struct Report {
    std::string file;   ///< as the user named it
    Findings findings;  ///< errors first, folded
    Measured measured;
    std::vector<std::string> passed;  ///< ids of the rules that ran and passed
    std::size_t count(Severity severity) const;
    bool failed(bool strict) const;  ///< an error; under strict also a warning or a not-measured
};

/// Judges the bytes of one file. A malformed container or JSON is an error of kind malformed; every other fault is a
/// finding.
Result<Report> judge(ByteView file, const std::string& name, const PreflightOptions& options = {});
/// The same of bytes that nobody else needs, which halves the memory.
Result<Report> judge(Bytes&& file, const std::string& name, const PreflightOptions& options = {});

}  // namespace helixavatar::preflight
