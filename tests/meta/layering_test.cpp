// SPDX-License-Identifier: MIT
// The house's one law: an arrow only points down.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace fs = std::filesystem;

namespace {

const std::set<std::string> kValues = {"base", "gltf", "skeleton", "avatar"};
const std::set<std::string> kCapabilities = {"rig", "conform", "lod", "texture", "face", "dynamics"};

std::set<std::string> join(std::initializer_list<std::set<std::string>> sets) {
    std::set<std::string> all;
    for (const auto& set : sets) all.insert(set.begin(), set.end());
    return all;
}

/// Layer → layers that it may include besides itself.
std::map<std::string, std::set<std::string>> allowed() {
    std::map<std::string, std::set<std::string>> table = {
        {"base", {}}, {"humanoid", {"base"}}, {"gltf", {"base"}}, {"skeleton", {"base", "gltf"}}, {"avatar", {"base", "gltf", "skeleton"}}};
    for (const std::string& capability : kCapabilities) table[capability] = kValues;
    table["face"].insert("humanoid");
    table["preflight"] = join({kValues, kCapabilities});
    table["import"] = join({kValues, kCapabilities, {"preflight"}});
    table["report"] = join({kValues, {"preflight"}});
    table["batch"] = {"base", "gltf"};
    table["commands"] = join({kValues, kCapabilities, {"humanoid", "preflight", "import", "report", "batch"}});
    return table;
}

std::set<std::string> included_layers(const fs::path& file) {
    static const std::regex kInclude("^\\s*#\\s*include\\s*<helixavatar/([a-z0-9_]+)/");
    std::set<std::string> layers;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        std::smatch match;
        if (std::regex_search(line, match, kInclude)) layers.insert(match[1]);
    }
    return layers;
}

template <class Visit>
void for_each_source(const fs::path& folder, Visit visit) {
    if (!fs::exists(folder)) return;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp") visit(entry.path());
}

}  // namespace

TEST_CASE("every layer includes only the layers below it") {
    const fs::path root = HELIXAVATAR_SOURCE_DIR;
    std::size_t files = 0;
    for (const auto& [layer, below] : allowed()) {
        for (const char* tree : {"src", "include/helixavatar"}) {
            for_each_source(root / tree / layer, [&, &layer = layer, &below = below](const fs::path& file) {
                ++files;
                for (const std::string& used : included_layers(file)) {
                    INFO(file << " includes " << used);
                    CHECK((used == layer || below.count(used) == 1));
                }
            });
        }
    }
    CHECK(files > 50);
}

TEST_CASE("every folder of src is a layer of the table, and no header crosses folders by a relative path") {
    const fs::path root = HELIXAVATAR_SOURCE_DIR;
    const auto table = allowed();
    for (const auto& entry : fs::directory_iterator(root / "src"))
        if (entry.is_directory()) {
            INFO(entry.path());
            CHECK(table.count(entry.path().filename().string()) == 1);
        }
    for_each_source(root / "src", [&](const fs::path& file) {
        if (file.filename() == "main.cpp") return;
        std::ifstream in(file);
        for (std::string line; std::getline(in, line);) {
            INFO(file << ": " << line);
            CHECK(line.find("#include \"../") == std::string::npos);
        }
    });
}

TEST_CASE("every source file names its licence and stays a room one can take in") {
    const fs::path root = HELIXAVATAR_SOURCE_DIR;
    for (const char* tree : {"src", "include", "tests"})
        for_each_source(root / tree, [&](const fs::path& file) {
            std::ifstream in(file);
            std::string line;
            std::size_t lines = 0;
            bool licence = false;
            while (std::getline(in, line)) {
                ++lines;
                if (lines <= 2 && line.find("SPDX-License-Identifier: MIT") != std::string::npos) licence = true;
            }
            INFO(file);
            CHECK(licence);
            CHECK(lines <= 500);
        });
}
