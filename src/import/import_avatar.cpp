// SPDX-License-Identifier: MIT
#include <helixavatar/import/import.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <future>
#include <set>

#include <helixavatar/avatar/document_io.hpp>
#include <helixavatar/avatar/vrm_meta.hpp>
#include <helixavatar/base/parallel.hpp>
#include <helixavatar/base/version.hpp>
#include <helixavatar/conform/conform.hpp>
#include <helixavatar/dynamics/vrm.hpp>
#include <helixavatar/face/face.hpp>
#include <helixavatar/import/before_eyes.hpp>
#include <helixavatar/lod/levels.hpp>
#include <helixavatar/preflight/preflight.hpp>
#include <helixavatar/texture/materials.hpp>

#include "first_person.hpp"
#include "fit.hpp"
#include "put_back.hpp"
#include "several_characters.hpp"

namespace helixavatar::import {
namespace {

using avatar::Avatar;
using gltf::Json;

/// The springs of a VRM as the dynamics layer takes them; `bones` is filled once the avatar's joints are known.
dynamics::VrmSpring springs_of(const avatar::Source& source) {
    dynamics::VrmSpring springs;
    if (!source.vrm) return springs;
    springs.version = source.vrm->version;
    if (springs.version == 0)
        springs.extension = source.vrm->extension;
    else if (source.vrm->spring_bone)
        springs.extension = *source.vrm->spring_bone;
    springs.joints = source.avatar.joints;
    springs.node_to_joint = source.vrm->node_to_joint;
    return springs;
}

Result<conform::ConformOutput> conformed(Job& job) {
    job.springs = springs_of(job.source);
    conform::ConformOptions options;
    options.always_keep = dynamics::spring_joints(job.springs);
    options.height = job.options.height;
    options.yaw_degrees = job.options.yaw_degrees;
    options.keep_aux = job.options.keep_aux;
    options.share_twist = job.options.share_twist;
    options.short_body_fix = job.options.short_body_fix;
    options.accept_pose = job.options.accept_pose;
    const rig::Frame& frame = job.record.recognition.frame;
    Result<conform::ConformOutput> out = conform::conform(std::move(job.source.avatar), job.record.recognition.map,
                                                          {frame.up, frame.forward}, job.canonical(), options);
    if (out || !job.options.yaw_degrees) return out;
    Error error = out.error();
    error.hint = "leave out --yaw, which takes the place of the facing that the body shows" +
                 std::string(error.hint.empty() ? "" : "; or ") + error.hint;
    return error;
}

Result<void> conform_step(Job& job) {
    Result<conform::ConformOutput> out = conformed(job);
    if (!out) return out.error();
    job.avatar = std::move(out->avatar);
    job.record.conform = std::move(out->report);
    job.warn(job.record.conform.warnings);
    return {};
}

/// The camera hides what hangs from the head; anything else before the eyes stays in view, so it is said by its name.
Result<void> eyes_step(Job& job) {
    if (!job.options.split_face) return {};
    const int head = job.avatar.find_joint("head");
    for (const BeforeEyes& thing : before_eyes(job.avatar, head, Vec3::UnitY(), Vec3::UnitZ())) {
        if (thing.on_head) continue;
        const auto centimetres = static_cast<int>(std::lround(thing.distance * 100));
        job.record.warnings.push_back("\"" + thing.mesh + "\" stands " + std::to_string(centimetres) +
                                      " cm before the eyes and does not hang from the head, so the first-person camera "
                                      "looks into it: weigh it to the head, or leave it out with --drop-node");
    }
    return {};
}

Result<void> dynamics_step(Job& job) {
    if (!job.source.vrm) return {};
    for (const avatar::BoneMatch& match : job.record.recognition.map.matches)
        if (match.source >= 0) job.springs.bones.emplace(match.source, match.canonical);
    for (const auto& [joint, name] : job.record.conform.kept_aux) job.springs.bones[joint] = name;
    job.springs.scale = job.record.conform.scale;
    job.springs.yaw_degrees = job.record.conform.yaw_degrees;
    dynamics::VrmDynamics out = dynamics::dynamics_from_vrm(job.springs, job.avatar);
    job.avatar.dynamics = std::move(out.manifest);
    job.warn(out.notes);
    return {};
}

Result<void> materials_step(Job& job) {
    texture::MaterialsOutput out = texture::merge_equal_materials(std::move(job.avatar));
    job.avatar = std::move(out.avatar);
    job.warn(out.notes);
    return {};
}

/// What a VRM shows to others only stays apart when the gate's budgets allow it.
Result<void> third_person_step(Job& job) {
    if (!job.source.vrm) return {};
    if (!keep_third_person_apart(job.avatar, job.source, job.record.warnings)) return {};
    const bool baked = job.options.atlas == AtlasMode::always;
    if (job.options.split_face && !baked && !over_the_gate(lod::merge_surfaces(Avatar(job.avatar)), job.plan))
        return {};
    give_up_third_person(job.avatar);
    job.record.warnings.push_back("meshes that the VRM hides from the wearer are drawn with the body: " +
                                  std::string(job.options.split_face
                                                  ? "keeping them apart would cost more draws than the gate allows"
                                                  : "without a FaceMesh there is nothing that the camera hides"));
    return {};
}

/// Merges the surfaces of each material into one.
Result<void> merge_step(Job& job) {
    job.avatar = lod::merge_surfaces(std::move(job.avatar));
    // Vertices that nothing draws or that stand twice (an exporter's shared pools) would be carried into every level.
    for (avatar::Surface& surface : job.avatar.levels[0].surfaces) surface = lod::weld(surface);
    return {};
}

Result<void> levels_step(Job& job) {
    Result<lod::LevelsOutput> out = lod::build_levels(std::move(job.avatar), {job.plan.triangles});
    if (!out) return out.error();
    job.avatar = std::move(out->avatar);
    job.warn(out->warnings);
    return {};
}

Result<void> face_split_step(Job& job) {
    if (!job.plan.split_face) return {};
    lod::FaceSplitOutput out = lod::split_face(std::move(job.avatar));
    job.avatar = std::move(out.avatar);
    hide_third_person(job.avatar, job.record.warnings);
    job.record.face_triangles = out.triangles;
    job.warn(out.warnings);
    return {};
}

face::FaceInput face_input(const Job& job) {
    face::FaceInput input;
    input.face_map = job.options.face_map;
    if (job.source.vrm) {
        input.vrm_version = job.source.vrm->version;
        input.expressions = vrm_expressions(job.source);
    }
    return input;
}

/// Morph targets that no face channel names move nothing at run time and would only cost bytes.
void drop_morphs(Job& job, const std::vector<std::string>& needed) {
    const std::set<std::string> used(needed.begin(), needed.end());
    std::set<std::string> dropped;
    for (avatar::Level& level : job.avatar.levels)
        for (avatar::Surface& surface : level.surfaces)
            std::erase_if(surface.morphs, [&](const avatar::MorphTarget& morph) {
                if (used.count(morph.name)) return false;
                dropped.insert(morph.name);
                return true;
            });
    if (dropped.empty()) return;
    std::string names;
    std::size_t shown = 0;
    for (const std::string& name : dropped)
        if (shown++ < 8) names += (names.empty() ? "" : ", ") + name;
    job.record.warnings.push_back(std::to_string(dropped.size()) +
                                  (dropped.size() == 1 ? " morph target" : " morph targets") +
                                  " that no face channel uses " + (dropped.size() == 1 ? "was" : "were") +
                                  " left out: " + names + (dropped.size() > 8 ? ", ..." : ""));
}

/// Before the levels are made: what will not be written need not be carried through them. The face itself is found on
/// the finished levels, whose meshes its manifest names.
Result<void> early_morphs_step(Job& job) {
    const Result<face::FaceOutput> face = face::detect_face(job.avatar, face_input(job));
    if (face) drop_morphs(job, face->used_morphs);
    return {};
}

Result<void> face_step(Job& job) {
    Result<face::FaceOutput> out = face::detect_face(job.avatar, face_input(job));
    if (!out) return out.error();
    job.avatar.face = out->manifest;
    job.record.face = out.take();
    job.warn(job.record.face.warnings);
    drop_morphs(job, job.record.face.used_morphs);
    return {};
}

Result<void> first_person_step(Job& job) {
    if (job.plan.split_face) job.avatar.first_person_hide.push_back(avatar::kFaceMesh);
    for (const std::string& name : job.options.first_person_hide) job.avatar.first_person_hide.push_back(name);
    return {};
}

/// A VRM says whose it is and what may be done with it; a --provenance file wins.
Result<void> provenance_step(Job& job) {
    if (job.options.provenance) job.record.provenance = *job.options.provenance;
    if (!job.source.vrm) return {};
    const avatar::VrmLicence licence = avatar::vrm_licence(*job.source.vrm);
    if (job.record.provenance.is_null() && !licence.provenance.empty()) job.record.provenance = licence.provenance;
    job.warn(licence.warnings);
    return {};
}

texture::TextureOptions texture_options(const ImportOptions& given) {
    texture::TextureOptions options = given.textures;
    options.limits = given.limits;
    return options;
}

/// So few materials that no atlas will be made of them, whatever becomes of the head: a draw for it and one for the
/// rest, in each level.
bool sure_of_no_atlas(const avatar::Source& source, std::size_t drawn, const ImportOptions& options) {
    const preflight::Budgets gate;
    return options.atlas != AtlasMode::always && !source.vrm && source.avatar.materials.size() <= gate.materials &&
           2 * drawn * options.lod_triangles.size() <= gate.draw_calls;
}

/// Materials that some mesh of the file is drawn in, which may be more than those of the character.
std::set<int> named_materials(const gltf::Json& json) {
    std::set<int> named;
    for (const gltf::Json& mesh : json.value("meshes", gltf::Json::array()))
        for (const gltf::Json& primitive : mesh.value("primitives", gltf::Json::array()))
            named.insert(primitive.value("material", -1));
    return named;
}

/// A fit gives the textures what the levels leave, so that they have to wait.
Result<void> early_textures_step(Job& job) {
    const std::set<int> drawn = drawn_materials(job.source.avatar);
    if (!job.options.fit && sure_of_no_atlas(job.source, drawn.size(), job.options))
        job.textures.start(job.source.avatar, drawn, texture_options(job.options));
    return {};
}

Result<void> begin_textures_step(Job& job) {
    if (!job.options.fit) job.textures.start(job.avatar, drawn_materials(job.avatar), texture_options(job.options));
    return {};
}

Result<void> textures_step(Job& job) {
    if (job.options.fit) return fit_textures_step(job);
    Result<texture::TextureOutput> out = job.textures.finish(std::move(job.avatar), texture_options(job.options));
    if (!out) return out.error();
    job.avatar = std::move(out->avatar);
    job.record.textures = out.take();
    job.record.textures.avatar = {};
    job.warn(job.record.textures.warnings);
    return {};
}

struct Step {
    const char* name;
    Result<void> (*run)(Job&);
};

/// The story of the job, in order: first what becomes of the character ...
constexpr std::array kSteps = {
    Step{"provenance", provenance_step},
    Step{"textures, beside all that follows", early_textures_step},
    Step{"conform", conform_step},
    Step{"before the eyes", eyes_step},
    Step{"dynamics", dynamics_step},
    Step{"equal materials", materials_step},
    Step{"what others see only", third_person_step},
    Step{"merge surfaces", merge_step},
    Step{"atlas", atlas_step},
    Step{"drop morphs that no channel needs", early_morphs_step},
    Step{"textures, beside the levels at the latest", begin_textures_step},
};

/// ... then how much of it is written; a fit may have to try these again with less.
constexpr std::array kSizeSteps = {
    Step{"levels", levels_step},        Step{"split the face", face_split_step},
    Step{"detect the face", face_step}, Step{"first person", first_person_step},
    Step{"textures", textures_step},
};

template <std::size_t N>
Result<void> run(const std::array<Step, N>& steps, Job& job) {
    for (const Step& step : steps) {
        Result<void> done = step.run(job);
        if (!done) return done;
    }
    return {};
}

Result<void> run_size_steps(Job& job) {
    return run(kSizeSteps, job);
}

Job begin(Understood&& understood, const ImportOptions& options, TexturesAhead textures = {}) {
    const Plan plan{options.lod_triangles, options.split_face};
    Job job{options, std::move(understood.source), {}, {}, {}, plan, std::move(textures)};
    job.record.facts = job.source.facts;
    job.record.fit.source_edge = largest_edge(job.source.avatar);
    job.record.rest_pose = job.source.rest_pose;
    job.record.recognition = std::move(understood.recognition);
    job.record.warnings = job.source.warnings;
    job.warn(job.source.notes);
    job.warn(job.record.recognition.map.notes);
    job.warn(job.record.recognition.frame.notes);
    for (const avatar::Joint& joint : job.source.avatar.joints) job.record.source_joints.push_back(joint.name);
    job.record.source_height = height_along(job.source.avatar.levels[0], job.record.recognition.frame.up);
    return job;
}

/// The file, judged, and the receipt.
Result<ImportOutput> write(Job& job) {
    const ImportOptions& options = job.options;
    ImportOutput out;
    out.glb = gltf::write_glb(avatar::write_avatar(job.avatar, {"helixavatar " + std::string(version())}));
    preflight::PreflightOptions judge;
    judge.skeleton = options.skeleton;
    judge.declared_height = options.declared_height;
    judge.limits = options.limits;
    const auto& statistics = job.record.textures.statistics;
    for (std::size_t i = 0; i < std::min(statistics.size(), job.avatar.images.size()); ++i)
        if (statistics[i]) judge.known_images.push_back({job.avatar.images[i].bytes, *statistics[i]});
    const std::string& name = options.judged_as.empty() ? job.record.output_name : options.judged_as;
    std::future<std::string> digest =
        std::async(threads_at_hand() < 2 ? std::launch::deferred : std::launch::async, sha256_hex, ByteView(out.glb));
    Result<preflight::Report> report = preflight::judge(out.glb, name, judge);
    if (!report) return report.error();
    out.report = report.take();
    if (options.fit) {
        Result<void> met = conclude_fit(job, out.report);
        if (!met) return met.error();
    }
    out.receipt = make_receipt(job.record, job.avatar, options);
    out.receipt["output"] = {{"file", job.record.output_name}, {"bytes", out.glb.size()}, {"sha256", digest.get()}};
    out.receipt["preflight"] = verdict_section(out.report);
    out.warnings = std::move(job.record.warnings);
    return out;
}

}  // namespace

Result<Conformed> conform_only(const gltf::Document& document, const ImportOptions& options) {
    Result<Understood> understood = understand(document, options);
    if (!understood) return understood.error();
    Job job = begin(understood.take(), options);
    const Result<void> done = conform_step(job);
    if (!done) return done.error();
    return Conformed{std::move(job.avatar), std::move(job.record.conform), std::move(job.record.warnings)};
}

namespace {

Result<Understood> understand(const gltf::Document& document, const ImportOptions& options, avatar::ReadOptions read) {
    read.root = options.root;
    read.drop_nodes = options.drop_nodes;
    Result<avatar::Source> source = avatar::read_source(document, read);
    if (!source) return source.error();
    rig::RecogniseOptions recognise;
    recognise.overrides = options.bone_map;
    if (source->vrm) {
        recognise.vrm_humanoid = source->vrm->humanoid;
        recognise.vrm_version = source->vrm->version;
    }
    const skeleton::Skeleton& canonical = options.skeleton ? *options.skeleton : skeleton::helix_humanoid();
    Result<rig::Recognition> recognition = rig::recognise(source->avatar, canonical, recognise);
    if (options.root.empty() && options.bone_map.empty())
        if (const auto several = several_characters(source->avatar, static_cast<bool>(recognition))) return *several;
    if (!recognition) return recognition.error();
    return Understood{source.take(), recognition.take()};
}

}  // namespace

Result<Understood> understand(const gltf::Document& document, const ImportOptions& options) {
    return understand(document, options, avatar::ReadOptions{});
}

Result<ConformedFile> conform_file(const gltf::Document& document, const ImportOptions& options) {
    avatar::ReadOptions read;
    read.keeps_the_rest = true;
    Result<Understood> understood = understand(document, options, read);
    if (!understood) return understood.error();
    const std::vector<avatar::Joint> joints = understood->source.avatar.joints;
    Job job = begin(understood.take(), options);
    Result<conform::ConformOutput> out = conformed(job);
    if (!out) return out.error();
    ConformedFile file;
    file.warnings = std::move(job.record.warnings);
    file.warnings.insert(file.warnings.end(), out->report.warnings.begin(), out->report.warnings.end());
    file.document = put_back(document, job.source, joints, job.record.recognition.map, *out,
                             "helixavatar " + std::string(version()), file.warnings);
    file.report = std::move(out->report);
    return file;
}

Result<ImportOutput> import_avatar(const gltf::Document& document, const SourceFile& file,
                                   const std::string& output_name, const ImportOptions& options) {
    TexturesAhead textures;
    avatar::ReadOptions read;
    // What is only decoded is begun at once; what is encoded waits until the file is known to be a character.
    if (!options.fit && !options.textures.ktx2)
        read.look_is_read = [&](const avatar::Source& source) {
            const std::set<int> drawn = named_materials(document.json);
            if (sure_of_no_atlas(source, drawn.size(), options))
                textures.start(source.avatar, drawn, texture_options(options));
        };
    Result<Understood> understood = understand(document, options, read);
    if (!understood) return understood.error();
    Job job = begin(understood.take(), options, std::move(textures));
    job.record.file = file;
    job.record.output_name = output_name;
    job.record.warnings.insert(job.record.warnings.begin(), file.mended.begin(), file.mended.end());
    Result<void> done = run(kSteps, job);
    if (done) done = options.fit ? fit(job, run_size_steps) : run_size_steps(job);
    if (!done) return done.error();
    return write(job);
}

}  // namespace helixavatar::import
