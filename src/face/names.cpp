// SPDX-License-Identifier: MIT
#include "face/names.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace helixavatar::face {
namespace {

char lower(char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}
bool is_separator(char c) {
    return c == '_' || c == '-' || c == '.' || c == ' ';
}
bool is_small(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

std::string folded(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (!is_separator(c)) out += lower(c);
    return out;
}

/// The side that a name ends with, cut off: a word, a marked letter, or a capital behind a small letter. 0: none.
char cut_side(std::string_view& name) {
    const std::string low = [&] {
        std::string text(name);
        std::transform(text.begin(), text.end(), text.begin(), lower);
        return text;
    }();
    for (const auto& [word, side] : {std::pair<std::string_view, char>{"left", 'l'}, {"right", 'r'}}) {
        if (low.size() <= word.size() || !low.ends_with(word)) continue;
        name.remove_suffix(word.size());
        return side;
    }
    if (name.size() < 3) return 0;
    const char last = name.back(), before = name[name.size() - 2];
    const bool marked = is_separator(before) && (lower(last) == 'l' || lower(last) == 'r');
    const bool capital = is_small(before) && (last == 'L' || last == 'R');
    if (!marked && !capital) return 0;
    name.remove_suffix(1);
    return lower(last);
}

/// What is left of a name behind each prefix that exporters put before it.
std::vector<std::string_view> behind_prefixes(std::string_view name) {
    std::vector<std::string_view> tails;
    constexpr std::size_t kShortest = 2;
    const auto take = [&](std::size_t from) {
        if (from < name.size() && name.size() - from >= kShortest) tails.push_back(name.substr(from));
    };
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] == '.' || name[i] == '|' || name[i] == ':') take(i + 1);
        if (name.substr(i).starts_with("__")) take(i + 2);
    }
    if (const std::size_t vroid = name.rfind("Fcl_"); vroid != std::string_view::npos && vroid > 0) take(vroid);
    const auto digit = [&](std::size_t i) { return std::isdigit(static_cast<unsigned char>(name[i])) != 0; };
    if (name.size() > 4 && lower(name[0]) == 'a' && digit(1) && digit(2) && name[3] == '_')
        take(4);  // iClone's A01_..A52_
    constexpr std::array<std::string_view, 4> kMeshWords{"head_", "face_", "body_", "mesh_"};
    for (const std::string_view word : kMeshWords)
        if (name.size() > word.size() && folded(name.substr(0, word.size())) + "_" == word) take(word.size());
    return tails;
}

}  // namespace

std::string name_key(std::string_view name) {
    const char side = cut_side(name);
    std::string key = folded(name);
    if (side != 0) {
        key += '|';
        key += side;
    }
    return key;
}

NameIndex::NameIndex(const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        const int index = static_cast<int>(i);
        exact_.emplace(names[i], index);
        full_.emplace(name_key(names[i]), index);
        for (const std::string_view tail : behind_prefixes(names[i])) behind_prefix_.emplace(name_key(tail), index);
    }
}

int NameIndex::find(std::string_view name) const {
    if (const auto found = exact_.find(std::string(name)); found != exact_.end()) return found->second;
    const std::string key = name_key(name);
    if (const auto found = full_.find(key); found != full_.end()) return found->second;
    const auto found = behind_prefix_.find(key);
    return found == behind_prefix_.end() ? -1 : found->second;
}

}  // namespace helixavatar::face
