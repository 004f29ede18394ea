// SPDX-License-Identifier: MIT
// SARIF logs of real judgements against the official schema, by node.
#include <catch2/catch.hpp>

#include <helixavatar/base/child_process.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/gltf/document.hpp>
#include <helixavatar/report/report.hpp>

#include "support/humanoid.hpp"
#include "support/real_avatars.hpp"

using namespace helixavatar;
namespace fs = std::filesystem;
using gltf::Json;

namespace {

report::Judged judged(const std::string& name, const Bytes& bytes) {
    return {name, preflight::judge(bytes, name)};
}

/// A raw rig, a published avatar, one with a fault of its level skeletons, a name that needs escaping, no glTF at all.
std::vector<report::Judged> judgements() {
    test::HumanoidOptions options;
    options.triangles = 2000;
    std::vector<report::Judged> out;
    out.push_back(judged("raw rig.glb", gltf::write_glb(test::build_humanoid(options))));
    options.family = "helix";
    options.pose = test::BodyPose::canonical;
    options.lods = 3;
    options.face_mesh = true;
    out.push_back(judged("a/b%20[1]#?.web.glb", gltf::write_glb(test::build_humanoid(options))));
    options.faults = {test::Fault::shared_lod_skeleton};
    out.push_back(judged("shared.web.glb", gltf::write_glb(test::build_humanoid(options))));
    out.push_back(judged("-", Bytes(100, std::uint8_t{7})));
    return out;
}

}  // namespace

TEST_CASE("SARIF logs are valid by the official 2.1.0 schema") {
    const auto modules = test::node_modules();
    if (!modules) return;
    if (!fs::exists(*modules / "@microsoft" / "jest-sarif")) {
        WARN("skipped: the npm package @microsoft/jest-sarif is not installed");
        return;
    }
    const TemporaryFolder folder;
    const auto validate = [&](const std::string& text) {
        const fs::path file = folder.path() / "log.sarif";
        const Result<void> wrote = write_file_atomically(file, as_bytes(text));
        REQUIRE(wrote);
        const auto run = run_child(find_program("node"),
                                   {std::string(HELIXAVATAR_SOURCE_DIR) + "/tests/report/validate_sarif.mjs",
                                    modules->string(), file.string()},
                                   folder.path(), std::chrono::seconds(120));
        REQUIRE(run);
        INFO(run->output);
        CHECK((run->exit_code == 0 || run->exit_code == 1));
        return run->output;
    };
    report::PrintOptions options;
    options.format = report::Format::sarif;
    const std::vector<report::Judged> all = judgements();
    for (const bool strict : {false, true}) {
        options.strict = strict;
        CHECK(validate(report::print(all, options)) == "");
    }
    CHECK(validate(report::print({}, options)) == "");
    // The schema is one that refuses.
    Json wrong = Json::parse(report::print(all, options));
    REQUIRE(wrong["runs"][0]["results"].size() > 4);
    wrong["runs"][0]["results"][0]["level"] = "fatal";
    wrong["runs"][0]["tool"]["driver"].erase("name");
    const std::string faults = validate(wrong.dump());
    CHECK_THAT(faults, Catch::Contains("results[0].level"));
    CHECK_THAT(faults, Catch::Contains("missingProperty"));
}
