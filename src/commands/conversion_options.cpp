// SPDX-License-Identifier: MIT
#include "conversion_options.hpp"

#include <CLI/CLI.hpp>

#include "console.hpp"

namespace helixavatar::commands {

CLI::Validator within(double least, double most) {
    const std::string range = CLI::detail::to_string(least) + " to " + CLI::detail::to_string(most);
    return CLI::Validator(
        [=](std::string& word) {
            double value = 0;
            const bool inside = CLI::detail::lexical_cast(word, value) && value >= least && value <= most;
            return inside ? std::string() : word + " is not in the range " + range;
        },
        "");
}

void add_skeleton_option(CLI::App& app, ConversionWords& words) {
    app.add_option("--skeleton", words.skeleton_file,
                   "skeleton to use: a JSON file or an avatar GLB (default: the built-in helix-humanoid@1)")
        ->type_name("FILE");
}

void add_conversion_options(CLI::App& app, import::ImportOptions& options, ConversionWords& words) {
    add_skeleton_option(app, words);
    app.add_option("--bone-map", words.bone_map_file,
                   "JSON of canonical joint to source joint; overrides what was recognised")
        ->type_name("FILE");
    app.add_option("--height", options.height, "height of the result in metres (default: the source's own)")
        ->check(within(0.1, 10.0))
        ->type_name("METRES");
    app.add_option("--yaw", options.yaw_degrees, "turn about the up axis in degrees, in place of the measured facing")
        ->check(within(-360.0, 360.0))
        ->type_name("DEG");
    app.add_option("--root", options.root, "name of the skeleton root to use when the file holds several characters")
        ->type_name("NAME");
    app.add_option("--drop-node", options.drop_nodes,
                   "leave out the meshes under this node; may be given several times")
        ->allow_extra_args(false)
        ->type_name("NAME");
    app.add_flag("--keep-aux", options.keep_aux,
                 "keep weighted joints that map to nothing (hair, tail, skirt) as auxiliary joints");
    app.add_flag("!--no-twist", options.share_twist, "do not spread limb weight onto twist joints");
    app.add_flag("!--no-short-body-fix", options.short_body_fix,
                 "do not lower the pelvis joint of bodies under 1.35 m");
    app.add_flag("--accept-pose", options.accept_pose, "convert a rest pose that looks like a wrong rig");
    add_limit_options(app, options.limits);
}

void add_limit_options(CLI::App& app, Limits& limits) {
    app.add_option("--limit-bytes", limits.file_bytes, "refuse a larger file unread")
        ->check(within(1, 1e12))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--limit-vertices", limits.vertices, "refuse an accessor of more elements")
        ->check(within(1, 4e9))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--limit-pixels", limits.image_edge, "refuse an image with a longer edge")
        ->check(within(1, 1e6))
        ->type_name("PX")
        ->capture_default_str();
}

Result<void> read_conversion_files(import::ImportOptions& options, ConversionWords& words) {
    if (!words.skeleton_file.empty()) {
        Result<skeleton::Skeleton> read = skeleton::read_skeleton(words.skeleton_file);
        if (!read) return read.error();
        words.skeleton = read.take();
        options.skeleton = &words.skeleton;
    }
    if (!words.bone_map_file.empty()) {
        const Result<std::string> text = read_text(words.bone_map_file);
        if (!text) return text.error();
        const skeleton::Skeleton& canonical = options.skeleton ? *options.skeleton : skeleton::helix_humanoid();
        Result<std::map<std::string, std::string>> map = rig::parse_bone_map(*text, canonical);
        if (!map) {
            Error error = map.error();
            error.where = words.bone_map_file + (error.where.empty() ? "" : ": " + error.where);
            return error;
        }
        options.bone_map = map.take();
    }
    return {};
}

std::string avatar_name(const std::filesystem::path& output) {
    std::string name = output.filename().string();
    for (const char* end : {".glb", ".web"})
        if (name.size() > std::string(end).size() && name.ends_with(end))
            name.resize(name.size() - std::string(end).size());
    return name;
}

import::SourceFile source_file(const std::filesystem::path& path, const import::Readable& readable){
    return {path.filename().string(), readable.document.file_bytes, readable.document.sha256, readable.mended};
}  // namespace helixavatar::commands

}  // namespace helixavatar::commands
