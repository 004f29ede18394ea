// SPDX-License-Identifier: MIT
#include <helixavatar/humanoid/phonemes.hpp>

#include <algorithm>
#include <cctype>

namespace helixavatar::humanoid {
namespace {

struct Spoken {
    std::string_view phoneme, viseme;
};

// ARPAbet's 39 and silence; by place of articulation, as the fifteen visemes group them.
constexpr std::array<Spoken, 42> kSpoken{
    {{"AA", "aa"}, {"AE", "aa"}, {"AH", "aa"}, {"AO", "oh"}, {"AW", "aa"},   {"AY", "aa"},  {"B", "PP"},
     {"CH", "CH"}, {"D", "DD"},  {"DH", "TH"}, {"EH", "E"},  {"ER", "RR"},   {"EY", "E"},   {"F", "FF"},
     {"G", "kk"},  {"HH", "kk"}, {"IH", "ih"}, {"IY", "ih"}, {"JH", "CH"},   {"K", "kk"},   {"L", "nn"},
     {"M", "PP"},  {"N", "nn"},  {"NG", "kk"}, {"OW", "oh"}, {"OY", "oh"},   {"P", "PP"},   {"R", "RR"},
     {"S", "SS"},  {"SH", "CH"}, {"T", "DD"},  {"TH", "TH"}, {"UH", "ou"},   {"UW", "ou"},  {"V", "FF"},
     {"W", "ou"},  {"Y", "ih"},  {"Z", "SS"},  {"ZH", "CH"}, {"SIL", "sil"}, {"SP", "sil"}, {"PAU", "sil"}}};

struct Shown {
    std::string_view viseme, vowel;
    double weight, jaw;
};

constexpr std::array<Shown, 15> kShown{{{"sil", "", 0, 0},
                                        {"PP", "", 0, 0},
                                        {"FF", "ih", 0.2, 0.1},
                                        {"TH", "E", 0.3, 0.2},
                                        {"DD", "E", 0.35, 0.2},
                                        {"kk", "aa", 0.25, 0.25},
                                        {"CH", "ou", 0.4, 0.15},
                                        {"SS", "ih", 0.4, 0.1},
                                        {"nn", "E", 0.3, 0.2},
                                        {"RR", "oh", 0.35, 0.2},
                                        {"aa", "aa", 1, 1},
                                        {"E", "E", 1, 0.6},
                                        {"ih", "ih", 1, 0.4},
                                        {"oh", "oh", 1, 0.7},
                                        {"ou", "ou", 1, 0.3}}};

const Shown* shown(std::string_view viseme) {
    const auto found = std::find_if(kShown.begin(), kShown.end(), [&](const Shown& s) { return s.viseme == viseme; });
    return found == kShown.end() ? nullptr : &*found;
}

}  // namespace

std::optional<std::string> viseme_of_phoneme(std::string_view phoneme) {
    std::string name;
    for (const char c : phoneme)
        if (std::isdigit(static_cast<unsigned char>(c)) == 0)
            name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    for (const Spoken& spoken : kSpoken)
        if (spoken.phoneme == name) return std::string(spoken.viseme);
    return {};
}

FoldedViseme folded_to_vowel(std::string_view viseme) {
    const Shown* known = shown(viseme);
    return known ? FoldedViseme{known->vowel, known->weight} : FoldedViseme{};
}

double jaw_of_viseme(std::string_view viseme) {
    const Shown* known = shown(viseme);
    return known ? known->jaw : 0;
}

}  // namespace helixavatar::humanoid
