// SPDX-License-Identifier: MIT
#include "rig/names.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <regex>

#include "rig/families.hpp"

namespace helixavatar::rig {
namespace {

using Text = std::u32string;

/// Half-width katakana U+FF66.. to full width, in Unicode's order.
constexpr std::array<char16_t, 56> kKatakana = {
    u'ヲ', u'ァ', u'ィ', u'ゥ', u'ェ', u'ォ', u'ャ', u'ュ', u'ョ', u'ッ', u'ー', u'ア', u'イ', u'ウ',
    u'エ', u'オ', u'カ', u'キ', u'ク', u'ケ', u'コ', u'サ', u'シ', u'ス', u'セ', u'ソ', u'タ', u'チ',
    u'ツ', u'テ', u'ト', u'ナ', u'ニ', u'ヌ', u'ネ', u'ノ', u'ハ', u'ヒ', u'フ', u'ヘ', u'ホ', u'マ',
    u'ミ', u'ム', u'メ', u'モ', u'ヤ', u'ユ', u'ヨ', u'ラ', u'リ', u'ル', u'レ', u'ロ', u'ワ', u'ン'};

/// The compatibility forms that occur in joint names: full-width letters and digits, half-width katakana.
char32_t compatible(char32_t c) {
    if (c >= 0xFF01 && c <= 0xFF5E) return c - 0xFF01 + 0x21;
    if (c == 0x3000 || c == 0x00A0) return U' ';
    if (c >= 0xFF66 && c < 0xFF66 + kKatakana.size()) return kKatakana[c - 0xFF66];
    return c;
}

Text decode(std::string_view text) {
    Text out;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
        char32_t c = lead;
        if (length > 1 && i + length <= text.size()) {
            c = lead & (0xFFu >> (length + 1));
            for (std::size_t k = 1; k < length; ++k) c = (c << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3Fu);
        }
        const char32_t wide = compatible(c);
        // A voiced mark behind a half-width kana belongs to the letter before it.
        const bool voiced = c == 0xFF9E && !out.empty();
        if (voiced)
            ++out.back();
        else if (c == 0xFF9F && !out.empty())
            out.back() += 2;
        else
            out.push_back(wide);
        i += std::min(length, text.size() - i);
    }
    return out;
}

std::string encode(const Text& text) {
    std::string out;
    for (const char32_t c : text) {
        if (c < 0x80) {
            out += static_cast<char>(c);
        } else if (c < 0x800) {
            out += static_cast<char>(0xC0 | (c >> 6));
            out += static_cast<char>(0x80 | (c & 0x3F));
        } else if (c < 0x10000) {
            out += static_cast<char>(0xE0 | (c >> 12));
            out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
            out += static_cast<char>(0x80 | (c & 0x3F));
        } else {
            out += static_cast<char>(0xF0 | ((c >> 18) & 0x07));
            out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
            out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
            out += static_cast<char>(0x80 | (c & 0x3F));
        }
    }
    return out;
}

enum class Class { lower, upper, digit, other, gap };

Class class_of(char32_t c) {
    if (c >= U'a' && c <= U'z') return Class::lower;
    if (c >= U'A' && c <= U'Z') return Class::upper;
    if (c >= U'0' && c <= U'9') return Class::digit;
    return c < 0x80 ? Class::gap : Class::other;
}

std::string lowered(std::string text) {
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
}

bool holds(const std::vector<std::string>& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

std::string without_zeros(const std::string& word) {
    const auto first = word.find_first_not_of('0');
    return first == std::string::npos ? "0" : word.substr(first);
}

/// Words of a name: at separators, at letter and digit borders, at case borders ("LUpArm" → l, up, arm).
std::vector<std::string> words_of(const Text& text) {
    std::vector<std::string> out;
    Text word;
    Class before = Class::gap;
    const auto close = [&] {
        if (word.empty()) return;
        std::string done = lowered(encode(word));
        out.push_back(class_of(word.front()) == Class::digit ? without_zeros(done) : std::move(done));
        word.clear();
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const Class now = class_of(text[i]);
        const Class next = i + 1 < text.size() ? class_of(text[i + 1]) : Class::gap;
        const bool side_mark = text[i] == U'左' || text[i] == U'右';
        bool border = now != before && !(before == Class::upper && now == Class::lower);
        if (before == Class::upper && now == Class::upper && next == Class::lower) border = true;
        if (border || side_mark) close();
        if (now != Class::gap) word.push_back(text[i]);
        if (side_mark) close();
        before = side_mark ? Class::gap : now;
    }
    close();
    return out;
}

std::vector<std::regex> compiled(const std::vector<std::string>& list) {
    std::vector<std::regex> out;
    for (const std::string& text : list) out.emplace_back("^(?:" + text + ")");
    return out;
}

const std::vector<std::regex>& prefix_patterns() {
    static const std::vector<std::regex> kPatterns = compiled(words().prefixes);
    return kPatterns;
}

const std::vector<std::regex>& control_patterns() {
    static const std::vector<std::regex> kPatterns = compiled(words().control_prefixes);
    return kPatterns;
}

/// The vendor prefix's place in the list and its length, or (-1, 0).
std::pair<int, std::size_t> vendor_prefix(const std::string& lower, const std::vector<std::regex>& prefixes) {
    for (std::size_t i = 0; i < prefixes.size(); ++i) {
        std::smatch match;
        // Continuous: a search would try the anchored pattern at every letter of the name.
        if (!std::regex_search(lower, match, prefixes[i], std::regex_constants::match_continuous)) continue;
        const auto length = static_cast<std::size_t>(match.length(0));
        if (length > 0 && length < lower.size()) return {static_cast<int>(i), length};
    }
    return {-1, 0};
}

/// Takes the side out of the words. Two different sides in one name say nothing.
Side take_side(std::vector<std::string>& list) {
    Side side = Side::none;
    bool both = false;
    std::size_t at = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const Side here = holds(words().left, list[i])    ? Side::left
                          : holds(words().right, list[i]) ? Side::right
                                                          : Side::none;
        if (here == Side::none) continue;
        both = both || (side != Side::none && here != side);
        side = here;
        at = i;
    }
    if (both) return Side::none;
    if (side != Side::none) {
        if (list.size() > 1) list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
        return side;
    }
    for (std::string& word : list) {  // words glued in lower case: "leftupleg", "handleft"
        for (const auto& [text, value] : {std::pair{std::string("left"), Side::left}, {"right", Side::right}}) {
            if (word.size() <= text.size() + 1) continue;
            const bool front = word.compare(0, text.size(), text) == 0;
            const bool back = word.compare(word.size() - text.size(), text.size(), text) == 0;
            if (!front && !back) continue;
            word = front ? word.substr(text.size()) : word.substr(0, word.size() - text.size());
            return value;
        }
    }
    return Side::none;
}

bool speaks_of(const std::vector<std::string>& list, const std::vector<std::string>& vocabulary) {
    for (const std::string& word : list) {
        if (holds(vocabulary, word)) return true;
        for (const std::string& entry : vocabulary) {
            // Scripts without spaces, and words glued on in lower case ("upperarmtwist"): part of a longer word.
            if (static_cast<unsigned char>(entry[0]) >= 0x80 && word.find(entry) != std::string::npos) return true;
            if (entry.size() >= 5 && word.ends_with(entry)) return true;
        }
    }
    return false;
}

bool is_number(const std::string& word) {
    return !word.empty() && word[0] >= '0' && word[0] <= '9';
}

struct Draft {
    std::string raw;
    std::vector<std::string> list;
    int prefix = -1;
    bool control = false;
};

Draft draft(std::string_view name) {
    Text text = decode(name);
    std::string lower = lowered(encode(text));
    Draft out;
    out.raw = name;
    out.control = vendor_prefix(lower, control_patterns()).first >= 0;
    const auto [prefix, length] = vendor_prefix(lower, prefix_patterns());
    out.prefix = prefix;
    if (prefix >= 0) text = decode(encode(text).substr(length));
    const auto space = text.find_last_of(U":|");
    if (space != Text::npos && space + 1 < text.size()) text = text.substr(space + 1);
    out.list = words_of(text);
    return out;
}

JointName finish(Draft d) {
    JointName out;
    out.raw = d.raw;
    out.side = take_side(d.list);
    std::vector<std::string> kept;
    for (const std::string& word : d.list) {
        if (!holds(words().ignored, word)) kept.push_back(word);
    }
    if (kept.empty() || is_number(kept.front())) kept = d.list;
    out.words = kept;
    for (const std::string& word : kept) out.key += word;
    out.stem = out.key;
    if (kept.size() > 1 && is_number(kept.back())) out.stem = out.key.substr(0, out.key.size() - kept.back().size());
    out.full = d.prefix < 0 ? out.key : std::to_string(d.prefix) + "|" + out.key;
    out.twist = speaks_of(kept, words().twist);
    out.end = speaks_of(kept, words().end);
    out.front = speaks_of(kept, words().front) || holds(words().front, out.key);
    out.auxiliary = d.control || out.twist || out.end || speaks_of(kept, words().not_main);
    return out;
}

/// A running number that an exporter hung on nearly every name, or a word that they all begin or end with.
void cut_shared(std::vector<Draft>& drafts) {
    if (drafts.size() < 8) return;
    const auto most = [&](std::size_t count) { return count * 5 >= drafts.size() * 4; };
    std::map<std::string, std::size_t> last, first;
    std::size_t numbered = 0;
    for (const Draft& d : drafts) {
        if (d.list.size() < 2) continue;
        numbered += is_number(d.list.back());
        if (!is_number(d.list.back())) ++last[d.list.back()];
        ++first[d.list.front()];
    }
    const auto shared = [&](const std::map<std::string, std::size_t>& counts) {
        for (const auto& [word, count] : counts) {
            // One letter may mean something ("mHipLeft" is a family's mark).
            if (word.size() > 1 && most(count)) return word;
        }
        return std::string();
    };
    std::map<std::string, std::size_t> numbers;
    for (const Draft& d : drafts) {
        if (!d.list.empty() && is_number(d.list.back())) ++numbers[d.list.back()];
    }
    const bool running = most(numbered) && numbers.size() * 5 >= drafts.size() * 3;
    const std::string head = shared(first), tail = shared(last);
    for (Draft& d : drafts) {
        if (running && d.list.size() > 1 && is_number(d.list.back())) d.list.pop_back();
        if (!tail.empty() && d.list.size() > 1 && d.list.back() == tail) d.list.pop_back();
        if (!head.empty() && d.list.size() > 1 && d.list.front() == head) d.list.erase(d.list.begin());
    }
}

}  // namespace

std::vector<JointName> read_names(const std::vector<std::string>& names) {
    std::vector<Draft> drafts;
    drafts.reserve(names.size());
    for (const std::string& name : names) drafts.push_back(draft(name));
    cut_shared(drafts);
    std::vector<JointName> out;
    out.reserve(names.size());
    for (Draft& d : drafts) out.push_back(finish(std::move(d)));
    return out;
}

JointName read_name(std::string_view name) {
    return finish(draft(name));
}

}  // namespace helixavatar::rig
