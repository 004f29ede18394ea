// SPDX-License-Identifier: MIT
// The queue with work that does what no work should: crash, hang, eat the memory.
#include <catch2/catch.hpp>

#include <csignal>
#include <cstdlib>
#include <map>
#include <thread>

#include <unistd.h>

#include <helixavatar/base/file_io.hpp>

#include "batch/folders.hpp"
#include "batch/worker.hpp"

using namespace helixavatar;
using namespace helixavatar::test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

/// Jobs over small files, each with an output; the work copies, and does what the file says.
struct Bench {
    TemporaryFolder folder;
    fs::path in = folder.path() / "in", out = folder.path() / "out";
    batch::RunOptions options;
    batch::Recipe recipe{"copy", "none", [this](const batch::Job& job) { return copy(job); }};
    std::vector<std::size_t> told;

    Bench() {
        options.folder = out;
        options.progress = false;
        options.jobs = 2;
    }

    batch::Outcome copy(const batch::Job& job) const {
        batch::Outcome outcome;
        const Result<Bytes> bytes = read_file(job.input.path);
        if (!bytes) {
            outcome.error = bytes.error();
            outcome.code = exit_code_for(bytes.error().kind);
            return outcome;
        }
        const std::string text(bytes->begin(), bytes->end());
        std::ofstream(folder.path() / "begun", std::ios::app) << job.input.below.string() + "\n";
        // As in the program: Catch's and the sanitizers' handlers would tell of it in the test's own name.
        for (const int number : {SIGSEGV, SIGABRT}) ::signal(number, SIG_DFL);
        if (text == "crash") ::raise(SIGSEGV);
        if (text == "abort") std::abort();
        if (text == "throw") throw std::runtime_error("a library lost its head");
        if (text == "hang") std::this_thread::sleep_for(600s);
        if (text == "slow") std::this_thread::sleep_for(700ms);
        if (text == "eat" || text == "graze") {
            const std::size_t mebibytes = text == "eat" ? 4000 : 400;
            std::vector<Bytes> eaten;
            for (std::size_t i = 0; i < mebibytes; ++i) eaten.emplace_back(std::size_t{1} << 20, std::uint8_t{1});
        }
        if (text == "bad") outcome.code = ExitCode::judged_bad;
        if (text == "broken") {
            outcome.error = Error{ErrorKind::malformed, "broken", job.input.path.string(), ""};
            outcome.code = ExitCode::bad_input;
            return outcome;
        }
        const Result<void> wrote = write_file_atomically(out / job.outputs.front(), *bytes);
        REQUIRE(wrote);
        return outcome;
    }

    batch::RunResult run(const std::map<std::string, std::string>& files) {
        for (const auto& [name, text] : files) put(in / name, text);
        Result<std::vector<batch::Input>> inputs = batch::find_inputs({in.string()}, {{".glb"}, out});
        REQUIRE(inputs);
        const Result<std::vector<batch::Job>> jobs = batch::plan(inputs.take(), out, to_out);
        REQUIRE(jobs);
        told.clear();
        return batch::run(*jobs, recipe, options, [&](std::size_t i, const batch::Outcome&) { told.push_back(i); });
    }

    std::size_t begun() const {
        const std::string lines = get(folder.path() / "begun");
        return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
    }
};

}  // namespace

TEST_CASE("a crash, an abort, an exception and a broken file lose only themselves") {
    Bench bench;
    const auto result = bench.run({{"a.glb", "crash"},
                                   {"b.glb", "x"},
                                   {"c.glb", "abort"},
                                   {"d.glb", "throw"},
                                   {"e.glb", "broken"},
                                   {"f.glb", "bad"},
                                   {"sub/g.glb", "y"}});
    REQUIRE(result.outcomes.size() == 7);
    CHECK(bench.told == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6});
    CHECK_THAT(result.outcomes[0].error->message, Catch::Contains("Segmentation fault"));
    CHECK(result.outcomes[0].code == ExitCode::internal);
    CHECK_FALSE(result.outcomes[1].error);
    CHECK_THAT(result.outcomes[2].error->message, Catch::Contains("Aborted"));
    CHECK_THAT(result.outcomes[3].error->message, Catch::Contains("a library lost its head"));
    CHECK(result.outcomes[4].code == ExitCode::bad_input);
    CHECK(result.outcomes[5].code == ExitCode::judged_bad);
    CHECK(result.code == ExitCode::internal);
    CHECK(get(bench.out / "b.out") == "x");
    CHECK(get(bench.out / "sub/g.out") == "y");
    CHECK(result.outcomes[6].outputs.front().sha256 == sha256_hex(as_bytes("y")));
    CHECK_FALSE(fs::exists(bench.out / "e.out"));
}

TEST_CASE("a file that takes too long is given up, and the rest is done") {
    Bench bench;
    bench.options.time_limit = 1s;
    const auto result = bench.run({{"a.glb", "hang"}, {"b.glb", "x"}});
    CHECK(result.outcomes[0].code == ExitCode::unconvertible);
    CHECK_THAT(result.outcomes[0].error->hint, Catch::Contains("--time-limit"));
    CHECK_FALSE(result.outcomes[1].error);
}

TEST_CASE("a file that needs more than its share is done alone, one that needs more than all is told so") {
    if (!batch::kLimitsMemory) {
        WARN("skipped: a sanitizer takes more address space than any limit would leave");
        return;
    }
    Bench bench;
    bench.options.memory_bytes = std::size_t{600} << 20;
    const auto result = bench.run({{"a.glb", "graze"}, {"b.glb", "eat"}, {"c.glb", "x"}});
    CHECK_FALSE(result.outcomes[0].error);
    CHECK(get(bench.out / "a.out") == "graze");
    REQUIRE(result.outcomes[1].error);
    CHECK(result.outcomes[1].code == ExitCode::bad_input);
    CHECK_THAT(result.outcomes[1].error->message, Catch::Contains("600 MiB"));
    CHECK_THAT(result.outcomes[1].error->hint, Catch::Contains("--memory"));
    CHECK_FALSE(result.outcomes[2].error);
    CHECK(bench.begun() == 5);
}

TEST_CASE("fail-fast begins nothing after the first failure, and says what was left") {
    Bench bench;
    bench.options.fail_fast = true;
    bench.options.jobs = 1;
    const auto result = bench.run({{"a.glb", "broken"}, {"b.glb", "x"}, {"c.glb", "y"}});
    CHECK(result.code == ExitCode::bad_input);
    CHECK(bench.begun() == 1);
    CHECK(result.outcomes[1].state == batch::State::not_run);
    CHECK(result.stopped_by == 0);
}

TEST_CASE("resume keeps what is right and does again what is not") {
    Bench bench;
    const std::map<std::string, std::string> files = {{"a.glb", "1"},      {"b.glb", "2"},   {"c.glb", "3"},
                                                      {"d.glb", "broken"}, {"e.glb", "bad"}, {"f.glb", "6"}};
    CHECK(bench.run(files).code == ExitCode::bad_input);
    REQUIRE(bench.begun() == 6);
    bench.options.resume = true;
    const auto second = bench.run(files);
    CHECK(bench.begun() == 7);  // what failed is tried again
    CHECK(second.outcomes[0].state == batch::State::kept);
    CHECK(second.outcomes[4].state == batch::State::kept);
    CHECK(second.outcomes[4].code == ExitCode::judged_bad);
    CHECK(second.code == ExitCode::bad_input);

    put(bench.out / "b.out", "tampered");
    fs::remove(bench.out / "c.out");
    std::map<std::string, std::string> changed = files;
    changed["a.glb"] = "one";
    const auto third = bench.run(changed);
    CHECK(get(bench.out / "a.out") == "one");
    CHECK(get(bench.out / "b.out") == "2");
    CHECK(get(bench.out / "c.out") == "3");
    CHECK(third.outcomes[5].state == batch::State::kept);
    CHECK(bench.begun() == 11);

    bench.recipe.options = "others";
    bench.run(changed);
    CHECK(bench.begun() == 17);
}

TEST_CASE("a damaged record only costs the work") {
    Bench bench;
    bench.run({{"a.glb", "1"}});
    for (const char* text : {"", "{", "[]", "{\"contract\":\"helix/batch-record@1\"}"}) {
        put(bench.out / batch::record_path("a.glb"), text);
        bench.options.resume = true;
        CHECK(bench.run({{"a.glb", "1"}}).outcomes[0].state == batch::State::done);
    }
    CHECK(bench.begun() == 5);
    CHECK(batch::read_records(bench.out).size() == 1);
}

TEST_CASE("a first SIGINT lets the files in work finish, a SIGTERM drops them; neither leaves anything behind") {
    for (const int number : {SIGINT, SIGTERM}) {
        Bench bench;
        bench.options.jobs = 1;
        const pid_t self = ::getpid();
        // A process of its own, since the queue may be forked only from one thread.
        const pid_t sender = ::fork();
        if (sender == 0) {
            while (bench.begun() == 0) std::this_thread::sleep_for(5ms);
            ::kill(self, number);
            ::_exit(0);
        }
        const auto result = bench.run({{"a.glb", "slow"}, {"b.glb", "slow"}, {"c.glb", "slow"}});
        CHECK(result.stopped_by == number);
        CHECK(result.outcomes[0].state == (number == SIGINT ? batch::State::done : batch::State::dropped));
        CHECK(result.outcomes[1].state == batch::State::not_run);
        CHECK(fs::exists(bench.out / "a.out") == (number == SIGINT));
        CHECK(bench.told.size() == 3);
        if (fs::exists(bench.out))
            for (const auto& entry : fs::directory_iterator(bench.out))
                CHECK((entry.path().filename() == "a.out" || entry.path().filename() == batch::kRecordFolder));
    }
}

TEST_CASE("what the workers print does not reach the output, and their temporary files go with them") {
    Bench bench;
    bench.recipe.work = [&](const batch::Job& job) {
        std::puts("noise");
        std::fflush(stdout);
        const TemporaryFolder used;
        put(bench.folder.path() / "place", used.path().string());
        put(used.path() / "left", "x");
        ::kill(::getpid(), SIGKILL);
        return bench.copy(job);
    };
    bench.options.memory_bytes = std::size_t{400} << 20;
    bench.options.jobs = 1;
    CHECK(bench.run({{"a.glb", "x"}}).outcomes[0].error);
    const fs::path place = get(bench.folder.path() / "place");
    CHECK_FALSE(place.empty());
    CHECK_FALSE(fs::exists(place.parent_path()));
}
