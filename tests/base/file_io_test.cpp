// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <csignal>
#include <filesystem>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <helixavatar/base/child_process.hpp>
#include <helixavatar/base/file_io.hpp>

using namespace helixavatar;

namespace {

Bytes bytes_of(std::string_view text) {
    return {text.begin(), text.end()};
}

std::size_t entries(const std::filesystem::path& folder) {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

/// While it lives no file of this process may grow past `bytes`: a write fails half-way, as on a full disk.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) {
        ::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &former_);
        const rlimit small{bytes, former_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &small);
    }
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &former_);
        ::signal(SIGXFSZ, SIG_DFL);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit former_{};
};

}  // namespace

TEST_CASE("what was written is read back, also over an older file") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "a.bin";
    REQUIRE(write_file_atomically(path, bytes_of("first, and longer")));
    REQUIRE(write_file_atomically(path, bytes_of("second")));
    CHECK(*read_file(path) == bytes_of("second"));
    REQUIRE(write_file_atomically(path, {}));
    CHECK(read_file(path)->empty());
    CHECK(entries(folder.path()) == 1);
}

TEST_CASE("a write that fails half-way leaves the former file and nothing beside it") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "avatar.glb";
    REQUIRE(write_file_atomically(path, bytes_of("precious")));
    Result<void> written;
    {
        const FileSizeLimit limit(1000);
        written = write_file_atomically(path, Bytes(100000, 7));
    }
    REQUIRE_FALSE(written);
    CHECK(written.error().kind == ErrorKind::unwritable);
    CHECK(written.error().where == path.string());
    CHECK(*read_file(path) == bytes_of("precious"));
    CHECK(entries(folder.path()) == 1);
}

TEST_CASE("a path that cannot be written is an error with the path in it") {
    const TemporaryFolder folder;
    const auto missing = write_file_atomically(folder.path() / "no" / "such" / "a.bin", bytes_of("x"));
    REQUIRE_FALSE(missing);
    CHECK(missing.error().kind == ErrorKind::unwritable);
    std::filesystem::create_directory(folder.path() / "taken");
    CHECK_FALSE(write_file_atomically(folder.path() / "taken", bytes_of("x")));
    CHECK(entries(folder.path()) == 1);
}

TEST_CASE("the mode of a file that is written over stays") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "a.bin";
    REQUIRE(write_file_atomically(path, bytes_of("x")));
    REQUIRE(::chmod(path.c_str(), 0640) == 0);
    REQUIRE(write_file_atomically(path, bytes_of("y")));
    CHECK((std::filesystem::status(path).permissions() & std::filesystem::perms::all) == std::filesystem::perms(0640));
}

TEST_CASE("a link that is written over keeps its target untouched or updated, never half written") {
    const TemporaryFolder folder;
    REQUIRE(write_file_atomically(folder.path() / "target", bytes_of("old")));
    std::filesystem::create_symlink("target", folder.path() / "link");
    REQUIRE(write_file_atomically(folder.path() / "link", bytes_of("new")));
    CHECK(*read_file(folder.path() / "link") == bytes_of("new"));
    const auto target = *read_file(folder.path() / "target");
    CHECK((target == bytes_of("old") || target == bytes_of("new")));
}

TEST_CASE("what is no regular file is refused without hanging") {
    const TemporaryFolder folder;
    const auto fifo = folder.path() / "pipe.glb";
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    for (const std::filesystem::path& path :
         {fifo, std::filesystem::path("/dev/zero"), folder.path(), folder.path() / "missing"}) {
        INFO(path);
        const auto file = read_file(path);
        REQUIRE_FALSE(file);
        CHECK(file.error().kind == ErrorKind::unreadable);
        CHECK(file.error().where == path.string());
    }
}

TEST_CASE("a file over the limit is refused before it is read") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "large.bin";
    REQUIRE(write_file_atomically(path, Bytes(100, 1)));
    std::filesystem::resize_file(path, 1ULL << 40);
    const auto file = read_file(path);
    REQUIRE_FALSE(file);
    CHECK(file.error().message.find("1099511627776") != std::string::npos);
    Limits limits;
    limits.file_bytes = 100;
    std::filesystem::resize_file(path, 100);
    CHECK(read_file(path, limits));
    std::filesystem::resize_file(path, 101);
    CHECK_FALSE(read_file(path, limits));
}

TEST_CASE("one file under two names is seen as one") {
    const TemporaryFolder folder;
    REQUIRE(write_file_atomically(folder.path() / "a", bytes_of("x")));
    REQUIRE(write_file_atomically(folder.path() / "b", bytes_of("x")));
    std::filesystem::create_symlink("a", folder.path() / "link");
    CHECK(same_file(folder.path() / "a", folder.path() / "." / "a"));
    CHECK(same_file(folder.path() / "a", folder.path() / "link"));
    CHECK_FALSE(same_file(folder.path() / "a", folder.path() / "b"));
    CHECK_FALSE(same_file(folder.path() / "a", folder.path() / "missing"));
}

TEST_CASE("SHA-256 is the standard's") {
    CHECK(sha256_hex({}) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256_hex(as_bytes("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
