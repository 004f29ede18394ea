// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>

#include <cstdio>

#include <helixavatar/base/file_io.hpp>
#include <helixavatar/gltf/decode.hpp>
#include <helixavatar/gltf/structure_check.hpp>
#include <helixavatar/skeleton/skeleton.hpp>

#include "command.hpp"
#include "console.hpp"

namespace helixavatar::commands {
namespace {

struct SkeletonWords {
    std::string from;
    std::string output;
    bool json = false;
};

std::string tree(const skeleton::Skeleton& skeleton) {
    std::string text = skeleton.id + ": world position in metres (+Y up, +Z forward, +X the character's left)\n";
    std::vector<int> depth(skeleton.joints.size(), 0);
    std::vector<std::vector<std::size_t>> children(skeleton.joints.size());
    for (std::size_t i = 1; i < skeleton.joints.size(); ++i) children[skeleton.joints[i].parent].push_back(i);
    std::vector<std::size_t> open{0};
    while (!open.empty()) {
        const std::size_t i = open.back();
        open.pop_back();
        const skeleton::CanonicalJoint& joint = skeleton.joints[i];
        if (joint.parent >= 0) depth[i] = depth[joint.parent] + 1;
        char line[160];
        const Vec3& p = joint.world.translation;
        std::snprintf(line, sizeof line, "%*s%-*s %7.4f %7.4f %7.4f%s\n", 2 * depth[i], "", 46 - 2 * depth[i],
                      joint.name.c_str(), p.x(), p.y(), p.z(), joint.skin ? "" : "  helper");
        text += line;
        open.insert(open.end(), children[i].rbegin(), children[i].rend());
    }
    return text;
}

std::string differences_text(const skeleton::Skeleton& read) {
    const auto list = skeleton::differences(skeleton::helix_humanoid(), read);
    if (list.empty()) return "the same rest as the built-in helix-humanoid@1\n";
    std::string text = std::to_string(list.size()) + " joints rest otherwise than in the built-in helix-humanoid@1:\n";
    for (const skeleton::JointDifference& difference : list) {
        char line[120];
        std::snprintf(line, sizeof line, "  %-22s %7.2f degrees  %7.1f mm\n", difference.name.c_str(),
                      difference.degrees, difference.metres * 1000);
        text += line;
    }
    return text;
}

ExitCode run_skeleton(const SkeletonWords& words) {
    if (words.from.empty()) {
        const std::string text =
            words.json ? skeleton::to_json_text(skeleton::helix_humanoid()) : tree(skeleton::helix_humanoid());
        if (words.output.empty()) {
            print(text);
            return ExitCode::ok;
        }
        const Result<void> wrote =
            write_file_atomically(words.output, as_bytes(skeleton::to_json_text(skeleton::helix_humanoid())));
        return wrote ? ExitCode::ok : fail(wrote.error());
    }
    Result<skeleton::Skeleton> read = skeleton::read_skeleton(words.from);
    if (!read) return fail(read.error());
    if (!words.output.empty()) {
        const Result<void> target = check_output(words.from, words.output);
        if (!target) return fail(target.error());
        const Result<void> wrote = write_file_atomically(words.output, as_bytes(skeleton::to_json_text(*read)));
        if (!wrote) return fail(wrote.error());
    }
    print(words.json             ? skeleton::to_json_text(*read)
          : words.output.empty() ? tree(*read) + "\n" + differences_text(*read)
                                 : differences_text(*read));
    return ExitCode::ok;
}

}  // namespace

Runner bind_skeleton(CLI::App& app) {
    auto words = std::make_shared<SkeletonWords>();
    app.add_option("--from", words->from, "take the skeleton from this avatar GLB or skeleton JSON")->type_name("FILE");
    app.add_option("-o,--output", words->output, "write it as JSON, for --skeleton")->type_name("FILE");
    app.add_flag("--json", words->json, "print JSON in place of the tree");
    return [words] { return run_skeleton(*words); };
}

}  // namespace helixavatar::commands
