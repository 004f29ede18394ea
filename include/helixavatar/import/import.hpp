// SPDX-License-Identifier: MIT
// The main job: a creator's character in, a publishable avatar and its receipt out.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <helixavatar/avatar/read_source.hpp>
#include <helixavatar/base/result.hpp>
#include <helixavatar/conform/conform.hpp>
#include <helixavatar/gltf/document.hpp>
#include <helixavatar/preflight/preflight.hpp>
#include <helixavatar/rig/recognise.hpp>
#include <helixavatar/skeleton/skeleton.hpp>
#include <helixavatar/texture/process.hpp>

namespace helixavatar::import {

enum class AtlasMode { automatic, always, never };

struct ImportOptions {
    std::string name;  ///< of the avatar; empty: the output file's name without its extensions
    std::vector<std::size_t> lod_triangles = {10000, 5000, 1500};
    bool lod_triangles_given = false;  ///< they are a wish, which a fit does not go over
    bool fit = false;                  ///< into every budget, or not at all
    std::optional<double> height;      ///< metres
    std::optional<double> yaw_degrees;
    std::optional<double> declared_height;         ///< metres; only judged
    const skeleton::Skeleton* skeleton = nullptr;  ///< null: helix-humanoid@1
    std::map<std::string, std::string> bone_map;   ///< canonical joint → source joint
    std::optional<gltf::Json> face_map;
    std::optional<gltf::Json> provenance;        ///< as parse_provenance() returned it
    std::vector<std::string> first_person_hide;  ///< further names besides FaceMesh
    std::vector<std::string> drop_nodes;
    std::string root;
    AtlasMode atlas = AtlasMode::automatic;
    texture::TextureOptions textures;
    bool split_face = true;
    bool keep_aux = false;
    bool share_twist = true;
    bool short_body_fix = true;
    bool accept_pose = false;
    std::string judged_as;  ///< the output as the user names it, for preflight's sentences; empty: its file name
    Limits limits;
};

struct ImportOutput {
    Bytes glb;
    gltf::Json receipt;  ///< helix/avatar-import-receipt@1 (contract.md §6)
    std::vector<std::string> warnings;
    preflight::Report report;  ///< on the file
};

/// What the receipt says of the source file itself.
struct SourceFile {
    std::string file;  ///< file name without folders
    std::size_t bytes = 0;
    std::string sha256;
    std::vector<std::string> mended;  ///< of Readable; the receipt lists them among the warnings
};

/// The source read, checked, decompressed and flattened, its joints recognised; what `inspect` and `import --explain`
/// show.
struct Understood {
    avatar::Source source;
    rig::Recognition recognition;
};

/// A file that a conversion can work on.
struct Readable {
    gltf::Document document;          ///< decompressed
    std::vector<std::string> mended;  ///< faults of the file that converting mends, in words for the creator
};

/// Reads a glTF, GLB, VRM or FBX file for conversion. Errors: unreadable; malformed, with the first structure faults;
/// unconvertible.
Result<Readable> read_for_conversion(const std::filesystem::path& path, const Limits& limits);

/// Flattens and recognises. Errors: unconvertible when the file holds several characters and no root is named; else as
/// avatar::read_source() and rig::recognise().
Result<Understood> understand(const gltf::Document& document, const ImportOptions& options);

/// The whole pipeline on a decompressed document, and preflight's word on the result. `output_name` is the file name
/// that the receipt gives it. Errors: those of the steps; unconvertible when a fit is asked for and some budget or rule
/// is out of reach.
Result<ImportOutput> import_avatar(const gltf::Document& document, const SourceFile& file,
                                   const std::string& output_name, const ImportOptions& options);

/// A body on the canonical skeleton, as values.
struct Conformed {
    avatar::Avatar avatar;
    conform::ConformReport report;
    std::vector<std::string> warnings;
};

/// The pipeline as far as conforming. Errors: as import_avatar().
Result<Conformed> conform_only(const gltf::Document& document, const ImportOptions& options);

/// Skeleton and rest pose only, everything else of the file as it was.
struct ConformedFile {
    gltf::Document document;
    conform::ConformReport report;
    std::vector<std::string> warnings;
};

/// The file itself on the canonical skeleton: its own mesh nodes, materials, textures, extras, morph targets; its
/// joints' animations carried over to the new rest. Errors: as import_avatar().
Result<ConformedFile> conform_file(const gltf::Document& document, const ImportOptions& options);

/// Checks a --provenance file: sourceUrl, license (SPDX expression) and licenseUrl required; attribution, author,
/// model, version optional. Errors: usage, with the key.
Result<gltf::Json> parse_provenance(std::string_view json_text);

/// True for an SPDX licence expression whose identifiers are on the SPDX list ("CC-BY-4.0", "MIT OR Apache-2.0").
bool is_spdx_expression(std::string_view expression);

}  // namespace helixavatar::import
