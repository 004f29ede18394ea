// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace helixavatar::humanoid {

/// The fifteen visemes, rest first.
inline constexpr std::array<std::string_view, 15> kVisemes{"sil", "PP", "FF", "TH", "DD", "kk", "CH", "SS",
                                                           "nn",  "RR", "aa", "E",  "ih", "oh", "ou"};

/// The viseme of an ARPAbet phoneme, in any case, with or without its stress digit; diphthongs by their first sound.
std::optional<std::string> viseme_of_phoneme(std::string_view phoneme);

/// The vowel that a mouth with five vowels shows for a viseme, and how far; consonants fold into vowels. No vowel for
/// closed lips and silence.
struct FoldedViseme {
    std::string_view vowel;  ///< "aa", "E", "ih", "oh", "ou", or empty
    double weight = 0;
};
FoldedViseme folded_to_vowel(std::string_view viseme);

/// How far a viseme opens the jaw, 0..1: what a face with a jaw alone can show of it.
double jaw_of_viseme(std::string_view viseme);

}  // namespace helixavatar::humanoid
