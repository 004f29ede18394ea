// SPDX-License-Identifier: MIT
// One file a subcommand: read options, call the pipeline, report. No geometry and no rules here.
#pragma once

#include <functional>
#include <span>
#include <string>

#include <helixavatar/base/exit_code.hpp>
#include <helixavatar/base/result.hpp>

namespace CLI {
class App;
}

namespace helixavatar::commands {

using Runner = std::function<ExitCode()>;

struct Command {
    const char* name;
    const char* summary;
    const char* examples;       ///< two command lines, shown under the options
    Runner (*bind)(CLI::App&);  ///< declares the options on the subcommand and returns what runs it
};

/// Every subcommand, in the order of `helixavatar --help`.
std::span<const Command> commands();

Runner bind_import(CLI::App& app);
Runner bind_conform(CLI::App& app);
Runner bind_lod(CLI::App& app);
Runner bind_preflight(CLI::App& app);
Runner bind_dynamics_validate(CLI::App& app);
Runner bind_dynamics_apply(CLI::App& app);
Runner bind_dynamics_probe(CLI::App& app);
Runner bind_face_preview(CLI::App& app);
Runner bind_repair_lod_skeletons(CLI::App& app);
Runner bind_inspect(CLI::App& app);
Runner bind_skeleton(CLI::App& app);
Runner bind_rigs(CLI::App& app);
Runner bind_summarize(CLI::App& app);
Runner bind_completion(CLI::App& app);
Runner bind_man(CLI::App& app);

}  // namespace helixavatar::commands
