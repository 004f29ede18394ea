// SPDX-License-Identifier: MIT
// The options of import that conform and inspect take too.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <helixavatar/import/import.hpp>

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace helixavatar::commands {

/// Where the command line's words for import::ImportOptions are kept until they are read.
struct ConversionWords {
    std::string bone_map_file;
    std::string skeleton_file;
    skeleton::Skeleton skeleton;  ///< what skeleton_file held; ImportOptions points at it
};

/// --bone-map, --skeleton, --height, --yaw, --root, --drop-node, --keep-aux, --no-twist, --no-short-body-fix,
/// --accept-pose.
void add_conversion_options(CLI::App& app, import::ImportOptions& options, ConversionWords& words);

/// --limit-bytes, --limit-vertices, --limit-pixels: what a file may ask for before it is refused.
void add_limit_options(CLI::App& app, Limits& limits);

/// A number of the range; NaN lies in none.
CLI::Validator within(double least, double most);

/// --skeleton alone.
void add_skeleton_option(CLI::App& app, ConversionWords& words);

/// Reads the files that the words name. Errors: usage.
Result<void> read_conversion_files(import::ImportOptions& options, ConversionWords& words);

/// The files that a conversion takes from a folder.
inline const std::vector<std::string> kCharacterExtensions = {".glb", ".gltf", ".vrm", ".fbx"};

/// "knight" for "out/knight.web.glb".
std::string avatar_name(const std::filesystem::path& output);

/// File name, size and hash of the source for the receipt.
import::SourceFile source_file(const std::filesystem::path& path, const import::Readable& readable);

}  // namespace helixavatar::commands
