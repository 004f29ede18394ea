// SPDX-License-Identifier: MIT
// Joint names of any tool, reduced to what they say: a key, a side, and whether the name speaks of a helper.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helixavatar::rig {

enum class Side { none, left, right };

struct JointName {
    std::string raw;   ///< as in the file
    std::string key;   ///< words without side, vendor prefix and noise, joined: "LeftHandThumb1" → "handthumb1"
    std::string full;  ///< the key behind its vendor prefix, if it has one
    std::string stem;  ///< the key without a trailing number; equal to the key when it has none
    Side side = Side::none;
    std::vector<std::string> words;  ///< lower-case words of the key
    bool auxiliary = false;          ///< a word says that this is no main joint (twist, IK, end, hair...)
    bool twist = false;              ///< a word says twist or roll
    bool end = false;                ///< a word says end, tip, nub or leaf
    bool front = false;              ///< a part of the face, which lies in front of the head joint
};

/// Names of one rig. Affixes that nearly all names share (an exporter's running number, an armature's name) are cut.
std::vector<JointName> read_names(const std::vector<std::string>& names);

/// A name alone.
JointName read_name(std::string_view name);

}  // namespace helixavatar::rig
