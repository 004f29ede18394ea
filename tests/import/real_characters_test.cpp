// SPDX-License-Identifier: MIT
// The main job on real characters, by the binary, read back by the Khronos validator and three.js.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include <helixavatar/avatar/document_io.hpp>
#include <helixavatar/base/child_process.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/gltf/accessor_view.hpp>
#include <helixavatar/gltf/document.hpp>
#include <helixavatar/import/import.hpp>
#include <helixavatar/lod/measure.hpp>
#include <helixavatar/preflight/preflight.hpp>
#include <helixavatar/skeleton/skeleton.hpp>

#include "support/real_avatars.hpp"

using namespace helixavatar;
namespace fs = std::filesystem;
using gltf::Json;

namespace {

constexpr std::chrono::seconds kLimit{600};

struct Imported {
    int exit_code = 0;
    std::string output;
    fs::path glb;
    fs::path receipt;
};

/// Runs the binary as a creator does. Pictures are kept as PNG and JPEG: encoding them is tested where textures are.
Imported import_file(const fs::path& source, const fs::path& folder, std::vector<std::string> flags = {"--no-ktx2"}) {
    Imported out;
    out.glb = folder / (source.stem().string() + ".web.glb");
    out.receipt = folder / (source.stem().string() + ".avatar-import.json");
    std::vector<std::string> words = {"import", source.string(), "-o", out.glb.string()};
    words.insert(words.end(), flags.begin(), flags.end());
    const Result<ChildResult> run = run_child(HELIXAVATAR_BINARY, words, folder, kLimit);
    REQUIRE(run);
    out.exit_code = run->exit_code;
    out.output = run->output;
    return out;
}

Bytes bytes_of(const fs::path& path) {
    Result<Bytes> bytes = read_file(path);
    REQUIRE(bytes);
    return bytes.take();
}

Json json_of(const fs::path& path) {
    const Bytes bytes = bytes_of(path);
    return Json::parse(bytes.begin(), bytes.end());
}

std::set<std::string> gate_errors(const Bytes& glb, const std::string& name) {
    preflight::PreflightOptions options;
    options.profile = preflight::Profile::gate;
    options.pixel_guards = false;
    const Result<preflight::Report> report = preflight::judge(glb, name, options);
    REQUIRE(report);
    std::set<std::string> rules;
    for (const Finding& finding : report->findings)
        if (finding.severity == Severity::error) rules.insert(finding.rule);
    return rules;
}

void check_receipt(const Imported& run, const fs::path& source) {
    const Json receipt = json_of(run.receipt);
    for (const char* key : {"contract", "tool", "source", "output", "lods", "face", "boneMap", "unmapped", "transforms", "textures", "ktx2",
                            "splitFace", "firstPersonHide", "dynamics", "warnings", "provenance", "options"}) {
        INFO(key);
        CHECK(receipt.contains(key));
    }
    const Bytes source_bytes = bytes_of(source);
    const Bytes glb = bytes_of(run.glb);
    CHECK(receipt["source"]["sha256"] == sha256_hex(source_bytes));
    CHECK(receipt["source"]["bytes"] == source_bytes.size());
    CHECK(receipt["output"]["sha256"] == sha256_hex(glb));
    CHECK(receipt["output"]["bytes"] == glb.size());
    CHECK(receipt["transforms"]["conformed"]["jointsRebuilt"] == 68);
    CHECK(receipt["transforms"]["conformed"]["maxRestDeviationDegrees"] < 0.01);
    // conform.md §1.4. Six of cesium-man's 4672 triangles turn over: its armpits are bound by halves to spine and arm.
    CHECK(receipt["transforms"]["conformed"]["edgesKeptShare"] >= 0.985);
    CHECK(receipt["transforms"]["conformed"]["flippedShare"] < 0.001);
    // §1.7: every joint that held skin is mapped, or is listed with its share; what is left has none.
    std::set<std::string> told;
    for (const Json& joint : receipt["boneMap"])
        if (joint["source"].is_string()) told.insert(joint["source"]);
    for (const Json& joint : receipt["unmapped"]) {
        CHECK(joint["weightShare"] >= 0);
        CHECK(!joint["mergedInto"].is_null());
        told.insert(joint["source"]);
    }
    for (const Json& joint : receipt["controlJoints"]) CHECK(told.count(joint.get<std::string>()) == 0);
    CHECK(receipt.dump().find(run.glb.parent_path().string()) == std::string::npos);
}

/// Every scene: the canonical local rotations, and joints of its own.
void check_skeletons(const gltf::Document& document) {
    const Json& json = document.json;
    std::set<int> seen;
    for (const Json& skin : json["skins"]) {
        CHECK(skin["joints"].size() >= 68);
        for (const int joint : skin["joints"]) {
            CHECK(seen.insert(joint).second);  // no joint in two skins
            const Json& node = json["nodes"][joint];
            const int canonical = skeleton::helix_humanoid().find(node["name"].get<std::string>());
            if (canonical < 0) continue;
            const Json& q = node["rotation"];
            const Quat rotation(q[3].get<double>(), q[0].get<double>(), q[1].get<double>(), q[2].get<double>());
            INFO(node["name"]);
            CHECK(angle_degrees(rotation, skeleton::helix_humanoid().joints[canonical].local.rotation) < 0.01);
            CHECK(!node.contains("scale"));
        }
    }
    CHECK(json["skins"].size() == json["scenes"].size());
}

void check_read_back(const fs::path& glb) {
    const auto modules = test::node_modules();
    if (!modules) return;
    const fs::path script = fs::path(HELIXAVATAR_SOURCE_DIR) / "tests/readback/check.mjs";
    const Result<ChildResult> run = run_child(find_program("node"), {script.string(), modules->string(), glb.string()}, glb.parent_path(), kLimit);
    REQUIRE(run);
    INFO(run->output);
    REQUIRE(run->exit_code == 0);
    const Json report = Json::parse(run->output.substr(run->output.find('{')));
    REQUIRE(report["scenes"].size() == 3);
    for (const Json& scene : report["scenes"]) CHECK(scene["skinned"].get<int>() >= 1);
    CHECK(std::abs(report["scenes"][0]["low"][1].get<double>()) < 0.002);  // feet on the ground
}

/// Imports with no flags beside the texture mode and checks all that every output must hold. `allowed`: gate errors that
/// may remain, with exit 1 in place of 0.
void check_import(const char* name, const std::set<std::string>& allowed = {}) {
    const auto folder = test::folder_from("HELIXAVATAR_REAL_AVATARS");
    if (!folder) return;
    const TemporaryFolder work;
    const Imported run = import_file(*folder / name, work.path());
    INFO(run.output);
    REQUIRE(fs::exists(run.glb));
    const std::set<std::string> errors = gate_errors(bytes_of(run.glb), name);
    for (const std::string& rule : errors) {
        INFO(rule);
        CHECK(allowed.count(rule) == 1);
    }
    CHECK(run.exit_code == (errors.empty() ? 0 : 1));
    check_receipt(run, *folder / name);
    const Result<gltf::Document> document = gltf::read_document(run.glb);
    REQUIRE(document);
    check_skeletons(*document);
    for (const Json& scene : document->json["scenes"])
        CHECK(scene["extras"]["helixAvatar"]["firstPersonHide"] == Json::array({"FaceMesh"}));
    check_read_back(run.glb);
}

}  // namespace

TEST_CASE("ue-human-male becomes an avatar with no flags", "[real]") { check_import("ue-human-male.glb"); }
TEST_CASE("ue-sintel becomes an avatar with no flags", "[real]") { check_import("ue-sintel.glb"); }
TEST_CASE("meshy-like becomes an avatar with no flags", "[real]") { check_import("meshy-like.glb"); }
TEST_CASE("makehuman-mixamo becomes an avatar with no flags", "[real]") { check_import("makehuman-mixamo.glb"); }
TEST_CASE("makehuman-game-engine becomes an avatar with no flags", "[real]") { check_import("makehuman-game-engine.glb"); }
TEST_CASE("quaternius-superhero-female becomes an avatar with no flags", "[real]") { check_import("quaternius-superhero-female.glb"); }
TEST_CASE("quaternius-superhero-male becomes an avatar with no flags", "[real]") { check_import("quaternius-superhero-male.glb"); }
TEST_CASE("valid-humanik-casual becomes an avatar with no flags", "[real]") { check_import("valid-humanik-casual.glb"); }
TEST_CASE("kaykit-knight becomes an avatar with no flags", "[real]") { check_import("kaykit-knight.glb"); }
TEST_CASE("vrm0-cool-loops becomes an avatar with no flags", "[real]") { check_import("vrm0-cool-loops.vrm"); }
TEST_CASE("cesium-man, whose joints say nothing, becomes an avatar", "[real]") { check_import("cesium-man.glb"); }
TEST_CASE("rigify-lumberjack becomes an avatar", "[real]") { check_import("rigify-lumberjack.glb"); }

// Many materials: without an atlas only the draws and the materials may be over.
TEST_CASE("quaternius-worker becomes an avatar with no flags", "[real]") { check_import("quaternius-worker.glb"); }
TEST_CASE("quaternius-worker-draco becomes an avatar with no flags", "[real]") { check_import("quaternius-worker-draco.glb"); }
TEST_CASE("quaternius-worker-meshopt becomes an avatar with no flags", "[real]") { check_import("quaternius-worker-meshopt.glb"); }
TEST_CASE("mannequiny becomes an avatar with no flags", "[real]") { check_import("mannequiny.glb"); }
TEST_CASE("vrm0-godette becomes an avatar with no flags", "[real]") { check_import("vrm0-godette.vrm"); }
TEST_CASE("robot-expressive becomes an avatar with no flags", "[real]") { check_import("robot-expressive.glb"); }

// FBX: Maya's HumanIK-like names and Blender's export, in centimetres.
TEST_CASE("quaternius-superhero-female as FBX becomes an avatar with no flags", "[real]") { check_import("quaternius-superhero-female.fbx"); }
TEST_CASE("arnaud, an FBX, becomes an avatar with no flags", "[real]") { check_import("arnaud.fbx"); }

TEST_CASE("a VRM that is not skinned is refused with the reason", "[real]") {
    const auto folder = test::folder_from("HELIXAVATAR_REAL_AVATARS");
    if (!folder) return;
    const TemporaryFolder work;
    const Imported run = import_file(*folder / "vrm1-debug-robot.vrm", work.path());
    CHECK(run.exit_code == 4);
    CHECK(run.output.find("nothing in the file is skinned") != std::string::npos);
    CHECK(!fs::exists(run.glb));
    CHECK(!fs::exists(run.receipt));
}

TEST_CASE("one body on two rigs becomes one avatar", "[real]") {
    const auto folder = test::folder_from("HELIXAVATAR_REAL_AVATARS");
    if (!folder) return;
    const auto conformed = [&](const char* name) {
        const Result<import::Readable> readable = import::read_for_conversion(*folder / name, {});
        REQUIRE(readable);
        Result<import::Conformed> out = import::conform_only(readable->document, {});
        REQUIRE(out);
        return out.take();
    };
    const import::Conformed meshy = conformed("meshy-like.glb");
    const import::Conformed ue = conformed("ue-human-male.glb");
    const avatar::Surface& a = meshy.avatar.levels[0].surfaces[0];
    const avatar::Surface& b = ue.avatar.levels[0].surfaces[0];
    REQUIRE(a.positions.size() == b.positions.size());
    std::size_t compared = 0;
    double worst = 0;
    for (std::size_t v = 0; v < a.positions.size(); ++v) {
        // A rig without fingers cannot agree where the other rig's fingers hold the vertex.
        const auto on_hand = [&](const avatar::Influence& influence) {
            const std::string& joint = ue.avatar.joints[influence.joint].name;
            return influence.weight > 0 && (joint.starts_with("hand") || joint.find("_0") != std::string::npos) &&
                   !joint.starts_with("spine") && !joint.starts_with("neck") && joint.find("twist") == std::string::npos;
        };
        if (std::any_of(b.influences[v].begin(), b.influences[v].end(), on_hand)) continue;
        ++compared;
        worst = std::max(worst, static_cast<double>((a.positions[v] - b.positions[v]).norm()));
    }
    CHECK(compared > 2000);  // the rest hangs from the hands
    CHECK(worst < 0.001);
}

TEST_CASE("in motion the levels of an avatar stay as near to the first as at rest, within twice", "[real]") {
    const auto folder = test::folder_from("HELIXAVATAR_REAL_AVATARS");
    if (!folder) return;
    for (const char* name : {"quaternius-superhero-female.glb", "makehuman-mixamo.glb", "ue-sintel.glb", "valid-humanik-casual.glb"}) {
        INFO(name);
        const TemporaryFolder work;
        const Imported run = import_file(*folder / name, work.path());
        const Result<import::Readable> readable = import::read_for_conversion(run.glb, {});
        REQUIRE(readable);
        const Result<avatar::Avatar> avatar = avatar::read_avatar(readable->document);
        REQUIRE(avatar);
        const std::vector<lod::LevelMeasure> measured = lod::measure_levels(*avatar, *avatar);
        REQUIRE(measured.size() == 3);
        for (std::size_t i = 1; i < 3; ++i) {
            REQUIRE(measured[i].poses.size() >= 6);
            CHECK(measured[i].rest.rms_mm > 0.1);
            for (const lod::PoseError& pose : measured[i].poses) {
                INFO(measured[i].level << ", " << pose.pose);
                CHECK(pose.error.rms_mm < 2 * measured[i].rest.rms_mm);
            }
        }
    }
}

TEST_CASE("the same input and flags give the same bytes, in whatever folder", "[real]") {
    const auto folder = test::folder_from("HELIXAVATAR_REAL_AVATARS");
    if (!folder) return;
    const TemporaryFolder first;
    const TemporaryFolder second;
    for (const char* name : {"kaykit-knight.glb", "vrm0-godette.vrm"}) {
        const Imported a = import_file(*folder / name, first.path());
        const Imported b = import_file(*folder / name, second.path());
        CHECK(bytes_of(a.glb) == bytes_of(b.glb));
        CHECK(bytes_of(a.receipt) == bytes_of(b.receipt));
    }
}

TEST_CASE("KTX2 or not, the geometry is the same byte for byte", "[real]") {
    const auto folder = test::folder_from("HELIXAVATAR_REAL_AVATARS");
    if (!folder) return;
    if (texture::find_encoder({}).empty()) {
        std::printf("skipped: no KTX2 encoder\n");
        return;
    }
    const TemporaryFolder with;
    const TemporaryFolder without;
    const Imported a = import_file(*folder / "vrm0-cool-loops.vrm", with.path(), {"--ktx2=require"});
    const Imported b = import_file(*folder / "vrm0-cool-loops.vrm", without.path(), {"--no-ktx2"});
    CHECK(a.exit_code == 0);
    const Result<gltf::Document> ktx2 = gltf::read_document(a.glb);
    const Result<gltf::Document> png = gltf::read_document(b.glb);
    REQUIRE(ktx2);
    REQUIRE(png);
    CHECK(ktx2->json["accessors"] == png->json["accessors"]);
    CHECK(ktx2->json["meshes"] == png->json["meshes"]);
    CHECK(ktx2->json["extensionsRequired"][0] == "KHR_texture_basisu");
    std::size_t geometry = 0;
    for (const Json& accessor : png->json["accessors"])
        if (accessor.contains("bufferView")) {
            const Json& view = png->json["bufferViews"][accessor["bufferView"].get<std::size_t>()];
            geometry = std::max(geometry, view["byteOffset"].get<std::size_t>() + view["byteLength"].get<std::size_t>());
        }
    REQUIRE(geometry > 100000);
    CHECK(std::equal(ktx2->buffers[0].begin(), ktx2->buffers[0].begin() + static_cast<std::ptrdiff_t>(geometry), png->buffers[0].begin()));
    CHECK(json_of(a.receipt)["ktx2"]["enabled"] == true);
    CHECK(json_of(b.receipt)["ktx2"]["enabled"] == false);
}
