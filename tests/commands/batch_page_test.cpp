// SPDX-License-Identifier: MIT
// docs/batch, tried: a Slurm job array on localhost with a worker killed in the middle, GNU parallel, and what the
// Kubernetes Job runs. All make the folder that one machine makes.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <regex>

#include <unistd.h>

#include <helixavatar/base/child_process.hpp>

#include "commands/many_characters.hpp"
#include "support/real_avatars.hpp"
#include "support/run_program.hpp"

using namespace helixavatar;
using namespace helixavatar::test;
namespace fs = std::filesystem;

namespace {

const fs::path kPages = fs::path(HELIXAVATAR_SOURCE_DIR) / "docs/batch";

std::string text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder of characters, and what one machine makes of it.
struct Studio {
    TemporaryFolder folder;

    explicit Studio(int good) {
        fill_folder(folder.path() / "in", good, 6);
        const Ended one = run_program(HELIXAVATAR_BINARY, {"import", "in", "-o", "one", "--no-ktx2"}, folder.path());
        REQUIRE(one.exit_code == 3);
    }

    /// Runs a script with the program on PATH.
    Ended shell(const std::string& script) const {
        const std::string path = fs::path(HELIXAVATAR_BINARY).parent_path().string();
        return run_program("/bin/sh", {"-c", "export PATH='" + path + "':\"$PATH\" IN=in FLAGS=--no-ktx2\n" + script},
                           folder.path());
    }

    bool same(const std::string& other) const { return tree(folder.path() / "one") == tree(folder.path() / other); }
};

bool installed(const char* program) {
    return !find_program(program).empty() || fs::exists(fs::path("/usr/sbin") / program);
}

}  // namespace

TEST_CASE("a Slurm job array makes the same bytes, though a worker is killed in the middle") {
    for (const char* program : {"sbatch", "slurmctld", "slurmd", "munged", "mungekey"})
        if (!installed(program)) {
            WARN("skipped: " << program << " is not installed (Debian: slurm-wlm, munge)");
            return;
        }
    if (::geteuid() != 0) {
        WARN("skipped: starting a Slurm of one's own needs root");
        return;
    }
    const Studio studio(40);
    const std::string start =
        "PATH=/usr/sbin:$PATH sh '" HELIXAVATAR_SOURCE_DIR "/tests/commands/slurm_localhost.sh' . sh -c '";
    // The program of the second task is killed once it has made something; then the array is run again.
    const Ended ended = studio.shell(
        "export OUT=many\n" + start +
        "set -eu\n"
        "job=$(sbatch --parsable --array=1-3 --export=ALL \"" +
        (kPages / "slurm-array.sh").string() +
        "\")\n"
        "until [ $(ls many/.helixavatar 2>/dev/null | wc -l) -ge 5 ]; do sleep 0.02; done\n"
        "for process in /proc/[0-9]*; do\n"
        "  if tr \"\\0\" \" \" <$process/cmdline 2>/dev/null | grep -q \"^helixavatar import in -o many "
        ".*--shard [123]/3\"; then\n"
        "    pid=${process#/proc/}; parent=$(cut -d \" \" -f 4 $process/stat)\n"
        "    grep -aq shard /proc/$parent/cmdline && pid=$parent\n"  // a file's own process: take the queue's
        "    kill -9 $pid && echo killed && break\n"
        "  fi\n"
        "done\n"
        "while [ -n \"$(squeue -h -j $job)\" ]; do sleep 0.1; done\n"
        "echo before the second run: $(ls many/.helixavatar | wc -l)\n"
        "sbatch --wait --array=1-3 --export=ALL \"" +
        (kPages / "slurm-array.sh").string() +
        "\"\n"
        "echo second run: $?'");
    INFO(ended.out << ended.err << text_of(studio.folder.path() / "helixavatar-1.log"));
    CHECK(ended.exit_code == 0);
    CHECK_THAT(ended.out, Catch::Contains("killed\n"));
    CHECK_THAT(ended.out, Catch::Contains("second run: 0"));
    std::smatch match;
    REQUIRE(std::regex_search(ended.out, match, std::regex("before the second run: (\\d+)")));
    CHECK(std::stoi(match[1]) < 46);
    CHECK(studio.same("many"));
}

TEST_CASE("GNU parallel makes the same bytes and ends with the summary") {
    if (!installed("parallel")) {
        WARN("skipped: GNU parallel is not installed (Debian: parallel)");
        return;
    }
    const Studio studio(8);
    const Ended ended = studio.shell("MACHINES=3 OUT=many sh '" + (kPages / "parallel.sh").string() + "'");
    INFO(ended.out << ended.err);
    CHECK(ended.exit_code == 3);
    CHECK_THAT(ended.out, Catch::Contains("14 files: 8 done, 6 failed"));
    CHECK(studio.same("many"));
}

TEST_CASE("what the Kubernetes Job runs makes the same bytes, index by index, evicted or not") {
    const Studio studio(8);
    const std::string page = text_of(kPages / "kubernetes-job.yaml");
    std::smatch match;
    REQUIRE(std::regex_search(page, match, std::regex("args:\\n +- \\|\\n((?: {14}.*\\n)+)")));
    std::string script = std::regex_replace(match[1].str(), std::regex("/data/characters"), "in");
    script = std::regex_replace(script, std::regex("/data/avatars"), "many --no-ktx2");
    for (int index = 0; index < 8; ++index) {
        const std::string number = std::to_string(index);
        if (index % 3 == 0)
            studio.shell("JOB_COMPLETION_INDEX=" + number + " timeout -s TERM 0.2 sh -c '" + script + "'");
        const Ended pod = studio.shell("export JOB_COMPLETION_INDEX=" + number + "\n" + script);
        INFO(pod.out << pod.err);
        CHECK(pod.exit_code == 0);
    }
    CHECK(studio.same("many"));
}

TEST_CASE("the Kubernetes Job is valid by Kubernetes' own schemas, and has no member that they do not know") {
    const auto modules = node_modules();
    if (!modules) return;
    for (const char* package : {"kubernetes-models", "yaml"})
        if (!fs::exists(*modules / package)) {
            WARN("skipped: the npm package " << package << " is not installed");
            return;
        }
    const TemporaryFolder folder;
    const auto faults = [&](const std::string& manifest) {
        put_file(folder.path() / "job.yaml", manifest);
        const Ended ended =
            run_program(find_program("node"),
                        {HELIXAVATAR_SOURCE_DIR "/tests/commands/check_kubernetes.mjs", modules->string(), "job.yaml"},
                        folder.path());
        INFO(ended.err);
        CHECK(ended.exit_code == (ended.out.empty() ? 0 : 1));
        return ended.out;
    };
    const std::string page = text_of(kPages / "kubernetes-job.yaml");
    CHECK(faults(page) == "");
    // The schemas are ones that refuse.
    const std::pair<const char*, const char*> wrong[] = {{"completions: 8", "completions: eight"},
                                                         {"restartPolicy", "restartPolcy"},
                                                         {"mountPath", "mountpath"},
                                                         {"Indexed", "Indexd"},
                                                         {"kind: Job", "kind: Jobs"}};
    for (const auto& [right, typo] : wrong) {
        INFO(typo);
        CHECK_FALSE(faults(std::regex_replace(page, std::regex(right), typo)).empty());
    }
}
