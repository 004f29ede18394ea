// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include "batch/folders.hpp"

using namespace helixavatar;
using namespace helixavatar::test;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

namespace {

const batch::InputRules kRules{{".glb", ".vrm"}, {}};

Result<std::vector<batch::Job>> planned(const std::vector<std::string>& words, const fs::path& folder) {
    Result<std::vector<batch::Input>> inputs = batch::find_inputs(words, {{".glb", ".vrm"}, folder});
    if (!inputs) return inputs.error();
    return batch::plan(inputs.take(), folder, to_out);
}

}  // namespace

TEST_CASE("a folder is walked in order of names, with the place of each file below it") {
    const TemporaryFolder folder;
    for (const char* name : {"b.glb", "a/z.GLB", "a/deep/k.vrm", "notes.txt", "c.glb"}) put(folder.path() / name, "x");
    const auto inputs = batch::find_inputs({folder.path().string()}, kRules);
    REQUIRE(inputs);
    CHECK(places(*inputs) == Names{"a/deep/k.vrm", "a/z.GLB", "b.glb", "c.glb"});
    CHECK(inputs->front().bytes == 1);
}

TEST_CASE("a glob keeps what lies below its fixed part, and a file named twice counts once") {
    const TemporaryFolder folder;
    const std::string top = folder.path().string();
    for (const char* name : {"red/knight.glb", "blue/knight.glb", "blue/horse.glb"}) put(folder.path() / name, "x");
    const auto globbed = batch::find_inputs({top + "/*/knight.glb", top + "/red/../red/knight.glb"}, kRules);
    REQUIRE(globbed);
    CHECK(places(*globbed) == Names{"blue/knight.glb", "red/knight.glb"});
    const auto folders = batch::find_inputs({top + "/b*"}, kRules);
    REQUIRE(folders);
    CHECK(places(*folders) == Names{"blue/horse.glb", "blue/knight.glb"});
    CHECK(batch::names_many(top));
    CHECK(batch::names_many(top + "/*.glb"));
    CHECK_FALSE(batch::names_many(top + "/red/knight.glb"));
    CHECK_FALSE(batch::names_many("-"));
}

TEST_CASE("what cannot be read is an input that fails, not one that is passed over") {
    const TemporaryFolder folder;
    put(folder.path() / "good.glb", "x");
    REQUIRE(::mkfifo((folder.path() / "pipe.glb").c_str(), 0600) == 0);
    fs::create_symlink("loop.glb", folder.path() / "loop.glb");
    fs::create_directory_symlink(".", folder.path() / "again");
    fs::create_directory(folder.path() / "named-like-a-file.glb");
    const auto inputs = batch::find_inputs({folder.path().string(), "no/such.glb", "no/folder/"}, kRules);
    REQUIRE(inputs);
    CHECK(places(*inputs) == Names{"good.glb", "loop.glb", "pipe.glb", "such.glb", "folder"});
    fs::create_directory(folder.path() / "empty");
    const auto nothing = batch::find_inputs({(folder.path() / "empty").string()}, kRules);
    REQUIRE_FALSE(nothing);
    CHECK_THAT(nothing.error().message, Catch::Contains(".glb or .vrm"));
}

TEST_CASE("a folder without inputs is told what it holds instead, and that outputs are not searched") {
    const TemporaryFolder folder;
    for (const char* name : {"b.png", "a/z.txt", "README", "in.blend"}) put(folder.path() / "other" / name, "x");
    const auto other = batch::find_inputs({(folder.path() / "other").string()}, kRules);
    REQUIRE_FALSE(other);
    CHECK(other.error().message ==
          "the folder holds no .glb or .vrm file, but 4 of another kind (.blend, .png, .txt, no ending)");
    for (char c = 'a'; c < 'k'; ++c) put(folder.path() / "other" / (std::string("x.") + c), "x");
    const auto many = batch::find_inputs({(folder.path() / "other").string()}, kRules);
    CHECK_THAT(many.error().message, Catch::Contains("14 of another kind") && Catch::EndsWith(", ...)"));
    put(folder.path() / "out/a.web.glb", "x");
    const auto same = planned({(folder.path() / "out").string()}, folder.path() / "out");
    REQUIRE_FALSE(same);
    CHECK_THAT(same.error().message, Catch::Contains("the output folder is not searched"));
    CHECK_THAT(same.error().hint, Catch::Contains("-o"));
}

TEST_CASE("a folder without permission is a fault of its own") {
    if (::geteuid() == 0) {
        WARN("skipped: root may read everything");
        return;
    }
    const TemporaryFolder folder;
    put(folder.path() / "good.glb", "x");
    fs::create_directory(folder.path() / "closed");
    fs::permissions(folder.path() / "closed", fs::perms::none);
    const auto inputs = batch::find_inputs({folder.path().string()}, kRules);
    fs::permissions(folder.path() / "closed", fs::perms::owner_all);
    REQUIRE(inputs);
    REQUIRE(inputs->size() == 2);
    CHECK(inputs->front().fault);
}

TEST_CASE("the output folder is not walked into") {
    const TemporaryFolder folder;
    put(folder.path() / "a.glb", "x");
    put(folder.path() / "out/a.glb", "x");
    const auto jobs = planned({folder.path().string()}, folder.path() / "out");
    REQUIRE(jobs);
    REQUIRE(jobs->size() == 1);
    CHECK(jobs->front().outputs == std::vector<fs::path>{"a.out"});
}

TEST_CASE("two inputs of one output are refused, both named, and so is an output over an input") {
    const TemporaryFolder folder;
    put(folder.path() / "in/knight.glb", "x");
    put(folder.path() / "in/knight.vrm", "x");
    const auto twice = planned({(folder.path() / "in").string()}, folder.path() / "out");
    REQUIRE_FALSE(twice);
    CHECK(twice.error().kind == ErrorKind::usage);
    CHECK_THAT(twice.error().message, Catch::Contains("knight.glb") && Catch::Contains("knight.vrm"));
    CHECK_FALSE(fs::exists(folder.path() / "out"));

    const auto same = batch::plan({{folder.path() / "in/knight.glb", "knight.glb", 1, {}}}, folder.path() / "in",
                                  [](const fs::path& below) { return std::vector<fs::path>{below}; });
    REQUIRE_FALSE(same);
    CHECK_THAT(same.error().message, Catch::Contains("never overwritten"));
}

TEST_CASE("an output whose name would be too long is that file's fault alone") {
    const std::string name(250, 'n');
    const auto jobs =
        batch::plan({{name + ".g", name + ".g", 1, {}}, {"b.glb", "b.glb", 1, {}}}, "out",
                    [](const fs::path& below) { return std::vector<fs::path>{fs::path(below) += ".web.glb"}; });
    REQUIRE(jobs);
    REQUIRE((*jobs)[0].input.fault);
    CHECK((*jobs)[0].input.fault->kind == ErrorKind::unwritable);
    CHECK_FALSE((*jobs)[1].input.fault);
}

TEST_CASE("shards hold every input once, evenly, and wherever the folder lies") {
    std::vector<std::size_t> sizes(8);
    for (int i = 0; i < 4000; ++i) {
        int holders = 0;
        for (unsigned index = 1; index <= 8; ++index) {
            const bool holds = batch::Shard{index, 8}.holds("heroes/" + std::to_string(i) + ".glb");
            holders += holds;
            sizes[index - 1] += holds;
        }
        REQUIRE(holders == 1);
    }
    for (const std::size_t size : sizes) CHECK((size > 400 && size < 600));
    CHECK(batch::parse_shard("2/8")->index == 2);
    for (const char* wrong : {"0/8", "9/8", "2", "2/", "/8", "a/b", "2/8x", "-1/2", "1/0"}) {
        INFO(wrong);
        CHECK_FALSE(batch::parse_shard(wrong));
    }
}
