// SPDX-License-Identifier: MIT
#include "face/channel_names.hpp"

#include <algorithm>

namespace helixavatar::face {

const std::vector<std::string>& viseme_channels() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const char* viseme :
             {"sil", "PP", "FF", "TH", "DD", "kk", "CH", "SS", "nn", "RR", "aa", "E", "ih", "oh", "ou"})
            all.push_back(std::string("viseme.") + viseme);
        return all;
    }();
    return names;
}

const std::vector<std::string>& vowel_channels() {
    static const std::vector<std::string> names{"viseme.aa", "viseme.E", "viseme.ih", "viseme.oh", "viseme.ou"};
    return names;
}

const std::vector<std::string>& channel_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all = viseme_channels();
        all.insert(all.end(), {"jawOpen", "blink.left", "blink.right"});
        for (const char* eye : {"left", "right"})
            for (const char* way : {"up", "down", "in", "out"}) all.push_back(std::string("gaze.") + eye + "." + way);
        for (const char* mood : {"happy", "angry", "sad", "relaxed", "surprised", "neutral"})
            all.push_back(std::string("expression.") + mood);
        return all;
    }();
    return names;
}

const std::vector<std::string>& capabilities() {
    static const std::vector<std::string> names{"viseme15", "vowel5", "jaw", "none"};
    return names;
}

bool may_rest(std::string_view channel) {
    return channel == "viseme.sil" || channel == "expression.neutral";
}

std::string capability_of(const std::function<bool(const std::string&)>& has_channel) {
    const auto all = [&](const std::vector<std::string>& names) {
        return std::all_of(names.begin(), names.end(), has_channel);
    };
    if (all(viseme_channels())) return "viseme15";
    if (all(vowel_channels())) return "vowel5";
    return has_channel("jawOpen") ? "jaw" : "none";
}

}  // namespace helixavatar::face
