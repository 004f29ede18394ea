// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <atomic>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <helixavatar/base/child_process.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/base/printable.hpp>

using namespace helixavatar;
namespace fs = std::filesystem;

TEST_CASE("a name cannot forge a line, steer a terminal or break a document") {
    CHECK(printable("knight one.glb") == "knight one.glb");
    CHECK(printable("Übung-騎士.glb") == "Übung-騎士.glb");
    CHECK(printable("a\nerror: b\r\t") == "a\\nerror: b\\r\\t");
    CHECK(printable("\x1b[2J\x7f") == "\\x1b[2J\\x7f");
    CHECK(printable("\xff\xc3") == "\\xff\\xc3");
    CHECK(printable("\u202Ebig.exe\u009B") == "\\u202ebig.exe\\u009b");
    CHECK(printable("a\\nb") == "a\\\\nb");
}

TEST_CASE("leftovers of killed writers go, files of living writers and of others stay") {
    const TemporaryFolder folder;
    for (const char* name : {".helixavatar-AbCdEf", ".helixavatar-77-0", ".other", "avatar.glb"})
        std::ofstream(folder.path() / name) << "x";
    const int living = ::open((folder.path() / ".helixavatar-77-0").c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(living >= 0);
    REQUIRE(::flock(living, LOCK_EX) == 0);
    remove_leftovers(folder.path());
    CHECK_FALSE(fs::exists(folder.path() / ".helixavatar-AbCdEf"));
    CHECK(fs::exists(folder.path() / ".helixavatar-77-0"));
    CHECK(fs::exists(folder.path() / ".other"));
    CHECK(fs::exists(folder.path() / "avatar.glb"));
    ::close(living);
    remove_leftovers(folder.path());
    CHECK_FALSE(fs::exists(folder.path() / ".helixavatar-77-0"));
}

TEST_CASE("a read is observed with its bytes until that ends, a read of the program's own files is not") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "a.bin";
    REQUIRE(write_file_atomically(path, as_bytes("seen")));
    std::vector<std::string> seen;
    observe_reads([&](const fs::path& file, ByteView bytes) {
        seen.push_back(file.filename().string() + "=" + std::string(bytes.begin(), bytes.end()));
    });
    CHECK(read_file(path));
    CHECK(read_own_file(path));
    CHECK_FALSE(read_file(folder.path() / "missing"));
    observe_reads({});
    CHECK(read_file(path));
    CHECK(seen == std::vector<std::string>{"a.bin=seen"});
}

TEST_CASE("a file that another program writes to while it is read is not taken for good") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "growing.bin";
    REQUIRE(write_file_atomically(path, Bytes(64 << 20, 1)));
    bool refused = false;
    for (int attempt = 0; attempt < 20 && !refused; ++attempt) {
        std::atomic<bool> stop{false};
        std::thread writer([&] {
            const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
            while (!stop) static_cast<void>(::pwrite(fd, "\2", 1, 0));
            ::close(fd);
        });
        const Result<Bytes> read = read_file(path);
        stop = true;
        writer.join();
        if (read) continue;
        refused = true;
        CHECK(read.error().kind == ErrorKind::unreadable);
        CHECK_THAT(read.error().message, Catch::Contains("changed it while it was read"));
        CHECK(read.error().where == path.string());
    }
    CHECK(refused);
    CHECK(read_file(path));
}
