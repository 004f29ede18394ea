// SPDX-License-Identifier: MIT
// helix/avatar-import-receipt@1 (contract.md §6). No time and no path: the same input and flags give the same bytes.
#include "receipt.hpp"

#include <algorithm>
#include <cmath>

#include <helixavatar/base/version.hpp>
#include <helixavatar/dynamics/check.hpp>

namespace helixavatar::import {
namespace {

using gltf::Json;

/// Rounded so that the last bits of a sum do not matter to a reader; the value stays exact enough to check.
double rounded(double value, int decimals = 6) {
    const double scale = std::pow(10.0, decimals);
    const double scaled = std::round(value * scale) / scale;
    return scaled == 0 ? 0.0 : scaled;
}

Json numbers(const Vec3& v) {
    return Json::array({rounded(v.x()), rounded(v.y()), rounded(v.z())});
}

Json text_or_null(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

Json source_section(const Record& record) {
    const avatar::SourceFacts& facts = record.facts;
    return {{"file", record.file.file},
            {"bytes", record.file.bytes},
            {"sha256", record.file.sha256},
            {"format", facts.format},
            {"generator", text_or_null(facts.generator)},
            {"rig",
             {{"family", record.recognition.map.family},
              {"confidence", rounded(record.recognition.map.family_confidence, 3)}}},
            {"meshes", facts.meshes},
            {"primitives", facts.primitives},
            {"materials", facts.materials},
            {"textures", facts.textures},
            {"joints", facts.joints},
            {"triangles", facts.triangles},
            {"vertices", facts.vertices},
            {"morphTargets", facts.morph_targets},
            {"animations", facts.animations},
            {"heightMetres", rounded(record.source_height)}};
}

Json lods_section(const avatar::Avatar& avatar) {
    Json list = Json::array();
    for (const avatar::Level& level : avatar.levels) {
        Json entry = {{"scene", level.name},
                      {"triangles", level.triangles()},
                      {"vertices", level.vertices()},
                      {"drawCalls", level.draw_calls()}};
        entry["error"] = level.error ? Json{{"maxMillimetres", rounded(level.error->max_mm, 3)},
                                            {"rmsMillimetres", rounded(level.error->rms_mm, 3)}}
                                     : Json();
        list.push_back(std::move(entry));
    }
    return list;
}

Json face_section(const face::FaceOutput& face) {
    return {{"capability", face.capability},
            {"channels", face.channels},
            {"derived", face.derived},
            {"blink", face.blink},
            {"gaze", face.gaze}};
}

Json bone_map_section(const Record& record) {
    Json list = Json::array();
    for (const avatar::BoneMatch& match : record.recognition.map.matches) {
        Json entry = {{"canonical", match.canonical}};
        entry["source"] = match.source < 0 ? Json() : Json(record.source_joints[match.source]);
        entry["how"] = avatar::to_string(match.how);
        entry["confidence"] = rounded(match.confidence, 3);
        list.push_back(std::move(entry));
    }
    return list;
}

Json unmapped_section(const conform::ConformReport& report) {
    Json list = Json::array();
    for (const conform::UnmappedJoint& joint : report.unmapped)
        list.push_back({{"source", joint.source},
                        {"weightShare", rounded(joint.weight_share)},
                        {"mergedInto", text_or_null(joint.merged_into)}});
    return list;
}

Json transforms_section(const Record& record) {
    const conform::ConformReport& report = record.conform;
    Json aims = Json::object();
    for (const conform::AimedJoint& joint : report.aimed) aims[joint.canonical] = rounded(joint.degrees, 3);
    Json witnesses = Json::array();
    for (const rig::Frame::Witness& witness : record.recognition.frame.witnesses)
        witnesses.push_back({{"what", witness.what}, {"forward", numbers(witness.forward)}});
    return {
        {"yawDegrees", rounded(report.yaw_degrees, 3)},
        {"scale", rounded(report.scale)},
        {"translation", numbers(report.translation)},
        {"restTakenFrom", record.rest_pose},
        {"facing", witnesses},
        {"conformed",
         {{"restAimed", report.aimed.size()},
          {"jointsRebuilt", report.joints_rebuilt},
          {"sourcePose", report.source_pose},
          {"sourceArmDegrees", {rounded(report.source_arm_degrees[0], 2), rounded(report.source_arm_degrees[1], 2)}},
          {"maxAimDegrees", rounded(report.max_aim_degrees, 3)},
          {"maxRestDeviationDegrees", rounded(report.max_rest_deviation_degrees, 6)},
          {"aimDegrees", aims},
          {"edgesKeptShare", rounded(report.edges_kept_share)},
          {"stretchedJoints", report.stretched_joints},
          {"flippedShare", rounded(report.flipped_share)},
          {"shortBodyFixed", report.short_body_fixed}}},
        {"body",
         {{"heightMetres", rounded(report.height)},
          {"pelvisHeightMetres", rounded(report.pelvis_height)},
          {"footHeightMetres", rounded(report.foot_height)},
          {"shoulderWidthMetres", rounded(report.shoulder_width)},
          {"legRatio", rounded(report.leg_ratio)}}}};
}

Json side(const texture::TextureRecord::Side& s) {
    return {{"mime", s.mime}, {"width", s.width}, {"height", s.height}, {"bytes", s.bytes}};
}

Json textures_section(const texture::TextureOutput& textures) {
    Json list = Json::array();
    for (const texture::TextureRecord& record : textures.records)
        list.push_back({{"name", text_or_null(record.name)},
                        {"role", avatar::to_string(record.role)},
                        {"from", side(record.from)},
                        {"to", side(record.to)},
                        {"mode", record.mode}});
    return list;
}

Json atlas_section(const texture::AtlasOutput& atlas) {
    if (atlas.atlases.empty() && atlas.left_out.empty()) return nullptr;
    Json made = Json::array();
    for (const texture::AtlasRecord& record : atlas.atlases)
        made.push_back({{"material", record.material},
                        {"from", record.from},
                        {"width", record.width},
                        {"height", record.height},
                        {"scale", rounded(record.scale, 3)}});
    Json left = Json::array();
    for (const texture::LeftOut& out : atlas.left_out)
        left.push_back({{"material", out.material}, {"reason", out.reason}});
    return {{"made", made}, {"leftOut", left}};
}

Json ktx2_section(const texture::TextureOutput& textures) {
    Json modes = Json::object();
    for (const texture::TextureRecord& record : textures.records)
        if (record.mode == "uastc" || record.mode == "etc1s") modes[record.mode] = modes.value(record.mode, 0) + 1;
    return {{"enabled", textures.ktx2_enabled}, {"modes", modes}, {"encoder", text_or_null(textures.encoder_version)}};
}

Json dynamics_section(const avatar::Avatar& avatar) {
    if (!avatar.dynamics) return nullptr;
    const dynamics::Summary summary = dynamics::summarise(*avatar.dynamics, &avatar);
    return {{"chains", summary.chains}, {"joints", summary.joints}, {"collisionChecks", summary.collision_checks}};
}

Json options_section(const ImportOptions& options) {
    static const char* const kAtlas[] = {"auto", "always", "never"};
    static const char* const kQuality[] = {"fast", "balanced", "best"};
    const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
    return {{"lodTris", options.lod_triangles},
            {"height", number(options.height)},
            {"yaw", number(options.yaw_degrees)},
            {"declaredHeight", number(options.declared_height)},
            {"skeleton", options.skeleton ? options.skeleton->id : skeleton::helix_humanoid().id},
            {"boneMap", options.bone_map},
            {"faceMap", options.face_map ? *options.face_map : Json()},
            {"firstPersonHide", options.first_person_hide},
            {"dropNode", options.drop_nodes},
            {"root", text_or_null(options.root)},
            {"atlas", kAtlas[static_cast<int>(options.atlas)]},
            {"maxTexture", options.textures.max_edge},
            {"ktx2", options.textures.ktx2},
            {"textureQuality", kQuality[static_cast<int>(options.textures.quality)]},
            {"splitFace", options.split_face},
            {"keepAux", options.keep_aux},
            {"twist", options.share_twist},
            {"shortBodyFix", options.short_body_fix},
            {"acceptPose", options.accept_pose},
            {"fit", options.fit}};
}

Json fit_section(const FitRecord& fit) {
    if (fit.budgets.empty()) return nullptr;
    Json budgets = Json::array();
    for (const FittedBudget& budget : fit.budgets)
        budgets.push_back(
            {{"id", budget.id}, {"limit", budget.limit}, {"before", budget.before}, {"after", budget.after}});
    Json considered = Json::array();
    for (const Candidate& candidate : fit.considered)
        considered.push_back(
            {{"triangles", candidate.triangles},
             {"geometryBytes", candidate.geometry_bytes},
             {"textureBytes", candidate.texture_bytes},
             {"triangleLoss", rounded(candidate.triangle_loss, 3)},
             {"textureLoss",
              std::isfinite(candidate.texture_loss) ? Json(rounded(candidate.texture_loss, 3)) : Json()}});
    return {{"budgets", budgets}, {"gaveUp", fit.gave_up}, {"considered", considered}};
}

}  // namespace

Json verdict_section(const preflight::Report& report) {
    const auto rules = [&](Severity severity) {
        Json ids = Json::array();
        for (const Finding& finding : report.findings)
            if (finding.severity == severity && std::find(ids.begin(), ids.end(), finding.rule) == ids.end())
                ids.push_back(finding.rule);
        return ids;
    };
    return {{"verdict", report.failed(false) ? "fail" : "pass"},
            {"errors", rules(Severity::error)},
            {"warnings", rules(Severity::warning)},
            {"notMeasured", rules(Severity::not_measured)}};
}

Json make_receipt(const Record& record, const avatar::Avatar& avatar, const ImportOptions& options) {
    Json receipt = {{"contract", "helix/avatar-import-receipt@1"},
                    {"tool", {{"name", "helixavatar"}, {"version", version()}}}};
    receipt["source"] = source_section(record);
    receipt["output"] = nullptr;
    receipt["lods"] = lods_section(avatar);
    receipt["face"] = face_section(record.face);
    receipt["boneMap"] = bone_map_section(record);
    receipt["unmapped"] = unmapped_section(record.conform);
    receipt["controlJoints"] = record.conform.controls;
    receipt["transforms"] = transforms_section(record);
    receipt["textures"] = textures_section(record.textures);
    receipt["atlas"] = atlas_section(record.atlas);
    receipt["ktx2"] = ktx2_section(record.textures);
    receipt["splitFace"] = {{"enabled", options.split_face}, {"triangles", record.face_triangles}};
    receipt["firstPersonHide"] = avatar.first_person_hide;
    receipt["dynamics"] = dynamics_section(avatar);
    receipt["fit"] = fit_section(record.fit);
    receipt["preflight"] = nullptr;
    receipt["warnings"] = record.warnings;
    receipt["provenance"] = record.provenance;
    receipt["options"] = options_section(options);
    return receipt;
}

}  // namespace helixavatar::import
