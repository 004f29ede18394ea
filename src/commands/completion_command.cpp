// SPDX-License-Identifier: MIT
#include <memory>

#include <CLI/CLI.hpp>

#include "command.hpp"
#include "console.hpp"
#include "describe_cli.hpp"

namespace helixavatar::commands {

Runner bind_completion(CLI::App& app) {
    auto shell = std::make_shared<std::string>();
    app.add_option("SHELL", *shell, "the shell to complete in")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    return [shell, &app] {
        print(completion(*app.get_parent(), *shell));
        return ExitCode::ok;
    };
}

Runner bind_man(CLI::App& app) {
    app.group("");  // for packaging; people have --help
    auto name = std::make_shared<std::string>();
    app.add_option("COMMAND", *name, "the command (default: the program itself)");
    return [name, &app] {
        const CLI::App* program = app.get_parent();
        const CLI::App* page = name->empty() ? program : nullptr;
        for (const CLI::App* sub :
             program->get_subcommands([&](const CLI::App* one) { return one->get_name() == *name; }))
            page = sub;
        if (!page) return fail({ErrorKind::usage, "there is no command " + *name, "", "helixavatar --help lists them"});
        print(man_page(*page, *program));
        return ExitCode::ok;
    };
}

}  // namespace helixavatar::commands
