// SPDX-License-Identifier: MIT
#include "support/playback.hpp"

#include <iostream>
#include <stdexcept>

#include <helixavatar/base/child_process.hpp>
#include <helixavatar/base/file_io.hpp>

#include "support/real_avatars.hpp"

namespace helixavatar::test {

std::optional<gltf::Json> played(const gltf::Document& document) {
    const auto modules = node_modules();
    const std::filesystem::path node = find_program("node");
    if (!modules) return {};
    if (node.empty() || !std::filesystem::exists(*modules / "three")) {
        std::cout << "skipped: node or the npm package three is not installed\n";
        return {};
    }
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "played.glb";
    const Result<void> wrote = write_file_atomically(file, gltf::write_glb(document));
    if (!wrote) throw std::runtime_error(wrote.error().message);
    const std::string script = std::string(HELIXAVATAR_TESTS) + "/readback/play.mjs";
    const auto ran =
        run_child(node, {script, modules->string(), file.string()}, folder.path(), std::chrono::seconds(60));
    if (!ran || ran->exit_code != 0) throw std::runtime_error(ran ? ran->output : ran.error().message);
    const std::size_t begin = ran->output.find('{');
    if (begin == std::string::npos) throw std::runtime_error("node printed nothing: " + ran->output);
    return gltf::Json::parse(ran->output.substr(begin));
}

}  // namespace helixavatar::test
