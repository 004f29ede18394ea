// SPDX-License-Identifier: MIT
// docs/CI.md, tried: its gate lines and its hook run on an avatar that may be published and on one that may not.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <helixavatar/base/child_process.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/gltf/document.hpp>

#include "support/humanoid.hpp"

using namespace helixavatar;
namespace fs = std::filesystem;

namespace {

std::string read_all(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The first fenced block of that language after a heading.
std::string block(const std::string& page, const std::string& heading, const std::string& language) {
    const std::string fence = "```" + language + "\n";
    const std::size_t section = page.find("\n## " + heading + "\n");
    REQUIRE(section != std::string::npos);
    const std::size_t begin = page.find(fence, section);
    REQUIRE(begin != std::string::npos);
    const std::size_t from = begin + fence.size();
    return page.substr(from, page.find("```", from) - from);
}

/// The command lines of a job that call the program.
std::string gate_lines(const std::string& yaml) {
    std::istringstream lines(yaml);
    std::string script;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t text = line.find_first_not_of(" -");
        if (text != std::string::npos && line.compare(text, 12, "helixavatar ") == 0)
            script += line.substr(text) + "\n";
    }
    REQUIRE_FALSE(script.empty());
    return script;
}

/// An asset repository with one avatar, and a place for scripts beside it.
struct AssetRepository {
    TemporaryFolder folder;
    fs::path top = folder.path() / "assets";

    explicit AssetRepository(bool good) {
        fs::create_directories(top / "avatars");
        test::HumanoidOptions options;
        options.triangles = 3000;
        const fs::path source = folder.path() / "source.glb", avatar = top / "avatars" / "hero one.web.glb";
        const Result<void> wrote = write_file_atomically(source, gltf::write_glb(test::build_humanoid(options)));
        REQUIRE(wrote);
        if (!good) {
            fs::copy_file(source, avatar);  // a raw rig, not yet imported
            return;
        }
        const auto made = run_child(HELIXAVATAR_BINARY, {"import", source.string(), "-o", avatar.string(), "--no-ktx2"},
                                    folder.path(), std::chrono::seconds(300));
        REQUIRE(made);
        REQUIRE(made->exit_code == 0);
        fs::remove(top / "avatars" / "hero one.avatar-import.json");
    }

    /// Runs a script as a runner does: at the top of the repository, ending at the first failure.
    int run(const std::string& script) const {
        const fs::path file = folder.path() / "script.sh";
        std::ofstream(file) << script;
        const std::string command = "cd '" + top.string() + "' && PATH='" +
                                    fs::path(HELIXAVATAR_BINARY).parent_path().string() + "':\"$PATH\" sh -e '" +
                                    file.string() + "' >'" + (folder.path() / "output.txt").string() + "' 2>&1";
        return WEXITSTATUS(std::system(command.c_str()));
    }

    std::string output() const { return read_all(folder.path() / "output.txt"); }
};

std::string page() {
    return read_all(fs::path(HELIXAVATAR_SOURCE_DIR) / "docs/CI.md");
}

}  // namespace

TEST_CASE("the GitHub job of docs/CI.md passes a good avatar and annotates a bad one") {
    const std::string script = gate_lines(block(page(), "GitHub Actions", "yaml"));
    const AssetRepository good(true), bad(false);
    const int passed = good.run(script);
    INFO(good.output());
    CHECK(passed == 0);
    CHECK_THAT(good.output(), !Catch::Contains("::error "));
    CHECK(bad.run(script) == 1);
    CHECK_THAT(bad.output(), Catch::Contains("::error file=avatars/hero one.web.glb,title="));
}

TEST_CASE("the GitLab job of docs/CI.md passes a good avatar and reports a bad one") {
    const std::string script = gate_lines(block(page(), "GitLab CI", "yaml"));
    const AssetRepository good(true), bad(false);
    CHECK(good.run(script) == 0);
    CHECK_THAT(read_all(good.top / "preflight.xml"), Catch::Contains("failures=\"0\" errors=\"0\""));
    CHECK(bad.run(script) == 1);
    CHECK_THAT(read_all(bad.top / "preflight.xml"), Catch::Contains("<failure type="));
}

TEST_CASE("the project file of docs/CI.md is one that preflight takes") {
    const AssetRepository good(true);
    std::ofstream(good.top / ".helixavatar.toml")
        << block(page(), "What the project asks: `.helixavatar.toml`", "toml");
    const int passed = good.run("helixavatar preflight avatars");
    INFO(good.output());
    CHECK(passed == 0);
    CHECK_THAT(good.output(), Catch::Contains(".helixavatar.toml"));
    CHECK_THAT(good.output(), !Catch::Contains("no-dynamics"));
}

TEST_CASE("the hook of docs/CI.md lets a good avatar be committed and a bad one not") {
    if (std::system("git --version >/dev/null 2>&1") != 0) {
        WARN("skipped: git is not installed");
        return;
    }
    const std::string hook = block(page(), "Before a commit", "sh");
    const std::string begin =
        "export HOME=\"$PWD\" GIT_CONFIG_NOSYSTEM=1\nunset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE\ngit init -q\n"
        "git config user.name Creator\ngit config user.email creator@example.org\n"
        "cp ../hook .git/hooks/pre-commit\nchmod +x .git/hooks/pre-commit\n";
    for (const bool is_good : {true, false}) {
        const AssetRepository repository(is_good);
        std::ofstream(repository.folder.path() / "hook") << hook;
        REQUIRE(repository.run(begin + "echo x >notes.txt\ngit add notes.txt\ngit commit -qm 'No avatar yet'") == 0);
        const int committed = repository.run("export HOME=\"$PWD\"\ngit add avatars\ngit commit -qm 'An avatar'");
        INFO(repository.output());
        CHECK((committed == 0) == is_good);
        CHECK_THAT(repository.output(), Catch::Contains(is_good ? "PASS" : "FAIL"));
        if (is_good) {
            // What is staged counts, not what lies in the folder.
            CHECK(repository.run("echo broken >'avatars/hero one.web.glb'\necho y >>notes.txt\ngit add notes.txt\n"
                                 "git commit -qm 'Notes'") == 0);
            CHECK(repository.run("git add avatars\ngit commit -qm 'Broken'") != 0);
        }
    }
}
