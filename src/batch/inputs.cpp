// SPDX-License-Identifier: MIT
#include <helixavatar/batch/inputs.hpp>

#include <algorithm>
#include <set>

#include <glob.h>

#include <helixavatar/base/printable.hpp>

namespace helixavatar::batch {
namespace {

namespace fs = std::filesystem;

bool is_wanted(const fs::path& path, const std::vector<std::string>& extensions) {
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

std::uintmax_t size_of(const fs::path& path) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(path, error);
    return error ? 0 : bytes;
}

/// "a .glb, .gltf or .vrm file" for people.
std::string wanted_names(const std::vector<std::string>& extensions) {
    std::string text;
    for (std::size_t i = 0; i < extensions.size(); ++i)
        text += (i == 0 ? "" : i + 1 == extensions.size() ? " or " : ", ") + extensions[i];
    return text;
}

/// Its last part, of a folder written with a slash at the end too.
fs::path own_name(const fs::path& path) {
    return path.has_filename() ? path.filename() : path.parent_path().filename();
}

class Walk {
public:
    Walk(const InputRules& rules, std::vector<Input>& out) : rules_(rules), out_(out) {}

    void folder(const fs::path& folder, const fs::path& below) {
        const std::size_t before = out_.size();
        into(folder, below);
        std::sort(out_.begin() + static_cast<std::ptrdiff_t>(before), out_.end(),
                  [](const Input& a, const Input& b) { return a.path.native() < b.path.native(); });
    }

    /// Why a folder gave no input: what it holds instead.
    Error nothing_in(const fs::path& folder) const {
        std::string text = "the folder holds no " + wanted_names(rules_.extensions) + " file";
        std::string hint = "name the files themselves";
        if (others_ > 0) {
            text += ", but " + std::to_string(others_) + " of another kind (";
            std::size_t named = 0;
            for (const std::string& ending : endings_) {
                if (named == kNamedMost) text += ", ...";
                if (named++ < kNamedMost) text += (named > 1 ? ", " : "") + printable(ending);
            }
            text += ")";
        }
        if (left_out_) {
            text += "; the output folder is not searched, or what one run made would be the next one's input";
            hint = "give -o a folder that holds no inputs";
        }
        return {ErrorKind::unreadable, text, folder.string(), hint};
    }

private:
    static constexpr std::size_t kNamedMost = 5;

    void into(const fs::path& folder, const fs::path& below) {
        std::error_code error;
        if (!rules_.leave_out.empty() && fs::equivalent(folder, rules_.leave_out, error)) {
            left_out_ = true;
            return;
        }
        fs::directory_iterator it(folder, error);
        for (const fs::directory_iterator end; !error && it != end; it.increment(error)) {
            std::error_code ignored;
            const fs::path name = it->path().filename();
            if (it->symlink_status(ignored).type() == fs::file_type::directory)
                into(it->path(), below / name);
            else if (is_wanted(name, rules_.extensions) && !fs::is_directory(it->path(), ignored))
                out_.push_back({it->path(), below / name, size_of(it->path()), std::nullopt});
            else
                pass_over(name);
        }
        if (error)
            out_.push_back({folder, below.empty() ? own_name(folder) : below, 0,
                            Error{ErrorKind::unreadable, "cannot look into the folder: " + error.message(),
                                  folder.string(), "give yourself the right to read it, or leave it out"}});
    }

    void pass_over(const fs::path& name) {
        ++others_;
        if (endings_.size() <= kNamedMost)
            endings_.insert(name.has_extension() ? name.extension().string() : "no ending");
    }

    const InputRules& rules_;
    std::vector<Input>& out_;
    std::size_t others_ = 0;         ///< files under names that are not wanted
    std::set<std::string> endings_;  ///< of theirs, some
    bool left_out_ = false;          ///< the output folder lay in the way
};

/// The folder part before the first character that a glob reads as a pattern.
fs::path fixed_part(const std::string& pattern) {
    const std::size_t special = pattern.find_first_of("*?[");
    const std::size_t slash = pattern.rfind('/', special);
    return slash == std::string::npos ? fs::path() : fs::path(pattern.substr(0, slash + 1));
}

void expand_glob(const std::string& pattern, Walk& walk, std::vector<Input>& out) {
    glob_t matches{};
    if (glob(pattern.c_str(), 0, nullptr, &matches) == 0) {
        const fs::path fixed = fixed_part(pattern);
        for (std::size_t i = 0; i < matches.gl_pathc; ++i) {
            const fs::path match = matches.gl_pathv[i];
            const fs::path below = fixed.empty() ? match : match.lexically_relative(fixed);
            std::error_code ignored;
            if (fs::is_directory(match, ignored))
                walk.folder(match, below);
            else
                out.push_back({match, below, size_of(match), std::nullopt});
        }
    }
    globfree(&matches);
}

/// One file named twice, or named and also found in a folder, is one input.
void drop_repeats(std::vector<Input>& inputs) {
    std::set<std::string> seen;
    const auto repeated = [&](const Input& input) {
        return !seen.insert(fs::absolute(input.path).lexically_normal().native()).second;
    };
    std::vector<Input> kept;
    for (Input& input : inputs)
        if (!repeated(input)) kept.push_back(std::move(input));
    inputs = std::move(kept);
}

}  // namespace

bool names_many(const std::string& word) {
    std::error_code ignored;
    if (word == "-") return false;
    if (fs::is_directory(word, ignored)) return true;
    return !fs::exists(word, ignored) && word.find_first_of("*?[") != std::string::npos;
}

Result<std::vector<Input>> find_inputs(const std::vector<std::string>& words, const InputRules& rules) {
    std::vector<Input> inputs;
    for (const std::string& word : words) {
        Walk walk(rules, inputs);
        const std::size_t before = inputs.size();
        std::error_code ignored;
        if (word != "-" && fs::is_directory(word, ignored)) {
            walk.folder(word, {});
            if (inputs.size() == before) return walk.nothing_in(word);
        } else if (names_many(word)) {
            expand_glob(word, walk, inputs);
        }
        // What names nothing fails by itself, with the others still worked on.
        if (inputs.size() == before)
            inputs.push_back({word, word == "-" ? fs::path("-") : own_name(word), size_of(word), std::nullopt});
    }
    drop_repeats(inputs);
    return inputs;
}

}  // namespace helixavatar::batch
