// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <helixavatar/base/child_process.hpp>
#include <helixavatar/batch/plan.hpp>
#include <helixavatar/batch/record.hpp>
#include <helixavatar/batch/run.hpp>

namespace helixavatar::test {

inline void put(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
}

inline std::string get(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline std::vector<std::string> places(const std::vector<batch::Input>& inputs) {
    std::vector<std::string> list;
    for (const batch::Input& input : inputs) list.push_back(input.below.string());
    return list;
}

/// Input and output names differ by their ending alone.
inline std::vector<std::filesystem::path> to_out(const std::filesystem::path& below) {
    return {std::filesystem::path(below).replace_extension(".out")};
}

}  // namespace helixavatar::test
