// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include <helixavatar/avatar/read_source.hpp>
#include <helixavatar/conform/conform.hpp>
#include <helixavatar/face/face.hpp>
#include <helixavatar/import/import.hpp>
#include <helixavatar/rig/recognise.hpp>
#include <helixavatar/texture/atlas.hpp>

#include "fit_plan.hpp"

namespace helixavatar::import {

/// What a fit weighed, chose and gave up.
struct FitRecord {
    std::vector<FittedBudget> budgets;
    std::vector<std::string> gave_up;   ///< in words for the creator
    std::vector<Candidate> considered;  ///< least loss first: the first one was taken
    std::size_t source_triangles = 0;   ///< before any level is reduced
    std::size_t source_edge = 0;        ///< pixels, longest of the source's images
    std::size_t geometry_bytes = 0;     ///< measured, of everything but the images
    std::size_t bytes_over = 0;         ///< of the file limit, with the smallest images
};

/// Everything that the steps found out, kept for the receipt.
struct Record {
    SourceFile file;
    std::string output_name;
    avatar::SourceFacts facts;
    double source_height = 0;  ///< metres as the file has them
    std::string rest_pose;
    rig::Recognition recognition;
    std::vector<std::string> source_joints;  ///< names, for the bone map
    conform::ConformReport conform;
    texture::TextureOutput textures;
    FitRecord fit;
    texture::AtlasOutput atlas;  ///< without its avatar
    face::FaceOutput face;
    std::vector<std::size_t> face_triangles;
    gltf::Json provenance;  ///< of the --provenance file or a VRM's meta; null: unknown
    std::vector<std::string> warnings;
};

/// The receipt's word on what preflight said.
gltf::Json verdict_section(const preflight::Report& report);

/// The receipt without its `output` and `preflight` sections, which are known only once the file is.
gltf::Json make_receipt(const Record& record, const avatar::Avatar& avatar, const ImportOptions& options);

/// A VRM's expressions with the names that the surfaces' morph targets carry. Requires source.vrm.
std::vector<face::Expression> vrm_expressions(const avatar::Source& source);

/// Extent of a level along a direction.
double height_along(const avatar::Level& level, const Vec3& up);

}  // namespace helixavatar::import
