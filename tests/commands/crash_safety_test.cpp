// SPDX-License-Identifier: MIT
// What the world does to a run: kills, full disks, folders that cannot be written, names and files of every kind. An
// output is there whole or not at all, and one sentence says why.
#include <catch2/catch.hpp>

#include <algorithm>
#include <csignal>
#include <thread>

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <helixavatar/base/bytes.hpp>
#include <helixavatar/base/child_process.hpp>
#include <helixavatar/base/file_io.hpp>

#include "commands/many_characters.hpp"
#include "support/run_program.hpp"

using namespace helixavatar;
using namespace helixavatar::test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

namespace {

Ended helixavatar_in(const fs::path& folder, const Words& words) {
    return run_program(HELIXAVATAR_BINARY, words, folder);
}

/// A small file system of its own; none when the test may not mount.
class SmallDisk {
public:
    explicit SmallDisk(const fs::path& folder, const char* options) : folder_(folder) {
        fs::create_directory(folder);
        mounted_ = ::mount("tmpfs", folder.c_str(), "tmpfs", 0, options) == 0;
    }
    ~SmallDisk() {
        if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    bool mounted() const { return mounted_; }
    void make_read_only() const { ::mount("tmpfs", folder_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr); }

private:
    fs::path folder_;
    bool mounted_;
};

bool has_leftover(const fs::path& folder) {
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().filename().string().rfind(".helixavatar-", 0) == 0) return true;
    return false;
}

/// One error, on lines that hold nothing but printable text.
void check_sentence(const Ended& ended, int exit_code, const std::string& why) {
    INFO(ended.out << ended.err);
    CHECK(ended.exit_code == exit_code);
    CHECK_THAT(ended.err, Catch::Contains(why));
    CHECK(ended.err.find("error: ") != std::string::npos);
    for (const std::string* text : {&ended.out, &ended.err})
        CHECK(std::none_of(text->begin(), text->end(),
                           [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7F || c >= 0x80; }));
}

}  // namespace

TEST_CASE("killed at any moment, an output is the former one, the new one or none, and whole") {
    const TemporaryFolder folder;
    put_file(folder.path() / "a.glb", character(0));
    fs::create_directory(folder.path() / "out");
    const Words words = {"import", "a.glb", "-o", "out/a.web.glb", "--no-ktx2"};
    const auto start = std::chrono::steady_clock::now();
    REQUIRE(helixavatar_in(folder.path(), words).exit_code == 0);
    const auto whole_run = std::chrono::steady_clock::now() - start;
    const std::vector<std::string> whole = tree(folder.path() / "out");
    const Result<Bytes> glb = read_file(folder.path() / "out/a.web.glb");
    REQUIRE(glb);
    for (const bool former : {false, true}) {
        for (int moment = 0; moment < 24; ++moment) {
            fs::remove_all(folder.path() / "out");
            fs::create_directory(folder.path() / "out");
            if (former) put_file(folder.path() / "out/a.web.glb", "former");
            Program program(HELIXAVATAR_BINARY, words, folder.path());
            std::this_thread::sleep_for(whole_run * moment / 22);
            program.signal(SIGKILL);
            program.wait();
            INFO(moment << " of 22 parts of the run");
            const Result<Bytes> now = read_file(folder.path() / "out/a.web.glb");
            if (now) CHECK((*now == *glb || (former && now->size() == 6)));
            if (former) CHECK(now);
            if (fs::exists(folder.path() / "out/a.avatar-import.json")) CHECK(tree(folder.path() / "out") == whole);
        }
    }
}

TEST_CASE("a full disk costs the outputs that do not fit, and leaves nothing of them") {
    const TemporaryFolder folder;
    for (int i = 0; i < 4; ++i) put_file(folder.path() / "in" / (std::to_string(i) + ".glb"), character(i));
    const SmallDisk disk(folder.path() / "disk", "size=300k");
    if (!disk.mounted()) {
        WARN("skipped: mounting a small file system needs root");
        return;
    }
    const Ended many = helixavatar_in(folder.path(), {"import", "in", "-o", "disk/out", "--no-ktx2"});
    check_sentence(many, 5, "No space left on device");
    CHECK_FALSE(has_leftover(folder.path() / "disk"));
    const Ended one = helixavatar_in(folder.path(), {"import", "in/0.glb", "-o", "disk/0.web.glb", "--no-ktx2"});
    CHECK(one.exit_code == 5);
    CHECK_FALSE(fs::exists(folder.path() / "disk/0.web.glb"));
    // With room again the rest is done.
    const Ended rest = helixavatar_in(folder.path(), {"import", "in", "-o", "elsewhere", "--no-ktx2", "--resume"});
    CHECK(rest.exit_code == 0);
}

TEST_CASE("a limit on the size of files is a write that fails, not the end of the program") {
    const TemporaryFolder folder;
    put_file(folder.path() / "a.glb", character(0));
    const Ended ended = run_program(
        "/bin/sh", {"-c", "ulimit -f 20; exec '" HELIXAVATAR_BINARY "' import a.glb -o a.web.glb --no-ktx2"},
        folder.path());
    check_sentence(ended, 5, "File too large");
    CHECK_FALSE(fs::exists(folder.path() / "a.web.glb"));
    CHECK_FALSE(has_leftover(folder.path()));
}

TEST_CASE("a folder that cannot be written is said for each file") {
    const TemporaryFolder folder;
    put_file(folder.path() / "in/a.glb", character(0));
    const SmallDisk disk(folder.path() / "disk", "size=1m");
    if (disk.mounted())
        disk.make_read_only();
    else if (::geteuid() != 0)
        fs::permissions(folder.path() / "disk", fs::perms::owner_read | fs::perms::owner_exec);
    else {
        WARN("skipped: root may write everywhere and may not mount here");
        return;
    }
    check_sentence(helixavatar_in(folder.path(), {"import", "in", "-o", "disk/out", "--no-ktx2"}), 5,
                   "cannot make the output's folder");
    check_sentence(helixavatar_in(folder.path(), {"import", "in/a.glb", "-o", "disk/a.web.glb", "--no-ktx2"}), 5,
                   "cannot write the file");
    check_sentence(helixavatar_in(folder.path(), {"preflight", "in", "--summary", "disk/s.json"}), 5,
                   "cannot write the file");
}

TEST_CASE("names with spaces, lines, quotes, bytes of no alphabet and signs of direction are just names") {
    const TemporaryFolder folder;
    const std::string names[] = {"two words.glb",
                                 "two\nlines.glb",
                                 "\xff\xfe.glb",
                                 "-rf.glb",
                                 "$(touch x) 'q' \"p\".glb",
                                 "\xe2\x80\xae"
                                 "flipped.glb",
                                 "\x1b[2Jclear.glb",
                                 std::string(230, 'n') + ".glb"};
    int number = 0;
    for (const std::string& name : names) put_file(folder.path() / "in" / name, character(number++));
    put_file(folder.path() / "in" / (std::string(251, 'm') + ".glb"), character(0));
    put_file(folder.path() / "in/bad\n\x1b[31m\xff.glb", "no glTF");
    const Ended ended = helixavatar_in(folder.path(), {"import", "in", "-o", "out", "--no-ktx2", "--summary", "s.csv"});
    check_sentence(ended, 5, "a file's name can have 255");
    CHECK_THAT(ended.err, Catch::Contains("bad\\n\\x1b[31m\\xff.glb"));
    for (const std::string& name : names) {
        INFO(name);
        CHECK(fs::exists(folder.path() / "out" / (name.substr(0, name.size() - 4) + ".web.glb")));
    }
    const Ended again = helixavatar_in(folder.path(), {"import", "in", "-o", "out", "--no-ktx2", "--resume"});
    CHECK_THAT(again.out, Catch::Contains("8 kept"));
    check_sentence(helixavatar_in(folder.path(), {"lod", "in/bad\n\x1b[31m\xff.glb", "-o", "x.glb"}), 3,
                   "bad\\n\\x1b[31m\\xff.glb");
    check_sentence(helixavatar_in(folder.path(), {"import", "./" + std::string(300, 'l') + ".glb", "-o", "l.glb"}), 3,
                   "File name too long");
}

TEST_CASE("an empty file, a loop of links, a FIFO and 3 GB are refused at once, each with its sentence") {
    const TemporaryFolder folder;
    const fs::path in = folder.path() / "in";
    put_file(in / "empty.glb", "");
    fs::create_symlink("loop.glb", in / "loop.glb");
    REQUIRE(::mkfifo((in / "pipe.glb").c_str(), 0600) == 0);
    put_file(in / "large.glb", "glTF");
    fs::resize_file(in / "large.glb", std::uintmax_t{3} << 30);
    const std::pair<const char*, const char*> faults[] = {{"empty.glb", "empty"},
                                                          {"loop.glb", "Too many levels of symbolic links"},
                                                          {"pipe.glb", "not a regular file"},
                                                          {"large.glb", "3221225472 bytes, the limit is"}};
    const auto start = std::chrono::steady_clock::now();
    for (const char* command : {"import", "conform", "lod", "repair-lod-skeletons"})
        for (const auto& [name, why] : faults) {
            INFO(command << " " << name);
            check_sentence(helixavatar_in(folder.path(), {command, std::string("in/") + name, "-o", "x.web.glb"}), 3,
                           why);
            CHECK_FALSE(fs::exists(folder.path() / "x.web.glb"));
        }
    const Ended all = helixavatar_in(folder.path(), {"import", "in", "-o", "out"});
    for (const auto& [name, why] : faults)
        CHECK_THAT(all.out, Catch::Contains(std::string(name) + ": ") && Catch::Contains(why));
    CHECK(all.exit_code == 3);
    const Ended judged = helixavatar_in(folder.path(), {"preflight", "in"});
    for (const auto& [name, why] : faults) CHECK_THAT(judged.out, Catch::Contains(name));
    CHECK(judged.exit_code == 3);
    CHECK(std::chrono::steady_clock::now() - start < 30s);
}
