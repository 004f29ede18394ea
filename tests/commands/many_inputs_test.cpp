// SPDX-License-Identifier: MIT
// cli.md, "Many inputs", on folders of good and broken characters.
#include <catch2/catch.hpp>

#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <thread>

#include <sys/stat.h>

#include <helixavatar/base/child_process.hpp>
#include <helixavatar/gltf/document.hpp>

#include "commands/many_characters.hpp"
#include "support/run_program.hpp"

using namespace helixavatar;
using namespace helixavatar::test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;
using gltf::Json;
using Words = std::vector<std::string>;

namespace {

Ended helixavatar_in(const fs::path& folder, const Words& words) {
    return run_program(HELIXAVATAR_BINARY, words, folder);
}

std::string text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

Json json_of(const fs::path& file) {
    return Json::parse(text_of(file));
}

ino_t inode(const fs::path& file) {
    struct stat status {};
    REQUIRE(::stat(file.c_str(), &status) == 0);
    return status.st_ino;
}

/// Records of files that ended well, and the inodes of their outputs.
std::map<std::string, ino_t> finished(const fs::path& out) {
    std::map<std::string, ino_t> outputs;
    if (!fs::exists(out / ".helixavatar")) return outputs;
    for (const auto& entry : fs::directory_iterator(out / ".helixavatar")) {
        if (entry.path().extension() != ".json") continue;
        const Json record = json_of(entry.path());
        for (const Json& output : record["outputs"])
            outputs[output["file"]] = inode(out / output["file"].get<std::string>());
    }
    return outputs;
}

/// A GLB taken apart: its JSON as a .gltf, its binary chunk beside it.
void put_gltf(const fs::path& file, const std::string& glb, const std::string& buffer_name) {
    std::uint32_t length = 0;
    std::memcpy(&length, glb.data() + 12, sizeof length);
    Json json = Json::parse(glb.substr(20, length));
    json["buffers"][0]["uri"] = buffer_name;
    put_file(file, json.dump());
    put_file(file.parent_path() / buffer_name, glb.substr(20 + length + 8));
}

fs::path output_of(const fs::path& place) {
    return place.parent_path() / (place.stem().string() + ".web.glb");
}

/// 180 good characters and 20 broken files, resumable.
const Words k200Words = {"import", "in", "-o", "out", "--no-ktx2", "--jobs", "2", "--resume", "--summary", "all.json"};

void check_200(const Ended& ended, const fs::path& folder, std::size_t kept = 0) {
    INFO(ended.out << ended.err);
    CHECK(ended.exit_code == 3);
    const std::string from_before = kept > 0 ? "; " + std::to_string(kept) + " kept from an earlier run" : "";
    CHECK_THAT(ended.out, Catch::Contains("200 files: 180 done, 20 failed" + from_before + "\n"));
    CHECK_THAT(ended.err, Catch::Contains("200 of 200 files, 20 failed"));
    const Json summary = json_of(folder / "all.json");
    CHECK(summary["exit"] == 3);
    CHECK(summary["counts"] ==
          Json({{"files", 200}, {"done", 180}, {"kept", kept}, {"over", 0}, {"failed", 20}, {"notRun", 0}}));
}

/// Makes the folder "out" anew with kills in between; what is there was made by an undisturbed run.
void check_killed_and_resumed(const fs::path& folder) {
    const std::vector<std::string> undisturbed = tree(folder / "out");
    fs::rename(folder / "out", folder / "whole");
    std::map<std::string, ino_t> before;
    const auto nothing_done_twice = [&] {
        const std::map<std::string, ino_t> now = finished(folder / "out");
        for (const auto& [output, number] : before) {
            INFO(output);
            CHECK((now.count(output) == 1 && now.at(output) == number));
        }
        before = now;
    };
    for (const std::size_t outputs : {30, 180, 300}) {
        Program program(HELIXAVATAR_BINARY, k200Words, folder);
        while (program.running() && finished(folder / "out").size() < outputs) std::this_thread::sleep_for(1ms);
        program.signal(SIGKILL);
        CHECK(program.wait().exit_code == 128 + SIGKILL);
        std::this_thread::sleep_for(100ms);  // its workers go with it
        nothing_done_twice();
        CHECK(before.size() >= outputs);
        CHECK(before.size() < 360);
    }
    const std::size_t kept = before.size() / 2;
    check_200(helixavatar_in(folder, k200Words), folder, kept);
    nothing_done_twice();
    CHECK(tree(folder / "out") == undisturbed);
}

}  // namespace

TEST_CASE(
    "200 mixed files: every good one is done, the summary and the exit code say so, memory stays flat; killed and "
    "resumed they come to the same bytes, and nothing is done twice") {
    const TemporaryFolder folder;
    const std::vector<fs::path> good = fill_folder(folder.path() / "in", 180, 20);
    Program program(HELIXAVATAR_BINARY, k200Words, folder.path());
    std::size_t early = 0, peak = 0;
    while (program.running()) {
        peak = std::max(peak, program.peak_kib());
        if (early == 0 && finished(folder.path() / "out").size() > 20) early = peak;
        std::this_thread::sleep_for(20ms);
    }
    check_200(program.wait(), folder.path());
    for (const fs::path& place : good) {
        INFO(place);
        CHECK(fs::exists(folder.path() / "out" / output_of(place)));
    }
    // From the first files to the last the queue itself hardly grows.
    CHECK(early > 0);
    CHECK(peak < early + 4096);
    std::map<int, int> codes;
    const Json summary = json_of(folder.path() / "all.json");
    for (const Json& file : summary["files"]) {
        ++codes[file["exit"].get<int>()];
        if (file["exit"] != 0) CHECK_FALSE(file["message"].is_null());
    }
    CHECK(codes == std::map<int, int>{{0, 180}, {3, 17}, {4, 3}});
    const Ended merged = helixavatar_in(folder.path(), {"summarize", "out", "--summary", "all.md"});
    CHECK(merged.exit_code == 3);
    CHECK_THAT(merged.out, Catch::Contains("200 files: 180 done, 20 failed\n"));
    check_killed_and_resumed(folder.path());
}

TEST_CASE("1, 2 and 8 jobs give the same bytes, the same lines and the same summary") {
    const TemporaryFolder folder;
    fill_folder(folder.path() / "in", 18, 6);
    std::vector<std::string> first;
    std::string lines, summary;
    for (const char* jobs : {"1", "2", "8"}) {
        const Ended ended = helixavatar_in(
            folder.path(), {"import", "in", "-o", "out", "--no-ktx2", "--jobs", jobs, "--summary", "all.csv"});
        const std::string table = text_of(folder.path() / "all.csv");
        if (first.empty()) {
            first = tree(folder.path() / "out");
            lines = ended.out;
            summary = table;
        }
        INFO(jobs << " jobs");
        CHECK(tree(folder.path() / "out") == first);
        CHECK(ended.out == lines);
        CHECK(table == summary);
        fs::remove_all(folder.path() / "out");
    }
    CHECK(first.size() > 18 * 2);
}

TEST_CASE("the shards of several machines make together what one machine makes") {
    const TemporaryFolder folder;
    fill_folder(folder.path() / "in", 12, 6);
    helixavatar_in(folder.path(), {"import", "in", "-o", "one", "--no-ktx2"});
    for (const char* shard : {"1/3", "2/3", "3/3"})
        helixavatar_in(folder.path(), {"import", "in", "-o", "many", "--no-ktx2", "--shard", shard});
    CHECK(tree(folder.path() / "one") == tree(folder.path() / "many"));
    const Ended wrong = helixavatar_in(folder.path(), {"import", "in", "-o", "many", "--shard", "4/3"});
    CHECK(wrong.exit_code == 2);
    CHECK_THAT(wrong.err, Catch::Contains("I from 1 to N"));
}

TEST_CASE("every command takes a folder: conform, lod, repair, preflight and dynamics-validate") {
    const TemporaryFolder folder;
    const std::vector<fs::path> good = fill_folder(folder.path() / "in", 6, 6);
    CHECK(helixavatar_in(folder.path(), {"conform", "in", "-o", "conformed"}).exit_code == 3);
    CHECK(fs::exists(folder.path() / "conformed" / good[0]));
    helixavatar_in(folder.path(), {"import", "in", "-o", "avatars", "--no-ktx2"});
    for (const char* command : {"lod", "repair-lod-skeletons"}) {
        const Ended ended = helixavatar_in(folder.path(), {command, "avatars", "-o", "mended"});
        INFO(command << ended.out << ended.err);
        CHECK(ended.exit_code == 0);
        CHECK(fs::exists(folder.path() / "mended" / output_of(good[0])));
        fs::remove_all(folder.path() / "mended");
    }
    for (const char* command : {"preflight", "dynamics-validate"}) {
        const Ended one = helixavatar_in(folder.path(), {command, "avatars", "--format", "json", "--jobs", "1"});
        const Ended more = helixavatar_in(
            folder.path(), {command, "avatars", "--format", "json", "--jobs", "8", "-o", "reports", "--resume"});
        const Ended again = helixavatar_in(folder.path(), {command, "avatars", "--format", "json", "-o", "reports",
                                                           "--resume", "--summary", "s.json"});
        INFO(command << one.err);
        CHECK(one.exit_code == 0);
        CHECK(one.out == more.out);
        CHECK(one.out == again.out);
        CHECK(Json::parse(one.out)["files"].size() == 6);
        CHECK(json_of(folder.path() / "s.json")["counts"]["kept"] == 6);
    }
}

TEST_CASE("what would go wrong for all is refused before anything is written") {
    const TemporaryFolder folder;
    put_file(folder.path() / "in/knight.glb", character(0));
    put_file(folder.path() / "in/knight.gltf", "{}");
    put_file(folder.path() / "taken", "x");
    const std::vector<std::string> before = tree(folder.path());
    const std::vector<std::pair<Words, std::string>> refused = {
        {{"import", "in", "-o", "out"}, "would become one file"},
        {{"import", "in", "-o", "out.glb"}, "name of a file"},
        {{"import", "in", "-o", "taken"}, "this is a file"},
        {{"import", "in"}, "-o FOLDER"},
        {{"import", "in", "-o", "out", "--name", "x"}, "--name is for one file"},
        {{"import", "in", "-o", "out", "--receipt", "x.json"}, "--receipt is for one file"},
        {{"import", "in", "-o", "out", "--summary", "x.txt"}, "JSON, CSV or Markdown"},
        {{"import", "in", "-o", "out", "--fail-fast", "--keep-going"}, "exclude"},
        {{"import", "in/knight.glb", "-o", "k.web.glb", "--resume"}, "many inputs"},
        {{"repair-lod-skeletons", "in/knight.glb", "-o", "in/"}, "never overwritten"},
        {{"preflight", "in", "--resume"}, "-o FOLDER"},
        {{"preflight", "in", "--ignore", "no-such-rule"}, "no-such-rule"}};
    for (const auto& [words, why] : refused) {
        const Ended ended = helixavatar_in(folder.path(), words);
        INFO(words[0] << " " << words.back() << ": " << ended.err);
        CHECK(ended.exit_code == 2);
        CHECK_THAT(ended.err, Catch::Contains(why));
        CHECK(tree(folder.path()) == before);
    }
}

TEST_CASE("other options, another bone map or a changed buffer beside a .gltf are other work") {
    const TemporaryFolder folder;
    put_file(folder.path() / "in/a.glb", character(0));
    put_file(folder.path() / "map.json", "{}");
    const auto kept = [&](const Words& more) {
        Words words = {"import", "in", "-o", "out", "--no-ktx2", "--resume", "--summary", "s.json"};
        words.insert(words.end(), more.begin(), more.end());
        const Ended ended = helixavatar_in(folder.path(), words);
        INFO(ended.err);
        CHECK(ended.exit_code == 0);
        return json_of(folder.path() / "s.json")["counts"]["kept"].get<int>();
    };
    CHECK(kept({}) == 0);
    CHECK(kept({}) == 1);
    CHECK(kept({"--jobs", "1", "--memory", "2000", "--keep-going"}) == 1);
    CHECK(kept({"--height", "1.5"}) == 0);
    CHECK(kept({"--bone-map", "map.json"}) == 0);
    CHECK(kept({"--bone-map", "map.json"}) == 1);
    put_file(folder.path() / "map.json", "{ }");
    CHECK(kept({"--bone-map", "map.json"}) == 0);

    fs::remove(folder.path() / "in/a.glb");
    put_gltf(folder.path() / "in/b.gltf", character(0), "b.bin");
    CHECK(kept({}) == 0);
    CHECK(kept({}) == 1);
    put_file(folder.path() / "in/b.bin", text_of(folder.path() / "in/b.bin") + "more");
    CHECK(kept({}) == 0);
    CHECK(kept({}) == 1);
}

TEST_CASE("stopped by SIGTERM the run says how far it came, ends by the signal and leaves nothing half done") {
    const TemporaryFolder folder;
    fill_folder(folder.path() / "in", 30, 0);
    Program program(HELIXAVATAR_BINARY, {"import", "in", "-o", "out", "--no-ktx2", "--summary", "s.json"},
                    folder.path());
    while (program.running() && finished(folder.path() / "out").size() < 8) std::this_thread::sleep_for(1ms);
    program.signal(SIGTERM);
    const Ended ended = program.wait();
    CHECK(ended.exit_code == 128 + SIGTERM);
    CHECK_THAT(ended.out, Catch::Contains("not run"));
    const Json counts = json_of(folder.path() / "s.json")["counts"];
    CHECK(counts["notRun"].get<int>() > 0);
    CHECK(counts["done"].get<int>() + counts["notRun"].get<int>() == 30);
    for (const std::string& entry : tree(folder.path() / "out"))
        CHECK(entry.find(".helixavatar-") == std::string::npos);
}
