// SPDX-License-Identifier: MIT
// Man pages and completions, read by the programs that they are for.
#include <catch2/catch.hpp>

#include <filesystem>

#include <helixavatar/base/child_process.hpp>

#include "commands/many_characters.hpp"
#include "support/run_program.hpp"

using namespace helixavatar;
using namespace helixavatar::test;

namespace {

Ended helixavatar_says(const std::vector<std::string>& words) {
    return run_program(HELIXAVATAR_BINARY, words, std::filesystem::temp_directory_path());
}

}  // namespace

TEST_CASE("every option of the help is in the man page and in each completion") {
    const std::string bash = helixavatar_says({"completion", "bash"}).out;
    const std::string zsh = helixavatar_says({"completion", "zsh"}).out;
    const std::string fish = helixavatar_says({"completion", "fish"}).out;
    for (const char* command : {"import", "preflight", "lod", "summarize"}) {
        const std::string page = helixavatar_says({"man", command}).out;
        const std::string help = helixavatar_says({command, "--help"}).out;
        std::size_t options = 0;
        for (std::size_t at = help.find("--"); at != std::string::npos; at = help.find("--", at + 2)) {
            const std::size_t end = help.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", at);
            const std::string option = help.substr(at, end - at);
            const bool begins = at > 0 && (help[at - 1] == ' ' || help[at - 1] == ',');
            const std::size_t line = help.rfind('\n', at) + 1;
            if (!begins || at - line > 8 || option.size() < 4) continue;
            ++options;
            INFO(command << " " << option);
            std::string in_roff;
            for (const char c : option) in_roff += c == '-' ? std::string("\\-") : std::string(1, c);
            CHECK_THAT(page, Catch::Contains(in_roff));
            CHECK_THAT(bash, Catch::Contains(option));
            CHECK_THAT(zsh, Catch::Contains(option));
            CHECK_THAT(fish, Catch::Contains("-l " + option.substr(2)));
        }
        CHECK(options > 0);
    }
}

TEST_CASE("bash completes commands, options, and the words of an option") {
    const TemporaryFolder folder;
    put_file(folder.path() / "completion", helixavatar_says({"completion", "bash"}).out);
    const auto completed = [&](const std::string& words) {
        return run_program("/bin/bash",
                           {"-c", "source completion; COMP_WORDS=(" + words +
                                      "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); compopt() { :; }; _helixavatar; "
                                      "echo ${COMPREPLY[@]}"},
                           folder.path())
            .out;
    };
    CHECK(completed("helixavatar pre") == "preflight\n");
    CHECK(completed("helixavatar import --lod-") == "--lod-tris\n");
    CHECK(completed("helixavatar import --atlas ''") == "auto always never\n");
    CHECK(completed("helixavatar import compl") == "completion\n");
}
