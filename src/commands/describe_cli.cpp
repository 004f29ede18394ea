// SPDX-License-Identifier: MIT
#include "describe_cli.hpp"

#include <sstream>
#include <vector>

#include <CLI/CLI.hpp>

#include <helixavatar/base/version.hpp>

namespace helixavatar::commands {
namespace {

using Options = std::vector<const CLI::Option*>;

Options options_of(const CLI::App& app, bool positional) {
    return app.get_options([&](const CLI::Option* option) {
        return !option->get_group().empty() && option->get_positional() == positional;
    });
}

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
    return program.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); });
}

/// "-o", "--output", and for a flag that is only ever negated "--no-twist".
std::vector<std::string> names_of(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    return names;
}

bool takes_value(const CLI::Option& option) {
    return option.get_items_expected_max() > 0 && option.get_type_size_max() > 0;
}

/// The words of a CLI::IsMember, which describes itself as "NAME:{a,b,c}"; none for other options.
std::vector<std::string> choices_of(const CLI::Option& option) {
    std::vector<std::string> words;
    const std::string type = option.get_type_name();
    const std::size_t open = type.find('{'), close = type.rfind('}');
    if (open == std::string::npos || close == std::string::npos) return words;
    std::istringstream list(type.substr(open + 1, close - open - 1));
    for (std::string word; std::getline(list, word, ',');) words.push_back(word);
    return words;
}

std::string value_name(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    return type.substr(0, type.find(':'));
}

/// Text that roff takes for nothing but text.
std::string roff(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool begins_line = i == 0 || text[i - 1] == '\n';
        if (begins_line && (text[i] == '.' || text[i] == '\'')) out += "\\&";
        out += text[i] == '\\' ? "\\e" : text[i] == '-' ? "\\-" : std::string(1, text[i]);
    }
    return out;
}

std::string option_entry(const CLI::Option& option) {
    std::string head;
    for (const std::string& name : names_of(option))
        head += (head.empty() ? "" : ", ") + ("\\fB" + roff(name) + "\\fR");
    if (option.get_positional()) head = "\\fI" + roff(option.get_single_name()) + "\\fR";
    if (!option.get_positional() && takes_value(option)) head += " \\fI" + roff(value_name(option)) + "\\fR";
    std::string text = option.get_description();
    if (!option.get_default_str().empty()) text += " (default: " + option.get_default_str() + ")";
    std::string choices;
    for (const std::string& word : choices_of(option)) choices += (choices.empty() ? "" : ", ") + word;
    if (!choices.empty()) text += "; one of " + choices;
    return ".TP\n" + head + "\n" + roff(text) + "\n";
}

/// One word for the shell, quoted.
std::string shell_word(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

std::string bash(const CLI::App& program) {
    std::vector<std::string> commands;
    for (const CLI::App* sub : commands_of(program)) commands.push_back(sub->get_name());
    std::string out =
        "# bash completion of helixavatar, made by `helixavatar completion bash`\n"
        "_helixavatar() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
        "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "    COMPREPLY=($(compgen -W '" +
        joined(commands) +
        " --help --version' -- \"$word\"))\n"
        "    return\n"
        "  fi\n"
        "  case ${COMP_WORDS[1]}:$before in\n";
    for (const CLI::App* sub : commands_of(program))
        for (const CLI::Option* option : options_of(*sub, false)) {
            std::string patterns;
            for (const std::string& name : names_of(*option))
                patterns += (patterns.empty() ? "" : "|") + sub->get_name() + ":" + name;
            const std::vector<std::string> choices = choices_of(*option);
            if (!choices.empty()) out += "    " + patterns + ") words='" + joined(choices) + "' ;;\n";
        }
    out +=
        "  esac\n"
        "  if [ -n \"$words\" ]; then\n"
        "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
        "    return\n"
        "  fi\n"
        "  case ${COMP_WORDS[1]} in\n";
    for (const CLI::App* sub : commands_of(program)) {
        std::vector<std::string> names;
        for (const CLI::Option* option : options_of(*sub, false))
            for (const std::string& name : names_of(*option)) names.push_back(name);
        out += "    " + sub->get_name() + ") words='" + joined(names) + "' ;;\n";
    }
    return out +
           "  esac\n"
           "  case $word in\n"
           "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
           "    *) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n"
           "  esac\n"
           "}\n"
           "complete -F _helixavatar helixavatar\n";
}

/// Text inside the brackets of a zsh option specification.
std::string zsh_text(const std::string& text) {
    std::string out;
    for (const char c : text)
        out += std::string("[]:\\").find(c) == std::string::npos ? std::string(1, c) : std::string("\\") + c;
    return out;
}

std::string zsh(const CLI::App& program) {
    std::string out =
        "#compdef helixavatar\n"
        "# zsh completion of helixavatar, made by `helixavatar completion zsh`\n"
        "_helixavatar() {\n"
        "  local -a commands=(\n";
    for (const CLI::App* sub : commands_of(program))
        out += "    " + shell_word(sub->get_name() + ":" + zsh_text(sub->get_description())) + "\n";
    out +=
        "  )\n"
        "  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
        "  local command=$words[2]\n"
        "  shift words; (( CURRENT-- ))\n"
        "  case $command in\n";
    for (const CLI::App* sub : commands_of(program)) {
        out += "    " + sub->get_name() + ")\n      _arguments";
        for (const CLI::Option* option : options_of(*sub, false))
            for (const std::string& name : names_of(*option)) {
                std::string spec = name + "[" + zsh_text(option->get_description()) + "]";
                const std::vector<std::string> choices = choices_of(*option);
                if (takes_value(*option))
                    spec += ":" + zsh_text(value_name(*option)) + ":" +
                            (choices.empty() ? std::string("_files") : "(" + joined(choices) + ")");
                out += " \\\n        " + shell_word(spec);
            }
        out += " \\\n        '*:file:_files' ;;\n";
    }
    return out + "  esac\n}\n_helixavatar \"$@\"\n";
}

std::string fish(const CLI::App& program) {
    std::string out = "# fish completion of helixavatar, made by `helixavatar completion fish`\n";
    for (const CLI::App* sub : commands_of(program))
        out += "complete -c helixavatar -n __fish_use_subcommand -f -a " + sub->get_name() + " -d " +
               shell_word(sub->get_description()) + "\n";
    for (const CLI::App* sub : commands_of(program))
        for (const CLI::Option* option : options_of(*sub, false)) {
            out += "complete -c helixavatar -n '__fish_seen_subcommand_from " + sub->get_name() + "'";
            for (const std::string& name : option->get_snames()) out += " -s " + name;
            for (const std::string& name : option->get_lnames()) out += " -l " + name;
            const std::vector<std::string> choices = choices_of(*option);
            if (!choices.empty())
                out += " -x -a " + shell_word(joined(choices));
            else if (takes_value(*option))
                out += " -r";
            out += " -d " + shell_word(option->get_description()) + "\n";
        }
    return out;
}

}  // namespace

std::string man_page(const CLI::App& app, const CLI::App& program) {
    const bool whole = &app == &program;
    const std::string name = whole ? "helixavatar" : "helixavatar-" + app.get_name();
    std::string out = ".\\\" Made by `helixavatar man`; the text is that of --help.\n.TH \"" + roff(name) +
                      "\" 1 \"\" \"helixavatar " + std::string(version()) + "\" \"HELIX avatars\"\n.SH NAME\n" +
                      roff(name) + " \\- " + roff(app.get_description()) + "\n.SH SYNOPSIS\n\\fBhelixavatar\\fR " +
                      (whole ? std::string("\\fICOMMAND\\fR [\\fIOPTIONS\\fR]")
                             : "\\fB" + roff(app.get_name()) + "\\fR [\\fIOPTIONS\\fR]");
    for (const CLI::Option* option : options_of(app, true))
        out += " \\fI" + roff(option->get_single_name()) + "\\fR ...";
    out += "\n";
    if (whole) {
        out += ".SH COMMANDS\n";
        for (const CLI::App* sub : commands_of(program))
            out += ".TP\n\\fB" + roff(sub->get_name()) + "\\fR\n" + roff(sub->get_description()) + "\n";
    }
    out += ".SH OPTIONS\n";
    for (const bool positional : {true, false})
        for (const CLI::Option* option : options_of(app, positional)) out += option_entry(*option);
    out += std::string(".SH ") + (whole ? "EXIT STATUS" : "EXAMPLES") + "\n.nf\n" + roff(app.get_footer()) + "\n.fi\n";
    if (whole) return out;
    return out + ".SH SEE ALSO\n.BR helixavatar (1)\n";
}

std::string completion(const CLI::App& program, const std::string& shell) {
    return shell == "bash"   ? bash(program)
           : shell == "zsh"  ? zsh(program)
           : shell == "fish" ? fish(program)
                             : std::string();
}

}  // namespace helixavatar::commands
