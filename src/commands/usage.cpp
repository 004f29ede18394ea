// SPDX-License-Identifier: MIT
#include "usage.hpp"

#include <algorithm>
#include <iostream>

#include <CLI/CLI.hpp>

#include <helixavatar/avatar/manifest_faults.hpp>
#include <helixavatar/base/exit_code.hpp>

namespace helixavatar::commands {
namespace {

/// CLI11 writes a check behind the type's name: "MODE:{auto,off}", "PX:INT in [4 - 16384]".
struct TypeText {
    std::string name, allowed;
    explicit TypeText(const std::string& text) {
        const std::size_t colon = std::min(text.find(':'), text.size());
        name = text.substr(0, colon);
        const std::string check = colon < text.size() ? text.substr(colon + 1) : "";
        const std::size_t open = check.find_first_of("{["), close = check.find_last_of("}]");
        if (open == std::string::npos || close == std::string::npos || close < open) return;
        for (const char c : check.substr(open + 1, close - open - 1))
            allowed += c == ',' ? std::string(", ") : std::string(1, c);
        const std::size_t to = allowed.find(" - ");
        if (check[open] == '[' && to != std::string::npos) allowed.replace(to, 3, " to ");
    }
};

class HelpFormatter : public CLI::Formatter {
public:
    std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
        if (is_positional) return option->get_name(true);
        std::string names;
        for (const std::string& name : option->get_snames()) names += (names.empty() ? "-" : ", -") + name;
        for (const std::string& name : option->get_lnames()) names += (names.empty() ? "--" : ", --") + name;
        return names;
    }

    std::string make_option_opts(const CLI::Option* option) const override {
        if (option->get_type_size() == 0) return {};
        const TypeText type(option->get_type_name());
        return type.name.empty() ? "" : " " + type.name;
    }

    std::string make_option_desc(const CLI::Option* option) const override {
        std::string text = option->get_description();
        if (option->get_type_size() == 0) return text;
        const TypeText type(option->get_type_name());
        std::string preset = option->get_default_str();
        preset.erase(std::remove_if(preset.begin(), preset.end(), [](char c) { return c == '[' || c == ']'; }),
                     preset.end());
        std::string notes = type.allowed;
        if (!preset.empty()) notes += (notes.empty() ? "" : "; ") + std::string("default ") + preset;
        if (option->get_required() && option->get_positional()) notes += notes.empty() ? "required" : "; required";
        return notes.empty() ? text : text + " (" + notes + ")";
    }
};

std::vector<std::string> option_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& names) {
    const std::vector<std::string> nearest = avatar::nearest_names(word, names, 1);
    return nearest.empty() ? "" : "; did you mean " + nearest[0] + "?";
}

/// The first word that nobody asked for, with the nearest name; empty when every word was understood.
std::string stray_word(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    const CLI::App& where = chosen.empty() ? app : *chosen.front();
    const std::string command = chosen.empty() ? "" : where.get_name() + ": ";
    const std::vector<std::string> left = app.remaining(true);
    for (const bool options_first : {!chosen.empty(), chosen.empty()}) {  // without a command no option has a meaning
        for (const std::string& word : left) {
            const bool is_option = word.size() > 1 && word[0] == '-';
            if (is_option != options_first) continue;
            if (is_option) {
                const std::string name = word.substr(0, word.find('='));
                return command + "there is no option " + name + did_you_mean(name, option_names(where));
            }
            if (!chosen.empty()) return command + "one file too many: " + word;
            std::vector<std::string> commands;
            for (const CLI::App* sub : app.get_subcommands({})) commands.push_back(sub->get_name());
            return "there is no command " + word + did_you_mean(word, commands);
        }
    }
    return {};
}

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() {
    const auto formatter = std::make_shared<HelpFormatter>();
    formatter->column_width(32);
    return formatter;
}

int usage_exit(const CLI::App& app, const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    const std::string stray = stray_word(app);
    const auto chosen = app.get_subcommands();
    std::string message = stray;
    if (message.empty())
        message = (chosen.empty() ? "" : chosen.front()->get_name() + ": ") + std::string(error.what());
    if (stray.empty() && chosen.empty()) message = "which command?";
    std::cerr << message << "\n";
    std::cerr << "`helixavatar " << (chosen.empty() ? "" : chosen.front()->get_name() + " ")
              << "--help` shows what there is\n";
    // CLI11 has a hundred exit codes of its own; to a script a wrong command line is one thing.
    return static_cast<int>(ExitCode::usage);
}

}  // namespace helixavatar::commands
