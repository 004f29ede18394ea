// SPDX-License-Identifier: MIT
// Real characters (HELIXAVATAR_REAL_AVATARS) and, beside them, the Khronos validator's own assets with its reports.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

#include <catch2/catch.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/preflight/preflight.hpp>
#include <nlohmann/json.hpp>

using namespace helixavatar;
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
