// SPDX-License-Identifier: MIT
// The command line as data: cases.json holds arguments, exit code, what the streams hold, files made and not made, and
// the text of a project file in the folder above the one that the command runs in.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <map>

#include <helixavatar/base/child_process.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/gltf/document.hpp>
#include <helixavatar/skeleton/skeleton.hpp>

#include "support/humanoid.hpp"

using namespace helixavatar;
namespace fs = std::filesystem;
using gltf::Json;

namespace {

constexpr const char* kManifest = R"({"contract":"helix/dynamics@1","chains":[{"id":"hair-long-l","root":"hair_long_l_1",
 "importance":"high","stiffness":[0.6,0.42],"damping":[0.8,0.75],"inertia":[0.9,0.85],"gravity":0.04,
 "limit":{"kind":"cone","maxDegrees":[18,22]},"radius":0.012,"colliders":["head"],"endpoint":[-0.085,0,0]}],
 "colliders":[{"id":"head","bone":"head","shape":"sphere","offset":[0.09,0,0],"radius":0.115}],"lod":{"minPixels":14}})";

void write(const fs::path& path, std::string_view text) {
    const Result<void> wrote = write_file_atomically(path, as_bytes(text));
    REQUIRE(wrote);
}

void write_humanoid(const fs::path& path, const test::HumanoidOptions& options) {
    const Result<void> wrote = write_file_atomically(path, gltf::write_glb(test::build_humanoid(options)));
    REQUIRE(wrote);
}

/// The files that cases name in braces, made once for the whole program.
struct Bench {
    TemporaryFolder folder;
    std::map<std::string, std::string> names;

    Bench() {
        const auto at = [&](const char* key, const char* file) {
            names[key] = (folder.path() / file).string();
            return folder.path() / file;
        };
        fs::create_directory(at("out", "out"));
        test::HumanoidOptions options;
        options.triangles = 3000;
        write_humanoid(at("mixamo", "mixamo.glb"), options);
        options.faults = {test::Fault::no_skin};
        write_humanoid(at("unskinned", "unskinned.glb"), options);
        options.faults = {test::Fault::shared_lod_skeleton};
        options.family = "helix";
        options.pose = test::BodyPose::canonical;
        options.lods = 3;
        options.face_mesh = true;
        write_humanoid(at("shared", "shared.web.glb"), options);
        write(at("text", "text.glb"), "this is no glTF file");
        write(at("badmap", "badmap.json"), R"({"upperarm_l": "Elbow"})");
        write(at("manifest", "hair.json"), kManifest);
        std::string bad = kManifest;
        bad.insert(bad.find("\"id\""), "\"bounce\":1,");
        write(at("badmanifest", "bad-hair.json"), bad);
        write(at("skeleton", "skeleton.json"), skeleton::to_json_text(skeleton::helix_humanoid()));
        const auto made = run_child(HELIXAVATAR_BINARY, {"import", names["mixamo"], "-o", at("avatar", "avatar.web.glb").string(), "--no-ktx2"},
                                    folder.path(), std::chrono::seconds(300));
        REQUIRE(made);
        INFO(made->output);
        REQUIRE(made->exit_code == 0);
    }

    std::string filled(std::string text) const {
        for (const auto& [key, value] : names) {
            const std::string mark = "{" + key + "}";
            for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark)) text.replace(at, mark.size(), value);
        }
        return text;
    }
};

/// Runs with the two streams apart: through the shell's redirection, quoting every word.
struct Streams {
    int exit_code = 0;
    std::string out;
    std::string err;
};

std::string read_all(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

Streams run(const Bench& bench, const Json& test) {
    std::string command;
    if (test.contains("project")) {
        const fs::path below = bench.folder.path() / "project" / "heroes";
        fs::create_directories(below);
        write(below.parent_path() / ".helixavatar.toml", test["project"].get<std::string>());
        command = "cd '" + below.string() + "' && ";
    }
    const Json environment = test.value("env", Json::object());
    for (const auto& item : environment.items())
        command += item.key() + "='" + item.value().get<std::string>() + "' ";
    command += "'" HELIXAVATAR_BINARY "'";
    for (const Json& word : test["args"]) command += " '" + bench.filled(word.get<std::string>()) + "'";
    const fs::path out = bench.folder.path() / "stdout.txt";
    const fs::path err = bench.folder.path() / "stderr.txt";
    command += " >'" + out.string() + "' 2>'" + err.string() + "' </dev/null";
    const int status = std::system(command.c_str());
    return {WEXITSTATUS(status), read_all(out), read_all(err)};
}

}  // namespace

TEST_CASE("the command line does what its cases say") {
    const Bench bench;
    const Json cases = Json::parse(read_all(fs::path(HELIXAVATAR_SOURCE_DIR) / "tests/commands/cases.json"));
    REQUIRE(cases.size() > 40);
    for (const Json& test : cases) {
        const Streams streams = run(bench, test);
        INFO(test["name"] << "\nstdout:\n" << streams.out << "\nstderr:\n" << streams.err);
        if (test.contains("exit")) CHECK(streams.exit_code == test["exit"].get<int>());
        for (const Json& text : test.value("stdout", Json::array())) CHECK_THAT(streams.out, Catch::Contains(text.get<std::string>()));
        for (const Json& text : test.value("stderr", Json::array())) CHECK_THAT(streams.err, Catch::Contains(text.get<std::string>()));
        const fs::path made = bench.names.at("out");
        for (const Json& name : test.value("present", Json::array())) CHECK(fs::exists(made / name.get<std::string>()));
        for (const Json& name : test.value("absent", Json::array())) CHECK(!fs::exists(made / name.get<std::string>()));
        // Nothing half-written is left behind.
        for (const auto& entry : fs::directory_iterator(made)) CHECK(!entry.path().filename().string().starts_with(".helixavatar-"));
    }
}

TEST_CASE("preflight reads standard input") {
    const Bench bench;
    const fs::path out = bench.folder.path() / "stdout.txt";
    const std::string command = "'" HELIXAVATAR_BINARY "' preflight - --profile gate <'" + bench.names.at("avatar") + "' >'" + out.string() + "'";
    CHECK(std::system(command.c_str()) == 0);
    CHECK_THAT(read_all(out), Catch::Contains("PASS"));
}

TEST_CASE("lod on its own output changes no byte") {
    const Bench bench;
    const auto lod = [&](const std::string& from, const char* to, const char* how, const char* targets) {
        const fs::path out = bench.folder.path() / to;
        std::vector<std::string> words = {"lod", from, "-o", out.string(), how};
        if (*targets != 0) words.emplace_back(targets);
        const auto run = run_child(HELIXAVATAR_BINARY, words, bench.folder.path(), std::chrono::seconds(300));
        REQUIRE(run);
        INFO(run->output);
        REQUIRE(run->exit_code == 0);
        return out.string();
    };
    for (const auto& [how, targets] : {std::pair{"--lod-tris", "2000,900,300"}, {"--lod-tris", "2500"}, {"--auto", ""}}) {
        const std::string once = lod(bench.names.at("avatar"), "once.glb", how, targets);
        const std::string twice = lod(once, "twice.glb", how, targets);
        CHECK(read_all(once) == read_all(twice));
    }
    const std::string other = lod(bench.names.at("avatar"), "once.glb", "--lod-tris", "2000,900,300");
    CHECK(read_all(lod(other, "twice.glb", "--lod-tris", "1000,300")) != read_all(other));
}
