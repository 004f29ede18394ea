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

TEST_CASE("zsh completes commands, options, the words of an option and files, at its own prompt") {
    const std::filesystem::path zsh = find_program("zsh");
    if (zsh.empty()) {
        WARN("skipped: zsh is not installed");
        return;
    }
    const TemporaryFolder folder;
    put_file(folder.path() / "_helixavatar", helixavatar_says({"completion", "zsh"}).out);
    put_file(folder.path() / "knight.glb", "");
    // Types a line and a tab at an interactive shell, and waits until the screen shows what it should.
    put_file(folder.path() / "type", R"(
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=($PWD \$fpath); autoload -Uz compinit; compinit -D -u; print re''ady"
zpty -r shell screen '*ready*'
zpty -w -n shell "$1"$'\t'
zpty -r shell screen "*$2*"
zpty -d shell
)");
    const auto shows = [&](const std::string& line, const std::string& pattern) {
        const auto run =
            run_child(zsh, {"-f", "type", "helixavatar " + line, pattern}, folder.path(), std::chrono::seconds(30));
        INFO(line << ": " << run->output);
        CHECK((run && run->exit_code == 0));
    };
    shows("pre", "preflight");
    shows("import --lod-", "--lod-tris");
    shows("import --atlas ", "always*auto*never");
    shows("import kni", "knight.glb");
}

TEST_CASE("fish completes commands, options, the words of an option and files") {
    const std::filesystem::path fish = find_program("fish");
    if (fish.empty()) {
        WARN("skipped: fish is not installed");
        return;
    }
    const TemporaryFolder folder;
    put_file(folder.path() / "helixavatar.fish", helixavatar_says({"completion", "fish"}).out);
    put_file(folder.path() / "knight.glb", "");
    // What is offered, without the descriptions beside it.
    const auto offered = [&](const std::string& line) {
        const Ended ended =
            run_program("/bin/sh",
                        {"-c", "HOME=. XDG_CONFIG_HOME=. XDG_DATA_HOME=. '" + fish.string() +
                                   "' --no-config -c 'source helixavatar.fish; complete -C \"helixavatar " + line +
                                   "\"' | cut -f 1"},
                        folder.path());
        INFO(ended.err);
        CHECK(ended.exit_code == 0);
        return ended.out;
    };
    CHECK(offered("pre") == "preflight\n");
    CHECK(offered("import --lod-") == "--lod-tris\n");
    CHECK(offered("import --atlas ") == "always\nauto\nnever\n");
    CHECK(offered("import kni") == "knight.glb\n");
}
