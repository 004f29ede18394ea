// SPDX-License-Identifier: MIT
// What the fuzzers start from, and what they once found, on every test run.
#include <algorithm>
#include <filesystem>
#include <set>

#include <catch2/catch.hpp>
#include <helixavatar/base/file_io.hpp>

#include "targets.hpp"

using namespace helixavatar;
namespace fs = std::filesystem;

namespace {

const fs::path kCorpus = fs::path(HELIXAVATAR_SOURCE_DIR) / "tests/fuzz/corpus";

}  // namespace

TEST_CASE("every fuzz target takes its whole corpus") {
    std::set<std::string> names;
    for (const test::FuzzTarget& target : test::fuzz_targets()) {
        names.insert(target.name);
        INFO(target.name);
        REQUIRE(fs::is_directory(kCorpus / target.name));
        std::size_t inputs = 0;
        for (const auto& entry : fs::directory_iterator(kCorpus / target.name)) {
            INFO(entry.path());
            const Result<Bytes> bytes = read_file(entry.path());
            REQUIRE(bytes);
            target.run(*bytes);
            target.run(ByteView(*bytes).first(bytes->size() / 2));
            ++inputs;
        }
        CHECK(inputs > 0);
    }
    for (const auto& entry : fs::directory_iterator(kCorpus)) {
        INFO("a corpus that no target has: " << entry.path());
        CHECK((!entry.is_directory() || names.count(entry.path().filename().string())));
    }
}

TEST_CASE("fuzz targets take nothing, and one byte of every kind") {
    for (const test::FuzzTarget& target : test::fuzz_targets()) {
        INFO(target.name);
        CHECK_NOTHROW(target.run({}));
        for (int byte = 0; byte < 256; ++byte) {
            const Bytes one{static_cast<std::uint8_t>(byte)};
            CHECK_NOTHROW(target.run(one));
        }
    }
}
