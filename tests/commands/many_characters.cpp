// SPDX-License-Identifier: MIT
#include "commands/many_characters.hpp"

#include <fstream>
#include <map>
#include <stdexcept>

#include <sys/stat.h>

#include <helixavatar/gltf/document.hpp>

#include "support/humanoid.hpp"

namespace helixavatar::test {
namespace {

namespace fs = std::filesystem;

HumanoidOptions small_options(int number) {
    static const char* const kFamilies[] = {"mixamo", "vrm1", "meshy", "ue5_mannequin", "rigify_deform", "tripo"};
    HumanoidOptions options;
    options.family = kFamilies[static_cast<std::size_t>(number) % std::size(kFamilies)];
    options.triangles = 1000;
    options.texture_size = 16;
    return options;
}

/// Building a body takes longer than importing it: each kind is built once, and numbered by a word in its JSON.
std::string numbered(const HumanoidOptions& options, int number) {
    static std::map<std::string, gltf::Document> built;
    const std::string key =
        options.family + (options.faults.empty() ? "" : std::to_string(static_cast<int>(*options.faults.begin())));
    if (built.count(key) == 0) built.emplace(key, build_humanoid(options));
    gltf::Document document = built.at(key);
    document.json["asset"]["extras"] = {{"number", number}};
    const Bytes glb = gltf::write_glb(document);
    return {glb.begin(), glb.end()};
}

void put_broken(const fs::path& file, int number) {
    HumanoidOptions options = small_options(0);
    switch (number % 6) {
        case 0:
            return put_file(file, character(number).substr(0, 5000));
        case 1:
            return put_file(file, "this is no glTF file");
        case 2:
            return put_file(file, "");
        case 3:
            fs::create_directories(file.parent_path());
            if (::mkfifo(file.c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
            return;
        case 4:
            options.faults = {Fault::no_skin};
            return put_file(file, numbered(options, number));
        default:
            options.faults = {Fault::lying_count};
            return put_file(file, numbered(options, number));
    }
}

}  // namespace

std::string character(int number) {
    return numbered(small_options(number), number);
}

void put_file(const fs::path& file, const std::string& bytes) {
    fs::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary);
    out << bytes;
    if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

std::vector<fs::path> fill_folder(const fs::path& folder, int good, int broken) {
    std::vector<fs::path> places;
    for (int i = 0; i < good; ++i) {
        const fs::path place = fs::path(i % 3 == 0   ? "heroes"
                                        : i % 3 == 1 ? "crowd/far"
                                                     : ".") /
                               ("good" + std::to_string(i) + ".glb");
        put_file(folder / place, character(i));
        places.push_back(place.lexically_normal());
    }
    for (int i = 0; i < broken; ++i)
        put_broken(folder / (i % 2 ? "heroes" : "crowd") / ("broken" + std::to_string(i) + ".glb"), i);
    return places;
}

}  // namespace helixavatar::test
