// SPDX-License-Identifier: MIT
// What a person sees while many files are worked on: a bar on a terminal, plain lines in a log.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <sstream>

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <helixavatar/base/child_process.hpp>

#include "commands/many_characters.hpp"
#include "support/run_program.hpp"

using namespace helixavatar;
using namespace helixavatar::test;
namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

namespace {

/// The characters of a UTF-8 text.
std::size_t width(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// Runs the program on a terminal of its own and gives everything that it wrote there.
std::string on_terminal(std::vector<std::string> words, const fs::path& folder, unsigned short columns,
                        const char* variable = nullptr) {
    winsize size{};
    size.ws_col = columns;
    size.ws_row = 24;
    int terminal = -1;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
    REQUIRE(child >= 0);
    if (child == 0) {
        for (const char* plain : {"NO_COLOR", "CI"}) ::unsetenv(plain);
        if (variable) ::setenv(variable, "1", 1);
        std::string program = HELIXAVATAR_BINARY;
        std::vector<char*> argv{program.data()};
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        if (::chdir(folder.c_str()) == 0) ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    std::string out;
    char buffer[4096];
    // The terminal ends with an error once the program is gone.
    for (ssize_t got; (got = ::read(terminal, buffer, sizeof buffer)) > 0;)
        out.append(buffer, static_cast<std::size_t>(got));
    ::close(terminal);
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 3));
    return out;
}

/// What stands on the screen at the end, colours aside; knows the three controls that we use and no other.
Lines screen(std::string text) {
    text = std::regex_replace(text, std::regex("\x1b\\[[0-9;]*m"), "");
    Lines lines{""};
    for (std::size_t i = 0, column = 0; i < text.size(); ++i) {
        std::string& line = lines.back();
        if (text[i] == '\r') {
            column = 0;
        } else if (text[i] == '\n') {
            lines.emplace_back();
            column = 0;
        } else if (text.compare(i, 3, "\x1b[K") == 0) {
            line.resize(std::min(line.size(), column));
            i += 2;
        } else {
            INFO("control " << static_cast<int>(text[i]));
            CHECK(static_cast<unsigned char>(text[i]) >= ' ');
            line.resize(std::max(line.size(), column + 1), ' ');
            line[column++] = text[i];
        }
    }
    return lines;
}

/// Every state of the bar.
Lines bars(const std::string& text) {
    Lines found;
    const std::regex bar("\r\x1b\\[K(\\[[^\r\n\x1b]+)");
    for (std::sregex_iterator it(text.begin(), text.end(), bar), end; it != end; ++it) found.push_back((*it)[1]);
    return found;
}

std::size_t full(const std::string& bar) {
    return static_cast<std::size_t>(std::count(bar.begin(), bar.begin() + 22, '#'));
}

struct Crowd {
    TemporaryFolder folder;
    std::vector<std::string> words = {"import", "in", "-o", "out", "--no-ktx2", "--jobs", "2"};

    Crowd() {
        fill_folder(folder.path() / "in", 12, 6);
        put_file(folder.path() / "in/Стрелок-из-очень-далёкой-страны.glb", character(99));
    }
};

}  // namespace

TEST_CASE("on a terminal a bar tells how far it is, what failed and how long it takes, and leaves the screen clean") {
    const Crowd crowd;
    for (const unsigned short columns : std::vector<unsigned short>{100, 42}) {
        INFO(columns << " columns");
        const std::string text = on_terminal(crowd.words, crowd.folder.path(), columns);
        const Lines states = bars(text);
        REQUIRE(states.size() > 10);
        std::size_t before = 0;
        for (const std::string& bar : states) {
            INFO(bar);
            CHECK(std::regex_search(bar, std::regex("^\\[#*\\.*\\] [0-9]+ of 19 files")));
            CHECK(bar.find(']') == 21);
            CHECK(width(bar) < columns);
            CHECK(full(bar) >= before);
            before = full(bar);
        }
        CHECK(full(states.front()) == 0);
        CHECK(before > 10);
        CHECK_THAT(states.front(), Catch::Contains("0 of 19 files"));
        if (columns == 100) {
            CHECK(std::any_of(states.begin(), states.end(), [](const std::string& bar) {
                return std::regex_search(bar, std::regex("failed, about [0-9]+ s left  .+\\.glb$"));
            }));
            // The last files may end between two paintings of the bar.
            CHECK(std::regex_search(states.back(), std::regex("1[678] of 19 files")));
            CHECK(std::regex_search(text, std::regex("files, [1-6] failed")));
        }
        const Lines shown = screen(text);
        std::size_t failures = 0;
        for (const std::string& line : shown) {
            INFO(line);
            CHECK(line.find("[#") == std::string::npos);
            CHECK(line.find("[.") == std::string::npos);
            failures += line.rfind("error: in/", 0) == 0;
            // Each line begins as one of ours: nothing of a bar stands before or behind it.
            CHECK(std::regex_search(line, std::regex("^$|^error: in/|^  w|^(done|failed) +in/|^19 files: ")));
        }
        CHECK(failures == 6);
        REQUIRE(shown.size() > 2);
        CHECK(shown[shown.size() - 2] == "19 files: 13 done, 6 failed");
        CHECK(shown.back().empty());
        fs::remove_all(crowd.folder.path() / "out");
    }
}

TEST_CASE("in a log, and on a terminal that asks for plain text, there is no bar and no control character") {
    const Crowd crowd;
    const Ended piped = run_program(HELIXAVATAR_BINARY, crowd.words, crowd.folder.path());
    CHECK(piped.exit_code == 3);
    std::string texts[] = {piped.out + piped.err, on_terminal(crowd.words, crowd.folder.path(), 80, "NO_COLOR"),
                           on_terminal(crowd.words, crowd.folder.path(), 80, "CI")};
    for (std::string& text : texts) {
        text = std::regex_replace(text, std::regex("\r\n"), "\n");  // a terminal's end of a line
        INFO(text);
        CHECK(text.find('\r') == std::string::npos);
        CHECK(bars(text).empty());
        CHECK_THAT(text, Catch::Contains("19 of 19 files, 6 failed\n"));
        CHECK_THAT(text, Catch::Contains("19 files: 13 done, 6 failed\n"));
    }
    CHECK(texts[0].find('\x1b') == std::string::npos);
    CHECK(texts[1].find('\x1b') == std::string::npos);
}
