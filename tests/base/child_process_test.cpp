// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <chrono>
#include <filesystem>
#include <thread>

#include <helixavatar/base/child_process.hpp>

using namespace helixavatar;
using namespace std::chrono_literals;

namespace {

ChildResult shell(const std::string& script, std::chrono::seconds limit = 20s,
                  const std::filesystem::path& folder = "/") {
    const auto result = run_child("/bin/sh", {"-c", script}, folder, limit);
    REQUIRE(result);
    return *result;
}

}  // namespace

TEST_CASE("a child's exit code and both of its outputs come back") {
    const ChildResult result = shell("echo out; echo err >&2; exit 3");
    CHECK(result.exit_code == 3);
    CHECK_FALSE(result.timed_out);
    CHECK(result.output == "out\nerr\n");
}

TEST_CASE("arguments reach the child as they are, without a shell in between") {
    const auto result = run_child("/bin/echo", {"$HOME", "a b", "*", ";exit"}, "/", 20s);
    REQUIRE(result);
    CHECK(result->output == "$HOME a b * ;exit\n");
}

TEST_CASE("a child runs in the folder given, with nothing on its standard input") {
    const TemporaryFolder folder;
    CHECK(shell("pwd -P; cat", 20s, folder.path()).output == std::filesystem::canonical(folder.path()).string() + "\n");
}

TEST_CASE("a child that takes too long is killed with its own children") {
    const auto start = std::chrono::steady_clock::now();
    const ChildResult result = shell("sleep 60 & sleep 60", 1s);
    CHECK(result.timed_out);
    CHECK(result.exit_code == 128 + 9);
    CHECK(std::chrono::steady_clock::now() - start < 20s);
}

TEST_CASE("a child that closes its outputs and stays is killed in time") {
    const auto start = std::chrono::steady_clock::now();
    const ChildResult result = shell("exec >&- 2>&-; sleep 60", 1s);
    CHECK(result.timed_out);
    CHECK(std::chrono::steady_clock::now() - start < 20s);
}

TEST_CASE("a grandchild that keeps the pipe open does not hold up the caller past the limit") {
    const auto start = std::chrono::steady_clock::now();
    shell("sleep 60 & exit 0", 1s);
    CHECK(std::chrono::steady_clock::now() - start < 20s);
}

TEST_CASE("endless output is cut off at 64 KiB and the child still ends") {
    const ChildResult result = shell("head -c 1000000 /dev/zero | tr '\\0' x; exit 5");
    CHECK(result.output.size() == 64 * 1024);
    CHECK(result.exit_code == 5);
}

TEST_CASE("a signal shows as 128 and its number") {
    CHECK(shell("kill -SEGV $$").exit_code == 128 + 11);
}

TEST_CASE("a program that cannot be started is told by exit code 127") {
    const auto result = run_child("/no/such/program", {}, "/", 20s);
    if (result)
        CHECK(result->exit_code == 127);
    else
        CHECK(result.error().kind == ErrorKind::internal);
}

TEST_CASE("programs are found on PATH, folders of that name are not") {
    CHECK(find_program("sh").filename() == "sh");
    CHECK(find_program("no-such-program-anywhere").empty());
}

TEST_CASE("a temporary folder goes with what it holds") {
    std::filesystem::path path;
    {
        const TemporaryFolder folder;
        path = folder.path();
        std::filesystem::create_directories(path / "a" / "b");
        CHECK((std::filesystem::status(path).permissions() & std::filesystem::perms::others_all) ==
              std::filesystem::perms::none);
    }
    CHECK_FALSE(std::filesystem::exists(path));
}
