// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>

#include <cstdio>

#include <helixavatar/rig/recognise.hpp>

#include "command.hpp"
#include "console.hpp"

namespace helixavatar::commands {
namespace {

ExitCode run_rigs(bool json) {
    if (json) {
        gltf::Json list = gltf::Json::array();
        for (const rig::FamilyInfo& family : rig::families())
            list.push_back({{"family", family.key}, {"joints", family.joints}, {"evidence", family.evidence}});
        print(list.dump(2) + "\n");
        return ExitCode::ok;
    }
    print("family                  joints  where the names come from\n");
    for (const rig::FamilyInfo& family : rig::families()) {
        char line[64];
        std::snprintf(line, sizeof line, "%-24s%6zu  ", family.key.c_str(), family.joints);
        print(line + family.evidence + "\n");
    }
    print("\nOther rigs are recognised by their shape; --bone-map settles what is unsure.\n");
    return ExitCode::ok;
}

}  // namespace

Runner bind_rigs(CLI::App& app) {
    auto json = std::make_shared<bool>(false);
    app.add_flag("--json", *json, "print JSON");
    return [json] { return run_rigs(*json); };
}

}  // namespace helixavatar::commands
