// SPDX-License-Identifier: MIT
#include "project_file.hpp"

#include <algorithm>
#include <array>

#include <toml++/toml.h>
#include <CLI/CLI.hpp>

#include <helixavatar/avatar/manifest_faults.hpp>

#include "console.hpp"

namespace helixavatar::commands {
namespace {

enum class Kind { boolean, count, number, text, texts };

struct Key {
    const char* name;
    Kind kind;
};

// What a project may settle once. What belongs to one run (--explain, --list-rules, the files) is left out.
constexpr std::array<Key, 12> kKeys = {{{"max-triangles", Kind::count},
                                        {"max-draw-calls", Kind::count},
                                        {"max-bytes", Kind::count},
                                        {"max-materials", Kind::count},
                                        {"max-texture-edge", Kind::count},
                                        {"declared-height", Kind::number},
                                        {"profile", Kind::text},
                                        {"format", Kind::text},
                                        {"only", Kind::texts},
                                        {"ignore", Kind::texts},
                                        {"strict", Kind::boolean},
                                        {"no-pixels", Kind::boolean}}};

const char* describe(Kind kind) {
    switch (kind) {
        case Kind::boolean:
            return "true or false";
        case Kind::count:
            return "a whole number from 0 up, without quotes";
        case Kind::number:
            return "a number, without quotes";
        case Kind::text:
            return "one word in quotes";
        case Kind::texts:
            return "a list of rule ids in quotes, as in [\"no-face\", \"no-dynamics\"]";
    }
    return "";
}

std::string printed(double number) {
    char text[64];
    std::snprintf(text, sizeof text, "%.17g", number);
    return text;
}

/// The words that the command line would have carried, or nothing when the value is of another kind.
std::optional<std::vector<std::string>> words_of(const toml::node& value, Kind kind) {
    using Words = std::vector<std::string>;
    switch (kind) {
        case Kind::boolean:
            if (const auto* flag = value.as_boolean()) return Words{flag->get() ? "true" : "false"};
            break;
        case Kind::count:
            if (const auto* count = value.as_integer(); count && count->get() >= 0)
                return Words{std::to_string(count->get())};
            break;
        case Kind::number:
            if (const auto* whole = value.as_integer()) return Words{std::to_string(whole->get())};
            if (const auto* number = value.as_floating_point()) return Words{printed(number->get())};
            break;
        case Kind::text:
            if (const auto* text = value.as_string()) return Words{text->get()};
            break;
        case Kind::texts: {
            const auto* list = value.as_array();
            if (!list) break;
            Words words;
            for (const toml::node& item : *list) {
                if (!item.is_string()) return std::nullopt;
                words.push_back(item.as_string()->get());
            }
            return words;
        }
    }
    return std::nullopt;
}

std::string place(const std::filesystem::path& file, const toml::source_region& source) {
    return file.string() + ":" + std::to_string(source.begin.line);
}

Error unknown_key(std::string_view name, std::string where) {
    std::vector<std::string> names;
    std::string all;
    for (const Key& key : kKeys) {
        names.push_back(key.name);
        all += (all.empty() ? "" : ", ") + names.back();
    }
    const std::vector<std::string> nearest = avatar::nearest_names(name, names, 1);
    return {ErrorKind::usage, "a project file has no key \"" + std::string(name) + "\"", std::move(where),
            nearest.empty() ? "keys are " + all : "the nearest key is \"" + nearest[0] + "\""};
}

Result<void> apply(const toml::key& name, const toml::node& value, std::string where, CLI::App& app) {
    const auto key = std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& k) { return name.str() == k.name; });
    if (key == kKeys.end()) return unknown_key(name.str(), std::move(where));
    const auto words = words_of(value, key->kind);
    const Error wrong_kind{ErrorKind::usage, std::string("\"") + key->name + "\" has a value of another kind", where,
                           std::string("write ") + describe(key->kind)};
    if (!words) return wrong_kind;
    CLI::Option* option = app.get_option(std::string("--") + key->name);
    if (option->count() > 0 || words->empty()) return {};
    try {
        for (const std::string& word : *words) option->add_result(word);
        option->run_callback();
    } catch (const CLI::ParseError& error) {
        return Error{ErrorKind::usage, std::string("\"") + key->name + "\": " + error.what(), where,
                     std::string("write ") + describe(key->kind)};
    }
    return {};
}

}  // namespace

std::optional<std::filesystem::path> find_project_file(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::path at = std::filesystem::absolute(folder, error);
    while (!error && !at.empty()) {
        if (std::filesystem::is_regular_file(at / kProjectFile, error)) return at / kProjectFile;
        error.clear();  // a folder that may not be looked into has no file for us
        if (at == at.parent_path()) break;
        at = at.parent_path();
    }
    return std::nullopt;
}

Result<void> apply_project_file(const std::filesystem::path& file, CLI::App& app) {
    const Result<std::string> text = read_text(file);
    if (!text) return text.error();
    toml::table table;
    try {
        table = toml::parse(*text);
    } catch (const toml::parse_error& error) {
        return Error{ErrorKind::usage, "not TOML: " + std::string(error.description()), place(file, error.source()),
                     "lines read `key = value`, as in `max-triangles = 30000`"};
    }
    // In the file's order, so that its first fault is the one reported.
    std::vector<std::pair<const toml::key*, const toml::node*>> entries;
    for (const auto& [key, value] : table) entries.emplace_back(&key, &value);
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.first->source().begin.line < b.first->source().begin.line; });
    for (const auto& [key, value] : entries) {
        const Result<void> applied = apply(*key, *value, place(file, key->source()), app);
        if (!applied) return applied.error();
    }
    return {};
}

}  // namespace helixavatar::commands
