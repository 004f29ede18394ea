// SPDX-License-Identifier: MIT
// The Khronos glTF-Validator's own test assets, each with that validator's report beside it. The folder comes from
// HELIXAVATAR_MALFORMED.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <map>
#include <set>

#include <helixavatar/base/file_io.hpp>
#include <helixavatar/gltf/accessor_view.hpp>
#include <helixavatar/gltf/decode.hpp>
#include <helixavatar/gltf/model_view.hpp>
#include <helixavatar/gltf/structure_check.hpp>

using namespace helixavatar;
using namespace helixavatar::gltf;

namespace {

std::vector<std::filesystem::path> assets() {
    const char* folder = std::getenv("HELIXAVATAR_MALFORMED");
    std::vector<std::filesystem::path> files;
    if (!folder || !std::filesystem::is_directory(folder)) {
        std::cout << "skipped: HELIXAVATAR_MALFORMED names no folder\n";
        return files;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (std::filesystem::exists(entry.path().string() + ".report.json")) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

struct Reference {
    std::set<std::string> errors;
};

Reference reference(const std::filesystem::path& asset) {
    const auto bytes = read_file(asset.string() + ".report.json");
    REQUIRE(bytes);
    const Json report = Json::parse(bytes->begin(), bytes->end());
    Reference out;
    for (const Json& message : report["issues"]["messages"])
        if (message["severity"] == 0) out.errors.insert(message["code"]);
    return out;
}

/// All that we say about an asset: messages of errors, joined.
std::string our_errors(const std::filesystem::path& asset) {
    const auto document = read_document(asset);
    if (!document) return document.error().message + "\n";
    std::string messages;
    for (const Finding& finding : check_structure(*document)) {
        CHECK(finding.rule.substr(0, 5) == "file-");
        CHECK_FALSE(finding.message.empty());
        if (finding.severity == Severity::error)
            messages += finding.rule + " " + finding.where.pointer + " " + finding.message + "\n";
    }
    return messages;
}

struct Row {
    int faulty = 0, found = 0, clean = 0, false_errors = 0, codes = 0, codes_cited = 0;
};

/// "base/data/mesh_data/x.gltf" belongs to mesh, "ext/.../x.gltf" to extensions.
std::string class_of(const std::filesystem::path& asset) {
    if (asset.string().find("/ext/") != std::string::npos) return "extensions";
    std::string folder = asset.parent_path().filename().string();
    if (folder.ends_with("_data")) folder.resize(folder.size() - 5);
    return folder;
}

void print(const std::map<std::string, Row>& table) {
    std::cout << "class         faulty found  clean false-errors  codes cited\n";
    for (const auto& [name, row] : table)
        std::cout << std::left << std::setw(12) << name << std::right << std::setw(8) << row.faulty << std::setw(6)
                  << row.found << std::setw(7) << row.clean << std::setw(13) << row.false_errors << std::setw(7)
                  << row.codes << std::setw(6) << row.codes_cited << "\n";
}

}  // namespace

TEST_CASE("of the validator's faulty assets at least 95 in 100 are found, and no sound one is called faulty") {
    const auto files = assets();
    if (files.empty()) return;
    std::map<std::string, Row> table;
    for (const auto& asset : files) {
        const Reference wanted = reference(asset);
        const std::string ours = our_errors(asset);
        for (Row* row : {&table[class_of(asset)], &table["~all"]}) {
            if (wanted.errors.empty()) {
                ++row->clean;
                row->false_errors += ours.empty() ? 0 : 1;
            } else {
                ++row->faulty;
                row->found += ours.empty() ? 0 : 1;
            }
            for (const std::string& code : wanted.errors) {
                ++row->codes;
                row->codes_cited += ours.find(std::string("[").append(code).append("]")) != std::string::npos ? 1 : 0;
            }
        }
        if (wanted.errors.empty() && !ours.empty())
            std::cout << "false error: " << asset.filename().string() << ": " << ours;
        if (!wanted.errors.empty() && ours.empty())
            std::cout << "missed: " << asset.filename().string() << ": " << *wanted.errors.begin() << "\n";
        for (const std::string& code : wanted.errors)
            if (!ours.empty() && ours.find(std::string("[").append(code).append("]")) == std::string::npos)
                std::cout << "other code: " << asset.filename().string() << ": " << code
                          << ", we say: " << ours.substr(0, 300);
    }
    print(table);
    for (const auto& [name, row] : table) {
        INFO(name);
        CHECK(row.false_errors == 0);
        if (name != "extensions") CHECK(row.found * 100 >= row.faulty * 95);
    }
    CHECK(table["~all"].codes_cited * 100 >= table["~all"].codes * 90);
}

TEST_CASE("no asset of the validator crashes anything in this layer, cut off anywhere or not") {
    for (const auto& asset : assets()) {
        const auto bytes = read_file(asset);
        REQUIRE(bytes);
        for (std::size_t part = 0; part <= 8; ++part) {
            const auto document = parse_document(ByteView(*bytes).first(bytes->size() * part / 8), asset.parent_path());
            if (!document) continue;
            check_structure(*document);
            const auto plain = decompress(*document);
            const Document& readable = plain ? *plain : *document;
            (void)view_model(readable);
            const Json* accessors = readable.json.contains("accessors") ? &readable.json["accessors"] : nullptr;
            for (std::size_t a = 0; accessors && a < accessors->size(); ++a)
                if (const auto view = AccessorView::open(readable, a))
                    CHECK(view->floats().size() == view->count() * view->components());
            CHECK_FALSE(write_glb(readable).empty());
        }
    }
}
