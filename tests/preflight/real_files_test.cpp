// SPDX-License-Identifier: MIT
// Real characters (HELIXAVATAR_REAL_AVATARS) and, beside them, the Khronos validator's own assets with its reports.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

#include <catch2/catch.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/gltf/document.hpp>
#include <helixavatar/preflight/preflight.hpp>
#include <nlohmann/json.hpp>

using namespace helixavatar;
using gltf::Json;
namespace fs = std::filesystem;

namespace {

/// The folder, or empty with a line that says so.
fs::path real_folder(const char* below) {
    const char* root = std::getenv("HELIXAVATAR_REAL_AVATARS");
    const fs::path folder = root ? fs::path(root) / below : fs::path();
    if (root && fs::is_directory(folder)) return folder;
    std::cout << "skipped: HELIXAVATAR_REAL_AVATARS does not name a folder with " << (*below ? below : "characters")
              << "\n";
    return {};
}

std::vector<fs::path> files_in(const fs::path& folder, const std::set<std::string>& endings) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (endings.count(entry.path().extension().string())) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

bool has_file_error(const preflight::Report& report) {
    for (const Finding& finding : report.findings) {
        const preflight::RuleInfo* rule = preflight::find_rule(finding.rule);
        if (finding.severity == Severity::error && rule && rule->klass == preflight::RuleClass::file_validity)
            return true;
    }
    return false;
}

}  // namespace

TEST_CASE("no material guard fires on the textures of real characters") {
    const fs::path folder = real_folder("");
    if (folder.empty()) return;
    preflight::PreflightOptions options;
    options.only = {"base-color-normal-map", "normal-map", "normal-map-green"};
    std::size_t judged = 0;
    for (const fs::path& path : files_in(folder, {".glb", ".vrm"})) {
        const Result<preflight::Report> report = preflight::judge(*read_file(path), path.string(), options);
        INFO(path);
        REQUIRE(report);
        for (const Finding& finding : report->findings) {
            INFO(finding.message);
            // Its normal map was made for DirectX: every scale at which its slopes show says so.
            if (path.filename() == "valid-humanik-casual.glb" && finding.rule == "normal-map-green") continue;
            CHECK(finding.severity == Severity::not_measured);
        }
        ++judged;
    }
    CHECK(judged > 10);
}

TEST_CASE("raw real characters are told which rig they are") {
    const fs::path folder = real_folder("");
    if (folder.empty()) return;
    const std::vector<std::pair<const char*, const char*>> rigs = {
        {"makehuman-mixamo.glb", "This is a Mixamo rig: run `helixavatar import "},
        {"meshy-like.glb", "This is a Meshy rig: run `helixavatar import "}};
    preflight::PreflightOptions options;
    options.pixel_guards = false;
    for (const auto& [name, words] : rigs) {
        const Result<preflight::Report> report = preflight::judge(*read_file(folder / name), name, options);
        REQUIRE(report);
        REQUIRE_FALSE(report->findings.empty());
        CHECK(report->findings[0].rule == "skeleton");
        CHECK(report->findings[0].message.rfind(words, 0) == 0);
    }
}

TEST_CASE("what the Khronos validator refuses is refused, and what it accepts has no file error") {
    const fs::path folder = real_folder("../malformed");
    if (folder.empty()) return;
    preflight::PreflightOptions options;
    options.pixel_guards = false;
    std::size_t faulty = 0, found = 0, sound = 0;
    for (const fs::path& path : files_in(folder, {".glb", ".gltf"})) {
        std::ifstream file(path.string() + ".report.json");
        if (!file) continue;
        const bool refused = nlohmann::json::parse(file)["issues"]["numErrors"].get<int>() > 0;
        const Result<Bytes> bytes = read_file(path);
        REQUIRE(bytes);
        const Result<preflight::Report> report = preflight::judge(*bytes, path.string(), options);
        const bool error = !report || has_file_error(*report);
        INFO(path);
        if (refused) {
            ++faulty;
            found += error;
            if (report) CHECK(report->failed(false));
        } else {
            ++sound;
            CHECK_FALSE(error);
        }
    }
    std::cout << found << " of " << faulty << " faulty Khronos assets refused, " << sound
              << " sound ones without a file error\n";
    CHECK(faulty > 100);
    CHECK(found * 100 >= faulty * 95);
}

TEST_CASE("a compressed mesh that a file holds twice is named with its size") {
    const fs::path folder = real_folder("");
    if (folder.empty()) return;
    for (const char* name : {"quaternius-worker-draco.glb", "quaternius-worker-meshopt.glb"}) {
        INFO(name);
        Result<gltf::Document> read = gltf::parse_document(*read_file(folder / name), folder);
        REQUIRE(read);
        gltf::Document document = read.take();
        // Every bufferView once more, behind the others; the first mesh once more, over the copies.
        const std::size_t views = document.json["bufferViews"].size();
        const std::size_t accessors = document.json["accessors"].size();
        const std::size_t bytes = document.buffers[0].size();
        document.buffers[0].resize(2 * bytes);
        std::copy_n(document.buffers[0].begin(), bytes,
                    document.buffers[0].begin() + static_cast<std::ptrdiff_t>(bytes));
        document.json["buffers"][0]["byteLength"] = 2 * bytes;
        for (std::size_t i = 0; i < views; ++i) {
            Json view = document.json["bufferViews"][i];
            Json& range = view.contains("extensions") ? view["extensions"].begin().value() : view;
            range["byteOffset"] = range.value("byteOffset", std::size_t{0}) + bytes;
            document.json["bufferViews"].push_back(view);
        }
        for (std::size_t i = 0; i < accessors; ++i) {
            Json accessor = document.json["accessors"][i];
            if (accessor.contains("bufferView"))
                accessor["bufferView"] = accessor["bufferView"].get<std::size_t>() + views;
            document.json["accessors"].push_back(accessor);
        }
        Json mesh = document.json["meshes"][0];
        for (Json& primitive : mesh["primitives"]) {
            for (auto& attribute : primitive["attributes"].items())
                attribute.value() = attribute.value().get<std::size_t>() + accessors;
            primitive["indices"] = primitive["indices"].get<std::size_t>() + accessors;
            if (primitive.contains("extensions")) {
                Json& draco = primitive["extensions"]["KHR_draco_mesh_compression"];
                draco["bufferView"] = draco["bufferView"].get<std::size_t>() + views;
            }
        }
        document.json["meshes"].push_back(mesh);
        const Result<preflight::Report> report = preflight::judge(gltf::write_glb(document), "avatar.glb", {});
        REQUIRE(report);
        std::size_t saved = 0;
        for (const auto& saving : report->measured.savings) {
            if (saving.action.find("repeat others byte for byte") != std::string::npos) saved += saving.amount;
        }
        CHECK(saved > 1000);
        CHECK(saved < bytes);
    }
}
